"""What the twins of several games have in common."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from ...worlds import load_spec
from .math32 import ZERO, f32


@dataclass(kw_only=True)
class Progress:
    """How far an episode is, and what happened in its last step."""

    tick: int = 0
    steps: int = 0
    notes: Counter[str] = field(default_factory=Counter)  # see note()

    def note(self, what: str) -> None:
        """Count something that happened in this step; parity's goals are such notes."""
        self.notes[what] += 1


@dataclass(kw_only=True)
class SoloProgress(Progress):
    """Of an episode of one agent: how it ended, and the sum of each reward term."""

    ending: str = "none"
    sums: dict[str, f32] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.ending != "none"

    def pay(self, terms: Mapping[str, f32]) -> f32:
        """Add a step's reward terms to their sums, in the engine's order; returns the step's reward."""
        reward = ZERO
        for term, amount in terms.items():
            self.sums[term] = self.sums.get(term, ZERO) + amount
            reward = reward + amount
        return reward


class BaseTwin:
    """A twin without action masks. `game` and `make_rules` are those of one game."""

    game: str
    make_rules: Any  # from a spec
    rules: Any
    world: Any

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.config = dict(config or {})
        self.spec = load_spec(self.game, self.config)
        self.rules = self.make_rules(self.spec)

    @property
    def ticks(self) -> int:
        """Ticks since the last reset."""
        return self.world.tick

    def mask(self) -> None:
        """Every action is legal."""

    def seconds(self, ticks: int) -> f32:
        """Ticks as simulated seconds."""
        return f32(ticks) / f32(self.rules.tick_rate)


def random_values(rng: Random, extremes: Sequence[float]) -> Any:
    """What draws the values of one action: uniform, or values at and near the limits that the rules test."""
    if rng.random() < 0.3:
        return lambda: rng.choice(extremes)
    return lambda: rng.uniform(-1, 1)


def action(*values: float) -> np.ndarray:
    """One action, float32 [size], cut to -1..1."""
    return np.clip(np.array(values, np.float32), -1, 1)


def random_actions(size: int, extremes: Sequence[float]) -> Callable[[Any, Random], Iterator[np.ndarray]]:
    """A suite's script: see random_values."""

    def play(twin: Any, rng: Random) -> Iterator[np.ndarray]:
        while True:
            draw = random_values(rng, extremes)
            yield action(*(draw() for _ in range(size)))

    return play


def held_actions(size: int, shortest: int, longest: int) -> Callable[[Any, Random], Iterator[np.ndarray]]:
    """A suite's script: one action at full strength for that many steps, then another."""

    def play(twin: Any, rng: Random) -> Iterator[np.ndarray]:
        while True:
            held = action(*(rng.choice((-1.0, 0.0, 1.0)) for _ in range(size)))
            for _ in range(rng.randint(shortest, longest)):
                yield held

    return play
