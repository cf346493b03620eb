"""Running statistics are those of all the data at once."""

import numpy as np
import pytest
import torch

from sandlot.policies.normalize import CLIP, Normalizer, ReturnScale


def test_statistics_taken_in_parts_are_those_of_numpy_over_the_whole():
    data = np.random.default_rng(0).normal([5, -3, 0], [2, 0.1, 30], (1000, 3)).astype(np.float32)
    normalizer = Normalizer(3)
    for part in np.split(data, [1, 50, 51, 700]):
        normalizer.update(part)
    assert normalizer.mean == pytest.approx(data.mean(0, dtype=np.float64), rel=1e-4)
    assert normalizer.sum_squares / normalizer.count == pytest.approx(data.var(0, dtype=np.float64), rel=1e-3)
    seen = normalizer.apply(torch.from_numpy(data)).numpy()
    assert np.abs(seen.mean(0)).max() < 1e-3 and np.allclose(seen.std(0), 1, atol=1e-3)


def test_what_lies_far_out_is_cut_and_what_never_changes_stays_finite():
    normalizer = Normalizer(2)
    normalizer.update(np.array([[0, 7], [1, 7], [0, 7], [1, 7]], np.float32))
    seen = normalizer.apply(torch.tensor([[1e9, 7.0], [-1e9, 8.0]]))
    assert torch.isfinite(seen).all() and seen.abs().max() <= CLIP


def test_what_hardly_ever_moves_is_not_blown_up_further_than_asked():
    quiet = np.zeros((1000, 2), np.float32)
    quiet[0] = 1.0  # once in a thousand rows
    free, held = Normalizer(2), Normalizer(2, min_std=0.25)
    for normalizer in (free, held):
        normalizer.update(quiet)
    moved = torch.ones(1, 2)
    assert float(free.apply(moved).min()) == CLIP
    assert held.apply(moved).numpy() == pytest.approx((1 - 0.001) / 0.25)


def test_only_what_is_to_be_seen_is_let_through():
    data = np.random.default_rng(3).normal(5, 2, (50, 3)).astype(np.float32)
    whole, part = Normalizer(3), Normalizer(3, visible=np.array([0, 2]))
    for normalizer in (whole, part):
        normalizer.update(data)
    rows = torch.from_numpy(data)
    assert torch.equal(part.apply(rows), whole.apply(rows)[:, [0, 2]])
    shift, scale = part.shift_and_scale()
    assert (shift[1], scale[1]) == (0, 0)
    assert np.allclose((data - shift) * scale, whole.apply(rows).numpy() * [1, 0, 1], atol=1e-6)


def test_raw_observations_are_left_as_they_are():
    rows = torch.ones(3, 2)
    normalizer = Normalizer(2)
    out = torch.zeros(3, 2)
    assert normalizer.apply(rows, out) is out
    assert torch.equal(rows, torch.ones(3, 2))


def test_a_normaliser_travels_as_plain_tensors():
    first, second = Normalizer(4), Normalizer(4)
    first.update(np.random.default_rng(1).normal(size=(30, 4)))
    second.load(first.state())
    rows = torch.randn(5, 4)
    assert torch.equal(first.apply(rows), second.apply(rows))


def test_the_scale_of_returns_is_their_spread():
    data = np.random.default_rng(2).normal(100, 7, (50, 40))
    scale = ReturnScale()
    for part in np.split(data, [3, 20]):
        scale.update(part)
    assert scale.std == pytest.approx(data.std(), rel=1e-3)


def test_what_lies_ten_stds_out_is_cut_there_and_not_sooner():
    normalizer = Normalizer(1)
    normalizer.update(np.array([[-1.0], [1.0]] * 500, np.float32))  # mean 0, std 1
    seen = normalizer.apply(torch.tensor([[9.5], [10.5], [-9.5], [-30.0]]))
    assert seen[:, 0].tolist() == pytest.approx([9.5, 10.0, -9.5, -10.0], abs=1e-2)
