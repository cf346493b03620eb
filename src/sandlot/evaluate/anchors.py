"""The fixed scale of a game with two roles: every scripted player in every role it can play, rated once."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..rating import Result, fit, samples
from .bots import matches

EPISODES = 60  # a pair


def anchor_ratings(game: str, config: Mapping[str, Any] | None = None) -> dict[str, float]:
    """Ratings by "role bot:level". The same for the same game and settings, on every machine."""
    return dict(_rated(game, _key(config)))


def anchor_samples(game: str, config: Mapping[str, Any] | None = None) -> Sequence[dict[str, float]]:
    """Other ratings that their matches leave possible: what is not known of the scale itself."""
    return _sampled(game, _key(config))


def _key(config: Mapping[str, Any] | None) -> str:
    return json.dumps(dict(config or {}), sort_keys=True)


@functools.lru_cache(maxsize=8)
def _results(game: str, config: str) -> tuple[Result, ...]:
    return tuple(
        Result(f"seeker {m.seeker}", f"hider {m.hider}", m.points, m.matches)
        for m in matches(game, EPISODES, json.loads(config))
    )


@functools.lru_cache(maxsize=8)
def _rated(game: str, config: str) -> tuple[tuple[str, float], ...]:
    return tuple(fit(_results(game, config)).items())


@functools.lru_cache(maxsize=8)
def _sampled(game: str, config: str) -> tuple[dict[str, float], ...]:
    return tuple(samples(_results(game, config)))
