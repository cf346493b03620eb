"""Statistics that travel with a checkpoint: taken up whole or refused whole."""

import numpy as np
import pytest
import torch

from sandlot.errors import CheckpointError
from sandlot.policies.normalize import Normalizer, ReturnScale


def learned(size: int) -> Normalizer:
    made = Normalizer(size)
    made.update(np.random.default_rng(1).normal(3.0, 2.0, (30, size)))
    return made


@pytest.mark.parametrize("wrong", [("mean",), ("sum_squares",), ("mean", "sum_squares")])
def test_statistics_of_another_size_are_refused_and_nothing_is_taken_up(wrong):
    ours, theirs = learned(4), learned(3)
    before = {name: part.clone() for name, part in ours.state().items()}
    rows = torch.randn(5, 4)
    seen = ours.apply(rows.clone())
    mixed = ours.state() | {name: theirs.state()[name] for name in wrong} | {"count": torch.tensor(7.0)}
    with pytest.raises(CheckpointError, match=r"do not fit \(4,\)"):
        ours.load(mixed)
    assert all(torch.equal(part, before[name]) for name, part in ours.state().items())
    assert torch.equal(ours.apply(rows.clone()), seen)


def test_what_was_taken_up_is_the_normalisers_own():
    ours, state = learned(3), learned(3).state()
    ours.load(state)
    mean = ours.mean.copy()
    state["mean"] += 5.0
    assert np.array_equal(ours.mean, mean)


def test_taking_up_goes_on_where_the_other_stopped():
    more = np.random.default_rng(2).normal(-1.0, 3.0, (20, 3))
    first, second = learned(3), Normalizer(3)
    second.load(first.state())
    for each in (first, second):
        each.update(more)
    assert second.count == first.count and np.array_equal(second.sum_squares, first.sum_squares)


def test_before_anything_was_seen_observations_pass_as_they_are():
    assert torch.allclose(Normalizer(2).apply(torch.tensor([[0.5, -2.0]])), torch.tensor([[0.5, -2.0]]))


def test_the_scale_of_returns_travels_and_goes_on():
    first, second = ReturnScale(), ReturnScale()
    assert first.std == pytest.approx(1.0)
    first.update(np.array([[1.0, 5.0], [9.0, -3.0]]))
    second.load(first.state())
    for each in (first, second):
        each.update(np.array([100.0, 120.0]))
    assert second.state() == first.state()
    data = np.array([1.0, 5.0, 9.0, -3.0, 100.0, 120.0])
    assert first.mean == pytest.approx(data.mean(), rel=1e-3)
    assert first.std == pytest.approx(data.std(), rel=1e-3)
