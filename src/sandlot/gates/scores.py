"""Betting tests on paired differences of bounded scores, valid at every look, and their confidence sequence.

Against a null such as "the mean difference is at least 0" a bettor stakes a share of the capital on every
pair; under the null no strategy makes it grow on average, so the capital exceeds 1/p at any time with a
chance of at most p (Ville's inequality). The capital here is the mean over a few fixed stakes: nothing is
tuned, and the order of the pairs does not matter.
"""

import functools

import numpy as np

from ..rating import Estimate

STAKES = 0.99 * np.geomspace(0.01, 1.0, 12)  # as shares of the largest stake that cannot lose everything


def p_values(
    differences: np.ndarray, margin: float, reach: float, copies: float = 1.0
) -> tuple[float, float]:
    """How unlikely the pairs are if nothing dropped, and if the mean drop is the margin or more.

    reach: no difference is larger. copies: as if every pair had been seen so many times.
    """
    if margin >= reach:  # a drop of all there is: nothing could be further away
        return _p(_log_capital(-differences, 0.0, reach, copies)), 0.0 if len(differences) else 1.0
    worse = _log_capital(-differences, 0.0, reach, copies)
    within = _log_capital(differences, -margin, reach, copies)
    return _p(worse), _p(within)


def _p(log_capital: float) -> float:
    return float(min(1.0, np.exp(-max(log_capital, 0.0))))


def _log_capital(differences: np.ndarray, null: float, reach: float, copies: float = 1.0) -> float:
    """Log of the capital won by betting that the mean is above `null`."""
    if not len(differences):
        return 0.0
    stakes = STAKES / (reach + null)
    logs = copies * np.log1p(stakes[:, None] * (differences[None, :] - null)).sum(axis=1)
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).mean()))


def interval(differences: np.ndarray, reach: float, outside: float = 0.05) -> Estimate:
    """The mean difference with a confidence sequence: it may be read at every look."""
    if not len(differences):
        return Estimate(float("nan"), -reach, reach)
    low = _lowest(differences, reach, np.log(2 / outside))
    high = -_lowest(-differences, reach, np.log(2 / outside))
    return Estimate(float(differences.mean()), low, high)


def _lowest(differences: np.ndarray, reach: float, enough: float) -> float:
    """The smallest mean that is not excluded from below: capital falls as the null rises."""
    capital = functools.partial(_log_capital, differences, reach=reach)
    low, high = -reach * (1 - 1e-9), float(differences.mean())
    if high <= low or capital(low) < enough:
        return -reach
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if capital(middle) >= enough else (low, middle)
    return low
