"""How bodies move: the table of the rules page, measured."""

import numpy as np
import pytest
from tag_play import EAST, QUIET, SOUTH, STILL, WEST, Play, matches_where, out_of_the_way

DT = 1 / 60
OPEN = {**QUIET, "arena_half": 14.8}


def runner():
    """A match in which agent 0 has room to the east."""
    roomy = lambda play: out_of_the_way(play) and play.position[0][0] < -3  # noqa: E731
    return next(matches_where(roomy, **OPEN))


def test_full_speed_comes_after_0_4_seconds_and_1_6_metres():
    play = runner()
    start = play.position[0][0]
    for tick in range(1, 25):
        play.go({0: EAST})
        assert play.velocity[0][0] == pytest.approx(20 * tick * DT, abs=1e-4)
    assert play.velocity[0][0] == pytest.approx(8.0, abs=1e-5)
    assert play.position[0][0] - start == pytest.approx(1.6, abs=1e-4)


def test_top_speed_is_kept_and_never_exceeded():
    play = runner()
    for _ in range(80):
        play.go({0: EAST})
        assert np.hypot(*play.velocity[0][[0, 2]]) <= 8.0 + 1e-5
    before = play.position[0][0]
    for _ in range(30):
        play.go({0: EAST})
    assert play.position[0][0] - before == pytest.approx(8.0 * 0.5, abs=1e-3)


def test_a_body_at_full_speed_rests_after_0_27_seconds_and_1_07_metres():
    play = runner()
    for _ in range(40):
        play.go({0: EAST})
    start, ticks = play.position[0][0], 0
    while play.velocity[0][0] > 0:
        play.go({0: STILL})
        ticks += 1
    assert ticks == 16  # 8 / 30 s, to the next tick
    assert play.position[0][0] - start == pytest.approx(8 * 8 / (2 * 30), abs=1e-3)


def test_half_strength_is_half_speed():
    play = runner()
    for _ in range(60):
        play.go({0: (0.5, 0.0)})
    assert play.velocity[0][0] == pytest.approx(4.0, abs=1e-3)


def test_input_longer_than_one_is_cut_to_one():
    play = runner()
    actions = np.zeros_like(play.world.actions)
    actions[0, :2] = 1.0
    for _ in range(60):
        play.act(actions)
        assert np.hypot(*play.velocity[0][[0, 2]]) <= 8.0 + 1e-5


def test_a_reversal_has_inertia():
    """From +8 to -8 m/s at 20 m/s2 takes 0.8 s, not a tick."""
    play = runner()
    for _ in range(30):
        play.go({0: EAST})
    ticks = 0
    while play.velocity[0][0] > -8.0 + 1e-4:
        play.go({0: WEST})
        ticks += 1
    assert ticks == 48


def test_a_jump_reaches_1_54_metres_and_lasts_1_12_seconds():
    play = Play(**QUIET)
    play.go(jump=(0,))
    heights = [play.position[0][1]]
    while not play.scene["on_floor"].ravel()[0]:
        play.go()
        heights.append(play.position[0][1])
    assert max(heights) == pytest.approx(5.5**2 / (2 * 9.8), rel=0.01)
    assert len(heights) * DT == pytest.approx(2 * 5.5 / 9.8, abs=1.01 * DT)


def test_free_flight_follows_the_closed_form_within_one_percent():
    play = Play(jump_speed=8.0, gravity=2.0, **QUIET)
    play.go(jump=(0,))
    for tick in range(2, 480):
        play.go()
        t = tick * DT
        height = 8.0 * t - 0.5 * 2.0 * t * t
        assert play.position[0][1] == pytest.approx(height, rel=0.01, abs=1e-3)


def test_jumping_in_the_air_does_nothing():
    once, held = Play(**QUIET), Play(**QUIET)
    for tick in range(60):
        once.go(jump=(0,) if tick == 0 else ())
        held.go(jump=(0,))
        assert once.position[0][1] == held.position[0][1]


def test_a_body_steers_in_the_air_as_on_the_floor():
    play = runner()
    play.go(jump=(0,))
    for _ in range(24):
        play.go({0: EAST})
    assert play.position[0][1] > 1 and play.velocity[0][0] == pytest.approx(8.0, abs=1e-4)


# ---- coyote time -------------------------------------------------------------------------------------------


def walk_off_a_box(coyote_s, delay_ticks):
    """Climb a low box, walk off it, ask for a jump so many ticks after the feet left it: did it work?"""
    config = {"low_share": 1.0, "mode": "switch", "time_limit": 25, "ticks_per_step": 1, "coyote_s": coyote_s}
    for play in matches_where(lambda p: True, **config):
        if climb(play) and walk_to_the_edge(play):
            for _ in range(delay_ticks - 1):
                play.go({0: EAST})
            if play.scene["on_floor"].ravel()[0]:
                continue  # the neighbour caught it
            play.go({0: EAST}, jump=(0,))
            return bool(play.events("jump"))
    raise AssertionError("no match with a box to climb")


def climb(play):
    boxes = play.boxes()
    here = play.position[0]
    middles = (boxes[:, :3] + boxes[:, 3:]) / 2
    target = middles[np.argmin(np.hypot(*(middles - here)[:, [0, 2]].T))]
    for _ in range(240):
        gap = (target - play.position[0])[[0, 2]]
        if play.position[0][1] > 0.5 and play.scene["on_floor"].ravel()[0] and np.abs(gap).max() < 0.3:
            return True
        play.go({0: tuple(gap / max(np.hypot(*gap), 0.5))}, jump=(0,))
    return False


def walk_to_the_edge(play):
    for _ in range(120):
        play.go({0: EAST})
        if not play.scene["on_floor"].ravel()[0]:
            return play.velocity[0][1] < 0
    return False


def test_a_jump_still_works_just_after_walking_off_an_edge():
    assert walk_off_a_box(coyote_s=0.1, delay_ticks=1)
    assert walk_off_a_box(coyote_s=0.1, delay_ticks=6)


def test_coyote_time_ends():
    assert not walk_off_a_box(coyote_s=0.1, delay_ticks=7)
    assert not walk_off_a_box(coyote_s=0.0, delay_ticks=1)


# ---- eyes --------------------------------------------------------------------------------------------------


def angle_between(a, b):
    return np.degrees(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


@pytest.mark.parametrize("rate", [90.0, 360.0])
def test_eyes_turn_toward_the_movement_at_the_stated_rate(rate):
    play = Play(turn_rate=rate, **QUIET)
    target = np.array(SOUTH)
    while abs(angle_between(play.facing[0], target)) > rate / 60 + 1e-3:
        before = play.facing[0].copy()
        play.go({0: SOUTH})
        assert abs(angle_between(before, play.facing[0])) == pytest.approx(rate / 60, abs=0.01)
        assert np.hypot(*play.facing[0]) == pytest.approx(1.0, abs=1e-6)
    play.go({0: SOUTH})
    assert play.facing[0] == pytest.approx(target, abs=1e-6)


def test_eyes_rest_when_the_body_is_not_asked_to_move():
    play = Play(**QUIET)
    before = play.facing.copy()
    for _ in range(30):
        play.go()
    assert np.array_equal(play.facing, before)


def test_the_fourth_action_turns_the_eyes_right():
    play = Play(turn_control=True, **QUIET)
    for share in (1.0, 0.25, -1.0):
        before = play.facing[0].copy()
        play.go({0: EAST}, turn=share)
        assert angle_between(before, play.facing[0]) == pytest.approx(6.0 * share, abs=0.01)


# ---- bodies and bodies -------------------------------------------------------------------------------------


def test_bodies_block_one_another_and_do_not_push():
    play = Play(reach=0.01, immunity_s=10, **QUIET)
    still = play.position[1].copy()
    gaps = []
    for _ in range(300):
        play.go({0: play.toward(0, 1)})
        gaps.append(np.abs(play.position[0] - play.position[1])[[0, 2]].max())
    assert min(gaps) >= 1.0 and min(gaps) < 1.01
    assert np.array_equal(play.position[1], still)


def test_a_body_can_stand_on_another():
    play = Play(immunity_s=10, **QUIET)
    best = 0.0
    for _ in range(600):
        play.go({0: play.toward(0, 1)}, jump=(0,) if play.distance() < 2.0 else ())
        if play.scene["on_floor"].ravel()[0]:
            best = max(best, play.position[0][1])
    assert best == pytest.approx(1.0)
