"""Trio in plain Python, written from docs/games/trio.md, and how the parity harness plays it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from ..base import BaseTwin, Progress
from ..interface import ParitySetup, Suite
from ..math32 import ONE, ZERO, f32
from ..rng import Pcg32

HALF, GOOD, THREE = f32(0.5), f32(0.75), f32(3.0)


@dataclass
class World(Progress):
    """One episode in progress."""

    rng: Pcg32
    door: int = 0
    signs: list[f32] = field(default_factory=list)
    sums: list[f32] = field(default_factory=lambda: [ZERO] * 3)


class TrioTwin(BaseTwin):
    """One world of trio: three agents, rows of three numbers."""

    game, make_rules = "trio", staticmethod(lambda spec: spec.config)

    def reset(self, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the episode of this seed."""
        self.world = World(Pcg32(seed))
        self._ask()
        return self._observe(), self.info()

    def _ask(self) -> None:
        w = self.world
        w.door = w.rng.integer(0, 2)
        w.signs = [ONE if w.rng.integer(0, 1) else -ONE for _ in range(3)]

    def step(self, actions: Any) -> tuple[np.ndarray, Any, Any, Any, dict[str, Any]]:
        """One round: answers are paid, then the next is asked."""
        w, a = self.world, np.asarray(actions, np.float32).reshape(3, 2)
        w.notes.clear()
        left, right = a[0] > 0
        opened = left == (w.door == 0) and right == (w.door == 2)
        rewards = [
            ONE if opened else ZERO,
            HALF * (a[1, 0] * w.signs[0] + a[1, 1] * w.signs[1]),
            ONE if (a[2, 0] > 0) == (w.signs[2] > 0) else ZERO,
        ]
        w.sums = [total + reward for total, reward in zip(w.sums, rewards, strict=True)]
        w.tick += 1
        over = w.tick >= self.rules["rounds"]
        w.note("over" if over else "asked again")
        if not over:
            self._ask()
        return self._observe(), np.array(rewards), np.full(3, over), np.zeros(3, bool), self.info()

    def _observe(self) -> np.ndarray:
        rows = np.zeros((3, 3), np.float32)
        rows[0, self.world.door] = 1.0
        rows[1, :2], rows[2, 0] = self.world.signs[:2], self.world.signs[2]
        return rows

    def info(self) -> dict[str, Any]:
        """The engine's info block."""
        return {"tick": self.world.tick, "door": self.world.door, "signs": self.world.signs}

    def episode(self) -> dict[str, Any]:
        """The row that the engine stores when this episode ends."""
        sums = self.world.sums
        law, mean = HALF * (sums[0] + sums[1]), ((sums[0] + sums[1]) + sums[2]) / THREE
        winner = 0 if self.rules["together"] or law == sums[2] else 1 if law > sums[2] else 2
        success = mean >= GOOD * f32(self.rules["rounds"])
        return {"return": mean, "winner": winner, "success": success, "steps": self.world.tick}


def _random(twin: TrioTwin, rng: Random) -> Iterator[np.ndarray]:
    while True:
        yield np.array([[rng.uniform(-1, 1) for _ in range(2)] for _ in range(3)], np.float32)


PARITY_SETUP = ParitySetup(
    make=TrioTwin,
    suites=(Suite("random", _random),),
    budget_knob="rounds",
    budgets=(8,),
    exact=("tick", "door", "signs"),
    goals=lambda twin: ("over", "asked again"),
    episode=TrioTwin.episode,
    steps=50,
)
