"""The types between the parity harness (evaluate/parity.py) and a game's reference implementation.

The harness knows no game. Each game describes itself in a `ParitySetup`: how to make its twin, which suites
of actions to play, which values to compare, and which goals the suites must reach.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

import numpy as np

Info = Mapping[str, Any]


class Twin(Protocol):
    """A game in plain Python. Values per agent are scalars in a game of one agent, else arrays [agents]."""

    @property
    def ticks(self) -> int:
        """Ticks since the last reset."""

    def reset(self, seed: int) -> tuple[np.ndarray, Info]:
        """Start the episode of this seed; observation and info."""

    def step(self, actions: Any) -> tuple[np.ndarray, Any, Any, Any, Info]:
        """Observation, reward, terminated, truncated, info."""

    def mask(self) -> np.ndarray | None:
        """Which actions are legal now; None for a game without masks."""


@dataclass(frozen=True)
class Tolerances:
    """How far a value of the twin and the engine's may differ."""

    absolute: float = 1e-6  # reward and observation: absolute + relative * the larger magnitude
    relative: float = 1e-5
    metric: float = 1e-4  # metrics: metric * max(1, the larger magnitude)

    def value_tolerance(self, twin: np.ndarray, engine: np.ndarray) -> np.ndarray:
        """The largest difference allowed in rewards and observations, entry by entry."""
        return self.absolute + self.relative * np.maximum(np.abs(twin), np.abs(engine))

    def metric_tolerance(self, twin: np.ndarray, engine: np.ndarray) -> np.ndarray:
        """The largest difference allowed in metrics and episode columns, entry by entry."""
        return self.metric * np.maximum(1.0, np.maximum(np.abs(twin), np.abs(engine)))


# Yields the actions of one episode and may read all of the twin's state. Called anew after every reset.
Script = Callable[[Any, Random], Iterator[Any]]


@dataclass(frozen=True)
class Suite:
    """A named way of choosing actions: a script, or one of the library's bots."""

    name: str
    script: Script | None = None
    bot: str | None = None  # name of a bot, at its top level


@dataclass(frozen=True)
class ParitySetup:
    """What the parity harness needs to know about one game."""

    make: Callable[[Mapping[str, Any]], Twin]  # from settings, as `sandlot.make` takes them
    suites: tuple[Suite, ...]
    budget_knob: str  # the knob that limits an episode's length
    budgets: tuple[int, ...]  # its values in the matrix
    exact: tuple[str, ...]  # info entries that must be equal
    goals: Callable[[Any], tuple[str, ...]]  # goals that the suites must meet together under a twin's rules
    metrics: tuple[str, ...] = ()  # info entries compared with the metric tolerance
    # Goals that the step (twin, action, info) has met.
    goals_met: Callable[[Any, Any, Info], Iterable[str]] = lambda twin, action, info: twin.world.notes
    # Sums of an ended episode, under the names of the engine's episode columns, compared like metrics.
    episode: Callable[[Any], Info] | None = None
    tolerances: Tolerances = Tolerances()
    steps: int = 2000  # per case, unless the caller chooses another number
    # Settings to play under, by name; None: each profile of the game as it is.
    variants: Mapping[str, Mapping[str, Any]] | None = None

    def settings(self, profile: str) -> Mapping[str, Any]:
        """The settings of a variant, or of a profile of the game, as `sandlot.make` takes them."""
        return (self.variants or {}).get(profile, {"profile": profile})
