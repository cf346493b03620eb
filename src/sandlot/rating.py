"""Ratings: one number for skill, so that P(a beats b) = 1 / (1 + 10^((b - a) / 400)), as in chess.

Seekers and hiders are different players of the same scale. Ratings are fitted to results by likelihood, with a weak
pull toward 1000 that keeps a player who never lost finite. Anchors (scripted players) keep their rating, so that
a learner's number means the same from run to run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

MIDDLE, SCALE = 1000.0, 400.0
PULL = 0.5  # draws against a player of rating 1000, added to everybody's results


@dataclass(frozen=True)
class Result:
    """How often `first` beat `second`."""

    first: str
    second: str
    wins: float
    games: float


def chance(first: float, second: float) -> float:
    """How likely the first beats the second."""
    return float(1.0 / (1.0 + 10.0 ** ((second - first) / SCALE)))


def fit(results: Iterable[Result], anchors: Mapping[str, float] | None = None, rounds: int = 200) -> dict[str, float]:
    """Ratings of everybody in the results. Anchors stay as given."""
    results, anchors = list(results), dict(anchors or {})
    names = sorted({name for r in results for name in (r.first, r.second)} | anchors.keys())
    place = {name: i for i, name in enumerate(names)}
    first = np.array([place[r.first] for r in results], int)
    second = np.array([place[r.second] for r in results], int)
    wins, games = np.array([r.wins for r in results], float), np.array([r.games for r in results], float)
    skill = np.array([(anchors.get(name, MIDDLE) - MIDDLE) / SCALE for name in names]) * np.log(10.0)
    free = np.array([name not in anchors for name in names])
    for _ in range(rounds):
        step = _newton_step(skill, first, second, wins, games)
        skill[free] += np.clip(step[free], -1.0, 1.0)
        if np.abs(step[free]).max(initial=0.0) < 1e-9:
            break
    return {name: float(MIDDLE + SCALE * skill[i] / np.log(10.0)) for name, i in place.items()}


def _newton_step(skill: np.ndarray, first: np.ndarray, second: np.ndarray, wins: np.ndarray, games: np.ndarray) -> np.ndarray:
    """One step a player uphill in likelihood, by its own curvature."""
    p = 1.0 / (1.0 + np.exp(skill[second] - skill[first]))
    middle = 1.0 / (1.0 + np.exp(-skill))  # against the player of rating 1000
    slope = PULL * (0.5 - middle)
    curve = PULL * middle * (1.0 - middle)
    surprise, weight = wins - games * p, games * p * (1.0 - p)
    np.add.at(slope, first, surprise)
    np.add.at(slope, second, -surprise)
    np.add.at(curve, first, weight)
    np.add.at(curve, second, weight)
    return slope / np.maximum(curve, 1e-9) * 0.7  # less than a full step: neighbours move too
