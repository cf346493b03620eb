"""The paired bootstrap, for what has no bounds: mean differences, and medians and percentiles of timings.

A mean is judged by the bootstrap of its t statistic, which keeps its level on skewed samples better than
percentiles of the mean do. It is valid at a fixed number of pairs; whoever looks several times multiplies.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

RESAMPLINGS = 20_000
LEAST_PAIRS = 20  # fewer say nothing about a tail of 1 %
RARE_MARGINS = 20.0  # a single pair may lose at least so much
MOST_FLIPPED = 400  # pairs that differ
FEWEST_HITS = 20  # fewer say nothing of how rare they are
_CHUNK = 1 << 22  # numbers at a time


def p_values(
    differences: np.ndarray,
    margin: float,
    copies: float = 1.0,
    resamplings: int = RESAMPLINGS,
    reach: float = 0.0,
) -> tuple[float, float]:
    """How unlikely the pairs are if nothing dropped, and if the mean drop is the margin or more.

    reach: how much a single pair may lose. Neither a bootstrap nor equal pairs know of losses that have not
    been seen yet: of rare ones as large as that, which together make the margin, one would have been.
    """
    n = len(differences)
    if n * copies < LEAST_PAIRS:
        return 1.0, 1.0
    unseen = float((1 - margin / max(reach, RARE_MARGINS * margin)) ** (n * copies))
    mean = float(differences.mean())
    if n < 2 or not differences.std():
        return float(mean >= 0), max(unseen, float(mean <= -margin))
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    bootstrapped = _t_statistics(differences, mean, resamplings)
    scale = np.sqrt(copies) / error
    worse = max(_share(bootstrapped <= mean * scale), _flipped(differences, copies, resamplings))
    beyond = max(_share(bootstrapped >= (mean + margin) * scale), unseen)
    return worse, beyond


def _flipped(differences: np.ndarray, copies: float, resamplings: int) -> float:
    """How often the mean is as low when every pair's sides are swapped at random.

    Exact where the two sides do not differ, however few pairs make the difference; of many it says nothing
    that the bootstrap does not.
    """
    moved = differences[differences != 0].astype(np.float32)
    if len(moved) > MOST_FLIPPED:
        return 0.0
    rng = np.random.default_rng(0)
    bits = np.unpackbits(rng.integers(0, 256, (resamplings, -(-len(moved) // 8)), np.uint8), axis=1)
    sums = (2.0 * bits[:, : len(moved)].astype(np.float32) - 1.0) @ moved
    found = float(moved.sum()) * np.sqrt(copies)
    hits = int((sums <= found + 1e-6 * float(np.abs(moved).max())).sum())
    if hits >= FEWEST_HITS or found >= 0:
        return (1 + hits) / (1 + resamplings)
    # too rare to be counted: Hoeffding's bound for sums of numbers with random signs
    return float(np.exp(-(found**2) / (2 * float((moved**2).sum()))))


def _share(hits: np.ndarray) -> float:
    return float((1 + hits.sum()) / (1 + len(hits)))


def _t_statistics(samples: np.ndarray, mean: float, resamplings: int) -> np.ndarray:
    """(mean* - mean) / standard error*, of resampled samples."""
    rng, n = np.random.default_rng(0), len(samples)
    found = []
    for start in range(0, resamplings, max(1, _CHUNK // n)):
        count = min(max(1, _CHUNK // n), resamplings - start)
        drawn = samples[rng.integers(0, n, (count, n))]
        errors = drawn.std(axis=1, ddof=1) / np.sqrt(n)
        away = drawn.mean(axis=1) - mean
        # a resample of equal values has no spread: it is as far away as anything can be
        far = np.where(away == 0, 0.0, np.copysign(np.inf, away))
        found.append(np.divide(away, errors, out=far, where=errors > 0))
    return np.concatenate(found)


def percentile_difference(
    baseline: np.ndarray,
    current: np.ndarray,
    statistic: Callable[..., Any],
    resamplings: int = 1000,
    outside: float = 0.02,
) -> tuple[float, float, float]:
    """statistic(current) - statistic(baseline) of blocks measured in turns, [blocks, samples], with its ends.

    Blocks are resampled together, so that a drift of the machine that both went through cancels.
    """
    rng, n = np.random.default_rng(0), len(baseline)
    value = float(statistic(current.ravel()) - statistic(baseline.ravel()))
    drawn = np.empty(resamplings)
    for i in range(resamplings):
        picks = rng.integers(0, n, n)
        drawn[i] = statistic(current[picks].ravel()) - statistic(baseline[picks].ravel())
    low, high = np.percentile(drawn, [100 * outside / 2, 100 * (1 - outside / 2)])
    return value, float(low), float(high)
