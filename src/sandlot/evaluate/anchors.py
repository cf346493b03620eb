"""The fixed rating scale of a game with two roles: every scripted player in each of its roles, rated once."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..rating import Result, fit, samples
from .bots import cross_play

EPISODES = 60  # per pair of players


def anchor_ratings(game: str, config: Mapping[str, Any] | None = None) -> dict[str, float]:
    """Ratings by "role bot:level", the same on every machine for the same game and settings."""
    return dict(_rated(game, _key(config)))


def anchor_samples(game: str, config: Mapping[str, Any] | None = None) -> Sequence[dict[str, float]]:
    """Samples of the scale's ratings, by its uncertainty, for intervals of ratings that depend on it."""
    return _sampled(game, _key(config))


def _key(config: Mapping[str, Any] | None) -> str:
    return json.dumps(dict(config or {}), sort_keys=True)


@functools.lru_cache(maxsize=8)
def _results(game: str, config: str) -> tuple[Result, ...]:
    results = []
    for matchup in cross_play(game, EPISODES, json.loads(config)):
        first, second = (" ".join(player) for player in zip(matchup.roles, matchup.names, strict=True))
        results.append(Result(first, second, matchup.tally.points, matchup.tally.matches))
    return tuple(results)


@functools.lru_cache(maxsize=8)
def _rated(game: str, config: str) -> tuple[tuple[str, float], ...]:
    return tuple(fit(_results(game, config)).items())


@functools.lru_cache(maxsize=8)
def _sampled(game: str, config: str) -> tuple[dict[str, float], ...]:
    return tuple(samples(_results(game, config)))
