"""What a game hands to the parity harness: its twin, its suites of actions, and what they must reach.

The harness (evaluate/parity.py) knows no game. A game's kit knows its own twin and says, after every
decision, which goals that decision has shown; the harness counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

import numpy as np

Info = Mapping[str, Any]


class Twin(Protocol):
    """A game in plain Python. One agent may give plain numbers, several give one entry an agent."""

    @property
    def ticks(self) -> int:
        """Ticks since the last reset."""
        ...

    def reset(self, seed: int) -> tuple[np.ndarray, Info]: ...

    def step(self, actions: Any) -> tuple[np.ndarray, Any, Any, Any, Info]:
        """Observation, reward, terminated, truncated, info."""
        ...

    def mask(self) -> np.ndarray | None:
        """Which actions are legal now; None for a game without masks."""
        ...


class Player(Protocol):
    """A scripted player of the library; `sandlot.bot` makes one."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray | None = None, state: Any = None
    ) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Tolerances:
    """How far two numbers may lie apart."""

    absolute: float = 1e-6  # reward and observation: absolute + relative * the larger magnitude
    relative: float = 1e-5
    metric: float = 1e-4  # metrics: metric * max(1, the larger magnitude)

    def value_room(self, twin: np.ndarray, engine: np.ndarray) -> np.ndarray:
        return self.absolute + self.relative * np.maximum(np.abs(twin), np.abs(engine))

    def metric_room(self, twin: np.ndarray, engine: np.ndarray) -> np.ndarray:
        return self.metric * np.maximum(1.0, np.maximum(np.abs(twin), np.abs(engine)))


# Plays one episode: reads the twin as it likes and yields actions. Called anew after every reset.
Script = Callable[[Any, Random], Iterator[Any]]


@dataclass(frozen=True)
class Suite:
    """A named way of choosing actions."""

    name: str
    text: str
    script: Script | None = None  # either a script,
    bot: str | None = None  # or the name of one of the library's scripted players


@dataclass(frozen=True)
class Kit:
    make: Callable[[Mapping[str, Any]], Twin]  # from settings, as `sandlot.make` takes them
    suites: tuple[Suite, ...]
    budget_knob: str  # the knob that limits an episode's length
    budgets: tuple[int, ...]
    exact: tuple[str, ...]  # info entries that must be equal
    metrics: tuple[str, ...]  # info entries compared by the looser rule
    shown: Callable[[Any, Any, Info], Iterable[str]]  # goals that (twin, action, info) has just met
    goals: Callable[[Any], tuple[str, ...]]  # goals that the suites must meet together under a twin's rules
    # sums of an ended episode, named like the engine's episode columns, compared like metrics
    episode: Callable[[Any], Info] | None = None
    tolerances: Tolerances = Tolerances()
    steps: int = 2000  # decisions a case, unless told otherwise
    variants: Mapping[str, Mapping[str, Any]] | None = (
        None  # settings to play under; None: each profile as it is
    )

    def settings(self, profile: str) -> Mapping[str, Any]:
        """A profile of the game, or a variant of the kit, as `sandlot.make` takes it."""
        return (self.variants or {}).get(profile, {"profile": profile})
