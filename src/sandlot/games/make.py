"""`sandlot.make`: one word for every game and engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UnknownName
from .vector import VectorGame

ENGINES = ("native",)


def make(
    game: str,
    worlds: int = 1,
    threads: int = 1,
    seed: int = 0,
    config: Mapping[str, Any] | None = None,
    engine: str = "native",
    **options: Any,
) -> VectorGame:
    """A batch of worlds.

    >>> import sandlot
    >>> world = sandlot.make("tag", worlds=4, seed=7, config={"mode": "timed"})
    >>> world.reset().shape
    (8, 156)
    """
    if engine not in ENGINES:
        raise UnknownName("engine in this build", engine, ENGINES)
    return VectorGame(game, worlds, threads, seed, config, **options)
