"""Intervals hold the truth as often as they say, also where everything or nothing succeeded."""

import math

import numpy as np
import pytest

from sandlot.evaluate.statistics import Estimate, bootstrap, paired_difference, proportion

CHANCES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def binomial(trials, chance):
    """The probability of every count of successes, [trials + 1]."""
    counts = np.arange(trials + 1)
    logs = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in counts]
    return np.exp(np.array(logs) + counts * math.log(chance) + (trials - counts) * math.log1p(-chance))


@pytest.mark.parametrize("trials", [1, 10, 64, 300])
@pytest.mark.parametrize("chance", CHANCES)
def test_the_interval_of_a_share_holds_the_truth_in_at_least_95_of_100_experiments(trials, chance):
    """Exactly, by going through all outcomes: the bootstrap held it in 47 at 64 trials and 0.99."""
    holds = [(e := proportion(k, trials)).low <= chance <= e.high for k in range(trials + 1)]
    assert float(binomial(trials, chance)[holds].sum()) >= 0.95


def test_all_of_64_is_no_certainty():
    every, none = proportion(64, 64), proportion(0, 64)
    assert (every.value, every.high) == (1.0, 1.0) and every.low == pytest.approx(0.9440, abs=1e-4)
    assert (none.value, none.low) == (0.0, 0.0) and none.high == pytest.approx(1 - every.low)


def test_known_values_of_the_exact_interval():
    found = proportion(8, 10)  # as printed in tables
    assert (found.low, found.high) == pytest.approx((0.4439, 0.9748), abs=1e-4)
    assert proportion(5, 100_000).low == pytest.approx(1.6235e-5, rel=1e-3)


def test_halves_widen_to_the_whole_numbers_around_them():
    half = proportion(4.5, 10)
    assert half.value == 0.45
    assert (half.low, half.high) == (proportion(4, 10).low, proportion(5, 10).high)


def test_no_trials_say_nothing():
    assert math.isnan(proportion(0, 0).value) and math.isnan(bootstrap(np.zeros(0)).value)


@pytest.mark.parametrize("chances", [(0.9, 0.9), (0.99, 0.95), (1.0, 1.0)])
def test_the_interval_of_a_paired_difference_of_shares_holds_the_truth(chances):
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        first, second = (rng.random(60) < c for c in chances)
        found = paired_difference(first, second)
        held += found.low <= chances[0] - chances[1] <= found.high
        assert found.high > found.low
    assert held >= 190


def test_what_is_common_to_both_does_not_widen_a_paired_difference():
    common = np.random.default_rng(0).normal(0, 1000, 200)
    found = paired_difference(common + np.linspace(0, 2, 200), common)
    assert found.value == pytest.approx(1.0) and 0.9 < found.low < found.high < 1.1


def test_an_estimate_is_written_with_its_interval():
    found = Estimate(0.12345, 0.1, 0.2)
    assert f"{found}" == "0.123 [0.1, 0.2]" and f"{found:.1%}" == "12.3% [10.0%, 20.0%]"
    assert found.interval == [0.1, 0.2]


def test_the_bootstrap_is_that_of_seeded_resamplings():
    samples = np.array([1.0, 4.0, 9.0, 16.0, 25.0])
    picks = np.random.default_rng(0).integers(0, 5, (2000, 5))
    for statistic in (np.mean, np.median):
        low, high = np.percentile(statistic(samples[picks], axis=1), [2.5, 97.5])
        assert bootstrap(samples, statistic) == Estimate(float(statistic(samples)), low, high)
    assert bootstrap(samples, seed=1) != bootstrap(samples)
    assert bootstrap(np.array([3.0])) == Estimate(3.0, 3.0, 3.0)


def test_a_difference_of_shares_is_that_of_those_where_only_one_succeeded():
    first, second = np.array([1, 1, 1, 0, 0, 0.0]), np.array([1, 0, 0, 1, 0, 0.0])
    found = paired_difference(first, second)
    only_first, only_second = proportion(2, 6, 0.025), proportion(1, 6, 0.025)
    assert found.value == pytest.approx(1 / 6)
    assert found.low == pytest.approx(only_first.low - only_second.high)
    assert found.high == pytest.approx(only_first.high - only_second.low)


def test_a_difference_of_numbers_is_no_difference_of_shares():
    first, second = np.array([1.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.0])
    assert paired_difference(first, second) == bootstrap(first - second)
    assert paired_difference(second, first) == bootstrap(second - first)


@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (3, 7), (7, 7), (1, 1), (40, 100)])
def test_the_ends_of_an_interval_are_where_its_tails_have_their_share(successes, trials):
    found = proportion(successes, trials)
    if successes:
        assert binomial(trials, found.low)[successes:].sum() == pytest.approx(0.025, rel=1e-6)
    if successes < trials:
        assert binomial(trials, found.high)[: successes + 1].sum() == pytest.approx(0.025, rel=1e-6)
