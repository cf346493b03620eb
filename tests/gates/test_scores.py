"""Betting on paired differences of bounded scores: errors at every look, power, the confidence sequence."""

import numpy as np
import pytest
from scipy import stats

from sandlot.gates import scores

RUNS = 600


def draws(mean, std, count, rng):
    """Differences in -1..1 with this mean."""
    return np.clip(rng.normal(mean, std, count), -1, 1)


def some_look(values, margin, which):
    """Whether any of 25 looks would have decided."""
    looks = range(20, len(values) + 1, 20)
    return any(scores.p_values(values[:n], margin, 1.0)[which] <= 0.01 for n in looks)


@pytest.mark.parametrize("std", [0.02, 0.2, 0.6])
@pytest.mark.parametrize(("mean", "which"), [(0.0, 0), (-0.05, 1)])
def test_thirty_looks_keep_one_percent(std, mean, which):
    rng = np.random.default_rng(5)
    wrong = sum(some_look(draws(mean, std, 500, rng), 0.05, which) for _ in range(RUNS))
    assert stats.binom.sf(wrong - 1, RUNS, 0.01) > 1e-3, wrong


def test_a_z_test_with_as_many_looks_does_not():
    """What the betting test is for: the naive one alarms several times as often."""
    rng, wrong = np.random.default_rng(6), 0
    for _ in range(RUNS):
        values = draws(0.0, 0.2, 500, rng)
        z = [values[:n].mean() / (values[:n].std() / np.sqrt(n)) for n in range(20, 501, 20)]
        wrong += min(z) < stats.norm.ppf(0.01)
    assert wrong / RUNS > 0.03


def test_a_drop_of_the_margin_is_found_and_none_is_excluded():
    rng = np.random.default_rng(7)
    found = sum(some_look(draws(-0.05, 0.2, 800, rng), 0.05, 0) for _ in range(100))
    excluded = sum(some_look(draws(0.0, 0.2, 800, rng), 0.05, 1) for _ in range(100))
    assert found >= 95 and excluded >= 95


def test_the_confidence_sequence_holds_the_truth_at_all_looks_together():
    rng, missed = np.random.default_rng(8), 0
    for _ in range(200):
        values = draws(0.1, 0.3, 400, rng)
        truth = 0.1  # clipping at -1 and 1 is three deviations away
        ends = [scores.interval(values[:n], 1.0) for n in (25, 50, 100, 200, 400)]
        missed += any(not end.low <= truth <= end.high for end in ends)
    assert missed <= 14  # of 200 at 5 %: more is rarer than 5 %


def test_the_interval_is_where_the_capital_says():
    values = draws(0.05, 0.2, 300, np.random.default_rng(9))
    found = scores.interval(values, 1.0, outside=0.05)
    enough = np.log(2 / 0.05)
    assert scores._log_capital(values, found.low, 1.0) == pytest.approx(enough, abs=1e-3)
    assert scores._log_capital(-values, -found.high, 1.0) == pytest.approx(enough, abs=1e-3)
    assert found.low < found.value < found.high


def test_the_order_of_pairs_changes_nothing():
    values = draws(0.0, 0.3, 200, np.random.default_rng(10))
    assert scores.p_values(values, 0.1, 1.0) == pytest.approx(scores.p_values(values[::-1], 0.1, 1.0))


def test_capital_is_never_negative_at_the_edges():
    for edge in (-1.0, 1.0):
        assert np.isfinite(scores.p_values(np.full(500, edge), 0.1, 1.0)).all()
    assert scores.p_values(np.zeros(0), 0.1, 1.0) == (1.0, 1.0)


def test_copies_are_the_same_as_repeated_pairs():
    values = draws(-0.02, 0.3, 30, np.random.default_rng(11))
    repeated = scores.p_values(np.tile(values, 5), 0.1, 1.0)
    assert scores.p_values(values, 0.1, 1.0, copies=5) == pytest.approx(repeated)
