"""SandlotTrainer in the real engine: the spec it makes of a scene, how it plays, what it says goes wrong."""

import json
import time

import numpy as np
import pytest
import torch

import sandlot
from sandlot.bridge.godot_process import GodotProcess
from sandlot.errors import BridgeError, ConfigError, GameLost, Refused, SandlotError, UnknownName
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.export import export_onnx, head_facts
from sandlot.train.compose import compose
from sandlot.train.trainer import Trainer
from sandlot.worlds.godot import address

from .scenes import BAD, make_project

pytestmark = pytest.mark.slow
MAX_ERROR_S = 60


@pytest.fixture(scope="module")
def foreign(engine, tmp_path_factory):
    """A project that is not ours, with the addon copied into it."""
    return make_project(tmp_path_factory.mktemp("foreign") / "studio")


def opened(foreign, scene, worlds=2, **options):
    return sandlot.make(address(foreign, f"res://{scene}.tscn"), worlds, **options)


def test_the_spec_is_made_of_what_the_agents_declare(foreign):
    with opened(foreign, "walk") as world:
        spec = world.spec
    assert (spec.game, spec.version, spec.source) == ("scenes_of_tests", "3", "godot")
    assert [(f.name, f.shape) for f in spec.observation] == [
        ("place", (1,)),
        ("speed", (2,)),
        ("modes", (2,)),
    ]
    assert [(a.name, a.kind, a.options) for a in spec.actions] == [
        ("walk", "axis", ()), ("jump", "button", ()), ("mood", "choice", ("calm", "angry", "glad")),
    ]  # fmt: skip
    assert not spec.discrete and spec.action_size == 3
    assert spec.headline.name == "success" and spec.flags == ("success",)
    assert {f.name: f.better for f in spec.episode if f.better != "none"} == {
        "success": "higher", "distance": "lower", "return": "higher",
    }  # fmt: skip
    assert next(f for f in spec.episode if f.name == "terms").labels == ("step", "jump")
    assert [term["name"] for term in spec.reward_terms] == ["step", "jump"]
    assert spec.config == {"ends_at": 0, "speed": 0.5, "pace": "slow", "bonus": False, "action_repeat": 2}
    knobs = {knob.name: knob for knob in spec.knobs}
    assert (knobs["ends_at"].kind, knobs["ends_at"].low, knobs["ends_at"].high) == ("integer", 0, 50)
    assert knobs["pace"].choices == ("slow", "fast") and knobs["bonus"].kind == "flag"
    assert (spec.tick_rate, spec.document.ticks_per_step) == (60, 2)


def test_a_file_beside_the_project_names_what_the_scene_does_not(foreign):
    file = foreign / "sandlot.toml"
    try:
        file.write_text('title = "Walking"\n[[episode]]\nname = "distance"\nunit = "m"\nheadline = true\n')
        with opened(foreign, "walk") as world:
            assert (world.spec.title, world.spec.headline.name) == ("Walking", "distance")
            assert world.spec.headline.unit == "m" and world.spec.headline.better == "lower"
        file.write_text('[[episode]]\nname = "apples"\n')
        with pytest.raises(SandlotError, match=r"sandlot\.toml has 'apples' in episode, the scene declares"):
            opened(foreign, "walk")
    finally:
        file.unlink()


def test_roles_of_different_sizes_have_their_own_observations_and_actions(foreign):
    with opened(foreign, "hunt", 3) as world:
        spec = world.spec
        assert spec.roles == ("hunter", "prey", "prey")
        assert [f.name for f in spec.document.observation_of("prey")] == ["place", "index"]
        assert [(f.name, f.size) for f in spec.document.observation_of("hunter")] == [("observation", 2)]
        assert spec.for_role("prey").discrete and not spec.for_role("hunter").discrete
        assert (spec.observation_size, spec.action_size, world.rows) == (4, 2, 9)
        assert {knob.name: knob.text for knob in spec.knobs}["slope"] == "exported by Arena"
        assert spec.winning_codes("prey") == [spec.winners.index("prey")]
        world.reset(seed=1)
        assert (world.observations[0::3, 2:] == 0).all(), "the shorter role is filled up with zeros"
        assert world.observations[1::3, 3].tolist() == [1.0] * 3 and (world.observations[2::3, 3] == 2).all()

        before = world.observations.copy()
        actions = np.zeros((9, 2), np.float32)
        actions[0] = (0.5, -1.0)  # 0.5 along x; -1 stands for 0 m/s along z
        actions[1, 0] = 2.0  # the third option
        assert world.step(actions) == 0
        assert world.observations[0, :2] - before[0, :2] == pytest.approx([0.5, 0.0])
        assert world.observations[3, :2] - before[3, :2] == pytest.approx([0.0, 5.0]), "0 stands for 5 m/s"
        assert (world.observations[1, 0], world.observations[4, 0]) == (2.0, 0.0)
        assert world.rewards.reshape(3, 3).tolist() == [[0.0, 0.5, 0.5]] * 3

        actions[3] = (0.0, 1.0)  # the hunter of the second arena touches
        assert world.step(actions) == 1
        (episode,) = world.finished()
        assert (episode["world"], episode["length"], episode["terminated"]) == (1, 2, True)
        assert spec.winners[int(episode["winner"])] == "hunter"
        assert (episode["return_hunter"], episode["return_prey"]) == (2.0, 1.0)
        assert dict(zip(("hunter_touch", "prey_time"), episode["terms"], strict=True)) == {
            "hunter_touch": 2.0, "prey_time": 1.0,
        }  # fmt: skip
        assert world.terminated.reshape(3, 3).all(axis=1).tolist() == [False, True, False]


def test_a_time_limit_truncates_and_the_game_terminates(foreign):
    still = np.zeros((2, 3), np.float32)
    with opened(foreign, "walk") as world:
        world.reset(seed=3)
        for step in range(1, 13):
            before = world.observations.copy()
            ended = world.step(still)
            assert ended == (2 if step == 12 else 0)
        assert world.truncated.all() and not world.terminated.any() and (world.ticks == 2).all()
        assert np.array_equal(world.final_observations[:, 0], before[:, 0]), "nobody walked"
        assert world.final_observations[:, 2].tolist() == [12.0, 12.0], "the end, not the new beginning"
        assert world.observations[:, 2].tolist() == [0.0, 0.0]
        assert not np.array_equal(world.observations[:, 0], before[:, 0]), "another episode, another start"
        episodes = world.finished()
        assert episodes.column("steps").tolist() == [12.0, 12.0]
        assert episodes.column("ticks").tolist() == [24.0, 24.0]
    with opened(foreign, "walk", config={"ends_at": 4}) as world:
        world.reset(seed=3)
        ends = [world.step(still) for _ in range(4)]
        assert ends == [0, 0, 0, 2] and world.terminated.all() and not world.truncated.any()


@pytest.mark.parametrize(("ticks", "steps"), [(1, 24), (8, 3)])
def test_decisions_may_be_finer_or_coarser_and_the_time_limit_stays(foreign, ticks, steps):
    with opened(foreign, "walk", config={"action_repeat": ticks}) as world:
        assert (world.spec.document.ticks_per_step, world.spec.json["max_steps"]) == (ticks, steps)
        world.reset(seed=3)
        ends = [world.step(np.zeros((2, 3), np.float32)) for _ in range(steps)]
        assert ends == [0] * (steps - 1) + [2] and world.truncated.all() and (world.ticks == ticks).all()
        assert world.finished().column("ticks").tolist() == [24.0, 24.0]
    with pytest.raises(Refused, match="action_repeat = 0: expected a whole number from 1 to 1000"):
        opened(foreign, "walk", config={"action_repeat": 0})


def test_the_coarse_to_fine_preset_ends_with_short_decisions(foreign):
    settings = compose(address(foreign, "res://walk.tscn"), "coarse_to_fine")
    assert [stage.settings["action_repeat"] for stage in settings.curriculum] == [8, 4, 2]
    assert settings.settings == {"action_repeat": 2}


def test_seeds_repeat_episodes_and_rewards_are_summed_by_term(foreign):
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (30, 4, 3)).astype(np.float32)
    actions[..., 2] = rng.integers(0, 3, (30, 4))
    seen = []
    with opened(foreign, "walk", 4, config={"ends_at": 7}) as world:
        for _ in range(2):
            world.reset(seed=11)
            steps = []
            for one in actions:
                world.step(one)
                steps.append((world.observations.copy(), world.rewards.copy()))
            seen.append(steps)
            episodes = world.finished()
        world.reset(seeds=[int(episodes[0]["seed"])], worlds=[3])
        again = world.observations[3].copy()
    for (first, rewards), (second, same) in zip(*seen, strict=True):
        assert np.array_equal(first, second) and np.array_equal(rewards, same)
    assert len(episodes) == 4 * (30 // 7)
    first = next(e for e in episodes if e["world"] == episodes[0]["world"] and e["episode"] == 0)
    assert again[0] == seen[0][0][0][first["world"], 0] - 0.5 * actions[0, first["world"], 0]
    jumps = actions[:7, first["world"], 1] > 0
    assert first["terms"].tolist() == [7.0, (jumps * (10 + actions[:7, first["world"], 2])).sum()]
    assert first["return"] == first["terms"].sum() and first["success"] == bool(jumps[-1])


def test_settings_reach_every_arena_and_are_checked(foreign):
    config = {"speed": 0.25, "pace": "fast", "bonus": True}
    with opened(foreign, "walk", 3, config=config) as world:
        world.reset(seed=0)
        assert world.observations[:, 1].tolist() == [0.25] * 3
        assert world.observations[:, 3:].tolist() == [[1.0, 1.0]] * 3
        assert world.spec.config["pace"] == "fast" and world.spec.hash != ""
    with pytest.raises(Refused, match="ends_at = 99: expected a whole number from 0 to 50"):
        opened(foreign, "walk", config={"ends_at": 99})
    with pytest.raises((Refused, UnknownName), match="pase"):
        opened(foreign, "walk", config={"pase": "fast"})


def test_without_autoreset_an_arena_that_ended_shows_its_end(foreign):
    with opened(foreign, "walk", 1, config={"ends_at": 2}, autoreset=False) as world:
        world.reset(seed=5)
        assert [world.step(np.zeros((1, 3), np.float32)) for _ in range(2)] == [0, 1]
        assert world.observations[0, 2] == 2.0
        world.reset(seed=6)
        assert world.observations[0, 2] == 0.0


SENTENCES = {
    "no_actions": r"agent \S*Arena/Agent has no actions",
    "sees_nothing": r"agent \S*Arena/Agent observes nothing",
    "sees_text": r"agent \S*Arena/Agent observes who = me, which is String; expected numbers",
    "grows": r"agent \S*Arena/Agent observes 3 numbers, 1 at the start",
    "sees_nan": r"agent Agent of arena 0 observes NaN or infinity in speed",
    "rewards_nan": r"agent \S*Arena/Agent rewards speed with nan",
    "unknown_term": r"agent \S*Arena/Agent rewards b, which its reward_terms do not list \(a\)",
    "script_error": r"script of the game failed: res://script_error\.gd:\d+, in .*act",
    "quits": r"The game ended with exit code 0",
    "bad_setting": r"The setting gravity is declared in Arena, but no exported variable",
}


def test_every_bad_scene_has_a_sentence():
    assert SENTENCES.keys() == BAD.keys()


@pytest.mark.parametrize("scene", BAD)
def test_a_scene_that_cannot_go_on_says_why_at_once(foreign, scene):
    begun = time.monotonic()
    with pytest.raises(BridgeError, match=SENTENCES[scene]) as problem, opened(foreign, scene) as world:
        world.reset(seed=0)
        for _ in range(3):
            world.step(np.zeros(world.rows, np.int32))
    assert time.monotonic() - begun < MAX_ERROR_S
    restartable = isinstance(problem.value, GameLost)
    assert restartable == (scene == "quits"), "starting a faulty game again would not help"


def test_a_scene_without_agents_or_with_unequal_ones_is_refused(foreign):
    with pytest.raises(Refused, match="arena Arena has no SandlotAgent below it"):
        opened(foreign, "empty")
    with pytest.raises(Refused, match=r"role agent differ: \S*First observes 5 numbers, \S*Second 3"):
        opened(foreign, "unequal")
    with pytest.raises(ConfigError, match=r"no scene res://nowhere.tscn. There are: .*, walk.tscn."):
        opened(foreign, "nowhere")


def test_roles_of_different_sizes_are_trained_each_with_a_network_of_its_own(foreign):
    words = ["ppo.num_envs=2", "ppo.num_steps=8", "ppo.num_minibatches=2", "run.window_env_steps=16"]
    trainer = Trainer(compose(address(foreign, "res://hunt.tscn"), "quick", words=words))
    try:
        trainer.iterate(0.0)
        spec = trainer.spec
        sizes = {role: policy.spec.observation_size for role, policy in trainer.policies.items()}
        assert sizes == {role: spec.for_role(role).observation_size for role in ("hunter", "prey")}
        assert len(set(sizes.values())) == 2
    finally:
        trainer.close()


def test_a_policy_of_axes_buttons_and_choices_plays_in_the_scene_as_it_does_here(foreign, engine, tmp_path):
    seed, expected = 3, []
    with opened(foreign, "walk", 1, config={"ends_at": 9}) as world:
        policy = Policy(world.spec, "agent", NetworkConfig(hidden_sizes=(16,)), seed=4)
        with torch.no_grad():
            policy.network.last.weight *= 100  # with opinions
        policy.greedy = True
        world.reset(seeds=[seed])
        while len(expected) < 2:
            world.step(policy.act(world.observations)[0])
            expected += list(world.finished())
    export_onnx(policy, tmp_path / "walker.onnx")
    words = ("--policy=" + str(tmp_path / "walker.onnx"), f"--seed={seed}", "--episodes=2", "--set.ends_at=9")
    arguments = ["--fixed-fps", "60", "res://walk.tscn", "--", *words]
    with GodotProcess(arguments, project=foreign, engine=engine) as scene:
        ended = scene.wait(60)
    lines = [line for line in ended.output.splitlines() if line.startswith("sandlot episode ")]
    played = [json.loads(line.removeprefix("sandlot episode ")) for line in lines]
    assert ended.code == 0 and len(played) == 2, ended.output
    assert "composed" in head_facts(policy.head)["kind"]
    for here, there in zip(expected, played, strict=True):
        assert there["steps"] == 9 and there["terms"] == pytest.approx(here["terms"])
        assert there["distance"] == pytest.approx(here["distance"], abs=1e-4)
