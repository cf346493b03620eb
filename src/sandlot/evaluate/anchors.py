"""The fixed scale of a game with two roles: every scripted player in every role it can play, rated once."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from ..rating import Result, fit
from .bots import matches

EPISODES = 60  # a pair


def anchor_ratings(game: str, config: Mapping[str, Any] | None = None) -> dict[str, float]:
    """Ratings by "role bot:level". The same for the same game and settings, on every machine."""
    return dict(_rated(game, json.dumps(dict(config or {}), sort_keys=True)))


@functools.lru_cache(maxsize=8)
def _rated(game: str, config: str) -> tuple[tuple[str, float], ...]:
    results = [
        Result(f"seeker {m.seeker}", f"hider {m.hider}", m.seeker_wins.value * EPISODES, EPISODES)
        for m in matches(game, EPISODES, json.loads(config))
    ]
    return tuple(fit(results).items())
