"""A Gymnasium env keeps the contract of a world; whatever is wrong with one is a sentence that names it."""

import re

import numpy as np
import pytest
import toy_envs
from gymnasium import spaces

import sandlot
from sandlot.errors import (
    ActionError,
    Closed,
    ConfigError,
    GameFailed,
    MissingExtra,
    NotReset,
    SandlotError,
    SnapshotError,
    UnknownName,
)
from sandlot.spec import Spec
from sandlot.worlds import gym as gym_worlds
from sandlot.worlds.gym_spaces import UNBOUNDED
from sandlot.worlds.make import known_spec, remember_spec


def opened(name, **options):
    return sandlot.make(f"gym:Sandlot{name}-v0", **options)


def toy(name="", **options):
    return opened(f"Toy{name}", **options)


def play(world, steps, seed=3):
    """Random play; every array of every step."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        if world.spec.discrete:
            actions = rng.integers(0, world.spec.action_count, world.rows).astype(np.int32)
        else:
            low, high = world.spec.action_bounds
            actions = np.rint(rng.uniform(low, high, world.actions.shape)).astype(np.float32)
        world.step(actions)
        names = ("observations", "rewards", "terminated", "truncated", "final_observations")
        rows.append({name: getattr(world, name).copy() for name in names})
    return rows


# ---------------------------------------------------------------- arrays, endings, seeds


def test_arrays_are_made_once_and_outputs_cannot_be_written():
    with sandlot.make("gym:CartPole-v1", worlds=3) as world:
        before = {name: getattr(world, name) for name in ("observations", "rewards", "actions")}
        world.reset(1)
        play(world, 12)
        assert all(getattr(world, name) is array for name, array in before.items())
        assert world.observations.shape == (3, 4) and world.observations.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            world.observations[0, 0] = 1.0
        assert world.ticks.tolist() == [1, 1, 1] and not world.invalid.any()


def test_an_episode_that_ends_begins_anew_in_the_same_step_and_keeps_its_last_observation():
    with toy(worlds=2) as world:
        world.reset(5)
        rows = play(world, 5)
        assert rows[-1]["terminated"].all() and not rows[-1]["truncated"].any()
        assert (rows[-1]["final_observations"] != rows[-1]["observations"]).all()
        episodes = world.finished()
        assert [(e["length"], e["return"], e["episode"]) for e in episodes] == [(5, 5.0, 0)] * 2
        assert episodes.column("duration_s").tolist() == [0.25, 0.25]  # 20 steps a second


def test_a_time_limit_truncates_and_is_a_setting():
    with opened("Walk") as world:
        world.reset(1)
        (*before, last) = play(world, 4)
        assert last["truncated"].all() and not last["terminated"].any()
        assert not any(row["truncated"].any() for row in before)
    with opened("Walk", config={"max_episode_steps": 2}) as world:
        world.reset(1)
        assert play(world, 2)[-1]["truncated"].all()


def test_without_autoreset_a_world_stays_at_its_end_until_it_is_reset():
    with toy(autoreset=False) as world:
        world.reset(5)
        rows = play(world, 5)
        assert (rows[-1]["final_observations"] == rows[-1]["observations"]).all()
        with pytest.raises(NotReset, match="World 0 has ended"):
            world.step(np.zeros(1, np.int32))
        world.reset(5)
        world.step(np.zeros(1, np.int32))


def test_a_seed_repeats_an_episode_and_each_finished_episode_can_be_repeated_by_its_own_seed():
    with toy(worlds=2) as world, toy() as again:
        world.reset(7)
        first = play(world, 12)
        world.reset(7)
        assert all(
            (a["observations"] == b["observations"]).all()
            for a, b in zip(first, play(world, 12), strict=True)
        )
        ended = [e for e in world.finished() if e["world"] == 1 and e["episode"] == 1][-1]
        again.reset(seeds=[ended["seed"]])
        assert (again.observations[0] == first[4]["observations"][1]).all()


def test_some_worlds_can_be_reset_while_the_others_go_on():
    with toy(worlds=3) as world:
        world.reset(1)
        play(world, 3)
        kept = world.observations[[0, 2]].copy()
        world.reset(seeds=[9], worlds=[1])
        assert (world.observations[[0, 2]] == kept).all() and world.block("info", 1).tolist() == [0.0, 0.0]
        assert world.block("info", 0).tolist() == [3.0, 3.0]


def test_the_next_episode_is_the_one_that_would_have_followed():
    with toy() as left, toy() as played:
        left.reset(4)
        left.next_episode()
        played.reset(4)
        play(played, 5)
        assert (left.observations == played.observations).all()


def test_a_world_says_what_it_can_do_and_refuses_the_rest():
    with toy() as world:
        assert not world.capabilities.snapshot and world.capabilities.picture and world.capabilities.seeds
        with pytest.raises(NotReset):
            world.step(np.zeros(1, np.int32))
        world.reset(1)
        with pytest.raises(SnapshotError):
            world.snapshot(0)
        with pytest.raises(ConfigError, match="pictures=True"):
            world.rgb_array()
        with pytest.raises(ActionError, match=r"Row 0 asks for the action 2; expected 0 to 1"):
            world.step(np.array([2], np.int32))
        assert world.steps == 0, "nothing moved"
    with pytest.raises(Closed):
        world.reset(1)
    with toy(pictures=True) as world:
        world.reset(1)
        play(world, 2)
        assert world.rgb_array().shape == (12, 20, 3) and world.rgb_array()[0, 0, 0] == 80


def test_recorded_actions_play_the_same_episode_with_the_same_hash():
    with toy("Many", worlds=2) as world:
        world.reset(2)
        actions = np.zeros((3, *world.actions.shape), np.float32)
        world.run(actions)
        before = [world.hash(0), world.hash(1)]
        world.reset(2)
        world.run(actions)
        assert [world.hash(0), world.hash(1)] == before and before[0] != before[1]


# ---------------------------------------------------------------- spaces


def test_an_observation_is_flattened_as_gymnasium_flattens_it():
    with toy("Dict") as world:
        world.reset(3)
        env = world.env.unwrapped
        env.reset(seed=3)
        expected = spaces.flatten(toy_envs.DICT, env._see())
        world.reset(3)
        env.reset(seed=3)
        assert world.spec.observation_size == spaces.flatdim(toy_envs.DICT) == len(expected)
        names = [(field.name, field.shape) for field in world.spec.observation]
        assert ("gear", (4,)) in names and ("place/0", (5,)) in names and ("place/1", (1,)) in names
        row = np.zeros(len(expected), np.float32)
        seen = env._see()
        world._rows_in.write(seen, row)
        assert np.allclose(row, spaces.flatten(toy_envs.DICT, seen))


def test_a_discrete_action_begins_at_its_start():
    with toy("Start") as world:
        assert world.spec.discrete and world.spec.action_names == ("-1", "0", "1")
        world.reset(1)
        world.step(np.array([0], np.int32))
        world.step(np.array([2], np.int32))
        assert world.env.unwrapped.actions == [-1, 1]


def test_a_multi_discrete_action_is_a_choice_for_each_entry_that_has_one():
    with toy("Multi") as world:
        assert [(a.kind, len(a.options)) for a in world.spec.actions] == [("choice", 3), ("choice", 4)]
        world.reset(1)
        world.step(np.array([[2, 3]], np.float32))
        assert world.env.unwrapped.actions[0].tolist() == [2, 0, 3]


def test_axes_buttons_and_choices_of_a_dict_reach_the_env_in_its_own_units():
    with toy("Many") as world:
        assert [a.kind for a in world.spec.actions] == ["axis", "axis", "button", "button", "choice"]
        world.reset(1)
        world.step(np.array([[-1.0, 0.5, 1.0, -1.0, 2.0]], np.float32))
        (action,) = world.env.unwrapped.actions
        assert action["aim"].tolist() == [0.0, 2.0] and action["fire"].tolist() == [1, 0]
        assert action["weapon"] == 7


def test_box_actions_go_from_low_to_high_and_stay_within():
    with opened("Walk") as world:
        axis = world.spec.actions[0]
        assert (axis.low, axis.high) == (-2.0, 6.0)
        world.reset(1)
        for action, moved in ((-1.0, -2.0), (1.0, 6.0), (0.0, 2.0)):
            before = float(world.observations[0, 0])
            world.step(np.array([[action]], np.float32))
            assert world.observations[0, 0] - before == pytest.approx(moved, abs=1e-6)
        with pytest.raises(ActionError, match=r"1\.5"):
            world.step(np.array([[1.5]], np.float32))


def test_an_unbounded_action_reaches_to_the_documented_bound_and_whole_numbers_are_rounded():
    with toy("Free") as world:
        world.reset(1)
        world.step(np.array([[1.0, -0.25]], np.float32))
        assert world.env.unwrapped.actions[0].tolist() == [UNBOUNDED, -0.25 * UNBOUNDED]
    with toy("Integer") as world:
        world.reset(1)
        world.step(np.array([[0.09]], np.float32))
        assert world.env.unwrapped.actions[0].tolist() == [5]


def test_pictures_are_height_width_channels_in_whole_numbers():
    with toy("Stacked") as world:
        (field,) = world.spec.observation
        assert field.image and field.shape == (20, 24, 4)
        world.reset(1)
        env = world.env.unwrapped
        row, seen = np.zeros(field.size, np.float32), env._see()
        world._rows_in.write(seen, row)
        assert (row.reshape(20, 24, 4)[..., 1] == seen[1]).all()


# ---------------------------------------------------------------- the spec


def test_a_spec_has_one_role_a_headline_and_the_settings_of_the_constructor():
    with toy(config={"bonus": 2.0, "length": 3}) as world:
        spec = world.spec
        assert (spec.source, spec.roles, spec.document.play) == ("gymnasium", ("agent",), "single")
        assert spec.headline.name == "return" and spec.headline.better == "higher" and spec.tick_rate == 20
        assert spec.config["bonus"] == 2.0 and spec.config["length"] == 3
        world.reset(1)
        play(world, 3)
        assert world.finished()[0]["return"] == 9.0
    with pytest.raises(UnknownName, match="Did you mean 'bonus'"):
        toy(config={"bonos": 1.0})


def test_an_env_without_a_text_of_its_own_has_none():
    with opened("NoText") as world:
        assert world.spec.text == "", "not what gymnasium.Env says about itself"


def test_a_stored_spec_is_the_same_spec_and_answers_without_opening_the_env(monkeypatch):
    with toy("Many") as world:
        spec = world.spec
    again = Spec.restored(spec.stored())
    assert (again.hash, again.interface_hash, again.address) == (spec.hash, spec.interface_hash, spec.address)
    remember_spec(again)
    monkeypatch.setattr(gym_worlds.GymWorld, "__init__", lambda *_, **__: pytest.fail("it was opened"))
    assert sandlot.load_spec("gym:SandlotToyMany-v0", spec.settings) is again
    assert known_spec("gym:SandlotToyMany-v0", spec.settings) is again and known_spec("gym:Never-v0") is None


# ---------------------------------------------------------------- what is refused

REFUSED = {
    "gym:CartPol-v1": (UnknownName, "Did you mean 'CartPole-v1'?"),
    "gym:LunarLander-v99": (UnknownName, "Did you mean 'LunarLander-v3'?"),
    "gym:no_such_module:Env-v0": (ConfigError, "no module no_such_module"),
    "gym:SandlotToyText-v0": (ConfigError, "its observation note is a Text space"),
    "gym:SandlotToySequence-v0": (ConfigError, "is a Sequence space"),
    "gym:SandlotToyGraph-v0": (ConfigError, "action is a Graph space"),
    "gym:SandlotToyHuge-v0": (ConfigError, "more than 262,144 numbers"),
    "gym:SandlotToyNothing-v0": (ConfigError, "nothing to decide"),
}


@pytest.mark.parametrize("game", REFUSED)
def test_what_cannot_be_a_game_is_refused_in_a_sentence(game):
    kind, words = REFUSED[game]
    with pytest.raises(kind, match=re.escape(words)) as refusal:
        sandlot.make(game)
    assert isinstance(refusal.value, SandlotError) and "\n" not in str(refusal.value)


FAILING = {
    "NaN": "the field observation of its observation, entry 1, is nan in step 1",
    "Infinite": "its reward is inf",
    "Resized": "its observation has the shape (3,), declared is (2,)",
    "BadStep": "raised in step(): KeyError: 'lost'",
    "BadReset": "raised in reset(): RuntimeError: the level file is gone",
    "TwoRewards": "its reward is [1. 2.], expected one number",
    "NoReward": "its reward is None, expected one number",
    "RewardInWords": "its reward is much, expected one number",
    "HugeReward": "the rewards of an episode add up to more than 1e+30",
    "Quits": "raised in step(): SystemExit: 3",
}


@pytest.mark.parametrize("name", FAILING)
def test_an_env_that_misbehaves_is_named_with_what_it_did(name):
    with toy(name) as world, pytest.raises(GameFailed, match=re.escape(FAILING[name])) as failure:
        world.reset(1)
        for _ in range(3):
            world.step(np.zeros(1, np.int32))
    assert f"gym:SandlotToy{name}-v0" in str(failure.value)


@pytest.mark.parametrize(("name", "reward"), [("RewardArray", 2.5), ("WholeReward", 2.0)])
def test_a_reward_may_be_any_one_number(name, reward):
    with toy(name, worlds=2) as world:
        world.reset(1)
        world.step(np.zeros(2, np.int32))
        assert world.rewards.tolist() == [reward, reward]


@pytest.mark.parametrize(
    "word, extra", [("Box2D is not installed", "gymnasium-tasks"), ("MuJoCo is", "gymnasium-tasks")]
)
def test_a_missing_package_is_named_with_its_extra(word, extra):
    from gymnasium.error import DependencyNotInstalled

    problem = gym_worlds._explained("gym:X-v0", "cannot be made", DependencyNotInstalled(f"{word}, run pip"))
    assert isinstance(problem, MissingExtra) and problem.extra == extra and "gym:X-v0 needs" in str(problem)


@pytest.mark.parametrize(("library", "chosen"), [("libEGL.so.1", "egl"), (None, None)])
def test_without_a_screen_mujoco_is_told_to_use_egl_only_where_there_is_one(monkeypatch, library, chosen):
    environment = {}
    monkeypatch.setattr(gym_worlds.os, "environ", environment)
    monkeypatch.setattr(gym_worlds.sys, "platform", "linux")
    monkeypatch.setattr(gym_worlds.ctypes.util, "find_library", lambda name: library)
    gym_worlds._draw_without_a_screen()
    assert environment.get("MUJOCO_GL") == chosen and environment["SDL_VIDEODRIVER"] == "dummy"


def test_an_env_is_opened_without_gymnasiums_own_checker():
    """A world checks the same things itself, once; the checker would do so at every step."""
    import gymnasium

    with gym_worlds._maker(gymnasium.spec("CartPole-v1"), {}, False)() as env:
        assert "PassiveEnvChecker" not in str(env)
