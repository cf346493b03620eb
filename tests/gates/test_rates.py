"""The GSPRT on paired outcomes, against independent arithmetic and simulations with fixed seeds."""

import numpy as np
import pytest
from scipy import optimize, stats

from sandlot.gates import rates

LOOKS = (16, 32, 64, 128, 256, 512, 1024, 2000)


@pytest.mark.parametrize("seed", range(40))
def test_the_constrained_likelihood_is_the_highest_there_is(seed):
    rng = np.random.default_rng(seed)
    lost, same, won = (float(n) for n in rng.multinomial(rng.integers(1, 80), rng.dirichlet([0.5, 2, 0.5])))
    d = rng.uniform(-0.6, 0.6)

    def negative(t):
        chances = (lost, t), (same, 1 - 2 * t - d), (won, t + d)
        return -sum(n * np.log(max(p, 1e-300)) for n, p in chances if n)

    low, high = max(0.0, -d), (1 - d) / 2
    inner = optimize.minimize_scalar(negative, bounds=(low, high), method="bounded", options={"xatol": 1e-11})
    best = max(-inner.fun, -negative(low), -negative(high))
    assert rates.log_likelihood(lost, same, won, d) == pytest.approx(best, abs=1e-5)


def test_pairs_that_agree_exclude_what_the_binomial_says():
    """Without a difference in n pairs, a drop d has the likelihood (1 - d) to the n."""
    for pairs, drop in ((10, 0.37), (44, 0.1), (90, 0.05)):
        assert rates.log_ratio(0, pairs, 0, drop) == pytest.approx(pairs * np.log1p(-drop))
    assert rates.p_values(np.zeros(10), 0.37)[1] == pytest.approx(rates.GUARD * stats.binom.pmf(0, 10, 0.37))


def test_without_pairs_nothing_is_said():
    assert rates.p_values(np.zeros(0), 0.1) == (1.0, 1.0)


def test_a_current_build_that_loses_everything_fails_within_a_dozen_pairs():
    assert rates.p_values(-np.ones(8), 0.05)[0] <= 0.01 < rates.p_values(-np.ones(5), 0.05)[0]


def test_copies_are_the_same_as_repeated_pairs():
    pairs = np.array([-1.0, 0, 0, 0, 1, -1, 0, 0])
    assert rates.p_values(np.tile(pairs, 7), 0.1) == pytest.approx(rates.p_values(pairs, 0.1, copies=7))


def simulated(difference, discordant, margin, runs, seed):
    """Shares of simulated gates that fail and that pass, looking after every batch."""
    rng = np.random.default_rng(seed)
    chances = [(discordant - difference) / 2, 1 - discordant, (discordant + difference) / 2]
    failed = passed = 0
    for _ in range(runs):
        pairs = rng.choice([-1.0, 0.0, 1.0], size=LOOKS[-1], p=chances)
        for look in LOOKS:
            worse, beyond = rates.p_values(pairs[:look], margin)
            if beyond <= 0.01 or worse <= 0.01:
                passed += beyond <= 0.01
                failed += beyond > 0.01
                break
    return failed / runs, passed / runs


@pytest.mark.parametrize(("discordant", "margin"), [(0.02, 0.03), (0.1, 0.05), (0.2, 0.1), (0.6, 0.1)])
def test_false_alarms_and_misses_stay_within_one_percent(discordant, margin):
    """Of 1,500 at a true 1 %, 26 and more are rarer than one in a thousand."""
    runs = 1500
    alarms, passed = simulated(0.0, discordant, margin, runs, seed=1)
    assert stats.binom.sf(round(alarms * runs) - 1, runs, 0.01) > 1e-3
    if discordant >= margin:
        failed, missed = simulated(-margin, discordant, margin, runs, seed=2)
        assert stats.binom.sf(round(missed * runs) - 1, runs, 0.01) > 1e-3
        assert failed > 0.9 or discordant > 0.5
    assert passed > 0.9 or discordant > 0.5


def test_a_drop_of_ten_points_is_found_about_as_early_as_a_test_of_fixed_size_would():
    """About 310 pairs at 20 % discordant give a fixed-size test a power of 95 %."""
    rng, found = np.random.default_rng(3), []
    for _ in range(400):
        pairs = rng.choice([-1.0, 0.0, 1.0], size=620, p=[0.15, 0.8, 0.05])
        looks = (n for n in (78, 155, 310, 620) if rates.p_values(pairs[:n], 0.1)[0] <= 0.01)
        found.append(next(looks, None))
    stopped = [n for n in found if n is not None]
    assert len(stopped) / 400 > 0.95 and np.mean([n or 620 for n in found]) < 330
