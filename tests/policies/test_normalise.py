"""Running statistics are those of all the data at once."""

import numpy as np
import pytest
import torch

from sandlot.policies.normalise import CUT, Normaliser, ReturnScale


def test_statistics_taken_in_parts_are_those_of_numpy_over_the_whole():
    data = np.random.default_rng(0).normal([5, -3, 0], [2, 0.1, 30], (1000, 3)).astype(np.float32)
    normaliser = Normaliser(3)
    for part in np.split(data, [1, 50, 51, 700]):
        normaliser.update(part)
    assert normaliser.mean == pytest.approx(data.mean(0, dtype=np.float64), rel=1e-4)
    assert normaliser.square / normaliser.count == pytest.approx(data.var(0, dtype=np.float64), rel=1e-3)
    seen = normaliser.apply(torch.from_numpy(data)).numpy()
    assert np.abs(seen.mean(0)).max() < 1e-3 and np.allclose(seen.std(0), 1, atol=1e-3)


def test_what_lies_far_out_is_cut_and_what_never_changes_stays_finite():
    normaliser = Normaliser(2)
    normaliser.update(np.array([[0, 7], [1, 7], [0, 7], [1, 7]], np.float32))
    seen = normaliser.apply(torch.tensor([[1e9, 7.0], [-1e9, 8.0]]))
    assert torch.isfinite(seen).all() and seen.abs().max() <= CUT


def test_raw_observations_are_left_as_they_are():
    rows = torch.ones(3, 2)
    normaliser = Normaliser(2)
    out = torch.zeros(3, 2)
    assert normaliser.apply(rows, out) is out
    assert torch.equal(rows, torch.ones(3, 2))


def test_a_normaliser_travels_as_plain_tensors():
    first, second = Normaliser(4), Normaliser(4)
    first.update(np.random.default_rng(1).normal(size=(30, 4)))
    second.load(first.state())
    rows = torch.randn(5, 4)
    assert torch.equal(first.apply(rows), second.apply(rows))


def test_the_scale_of_returns_is_their_spread():
    data = np.random.default_rng(2).normal(100, 7, (50, 40))
    scale = ReturnScale()
    for part in np.split(data, [3, 20]):
        scale.update(part)
    assert scale.spread == pytest.approx(data.std(), rel=1e-3)
