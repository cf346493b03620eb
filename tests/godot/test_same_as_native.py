"""Native for speed, Godot for truth: the same seed and actions must give the same match in both.

Bodies move by the same arithmetic until something is in the way; what is in the way is for Godot's physics to
say. That keeps the transfer gap small, and these tests keep it that way.
"""

import numpy as np
import pytest

from .matches import play_in_godot, play_natively

STEPS = 160
WORLDS = 16
NEAR_M = 2e-3  # a body that was stopped may stand this much elsewhere
LOST_M = 0.05  # from here on two matches are two matches
CASES = {
    "default": {"time_limit": 5},
    "many boxes and passes": {"mode": "switch", "obstacles": 12, "time_limit": 20},
    "the reference's arena": {"layout": "reference84", "arena_half": 14.8, "obstacles": 0},
    "eyes of their own": {"time_limit": 5, "turn_control": True, "recall": True, "privileged": True},
    "slow ticks": {"tick_rate": 30, "ticks_per_step": 2, "hider_speed": 1.25, "head_start_s": 0.5},
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def both(request, engine, project, tmp_path_factory):
    config = CASES[request.param]
    native, actions = play_natively(config, WORLDS, STEPS, seed=13)
    room = tmp_path_factory.mktemp("godot")
    return native, play_in_godot(engine, project, config, WORLDS, 13, actions, room)


def test_a_seed_gives_the_same_places_and_boxes_to_the_last_bit(both):
    native, godot = both
    np.testing.assert_array_equal(godot.positions[0], native.positions[0])
    np.testing.assert_array_equal(godot.boxes[0], native.boxes[0])


def test_bodies_stay_within_two_millimetres_of_each_other(both):
    native, godot = both
    apart = np.abs(godot.positions - native.positions).max(axis=(2, 3))  # [frames, worlds]
    together = apart.max(axis=0) < LOST_M
    assert together.mean() >= 0.9, f"{(~together).sum()} of {WORLDS} worlds went their own way"
    assert np.median(apart.max(axis=0)) < NEAR_M
    assert apart[:, together].max() < LOST_M


def test_observations_and_rewards_agree_while_bodies_do(both):
    native, godot = both
    agents = native.positions.shape[2]
    apart = np.abs(godot.positions - native.positions).max(axis=(2, 3))
    same = np.repeat((apart < NEAR_M), agents, axis=1)  # [frames, rows]
    off = np.abs(godot.observations - native.observations) > 0.01
    # a ray that grazes an edge may meet it here and miss it there
    assert off[same].mean() < 2e-3
    paid = np.abs(godot.rewards - native.rewards)[same[1:]]
    assert (paid < 1e-3).mean() > 0.999


def test_matches_end_in_the_same_step_for_the_same_reason(both):
    native, godot = both
    same = sum(a == b for a, b in zip(native.ended, godot.ended, strict=True))
    assert same >= STEPS - 2
    assert abs(len(native.episodes) - len(godot.episodes)) <= 2


def test_the_sums_of_an_episode_agree(both):
    native, godot = both
    if len(native.episodes) == 0 or native.ended != godot.ended:
        return  # said above
    # winner, reason, ticks, steps, …, terms and returns, in the order of the spec
    close = np.abs(native.episodes - godot.episodes) < 0.05
    assert close.all(axis=1).mean() > 0.9
