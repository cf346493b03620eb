"""What navigation pays: every term stays in the bounds that the spec names, and comfort is under a tenth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sandlot
from sandlot.errors import ConfigError

SHORT = {"time_limit": 20.0, "max_goal_distance": 12.0}


def finished(config, player, seed, episodes=40):
    """Episodes of one scripted player, or of random actions held for a while."""
    found, actions = [], None
    with sandlot.make("navigation", 16, seed=seed, config=config) as world:
        world.reset(seed=seed)
        rng = np.random.default_rng(seed)
        bot = None if player == "held" else sandlot.bot("navigation", player, config=config)
        state, step = None, 0
        while len(found) < episodes:
            if bot is not None:
                actions, state = bot.act(world.observations, None, state)
            elif step % 15 == 0:
                actions = rng.uniform(-1, 1, world.actions.shape).astype(np.float32)
            world.step(actions)
            found += list(world.finished())
            step += 1
    return world.spec, found


@pytest.mark.parametrize("player", ["pathfollower", "greedy_goal", "random", "held"])
@pytest.mark.parametrize("layout", ["open", "course", "maze"])
def test_no_term_leaves_the_bounds_that_the_spec_names(player, layout):
    spec, episodes = finished({"layout": layout, "pits": 0.2, **SHORT}, player, seed=3)
    limits = {term["name"]: (term["low"], term["high"]) for term in spec.reward_terms}
    labels = next(field.labels for field in spec.episode if field.name == "terms")
    for episode in episodes:
        for name, amount in zip(labels, np.ravel(episode["terms"]), strict=True):
            low, high = limits[name]
            assert low - 1e-3 <= amount <= high + 1e-3, name
        assert episode["return"] == pytest.approx(float(np.sum(episode["terms"])), abs=1e-2)


@pytest.mark.parametrize("profile", ["default", "comfort"])
def test_an_episodes_comfort_is_under_a_tenth_of_the_goal_and_progress_under_the_goal(profile):
    spec = sandlot.load_spec("navigation", {"profile": profile})
    limits = {term["name"]: (term["low"], term["high"]) for term in spec.reward_terms}
    assert -limits["comfort"][0] <= 0.1 * limits["goal"][1]
    assert limits["comfort"][1] == 0
    assert limits["progress"][1] < limits["goal"][1]


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 100), st.floats(0, 5), st.floats(0, 200))
def test_settings_are_refused_exactly_when_a_term_could_beat_the_goal(comfort, progress, goal):
    config = {"comfort_bonus": comfort, "progress": progress, "goal_reached": goal}
    terms = sandlot.load_spec("navigation", {**config, "allow_farming": True}).reward_terms
    highest = next(term["high"] for term in terms if term["name"] == "progress")
    if abs(highest - goal) < 1e-3 or abs(10 * comfort - goal) < 1e-3:
        return
    if (highest < goal or highest == 0) and 10 * comfort <= goal:
        sandlot.load_spec("navigation", config)
    else:
        with pytest.raises(ConfigError):
            sandlot.load_spec("navigation", config)


def test_pacing_to_and_fro_pays_nothing():
    with sandlot.make("navigation", config={"layout": "open"}, autoreset=False) as world:
        world.reset(seed=4)
        start, total = world.info(0)["distance"], 0.0
        for step in range(200):
            ahead = 0.7 if step // 10 % 2 else -0.7
            world.step(np.array([[0, ahead, 0]], np.float32))
            total += float(world.rewards[0])
        closed = start - world.info(0)["distance"]
        assert total <= closed + 1e-3
