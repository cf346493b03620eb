"""The paired bootstrap of what has no bounds."""

import numpy as np
import pytest
from scipy import stats

from sandlot.gates import resampled


def test_it_agrees_with_students_t_where_that_is_right():
    values = np.random.default_rng(1).normal(-0.1, 1.0, 200)
    worse, beyond = resampled.p_values(values, 0.3)
    assert worse == pytest.approx(stats.ttest_1samp(values, 0, alternative="less").pvalue, abs=0.01)
    assert beyond == pytest.approx(stats.ttest_1samp(values, -0.3, alternative="greater").pvalue, abs=0.01)


@pytest.mark.parametrize("skewed", [False, True])
def test_false_alarms_stay_near_their_level(skewed):
    rng, wrong, runs = np.random.default_rng(2), [0, 0], 400
    for _ in range(runs):
        values = rng.exponential(1.0, 80) - 1.0 if skewed else rng.normal(0, 1.0, 80)
        worse, _ = resampled.p_values(values, 0.5, resamplings=1000)
        _, beyond = resampled.p_values(values - 0.5, 0.5, resamplings=1000)
        wrong[0] += worse <= 0.05
        wrong[1] += beyond <= 0.05
    assert all(stats.binom.sf(count - 1, runs, 0.07) > 1e-3 for count in wrong), wrong


def test_few_pairs_say_nothing_and_equal_ones_are_equal():
    assert resampled.p_values(np.full(19, -5.0), 0.1) == (1.0, 1.0)
    assert resampled.p_values(np.full(20, -5.0), 0.1) == (0.0, 1.0)
    worse, beyond = resampled.p_values(np.zeros(200), 0.1)
    assert worse == 1.0 and 0 < beyond < 1e-4


def test_rare_large_losses_that_have_not_been_seen_are_not_excluded():
    """3 % of the pairs lose 100, which is the margin: one time in seven none of the first 64 does."""
    for noise in (np.zeros(64), np.random.default_rng(5).normal(0, 1.0, 64)):
        _, beyond = resampled.p_values(noise, 3.0, reach=100.0)
        assert beyond > 0.1
        _, beyond = resampled.p_values(np.tile(noise, 4), 3.0, reach=100.0)
        assert beyond < 0.01


def test_a_few_large_differences_are_no_proof_of_a_drop():
    """Of sides that do not differ, four pairs in sixteen have the same sign by chance."""
    differences = np.zeros(64)
    differences[:4] = -100.0
    assert resampled.p_values(differences, 3.0)[0] == pytest.approx(1 / 16, abs=0.01)


def test_a_drift_that_both_went_through_is_no_difference():
    """A B B A: the machine becomes 40 % slower half way; every block holds both."""
    rng = np.random.default_rng(3)
    drift = np.where(np.arange(24) < 12, 1.0, 1.4)[:, None]
    one, two = (drift * rng.normal(10, 0.2, (24, 80)) for _ in range(2))
    value, low, high = resampled.percentile_difference(one, two, np.median)
    assert low <= 0 <= high and high - low < 0.5 and abs(value) < 0.3


def test_a_slower_build_is_found_under_the_same_drift():
    rng = np.random.default_rng(4)
    drift = np.where(np.arange(24) < 12, 1.0, 1.4)[:, None]
    one, two = (drift * rng.normal(speed, 0.2, (24, 80)) for speed in (10, 11))
    _, low, _ = resampled.percentile_difference(one, two, np.median)
    assert low > 0.5


def test_what_is_too_rare_to_count_is_bounded_not_guessed():
    """Twelve lost pairs and none won: one in 4,096 by chance, which 2,000 resamplings may not meet."""
    differences = np.zeros(64)
    differences[:12] = -10.0
    assert resampled.p_values(differences, 3.0, resamplings=2000)[0] >= 1 / 4096
    many = np.random.default_rng(6).normal(-10.0, 5.0, 64)
    assert resampled.p_values(many, 3.0)[0] < 1e-4
