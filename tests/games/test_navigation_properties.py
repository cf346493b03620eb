"""What holds after every step of navigation, whatever the walker does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sandlot

SEEDS = st.integers(0, 2**64 - 1)


@st.composite
def configs(draw):
    return {
        "profile": draw(st.sampled_from(["default", "comfort"])),
        "layout": draw(st.sampled_from(["open", "course", "maze"])),
        "edge": draw(st.sampled_from(["wall", "drop"])),
        "max_goal_distance": draw(st.floats(10, 30)),
        "pits": draw(st.floats(0, 0.5)),
        "openness": draw(st.floats(0, 1)),
        "player_radius": draw(st.floats(0.1, 0.8)),
        "time_limit": 15.0,
    }


def play(config, seed, worlds=4, steps=80):
    """Yield the world after each step. The walker changes its mind seldom."""
    with sandlot.make("navigation", worlds, config=config) as world:
        world.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for step in range(steps):
            if step % 9 == 0:
                world.actions[:] = rng.uniform(-1, 1, world.actions.shape)
            world.step()
            yield world


def part(world, name):
    return world.observations[:, world.spec.field(name)]


@settings(deadline=None, max_examples=25)
@given(config=configs(), seed=SEEDS)
def test_observations_are_consistent(config, seed):
    for world in play(config, seed):
        assert np.isfinite(world.observations).all() and np.isfinite(world.rewards).all()
        for field in world.spec.observation:
            entries = world.observations[:, field.slice]
            assert (entries >= field.low).all() and (entries <= field.high).all(), field.name
        assert (part(world, "camera_rotation") ** 2).sum(axis=1) == pytest.approx(1, abs=1e-4)
        goal, far = part(world, "goal_position"), part(world, "goal_distance")[:, 0]
        assert np.hypot(goal[:, 0], goal[:, 2]) == pytest.approx(far, rel=1e-4, abs=1e-4)
        assert (part(world, "goal_direction") ** 2).sum(axis=1) == pytest.approx(1, abs=1e-4)
        assert np.linalg.norm(part(world, "camera_velocity")[:, ::2], axis=1).max() < 2.5


@settings(deadline=None, max_examples=15)
@given(config=configs(), seed=SEEDS)
def test_hands_are_at_arms_length_and_move_as_their_velocity_says(config, seed):
    with sandlot.make("navigation", config={**config, "ticks_per_step": 1}, autoreset=False) as world:
        world.reset(seed=seed)
        rng = np.random.default_rng(seed)
        before = {}
        for step in range(40):
            if step % 9 == 0:
                world.actions[:] = rng.uniform(-1, 1, world.actions.shape)
            if world.step():
                break
            camera = part(world, "camera_position")[0]
            for side in ("left", "right"):
                hand = part(world, f"{side}_controller_position")[0]
                assert 0.5 < np.linalg.norm(hand - camera) < 0.9
                if side in before:
                    moved = (hand - before[side]) * 90
                    assert part(world, f"{side}_controller_velocity")[0] == pytest.approx(moved, abs=1e-3)
                before[side] = hand.copy()


def test_only_running_out_of_time_truncates():
    labels = next(f.labels for f in sandlot.load_spec("navigation").episode if f.name == "ending")
    config = {"time_limit": 12.0, "max_goal_distance": 12.0, "edge": "drop", "pits": 0.2, "max_collisions": 2}
    seen = set()
    for player in ("pathfollower", "greedy_goal", "random", "held"):
        with sandlot.make("navigation", 64, config=config) as world:
            world.reset(seed=2)
            rng = np.random.default_rng(2)
            bot = None if player == "held" else sandlot.bot("navigation", player, config=config)
            state, actions = None, world.actions.copy()
            for step in range(200):
                if bot is not None:
                    actions, state = bot.act(world.observations, None, state)
                elif step % 30 == 0:
                    actions = rng.uniform(-1, 1, world.actions.shape).astype(np.float32)
                world.step(actions)
                ended = world.finished()
                for index, code in zip(ended.heads["world"], ended.column("ending"), strict=True):
                    ending = labels[int(code)]
                    assert world.truncated[index] == (ending == "timeout")
                    assert world.terminated[index] == (ending != "timeout")
                    seen.add(ending)
    assert seen == {"goal", "fell", "collisions", "timeout"}


@pytest.mark.parametrize(("layout", "least"), [("open", 0.97), ("course", 0.9), ("maze", 0.8)])
def test_the_pathfollower_finds_its_way_in_comfort(layout, least):
    config = {"layout": layout, "pits": 0.1}
    with sandlot.make("navigation", 64, seed=5, config=config) as world:
        world.reset(seed=5)
        bot, state, done = sandlot.bot("navigation", "pathfollower", config=config), None, []
        while len(done) < 100:
            actions, state = bot.act(world.observations, None, state)
            world.step(actions)
            bot.restart(state, world.terminated | world.truncated)
            done += list(world.finished())
    assert np.mean([episode["success"] for episode in done]) >= least
    assert np.mean([episode["comfort_score"] for episode in done]) >= 0.95
