"""Estimates with 95 % intervals: exact for shares, by the bootstrap for means, paired for differences.

The bootstrap is seeded, so that a table comes out the same twice. It is not used for shares: every resample
of 64 wins in 64 matches has 64 wins, and the interval would be a point.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rating import Estimate

OUTSIDE = 0.05  # share of experiments whose interval may miss the true value


# ---------------------------------------------------------------- shares


def proportion(successes: float, trials: int, outside: float = OUTSIDE) -> Estimate:
    """A share with its Clopper–Pearson interval, whose coverage is at least nominal.

    Successes may hold halves (draws): the interval is then that of the whole numbers around them.
    """
    if trials == 0:
        return Estimate(float("nan"), float("nan"), float("nan"))
    low = _lowest(math.floor(successes), trials, outside / 2)
    high = 1.0 - _lowest(trials - math.ceil(successes), trials, outside / 2)
    return Estimate(successes / trials, low, high)


@functools.lru_cache(maxsize=4096)
def _lowest(successes: int, trials: int, tail: float) -> float:
    """The smallest chance under which so many successes or more are not rarer than `tail`."""
    if successes <= 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):  # halvings: as exact as a float is
        middle = (low + high) / 2
        if _at_least(successes, trials, middle) < tail:
            low = middle
        else:
            high = middle
    return low


def _at_least(successes: int, trials: int, chance: float) -> float:
    """How likely so many successes or more are."""
    counts = np.arange(successes, trials + 1)
    logs = _log_choose(trials)[successes:] + counts * math.log(chance)
    return float(np.exp(logs + (trials - counts) * math.log1p(-chance)).sum())


@functools.lru_cache(maxsize=64)
def _log_choose(trials: int) -> np.ndarray:
    """Logarithms of the binomial coefficients of `trials`, [trials + 1]."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    return logs[-1] - logs - logs[::-1]


# ---------------------------------------------------------------- means and differences


def bootstrap(
    samples: np.ndarray, statistic: Callable[..., Any] = np.mean, resamplings: int = 2000, seed: int = 0
) -> Estimate:
    """The statistic of the samples, with a 95 % interval. statistic takes an `axis`."""
    samples = np.asarray(samples, np.float64)
    if samples.size == 0:
        return Estimate(float("nan"), float("nan"), float("nan"))
    picks = np.random.default_rng(seed).integers(0, len(samples), (resamplings, len(samples)))
    low, high = np.percentile(statistic(samples[picks], axis=1), [2.5, 97.5])
    return Estimate(float(statistic(samples, axis=0)), float(low), float(high))


def paired_difference(first: np.ndarray, second: np.ndarray) -> Estimate:
    """The mean of first - second, whose entries belong together (the same seed), with a 95 % interval."""
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if np.isin(first, (0, 1)).all() and np.isin(second, (0, 1)).all():
        return _difference_of_shares(first, second)
    return bootstrap(first - second)


def _difference_of_shares(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Of yes-or-no samples: by how often only one of the two succeeded, both shares exact at 97.5 %."""
    only_first, only_second = (
        proportion(float(((a == 1) & (b == 0)).sum()), len(first), OUTSIDE / 2)
        for a, b in ((first, second), (second, first))
    )
    value = only_first.value - only_second.value
    return Estimate(value, only_first.low - only_second.high, only_first.high - only_second.low)
