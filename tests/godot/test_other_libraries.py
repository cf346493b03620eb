"""Other libraries behind `sandlot train` on a Godot scene: one policy for all agents of an arena."""

import numpy as np
import pytest

import sandlot
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin
from sandlot.worlds.godot import address

from .scenes import agent, make_project, scene

pytestmark = pytest.mark.slow
AGENTS, ARENAS = 3, 4
# Paid for going to the side that it sees; three of them are in an arena, each with a side of its own.
SIDED = """extends SandlotAgent
var side := 1.0
func _init() -> void:
	actions = {"go": ["left", "right"]}
	reward_terms = ["right_side"]
func begin_episode(random: SandlotRandom) -> void:
	side = 1.0 if random.uniform() < 0.5 else -1.0
func observe_fields() -> Dictionary:
	return {"side": side}
func act(action: Dictionary) -> void:
	reward("right_side", 1.0 if (action.go == 1) == (side > 0.0) else 0.0)
	side = -side
"""
SMALL = (
    f"ppo.num_envs={ARENAS}", "ppo.num_steps=32", "ppo.num_minibatches=2", "ppo.learning_rate=5e-3",
    "run.window_env_steps=512", "run.windows=3", "run.threads=1", "network.hidden_sizes=[16]",
    "adapter.num_workers=2", "adapter.gamma=0.5",
)  # fmt: skip
BUFFER = ("adapter.algorithm=dqn", "adapter.learning_starts=64", "adapter.buffer_size=10000")
LIBRARIES = {
    "RLlib": ("trainer=rllib",),
    "Stable-Baselines3 in two processes": ("trainer=sb3", "adapter.vec_env=subproc"),
    "DQN with a small replay buffer": ("trainer=sb3", *BUFFER),
}


@pytest.fixture(scope="module")
def project(engine, tmp_path_factory):
    folder = make_project(tmp_path_factory.mktemp("libraries") / "studio")
    (folder / "sided.gd").write_text(SIDED)
    agents = "".join(agent(f"Player{i}", "a") for i in range(AGENTS))
    (folder / "sided.tscn").write_text(scene({"a": "sided.gd"}, agents, trainer="max_steps = 8"))
    return folder


@pytest.mark.parametrize("library", LIBRARIES)
def test_one_policy_learns_from_all_agents_of_a_scene(project, tmp_path, library):
    if library == "RLlib":
        pytest.importorskip("ray.rllib")
    config = compose(address(project, "res://sided.tscn"), words=[*SMALL, *LIBRARIES[library]])
    run = begin(Store(tmp_path / "runs"), config)
    with run:
        Loop(config, run).go()
    assert run.record.status == "completed" and len(run.windows()) == 3
    policy = sandlot.load_policy(run.paths.folder)
    assert policy.spec.roles == ("agent",) * AGENTS, "all have one role"
    policy.greedy = True
    chosen, _ = policy.act(np.array([[1.0], [-1.0]], np.float32))
    assert chosen.tolist() == [1, 0]
