"""What an agent remembers of the last body it saw: no more than its eyes told it, and no less."""

import numpy as np
from tag_play import EAST, QUIET, Play, matches_where

AHEAD, RIGHT, DISTANCE, FRESH = 0, 1, 2, 5


def recalled(play, me):
    return play.world.observations[me, play.spec.field("recall")]


def sees_opponent(play, me):
    return bool(play.world.observations[me, play.spec.field("rays")].reshape(36, 4)[:, 3].any())


def where(play, me):
    """The place that the recall block tells of, in metres of the arena."""
    block, (fx, fz) = recalled(play, me), play.facing[me]
    far = block[DISTANCE] * 2 * play.scene["arena_half"]
    offset = far * (block[AHEAD] * np.array([fx, fz]) + block[RIGHT] * np.array([-fz, fx]))
    return play.position[me][[0, 2]] + offset


def test_the_block_is_six_numbers_before_the_privileged_ones():
    play = Play(recall=True, privileged=True)
    assert play.world.observations.shape == (2, 156 + 6 + 4)
    assert play.spec.field("recall") == slice(156, 162)


def test_nothing_is_remembered_before_the_first_step():
    assert not recalled(Play(recall=True), 0).any()


def test_a_body_in_view_is_where_the_block_says_within_half_a_body():
    checked = 0
    for play in matches_where(lambda play: play.distance() < 9, recall=True, **QUIET):
        play.go()
        if sees_opponent(play, 0):
            checked += 1
            assert recalled(play, 0)[FRESH] == 1
            assert np.linalg.norm(where(play, 0) - play.position[1][[0, 2]]) < 0.75
        if checked == 15:
            break
    assert checked == 15


def test_a_body_out_of_sight_fades_and_stays_inside_the_walls():
    for play in matches_where(lambda play: play.distance() < 9, recall=True, **QUIET):
        play.go()
        if sees_opponent(play, 0):
            break
    fresh, gone = 1.0, 0
    for _ in range(120):
        play.go({0: EAST, 1: play.away(1, 0)})
        now = recalled(play, 0)[FRESH]
        if not sees_opponent(play, 0):
            assert now < fresh
            gone += 1
        assert np.abs(where(play, 0)).max() <= play.scene["arena_half"] + 1e-3
        fresh = now
    assert gone > 0


def test_what_an_unseen_opponent_does_leaves_no_trace_in_the_memory():
    behind = lambda play: play.distance() > 4 and not sees_opponent(play, 0)  # noqa: E731
    a = next(matches_where(behind, recall=True, **QUIET))
    b = Play(recall=True, **QUIET)
    b.world.restore(0, a.world.snapshot(0))
    b.look()
    compared = 0
    for _ in range(20):
        a.go({1: a.away(1, 0)})
        b.go()
        if sees_opponent(a, 0) or sees_opponent(b, 0):
            break
        assert np.array_equal(recalled(a, 0), recalled(b, 0))
        compared += 1
    assert compared > 5
