"""Every number of the rules at another value than its default: the world follows it by the same formula."""

import math

import numpy as np
import pytest
from tag_play import EAST, QUIET, STILL, Play, matches_where, out_of_the_way, run_into

LINE = {"obstacles": 0, "ticks_per_step": 1}


def runner(**config):
    """A match in which agent 0 has room to the east."""
    roomy = lambda play: out_of_the_way(play) and play.position[0][0] < -3  # noqa: E731
    return next(matches_where(roomy, **{**QUIET, "arena_half": 14.8, **config}))


# ---------------------------------------------------------------- motion


@pytest.mark.parametrize("top", [3.0, 12.0])
@pytest.mark.parametrize(("seeker", "hider"), [(0.5, 1.0), (1.5, 0.25)])
def test_each_role_runs_at_its_share_of_the_top_speed(top, seeker, hider):
    play = runner(top_speed=top, seeker_speed=seeker, hider_speed=hider, acceleration=100)
    for _ in range(12):
        play.go({0: EAST, 1: EAST})
    assert play.velocity[0][0] == pytest.approx(min(top * seeker, 100 * 12 / 60), rel=1e-4)
    assert play.velocity[1][0] in (0.0, pytest.approx(top * hider, rel=1e-4)), "or stopped by a wall"


@pytest.mark.parametrize(("tick_rate", "acceleration", "deceleration"), [(30, 10.0, 45.0), (120, 40.0, 15.0)])
def test_speed_grows_and_falls_by_so_much_a_second(tick_rate, acceleration, deceleration):
    play = runner(tick_rate=tick_rate, acceleration=acceleration, deceleration=deceleration)
    for tick in range(1, 6):
        play.go({0: EAST})
        assert play.velocity[0][0] == pytest.approx(acceleration * tick / tick_rate, rel=1e-4)
    before = play.velocity[0][0]
    play.go({0: STILL})
    assert play.velocity[0][0] == pytest.approx(max(0.0, before - deceleration / tick_rate), abs=1e-4)


@pytest.mark.parametrize(("gravity", "jump"), [(5.0, 3.0), (20.0, 8.0)])
def test_a_jump_reaches_its_speed_squared_over_twice_gravity(gravity, jump):
    play = runner(gravity=gravity, jump_speed=jump, tick_rate=240)
    play.go(jump=(0,))
    highest = play.position[0][1]
    while play.velocity[0][1] > 0:
        play.go()
        highest = max(highest, play.position[0][1])
    assert highest == pytest.approx(jump**2 / (2 * gravity), abs=0.02)


@pytest.mark.parametrize("edge", [0.6, 1.5])
def test_a_body_stops_half_its_edge_and_a_skin_before_a_wall(edge):
    play = runner(body_edge=edge)
    for _ in range(300):
        play.go({0: EAST})
    assert play.position[0][0] == pytest.approx(14.8 - edge / 2 - 0.001, abs=1e-3)


@pytest.mark.parametrize("edge", [0.6, 1.5])
@pytest.mark.parametrize("reach", [0.05, 0.5])
def test_a_touch_is_a_gap_of_no_more_than_the_reach(edge, reach):
    play = Play(seed=2, body_edge=edge, reach=reach, spawn_separation=6, **LINE)
    run_into(play)
    gap = np.abs(play.position[0] - play.position[1])
    assert gap.max() <= edge + reach + 1e-4
    assert gap.max() > edge + reach - 8.0 / 60 - 0.01, "at the first tick in which it was so small"


def test_bodies_that_cannot_touch_stop_an_edge_and_a_skin_apart():
    play = next(
        matches_where(lambda p: abs(p.position[0][2] - p.position[1][2]) < 0.4, seeds=range(2000), **QUIET)
    )
    way = (math.copysign(1.0, play.position[1][0] - play.position[0][0]), 0.0)
    for _ in range(200):
        play.go({0: way})
    assert abs(play.position[0][0] - play.position[1][0]) == pytest.approx(1.0 + 0.001, abs=1e-4)
    assert play.velocity[0][0] == 0.0


# ---------------------------------------------------------------- clocks


@pytest.mark.parametrize("tick_rate", [30, 120])
def test_a_limit_in_seconds_is_so_many_ticks(tick_rate):
    play = Play(time_limit=1.5, tick_rate=tick_rate, **LINE)
    while not play.over:
        play.go()
    assert play.tick == 1.5 * tick_rate


@pytest.mark.parametrize(("tick_rate", "seconds", "ticks"), [(60, 0.5, 30), (30, 0.5, 15), (60, 0.51, 31)])
def test_a_head_start_holds_the_seeker_for_so_many_ticks(tick_rate, seconds, ticks):
    play = Play(seed=3, head_start_s=seconds, tick_rate=tick_rate, **LINE)
    start, moved = play.position[0].copy(), None
    for tick in range(1, 60):
        play.go({0: play.toward(0, 1)})
        if np.abs(play.position[0] - start).max() > 0:
            moved = tick
            break
    assert moved == ticks + 1


@pytest.mark.parametrize(("tick_rate", "seconds"), [(60, 0.5), (30, 2.0)])
def test_immunity_lasts_so_many_ticks(tick_rate, seconds):
    play = Play(seed=3, mode="switch", immunity_s=seconds, tick_rate=tick_rate, obstacles=0, ticks_per_step=1)
    run_into(play)
    first = play.tick
    assert play.info()["immunity"] == pytest.approx([seconds, seconds], abs=1.01 / tick_rate)
    while play.info()["immunity"].any():
        play.go({0: play.away(0, 1), 1: play.away(1, 0)})
    assert play.tick - first == seconds * tick_rate


# ---------------------------------------------------------------- eyes


@pytest.mark.parametrize("view", [60.0, 180.0])
@pytest.mark.parametrize("far", [5.0, 40.0])
def test_rays_spread_evenly_over_the_field_of_view_and_measure_in_its_range(view, far):
    """In an empty square arena the wall that a ray meets is plain geometry."""
    play = Play(seed=1, field_of_view=view, vision_range=far, mode="switch", **LINE)
    rays = play.world.observations[0, play.spec.field("rays")].reshape(36, -1)
    (fx, fz), (x, _, z), half = play.facing[0], play.position[0], 10.0
    other = play.world.observations[0, play.spec.field("rays")].reshape(36, 4)[:, 3] > 0
    for i in range(36):
        if other[i]:
            continue
        angle = math.radians(view * (i / 35 - 0.5))
        dx, dz = (
            fx * math.cos(angle) + fz * math.sin(angle),
            fz * math.cos(angle) - fx * math.sin(angle),
        )
        hits = [(math.copysign(half, d) - at) / d for d, at in ((dx, x), (dz, z)) if abs(d) > 1e-9]
        wall = min(hits)
        assert rays[i, 0] == pytest.approx(min(wall / far, 1.0), abs=2e-3)


# ---------------------------------------------------------------- memory of a sight

AHEAD, RIGHT, DISTANCE, SPEED_AHEAD, SPEED_RIGHT, FRESH = range(6)


def recalled(play):
    return play.world.observations[0, play.spec.field("recall")].astype(np.float64)


def sees(play):
    return bool(play.world.observations[0, play.spec.field("rays")].reshape(36, 4)[:, 3].any())


def lost_sight():
    """A match in which agent 0 has just lost sight of a moving agent 1, and the block before that."""
    for play in matches_where(lambda play: play.distance() < 8, recall=True, **QUIET):
        play.go()
        if not sees(play):
            continue
        for _ in range(90):
            before = recalled(play)
            play.go({1: (-play.facing[0][1], play.facing[0][0])})  # across the eyes, to the right
            if not sees(play):
                if abs(before[SPEED_RIGHT]) > 0.1:
                    return play, before
                break
    raise AssertionError("nobody was lost out of sight")


def test_a_sight_loses_a_twentieth_of_its_freshness_and_its_speed_seven_hundredths_a_step():
    play, before = lost_sight()
    assert before[FRESH] == 1.0
    fresh, speed = before[FRESH], before[[SPEED_AHEAD, SPEED_RIGHT]]
    for _ in range(5):
        now = recalled(play)
        fresh, speed = fresh * 0.95, speed * 0.93
        assert now[FRESH] == pytest.approx(fresh, rel=1e-4)
        assert now[[SPEED_AHEAD, SPEED_RIGHT]] == pytest.approx(speed, abs=1e-4)
        play.go()


def test_a_bearing_has_length_one_and_a_distance_is_a_share_of_the_arena():
    seen = 0
    for play in matches_where(lambda play: play.distance() < 8, recall=True, **QUIET):
        play.go()
        if not sees(play):
            continue
        block, (fx, fz) = recalled(play), play.facing[0]
        gap = (play.position[1] - play.position[0])[[0, 2]]
        assert np.hypot(block[AHEAD], block[RIGHT]) == pytest.approx(1.0, abs=1e-4)
        assert block[DISTANCE] * 20.0 == pytest.approx(np.hypot(*gap), abs=0.75)
        ahead, right = gap @ [fx, fz] / np.hypot(*gap), gap @ [-fz, fx] / np.hypot(*gap)
        assert (block[AHEAD], block[RIGHT]) == (pytest.approx(ahead, abs=0.2), pytest.approx(right, abs=0.2))
        assert not block[[SPEED_AHEAD, SPEED_RIGHT]].any(), "one sight tells no speed"
        seen += 1
    assert seen >= 10
