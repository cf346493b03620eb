"""Intervals without assumptions: the bootstrap, seeded, so that a table comes out the same twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """A value and the interval that holds it in 95 of 100 resamplings."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        spec = spec or ".3g"
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


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
