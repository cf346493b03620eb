"""Ratings: one number for skill, so that P(a beats b) = 1 / (1 + 10^((b - a) / 400)), as in chess.

Seekers and hiders are different players of the same scale. Ratings are fitted to results by likelihood, with
a weak pull toward 1000 that keeps a player who never lost finite. Anchors (scripted players) keep their
rating, so that a learner's number means the same from run to run.

A rating comes with a 95 % interval. It is wide where little is known: of a player who never lost, results say
how strong it is at least, and little about how strong at most. Anchors were measured too, and what is not
known of them widens everybody's interval.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

MIDDLE, SCALE = 1000.0, 400.0
RESAMPLINGS = 200  # of an interval
PULL = 0.5  # draws against a player of rating 1000, added to everybody's results


@dataclass(frozen=True)
class Result:
    """How often `first` beat `second`; a draw is half a win."""

    first: str
    second: str
    wins: float
    games: float


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def interval(self) -> list[float]:
        """Both ends of the interval."""
        return [self.low, self.high]

    def __format__(self, spec: str) -> str:
        spec = spec or ".3g"
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


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


def estimate(
    results: Sequence[Result],
    anchors: Mapping[str, float] | None = None,
    anchor_samples: Sequence[Mapping[str, float]] = (),
) -> dict[str, Estimate]:
    """Ratings with intervals. anchor_samples: other ratings that the anchors may have (`samples`), if any."""
    found = fit(results, anchors)
    drawn = samples(results, anchors, anchor_samples)
    reach = {name: 1.96 * std for name, std in _standard_errors(results, found).items()}
    made = {}
    for name, value in found.items():
        low, high = (float(end) for end in np.percentile([one[name] for one in drawn], [2.5, 97.5]))
        # who won all or none is rated at the very edge of what can be drawn: beyond it, the curve tells
        low = value - reach[name] if value <= low and name not in (anchors or {}) else min(low, value)
        high = value + reach[name] if value >= high and name not in (anchors or {}) else max(high, value)
        made[name] = Estimate(value, low, high)
    return made


def _standard_errors(results: Sequence[Result], found: Mapping[str, float]) -> dict[str, float]:
    """How far off each rating may be, the others given: one standard deviation by the likelihood's curve."""
    place = {name: i for i, name in enumerate(found)}
    games = _tables(list(results), place)[1]
    skill = (np.array(list(found.values())) - MIDDLE) / SCALE * np.log(10.0)
    p = _chances(skill[:, None] - skill[None, :])
    middle = _chances(skill)
    curve = (games * p * (1.0 - p)).sum(axis=1) + PULL * middle * (1.0 - middle)
    return dict(zip(found, (SCALE / np.log(10.0) / np.sqrt(curve)).tolist(), strict=True))


def samples(
    results: Sequence[Result],
    anchors: Mapping[str, float] | None = None,
    anchor_samples: Sequence[Mapping[str, float]] = (),
    count: int = RESAMPLINGS,
) -> list[dict[str, float]]:
    """Ratings that would fit as well: each share of wins is drawn from what its matches leave possible.

    Seeded, so that they come out the same twice.
    """
    rng = np.random.default_rng(0)
    sources: Sequence[Mapping[str, float]] = anchor_samples or [dict(anchors or {})]
    return [fit(_drawn(results, rng), sources[i % len(sources)]) for i in range(count)]


def _drawn(results: Sequence[Result], rng: np.random.Generator) -> list[Result]:
    """Shares from the posterior under Jeffreys' prior, which is no point where all matches were won."""
    return [
        Result(r.first, r.second, r.games * rng.beta(r.wins + 0.5, r.games - r.wins + 0.5), r.games)
        for r in results
    ]


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
