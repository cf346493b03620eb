"""What holds after every step of tag, whatever the agents do, in both modes and for two to eight of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sandlot

SEEDS = st.integers(0, 2**64 - 1)


@st.composite
def configs(draw):
    return {
        "mode": draw(st.sampled_from(["timed", "switch"])),
        "seekers": draw(st.integers(1, 3)),
        "hiders": draw(st.integers(1, 4)),
        "obstacles": draw(st.integers(0, 12)),
        "arena_half": draw(st.floats(6, 14)),
        "spawn_separation": 3,
        "time_limit": 3,
        "turn_control": draw(st.booleans()),
        "first_is_seeker": draw(st.booleans()),
    }


def play(config, seed, worlds=4, steps=70, **options):
    """Yield the world after each step. Agents change their mind seldom, so that they run into things."""
    world = sandlot.make("tag", worlds, config=config, **options)
    world.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for step in range(steps):
        if step % 7 == 0:
            world.actions[:] = (
                np.sign(rng.normal(size=world.actions.shape)) * rng.random(world.actions.shape) ** 0.3
            )
        world.step()
        yield world


def part(world, name):
    field = world.spec.entry(name)
    return world.observations[:, field.slice].reshape(world.rows, *field.shape)


@settings(deadline=None, max_examples=25)
@given(config=configs(), seed=SEEDS)
def test_observations_are_consistent(config, seed):
    for world in play(config, seed):
        assert np.isfinite(world.observations).all() and np.abs(world.observations).max() <= 1
        rays = part(world, "rays")
        assert (rays[:, :, 1:].sum(axis=2) == 1).all(), "a ray meets one kind of thing"
        assert (rays[:, :, 0][rays[:, :, 1] == 1] == 1).all(), "nothing is as far as one can see"
        facing = part(world, "self")[:, 7:9]
        assert (facing**2).sum(axis=1) == pytest.approx(1, abs=1e-3)
        seekers = part(world, "roles")[:, 0].reshape(world.worlds, -1).sum(axis=1)
        assert (seekers == config["seekers"]).all(), "roles pass, they do not appear"


@settings(deadline=None, max_examples=15)
@given(config=configs(), seed=SEEDS)
def test_bodies_stay_inside_the_arena_and_out_of_boxes(config, seed):
    for world in play(config, seed):
        for index in world:
            seen = world.render(index)
            inside, half = seen["arena_half"] - seen["body_edge"] / 2, seen["body_edge"] / 2
            x, y, z = seen["position"].T
            assert (np.abs(x) <= inside).all() and (np.abs(z) <= inside).all() and (y >= 0).all()
            boxes = seen["boxes"][: int(seen["box_count"])]
            for low_x, _, low_z, high_x, top, high_z in boxes:
                apart = (
                    (x + half <= low_x) | (x - half >= high_x) | (z + half <= low_z) | (z - half >= high_z)
                )
                assert (apart | (y >= top) | (seen["out"] == 1)).all()


@settings(deadline=None, max_examples=15)
@given(config=configs(), seed=SEEDS)
def test_a_match_goes_by_its_clock_and_ends_for_everybody_at_once(config, seed):
    left, running = 3.0, True
    world = None
    for world in play(config, seed, worlds=1):
        over = world.terminated | world.truncated
        assert over.all() or not over.any()
        assert not (world.terminated & world.truncated).any()
        if over.any():
            running = False
            break
        info = world.info()
        assert info["time_left"] == pytest.approx(left - world.ticks[0] / 60, abs=1e-4)
        left = info["time_left"]
    assert not running, "three seconds are sixty steps"
    episode = world.finished()[0]
    tagged = episode["reason"] == 1
    assert world.truncated.any() == (config["mode"] == "switch" and not tagged)


@settings(deadline=None, max_examples=15)
@given(config=configs(), seed=SEEDS)
def test_the_sums_of_an_episode_are_the_sums_of_its_steps(config, seed):
    returns = None
    for world in play(config, seed, worlds=3, steps=130):
        returns = np.zeros((3, world.spec.agents)) if returns is None else returns
        returns += world.rewards.reshape(3, -1)
        for episode in world.finished():
            assert np.ravel(episode["returns"]) == pytest.approx(
                returns[episode["world"]], rel=1e-3, abs=1e-3
            )
            assert episode["terms"].sum() == pytest.approx(np.sum(episode["returns"]), rel=1e-3, abs=1e-3)
            returns[episode["world"]] = 0


@settings(deadline=None, max_examples=15)
@given(config=configs(), seed=SEEDS)
def test_whoever_is_out_stays_out_blind_and_unpaid(config, seed):
    out = None
    for world in play(config | {"mode": "timed", "reach": 0.75}, seed, worlds=1):
        if world.terminated.any():
            break
        now = world.info()["in_play"] == 0
        if out is not None:
            assert (now >= out).all() and not world.rewards[out].any()
        out = now
        assert (part(world, "rays")[now, :, 1] == 1).all()
