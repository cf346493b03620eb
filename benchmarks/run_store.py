"""What the run store costs: python benchmarks/run_store.py

Prints the time to count 100,000 decisions into windows (also as a ratio to one pass of numpy over the same
numbers, since machines differ), the time of a commit, and the size of replays of the scripted players.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

from sandlot.evaluate.replay_recorder import record, verify
from sandlot.games import bot
from sandlot.runs import Finished, Store, WindowAggregator
from sandlot.worlds import games, load_spec

STEPS, WORLDS, EPISODES, SEEDS = 128, 800, 200, 6


def median_ms(call: Callable[[], object], rounds: int = 15) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def windows() -> str:
    rng = np.random.default_rng(0)
    ticks = rng.integers(1, 9, (STEPS, WORLDS)).astype(np.int32)
    rewards = rng.normal(size=(STEPS, WORLDS)).astype(np.float32)
    step, world = np.divmod(rng.choice(STEPS * WORLDS, EPISODES, replace=False), WORLDS)
    ended = np.ones(EPISODES, bool)
    finished = Finished(step, world, ended, ~ended, {"score": rng.normal(size=EPISODES)})
    counted = WindowAggregator("run", 100_000, WORLDS, ("score",))
    ours = median_ms(lambda: counted.record(ticks, rewards, rewards > 1, finished))
    numpy_alone = median_ms(lambda: np.add.accumulate(rewards.reshape(-1), dtype=np.float64))
    ratio = ours / numpy_alone
    return f"windows: {STEPS * WORLDS:,} decisions in {ours:.1f} ms, {ratio:.0f} x one running sum of numpy"


def commits(size: int = 1 << 20) -> str:
    with tempfile.TemporaryDirectory() as folder:
        run = Store(folder).create({}, game="tag", trainer_backend="none", window_env_steps=1)
        window = iter(range(10_000))
        took = median_ms(lambda: run.commit(next(window), bytes(size), resume=bytes(size)))
        run.close()
    return f"commit: {took:.1f} ms with a checkpoint and a resume state of 1 MiB each"


def replays() -> list[str]:
    lines = []
    for game in games():
        for name in load_spec(game).bots:
            recorded = [record(game, bot(game, name), seed) for seed in range(SEEDS)]
            if not all(verify(replay).agrees for replay in recorded):
                sys.exit(f"a replay of {game} {name} does not play again as recorded")
            bytes_, steps = max((len(replay.to_bytes()), replay.end.steps) for replay in recorded)
            lines.append(
                f"replay: {game} {name}, largest of {SEEDS}: {bytes_:,} bytes for {steps:,} decisions"
            )
    return lines


if __name__ == "__main__":
    print(windows())
    print(commits())
    print("\n".join(replays()))
