"""A generalised sequential probability ratio test (GSPRT) on paired yes-or-no outcomes.

Of a pair with the same seed, the current build loses what the baseline won (-1), wins what it lost (+1), or
both did the same (0). Compared are the likelihoods of "no drop" and "a drop of the margin or more", each at
the most likely distribution under it, so that nothing is assumed of how often the two differ. Ten pairs that
agree then exclude a drop above 37 points at 1 %, as they should.

The ratio may be looked at after every batch. Maximising over distributions makes false alarms up to 1.5 times
as frequent as the threshold says (measured: tests/gates/test_rates.py), which GUARD pays for.
"""

import numpy as np

GUARD = 2.0


def p_values(differences: np.ndarray, margin: float, copies: float = 1.0) -> tuple[float, float]:
    """How unlikely the pairs are if nothing dropped, and if the drop is the margin or more.

    copies: as if every pair had been seen so many times.
    """
    lost, won = float((differences < 0).sum()), float((differences > 0).sum())
    counts = copies * lost, copies * (len(differences) - lost - won), copies * won
    ratio = log_ratio(*counts, margin)
    return min(1.0, GUARD * np.exp(-max(ratio, 0.0))), min(1.0, GUARD * np.exp(min(ratio, 0.0)))


def log_ratio(lost: float, same: float, won: float, margin: float) -> float:
    """Log likelihood of a drop of the margin or more, minus that of no drop."""
    pairs = lost + same + won
    if not pairs:
        return 0.0
    found = (won - lost) / pairs
    dropped = log_likelihood(lost, same, won, min(found, -margin))
    return dropped - log_likelihood(lost, same, won, max(found, 0.0))


def log_likelihood(lost: float, same: float, won: float, difference: float) -> float:
    """The highest log likelihood of these counts where P(won) - P(lost) is `difference`.

    With t = P(lost), the derivative in t is zero at a root of 2n t² - b t - lost·d·(1 - d).
    """
    n, d = lost + same + won, difference
    b = lost * (1 - 3 * d) + won * (1 - d) - 2 * same * d
    t = (b + np.sqrt(max(b * b + 8 * n * lost * d * (1 - d), 0.0))) / (4 * n)
    t = min(max(t, 0.0, -d), (1 - d) / 2)
    terms = ((lost, t), (won, t + d), (same, 1 - 2 * t - d))
    return float(sum(count * np.log(max(chance, 1e-300)) for count, chance in terms if count))
