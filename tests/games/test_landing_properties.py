"""What holds after every step of landing, whatever the pilot does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sandlot

SEEDS = st.integers(0, 2**64 - 1)


@st.composite
def configs(draw):
    low = draw(st.floats(45, 300))
    return {
        "profile": draw(st.sampled_from(["default", "disturbed"])),
        "altitude_min": low,
        "altitude_max": low + draw(st.floats(0, 100)),
        "gravity": draw(st.floats(1, 12)),
        "fuel": draw(st.floats(10, 200)),
        "terrain_height": draw(st.floats(0, 20)),
        "time_limit": 12.0,
        "tick_rate": draw(st.sampled_from([60, 90, 120])),
    }


def play(config, seed, worlds=4, steps=80):
    """Yield the world after each step. The pilot changes its mind seldom."""
    with sandlot.make("landing", worlds, config=config) as world:
        world.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for step in range(steps):
            if step % 9 == 0:
                world.actions[:] = rng.uniform(-1, 1, world.actions.shape)
            world.step()
            yield world


@settings(deadline=None, max_examples=25)
@given(config=configs(), seed=SEEDS)
def test_observations_and_rewards_are_numbers_in_their_ranges(config, seed):
    for world in play(config, seed):
        assert np.isfinite(world.observations).all() and np.isfinite(world.rewards).all()
        for field in world.spec.observation:
            part = world.observations[:, field.slice]
            if field.low is not None:
                assert (part >= field.low).all() and (part <= field.high).all(), field.name
        direction = world.observations[:, world.spec.field("to_pad")]
        assert (direction**2).sum(axis=1) == pytest.approx(1, abs=1e-4)


@settings(deadline=None, max_examples=25)
@given(config=configs(), seed=SEEDS)
def test_the_observation_is_the_state_in_its_scales(config, seed):
    for world in play(config, seed, steps=20):
        for index in world:
            row, info = world.observations[index], world.info(index)
            assert row[0] * 1000 == pytest.approx(info["position"][1], abs=1e-2)
            assert row[1:4] * 50 == pytest.approx(info["velocity"], abs=1e-3)
            distance = float(np.linalg.norm(info["position"]))
            assert row[12] * 1000 == pytest.approx(distance, rel=1e-4)
            below = info["terrain_below"]
            assert row[13] == pytest.approx(10 if below > 100 else below / 100, abs=1e-4)


@settings(deadline=None, max_examples=25)
@given(config=configs(), seed=SEEDS)
def test_fuel_only_goes_down_and_mass_with_it(config, seed):
    with sandlot.make("landing", config=config, autoreset=False) as world:
        world.reset(seed=seed)
        rng = np.random.default_rng(seed)
        before, over = world.info(0)["fuel"], False
        while not over:
            over = world.step(rng.uniform(-1, 1, world.actions.shape).astype(np.float32))
            fuel, mass = world.info(0)["fuel"], world.info(0)["mass"]
            assert 0 <= fuel <= before
            assert mass == pytest.approx(500 + fuel, abs=1e-2)
            before = fuel


def test_only_running_out_of_time_truncates():
    labels = next(f.labels for f in sandlot.load_spec("landing").episode if f.name == "ending")
    config = {"altitude_min": 100.0, "altitude_max": 300.0, "bounds": 250.0, "time_limit": 20.0}
    seen = set()
    for player in ("autopilot", "brake", "idle"):
        with sandlot.make("landing", 64, config=config) as world:
            world.reset(seed=2)
            bot, state = sandlot.bot("landing", player, config=config), None
            for _ in range(250):
                actions, state = bot.act(world.observations, None, state)
                world.step(actions)
                ended = world.finished()
                for index, code in zip(ended.heads["world"], ended.column("ending"), strict=True):
                    ending = labels[int(code)]
                    assert world.truncated[index] == (ending == "timeout")
                    assert world.terminated[index] == (ending != "timeout")
                    seen.add(ending)
    assert seen >= {"soft_landing", "crash", "timeout"}


def test_the_autopilot_lands_nine_times_in_ten_within_two_metres():
    with sandlot.make("landing", 64, seed=5) as world:
        world.reset(seed=5)
        bot, state, done = sandlot.bot("landing", "autopilot"), None, []
        while len(done) < 100:
            actions, state = bot.act(world.observations, None, state)
            world.step(actions)
            bot.restart(state, world.terminated | world.truncated)
            done += list(world.finished())
    assert np.mean([episode["success"] for episode in done]) >= 0.9
    assert np.mean([episode["fuel_efficiency"] for episode in done]) > 0.7
