"""`sandlot.make`: opens a batch of any game in any engine."""

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UnknownName
from .vector import VectorGame

# How each engine opens a batch. Other packages add theirs with add_engine, as this one may not import them.
ENGINES: dict[str, Callable[..., VectorGame]] = {"native": VectorGame}


def add_engine(name: str, opener: Callable[..., VectorGame]) -> None:
    """Let `make(..., engine=name)` open a batch; the opener takes what VectorGame takes."""
    ENGINES[name] = opener


def make(
    game: str,
    worlds: int = 1,
    threads: int = 1,
    seed: int = 0,
    config: Mapping[str, Any] | None = None,
    engine: str = "native",
    **options: Any,
) -> VectorGame:
    """A batch of worlds. engine: native, or godot for arenas in a Godot process.

    >>> import sandlot
    >>> world = sandlot.make("tag", worlds=4, seed=7, config={"mode": "timed"})
    >>> world.reset().shape
    (8, 156)
    """
    if engine not in ENGINES:
        raise UnknownName("engine in this build", engine, ENGINES)
    return ENGINES[engine](game, worlds, threads, seed, config, **options)
