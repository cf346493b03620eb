"""Ratings: one number for skill, so that P(a beats b) = 1 / (1 + 10^((b - a) / 400)), as in chess.

Seekers and hiders are different players of the same scale. Ratings are fitted to results by likelihood, with
a weak pull toward 1000 that keeps a player who never lost finite. Anchors (scripted players) keep their
rating, so that a learner's number means the same from run to run.
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
    return float(_chances(np.array((first - second) / SCALE * np.log(10.0))))


def fit(
    results: Iterable[Result], anchors: Mapping[str, float] | None = None, rounds: int = 100
) -> dict[str, float]:
    """Ratings of everybody in the results. Anchors stay as given."""
    results, anchors = list(results), dict(anchors or {})
    names = sorted({name for r in results for name in (r.first, r.second)} | anchors.keys())
    place = {name: i for i, name in enumerate(names)}
    wins, games = _tables(results, place)
    skill = np.array([(anchors.get(name, MIDDLE) - MIDDLE) / SCALE for name in names]) * np.log(10.0)
    free = np.array([name not in anchors for name in names], bool)
    for _ in range(rounds):
        step = np.clip(_newton_step(skill, wins, games, free), -1.0, 1.0)
        skill[free] += step
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return {name: float(MIDDLE + SCALE * skill[i] / np.log(10.0)) for name, i in place.items()}


def _tables(results: list[Result], place: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """[a, b]: how often a beat b, and how often they met."""
    wins, games = np.zeros((2, len(place), len(place)))
    for r in results:
        a, b = place[r.first], place[r.second]
        wins[a, b] += r.wins
        wins[b, a] += r.games - r.wins
        games[a, b] += r.games
        games[b, a] += r.games
    return wins, games


def _newton_step(skill: np.ndarray, wins: np.ndarray, games: np.ndarray, free: np.ndarray) -> np.ndarray:
    """One step uphill in likelihood for the free players, all at once.

    Together, because seekers meet only hiders: were each moved alone, the two sides would drift toward their
    common level for thousands of rounds.
    """
    p = _chances(skill[:, None] - skill[None, :])
    middle = _chances(skill)  # against the player of rating 1000
    slope = (wins - games * p).sum(axis=1) + PULL * (0.5 - middle)
    weight = games * p * (1.0 - p)
    np.fill_diagonal(weight, 0.0)  # who plays itself learns nothing from it
    curve = np.diag(weight.sum(axis=1) + PULL * middle * (1.0 - middle)) - weight
    return np.linalg.solve(curve[np.ix_(free, free)], slope[free])


def _chances(apart: np.ndarray) -> np.ndarray:
    """The logistic curve, without overflow however far two players are apart."""
    return 0.5 * (1.0 + np.tanh(0.5 * apart))
