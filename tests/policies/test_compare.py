"""The comparison that judges an export: it sees what the policy saw, and differences are not lost."""

import itertools

import numpy as np
import pytest
import torch

import sandlot
from sandlot.policies import Policy
from sandlot.policies import compare as comparing
from sandlot.policies.config import NetworkConfig


def policy(game: str, role: str, **shape) -> Policy:
    return Policy(sandlot.load_spec(game), role, NetworkConfig(hidden_sizes=(8,), **shape), seed=3)


def test_what_a_policy_saw_has_a_row_for_each_of_its_slots_and_the_masks_it_was_given():
    play = comparing.record_trajectory(policy("prospector", "pilot"), worlds=3, steps=5)
    spec = sandlot.load_spec("prospector")
    assert play.observations.shape == (5, 3, spec.observation_size) and play.ended.shape == (5, 3)
    assert play.masks is not None and play.masks.shape == (5, 3, spec.action_count)
    assert play.masks.any(axis=2).all(), "something is always allowed"
    assert play.ended[0].all() and not play.ended[1:].any(), "every episode begins in the first step"


def test_a_game_without_masks_has_none():
    play = comparing.record_trajectory(policy("tag", "hider"), worlds=2, steps=3)
    assert play.masks is None and play.observations.shape[:2] == (3, 2)


def test_the_same_seed_is_the_same_play_and_observations_are_kept_not_shared():
    made = policy("tag", "seeker")
    first, again = (comparing.record_trajectory(made, worlds=2, steps=6, seed=5) for _ in range(2))
    other = comparing.record_trajectory(made, worlds=2, steps=6, seed=6)
    assert np.array_equal(first.observations, again.observations)
    assert not np.array_equal(first.observations, other.observations)
    assert not np.array_equal(first.observations[0], first.observations[-1])


def test_another_mover_plays_while_the_policy_watches():
    watching, moving = policy("tag", "seeker"), policy("tag", "seeker")
    with torch.no_grad():
        moving.network.last.bias[:] = torch.randn(len(moving.network.last.bias)) * 50
    own = comparing.record_trajectory(watching, worlds=2, steps=8)
    led = comparing.record_trajectory(watching, worlds=2, steps=8, actor=moving)
    assert np.array_equal(own.observations[0], led.observations[0])
    assert not np.array_equal(own.observations[-1], led.observations[-1])


@pytest.mark.parametrize(
    ("ours", "theirs", "apart"),
    [
        ([0.5], [0.25], 0.25),  # absolute below 1
        ([100.0], [101.0], 0.01),  # relative above it
        ([-4.0], [-5.0], 0.25),
        ([1.0], [float("nan")], float("inf")),
        ([0.1, 0.2], [0.1, 0.5], 0.3),
    ],
)
def test_the_largest_difference_is_absolute_below_one_and_relative_above(ours, theirs, apart):
    assert comparing._max_difference(torch.tensor(ours), torch.tensor(theirs)) == pytest.approx(apart)


def test_choices_are_the_same_when_equal_and_sticks_when_a_hair_apart():
    def same(a, b):
        return comparing.same_choice(a, b).tolist()

    whole = torch.tensor([1, 2, 3], dtype=torch.int32)
    assert same(whole, torch.tensor([1, 5, 3], dtype=torch.int32)) == [1.0, 0.0, 1.0]
    stick = torch.tensor([[0.0, 0.0], [0.0, 0.0], [3.0, -3.0]])
    other = torch.tensor([[0.04, -0.04], [0.04, 0.06], [1.0, -1.0]])  # beyond the edge is the edge
    assert same(stick, other) == [1.0, 0.0, 1.0]


def test_one_core_gives_the_threads_back_also_after_a_failure():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ValueError, match="in the middle"), comparing.single_thread():
            assert torch.get_num_threads() == 1
            raise ValueError("in the middle")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_comparison_is_made_over_32_worlds_of_24_steps_and_timed_at_three_sizes():
    import inspect

    defaults = {n: p.default for n, p in inspect.signature(comparing.compare).parameters.items()}
    assert (defaults["worlds"], defaults["steps"]) == (32, 24)
    assert (comparing.BATCHES, comparing.TOLERANCE) == ((1, 64, 1024), 0.05)
    assert inspect.signature(comparing.measure_speed).parameters["seconds"].default == 0.25


@pytest.mark.parametrize("other", [0.05, 0.051])
def test_a_stick_is_the_same_up_to_a_touch(other):
    at = comparing.same_choice(torch.zeros(1, 2), torch.tensor([[other, 0.0]])).tolist()
    assert at == [1.0 if other <= 0.05 else 0.0]


def test_nothing_differs_from_nothing():
    assert comparing._max_difference(None, None) == comparing._max_difference(torch.ones(1), None) == 0.0
    assert comparing._max_difference(None, torch.ones(1)) == 0.0


def test_speed_is_in_microseconds_of_the_fastest_call(monkeypatch):
    calls = itertools.cycle([3e-6, 2e-6, 5e-6])
    monkeypatch.setattr(comparing, "_call", lambda player, seen: next(calls))
    table = comparing.measure_speed({"a": policy("tag", "seeker")}, seconds=0.001)
    assert [row["rows"] for row in table] == [1, 64, 1024]
    assert {row["a"] for row in table} <= {2.0, 3.0, 5.0} and table[0]["a"] == 2.0


def test_one_thread_computes_meanwhile_and_as_many_as_before_afterwards():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError), comparing.single_thread():
            assert torch.get_num_threads() == 1
            raise ZeroDivisionError
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
