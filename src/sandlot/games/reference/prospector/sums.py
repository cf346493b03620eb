"""Sums over the six commodities, in the one order that both sides use."""

from __future__ import annotations

import numpy as np

from ..math32 import f32


def sum6(x: np.ndarray) -> f32:
    """Pairs first: numpy's own sum adds in an order of its own."""
    return ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5])
