"""Who decides in a scene that plays: a policy, a person, a trainer; how often; many agents in one call."""

import itertools
import json

import pytest
import torch

import sandlot
from sandlot.bridge.godot_process import GodotProcess
from sandlot.errors import Refused
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.export import export_onnx
from sandlot.worlds.godot import address

from .scenes import agent, make_project, scene

pytestmark = pytest.mark.slow
LIMIT_S = 60
# Counts what it is asked for: a policy makes it glad in every decision, a person's keys never do.
PLAYER = """extends SandlotAgent
var asked := 0
var seen := 0.0
func _init() -> void:
	actions = {"go": ["left", "right"]}
	reward_terms = ["right", "changes"]
var _before := -1
func observe_fields() -> Dictionary:
	return {"side": [sin(seen), cos(seen)]}
func begin_episode(_random: SandlotRandom) -> void:
	seen = get_index() * 0.7
	_before = -1
func act(action: Dictionary) -> void:
	seen += 2.0
	reward("right", action.go)
	if _before >= 0 and action.go != _before:
		reward("changes", 1.0)
	_before = action.go
func human() -> Dictionary:
	return {"go": 1}
"""


@pytest.fixture(scope="module")
def studio(engine, tmp_path_factory):
    """A project with a policy, and scenes of one and three agents."""
    folder = make_project(tmp_path_factory.mktemp("control") / "studio")
    (folder / "player.gd").write_text(PLAYER)
    _write(folder, "one", "")
    with sandlot.make(address(folder, "res://one.tscn"), 1) as world:
        for name, memory in (("policy", 0), ("memory", 12)):
            policy = _undecided(world, memory)
            export_onnx(policy, folder / f"{name}.onnx")
    return folder


def _undecided(world, memory: int) -> Policy:
    """A policy that does not do the same thing all the time."""
    for seed in range(50):
        policy = Policy(
            world.spec, "agent", NetworkConfig(hidden_sizes=(8,), recurrent_size=memory), seed=seed
        )
        with torch.no_grad():
            policy.network.last.weight *= 100
        policy.greedy, state, chosen = True, None, []
        world.reset(seed=1)
        for _ in range(12):
            actions, state = policy.act(world.observations, None, state)
            chosen.append(int(actions[0]))
            world.step(actions)
        if sum(a != b for a, b in itertools.pairwise(chosen)) > 2:
            return policy
    raise AssertionError("every one of fifty policies always does the same")


def _write(folder, name, more, count=1, trainer=""):
    agents = "".join(agent(f"Player{i}", "a", more=more) for i in range(count))
    trainer = f"max_steps = 24\nticks_per_step = 1\n{trainer}"
    (folder / f"{name}.tscn").write_text(scene({"a": "player.gd"}, agents, trainer=trainer))


def played(engine, studio, name, *words):
    """Its first episode, and how it ended."""
    arguments = ["--fixed-fps", "60", f"res://{name}.tscn", "--", "--episodes=1", "--seed=1", *words]
    with GodotProcess(arguments, project=studio, engine=engine) as process:
        ended = process.wait(LIMIT_S)
    assert "SCRIPT ERROR" not in ended.output, ended.output
    lines = [line for line in ended.output.splitlines() if line.startswith("sandlot episode ")]
    return (json.loads(lines[0].removeprefix("sandlot episode ")) if lines else None), ended


def test_a_policy_a_person_or_both_play_by_setting(engine, studio):
    path = 'policy_path = "res://policy.onnx"'
    _write(studio, "by_policy", path)
    _write(studio, "by_hand", path, trainer='control = "human"')
    _write(studio, "one_by_hand", path + '\ncontrol = "human"')
    policy, _ = played(engine, studio, "by_policy")
    assert 0 < policy["terms"][0] < 24, "the policy goes both ways"
    for name in ("by_hand", "one_by_hand"):
        person, _ = played(engine, studio, name)
        assert person["terms"] == [24.0, 0.0], "human() always goes right"


def test_control_by_policy_without_a_policy_is_a_sentence(engine, studio):
    _write(studio, "nothing_to_play", "", trainer='control = "policy"')
    episode, ended = played(engine, studio, "nothing_to_play")
    assert episode is None and ended.code == 2
    assert "Player0 is to be played by a policy and has no policy_path" in ended.output


def test_a_scene_set_to_play_by_hand_refuses_its_trainer(studio):
    _write(studio, "not_now", "", trainer='control = "human"')
    with pytest.raises(Refused, match="control = human"):
        sandlot.make(address(studio, "res://not_now.tscn"), 1)


def test_a_policy_is_asked_at_every_third_decision_and_its_action_repeated(engine, studio):
    path = 'policy_path = "res://policy.onnx"'
    shown = {}
    for every in (1, 3):
        _write(studio, f"every_{every}", f"{path}\npolicy_every = {every}")
        shown[every], _ = played(engine, studio, f"every_{every}")
    assert shown[3]["terms"][0] % 3 == 0, "each of eight actions lasts three decisions"
    assert shown[3]["terms"][1] <= 7 < shown[1]["terms"][1]


@pytest.mark.parametrize("policy", ["policy", "memory"])
def test_agents_that_are_asked_in_one_call_do_what_each_does_alone(engine, studio, policy):
    """Three agents share a file: the sum over them is that of agents with files of their own."""
    _write(studio, "together", f'policy_path = "res://{policy}.onnx"', count=3)
    copies = ""
    for i in range(3):
        copy = studio / f"{policy}_{i}.onnx"
        copy.write_bytes((studio / f"{policy}.onnx").read_bytes())
        copies += agent(f"Player{i}", "a", more=f'policy_path = "res://{copy.name}"')
    limits = "max_steps = 24\nticks_per_step = 1"
    (studio / "apart.tscn").write_text(scene({"a": "player.gd"}, copies, trainer=limits))
    together, _ = played(engine, studio, "together")
    apart, _ = played(engine, studio, "apart")
    assert together["terms"] == pytest.approx(apart["terms"]) and together["terms"][1] > 0
