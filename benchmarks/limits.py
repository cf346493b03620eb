"""What limits the engine: the same play with one thing changed at a time. Medians over turns, one thread.

.venv/bin/python benchmarks/limits.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sandlot import NativeWorld
from sandlot.evaluate.speed import SEED, random_actions

WORLDS, STEPS, ROUNDS = 256, 400, 7


def playing(game: str, worlds: int = WORLDS, hold: bool = False, **settings: Any) -> Callable[[], float]:
    """Million decisions a second of recorded play in one call."""
    world = NativeWorld(game, worlds=worlds, seed=SEED, config=settings)
    actions = random_actions(world, max(8, STEPS * WORLDS // worlds))
    if hold:
        actions[:] = world.spec.action_names.index("HOLD_DRIFT") if world.spec.discrete else 0

    def run() -> float:
        world.reset(SEED)
        start = time.perf_counter()
        world.run(actions)
        return len(actions) * world.rows / (time.perf_counter() - start) / 1e6

    return run


def resetting(game: str) -> Callable[[], float]:
    """Microseconds of one world's reset, with its first observation."""
    world = NativeWorld(game, worlds=WORLDS, seed=SEED)

    def run() -> float:
        start = time.perf_counter()
        for seed in range(20):
            world.reset(seed)
        return (time.perf_counter() - start) / (20 * WORLDS) * 1e6

    return run


CASES: dict[str, tuple[str, Callable[[], float]]] = {
    "tag, 8 boxes": ("M decisions/s", playing("tag")),
    "tag, no boxes": ("M decisions/s", playing("tag", obstacles=0)),
    "tag, 12 boxes": ("M decisions/s", playing("tag", obstacles=12)),
    "tag, one tick a decision": ("M decisions/s", playing("tag", ticks_per_step=1)),
    "tag, a reset": ("us", resetting("tag")),
    "prospector, random play": ("M decisions/s", playing("prospector")),
    "prospector, holding": ("M decisions/s", playing("prospector", hold=True)),
    "prospector, a reset": ("us", resetting("prospector")),
    **{
        f"prospector, {n} worlds": ("M decisions/s", playing("prospector", worlds=n))
        for n in (16, 1024, 4096, 16_384)
    },
}


def main() -> None:
    measured: dict[str, list[float]] = {name: [] for name in CASES}
    for turn in range(ROUNDS):  # forth and back, so that a slow minute hits all of them
        for name in CASES if turn % 2 == 0 else reversed(CASES):
            measured[name].append(CASES[name][1]())
    for name, values in measured.items():
        low, high = np.percentile(values, [10, 90])
        print(f"{name:28} {np.median(values):7.2f}  ({low:.2f} to {high:.2f})  {CASES[name][0]}")


if __name__ == "__main__":
    main()
