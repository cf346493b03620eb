"""How fast a game runs here: paired measurements in one process, medians with intervals, never a best-of.

All cases play the same recorded actions from the same seeds, so they do the same work. Rounds alternate in
order (A B C, C B A), so that a machine that slows down half-way slows all cases alike.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..games import bot
from ..worlds import NativeWorld, World, make
from ..worlds.library import load
from ..worlds.make import CUDA
from .statistics import Estimate, bootstrap

SEED = 20_260_101


@dataclass
class Case:
    """One thing to measure: a call that plays some steps and returns the decisions and ticks played."""

    name: str
    worlds: int
    threads: int
    # "python": through the arrays, one call per step · "engine": one call for all steps · "twin" · "cuda"
    path: str
    play: str  # whose actions: "random" ids or numbers, or the name of a bot
    run: Callable[[], tuple[int, int]]
    # before each run, untimed: back to the start of the recording
    prepare: Callable[[], object] = lambda: None
    rates: list[float] = field(default_factory=list)
    tick_rates: list[float] = field(default_factory=list)

    def measure(self, seconds: float) -> None:
        """Run for at least this time and record the rates."""
        decisions = ticks = 0
        passed = 0.0
        while passed < seconds:
            self.prepare()
            start = time.perf_counter()
            some, lasted = self.run()
            passed += time.perf_counter() - start
            decisions += some
            ticks += lasted
        self.rates.append(decisions / passed)
        self.tick_rates.append(ticks / passed)


def record_actions(game: str, worlds: int, steps: int, play: str) -> np.ndarray:
    """What `play` does in `steps` steps from SEED, [steps, rows, …]: played back, it gives the same game."""
    with make(game, worlds=worlds, seed=SEED) as world:
        if play == "random":
            return random_actions(world, steps)
        world.reset(SEED)
        player = bot(game, play)
        recorded = np.empty((steps, *world.actions.shape), world.actions.dtype)
        state: Any = None
        for step in range(steps):
            recorded[step], state = player.act(world.observations, world.masks, state)
            if world.step(recorded[step]):
                player.restart(state, world.terminated | world.truncated)
        return recorded


def random_actions(world: World, steps: int) -> np.ndarray:
    """Uniform random actions from SEED, [steps, rows, …]."""
    rng = np.random.default_rng(SEED)
    shape = (steps, *world.actions.shape)
    if world.spec.discrete:
        return rng.integers(0, world.spec.action_count, shape, dtype=np.int32)
    actions = rng.uniform(-1.0, 1.0, shape).astype(np.float32)
    for column, action in enumerate(world.spec.actions):
        if action.kind == "choice":
            actions[..., column] = rng.integers(0, len(action.options), shape[:-1])
    return actions


def batch_case(game: str, worlds: int, threads: int, path: str, play: str, steps: int) -> Case:
    """A batch that plays its recording over and over, from the start each time."""
    actions = record_actions(game, worlds, steps, play)
    world = make(game, worlds=worlds, threads=threads, seed=SEED)
    ticks = _ticks_of(world, actions)

    def through_python() -> tuple[int, int]:
        for row in actions:
            world.actions[...] = row
            world.step()
        return steps * world.rows, ticks

    def engine_alone() -> tuple[int, int]:
        world.run(actions)
        return steps * world.rows, ticks

    run = through_python if path == "python" else engine_alone
    name = f"{game}, {worlds} worlds, {threads} threads, {path}, {play}"
    return Case(name, worlds, threads, path, play, run, lambda: world.reset(SEED))


def device_case(game: str, worlds: int, device: str, steps: int) -> Case:
    """A batch on a GPU that plays its recording over and over: the host waits once per recording."""
    import torch  # on demand: worlds of the CPU need no PyTorch

    recorded = record_actions(game, worlds, steps, "random")
    world: Any = make(game, worlds=worlds, seed=SEED, engine=CUDA, device=device)
    actions, ticks = torch.from_numpy(recorded).to(world.device), 0
    world.reset(SEED)
    for row in actions:
        world.actions.copy_(row)
        world.advance()
        ticks += int(world.ticks.sum())

    def run() -> tuple[int, int]:
        world.run(actions)
        return steps * world.rows, ticks

    name = f"{game}, {worlds} worlds, {device}, random"
    return Case(name, worlds, 1, CUDA, "random", run, lambda: world.reset(SEED))


def _ticks_of(world: World, actions: np.ndarray) -> int:
    """Simulated ticks in one playing of the recording, summed over rows."""
    world.reset(SEED)
    total = 0
    for row in actions:
        world.actions[...] = row
        world.step()
        total += int(world.ticks.sum())
    return total


def twin_case(game: str, steps: int) -> Case:
    """The slow Python twin of a game, one world, random play."""
    from ..games.reference import twin

    slow = twin(game)
    with NativeWorld(game, worlds=1, seed=SEED) as world:
        actions = random_actions(world, steps)
        rows = world.rows

    def run() -> tuple[int, int]:
        ticks = 0
        for i, row in enumerate(actions):
            before = slow.ticks
            _, _, terminated, truncated, _ = slow.step(row if rows > 1 else row[0])
            ticks += (slow.ticks - before) * rows
            if np.all(terminated | truncated):
                slow.reset(SEED + i + 1)
        return steps * rows, ticks

    return Case(f"{game}, Python twin, random", 1, 1, "twin", "random", run, lambda: slow.reset(SEED))


def measure(
    cases: list[Case], rounds: int, seconds: float, progress: Callable[[int, int], None] | None = None
) -> None:
    """All cases, `rounds` times, in alternating order."""
    done = 0
    for turn in range(rounds):
        for case in cases if turn % 2 == 0 else reversed(cases):
            case.measure(seconds)
            done += 1
            if progress:
                progress(done, rounds * len(cases))


def ratio(case: Case, base: Case) -> Estimate:
    """How many times faster than `base`, round by round."""
    return bootstrap(np.array(case.rates) / np.array(base.rates), np.median)


def copy_rate(seconds: float = 0.3, megabytes: int = 64) -> float:
    """Bytes a second that this machine copies on one core: the ceiling for writing observations."""
    source = np.ones(megabytes << 20, np.uint8)
    target = np.empty_like(source)
    rates: list[float] = []
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop or len(rates) < 5:
        start = time.perf_counter()
        np.copyto(target, source)
        rates.append(source.nbytes / (time.perf_counter() - start))
    return float(np.median(rates))


def machine() -> dict[str, Any]:
    """A description of the machine, without its name."""
    return {"processor": _processor(), "cores": os.cpu_count(), "engine": load().sl_build().decode()}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        return names[0] if names else "unknown"
    except OSError:
        return "unknown"
