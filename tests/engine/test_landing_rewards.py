"""What landing pays: every term stays in the bounds that the spec names, and no shaping beats a landing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sandlot
from sandlot.errors import ConfigError

LOW = {"altitude_min": 60.0, "altitude_max": 200.0, "time_limit": 30.0}


def bounds(spec):
    """Lowest and highest sum of each term in an episode, by name."""
    return {term["name"]: (term["low"], term["high"]) for term in spec.reward_terms}


def finished(config, player, seed, episodes=40):
    """Episodes of one scripted player, or of random actions held for a while."""
    found = []
    with sandlot.make("landing", 16, seed=seed, config=config) as world:
        world.reset(seed=seed)
        rng = np.random.default_rng(seed)
        bot = None if player == "held" else sandlot.bot("landing", player, config=config)
        state = None
        step = 0
        while len(found) < episodes:
            if bot is not None:
                actions, state = bot.act(world.observations, None, state)
            elif step % 15 == 0:
                actions = rng.uniform(-1, 1, world.actions.shape).astype(np.float32)
            world.step(actions)
            found += list(world.finished())
            step += 1
    return world.spec, found


@pytest.mark.parametrize("player", ["autopilot", "brake", "idle", "random", "held"])
@pytest.mark.parametrize("profile", ["default", "disturbed"])
def test_no_term_leaves_the_bounds_that_the_spec_names(player, profile):
    spec, episodes = finished({"profile": profile, **LOW}, player, seed=3)
    limits = bounds(spec)
    labels = next(field.labels for field in spec.episode if field.name == "terms")
    for episode in episodes:
        for name, amount in zip(labels, np.ravel(episode["terms"]), strict=True):
            low, high = limits[name]
            assert low - 1e-3 <= amount <= high + 1e-3, name
        assert episode["return"] == pytest.approx(float(np.sum(episode["terms"])), abs=1e-2)


def test_shaping_together_pays_less_than_a_soft_landing():
    for profile in ("default", "disturbed"):
        terms = sandlot.load_spec("landing", {"profile": profile}).reward_terms
        shaping = sum(term["high"] for term in terms if term["shaping"])
        landing = next(term["high"] for term in terms if term["name"] == "landing")
        assert 0 < shaping < landing


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 0.1), st.floats(0, 60), st.floats(0, 60), st.floats(1, 100))
def test_settings_are_refused_exactly_when_shaping_could_beat_a_landing(progress, braking, centering, bonus):
    config = {"progress": progress, "braking": braking, "centering": centering, "soft_bonus": bonus}
    terms = sandlot.load_spec("landing", {**config, "allow_farming": True}).reward_terms
    shaping = sum(term["high"] for term in terms if term["shaping"])
    if abs(shaping - bonus) < 1e-3:
        return
    if shaping < bonus:
        sandlot.load_spec("landing", config)
    else:
        with pytest.raises(ConfigError, match="not less than soft_bonus"):
            sandlot.load_spec("landing", config)


def test_hovering_pays_nothing_but_costs_fuel():
    """A brief paid half a point for every step of slow flight below 50 m; here it is worth nothing."""
    config = {
        "altitude_min": 40.0,
        "altitude_max": 40.0,
        "start_offset": 0.0,
        "start_speed": 0.0,
        "start_fall": 0.0,
    }
    with sandlot.make("landing", config=config, autoreset=False) as world:
        world.reset(seed=1)
        total = 0.0
        for _ in range(300):
            height, fall = world.observations[0][0] * 1000, world.observations[0][2] * 50
            mass = world.info(0)["mass"]
            thrust = np.clip((9.8 + (40 - height) - 2 * fall) * mass / 10_000, 0, 1)
            world.step(np.array([[0, thrust, 0, 0, 0]], np.float32))
            total += float(world.rewards[0])
        assert world.info(0)["ending"] == 0
        assert -3 < total < 0.5
