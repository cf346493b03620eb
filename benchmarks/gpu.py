"""Games on an NVIDIA GPU, checked and measured in one call: python benchmarks/gpu.py

check   10,000 worlds x 1,000 steps of every game beside the CPU: outputs compared byte by byte in every
        step, states every 100 steps, episodes at the end; a snapshot there and back.
speed   steps of the worlds alone, by number of worlds: medians over rounds with their range.
train   whole training by PPO, by number of worlds, and where the time of one iteration goes, by kernel.

Half of the rows play at random, half are played by the game's bots, on both sides by their own code.
Tables are printed last and written to --out. Exit code 1 when a byte differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

import sandlot
from sandlot.train.compose import compose
from sandlot.train.trainer import Trainer
from sandlot.worlds import HEAD, games

OUTPUTS = ("observations", "rewards", "terminated", "truncated", "ticks", "invalid", "masks")
SEED = 20_261_119
LOOK_EVERY = 100  # steps between two comparisons of all states


# ---------------------------------------------------------------- check


class Sides:
    """The same worlds on the CPU and on the device, played alike."""

    def __init__(self, game: str, worlds: int, threads: int, device: str):
        pinned = {"seed": SEED, "worlds": worlds}
        self.cpu = sandlot.make(game, threads=threads, **pinned)
        self.gpu: Any = sandlot.make(game, engine="cuda", device=device, **pinned)
        self.rng = np.random.default_rng(SEED)
        rows = np.arange(self.cpu.rows)
        self.bots = [sandlot.bot(game, name, threads=threads) for name in self.cpu.spec.bots]
        number = rows // 2 % len(self.bots)
        self.plays = np.where(rows % 2 == 0, -1, number)  # index of a bot, -1 for random
        self.own = [np.flatnonzero(self.plays == i) for i in range(len(self.bots))]
        self.memory = [bot.start(len(own)) for bot, own in zip(self.bots, self.own, strict=True)]
        self.rows = torch.from_numpy(np.concatenate(self.own)).to(self.gpu.device)
        self.kinds = torch.from_numpy(self.plays[np.concatenate(self.own)].astype(np.int32)).to(
            self.gpu.device
        )
        levels = np.concatenate([np.full(len(o), b.level) for b, o in zip(self.bots, self.own, strict=True)])
        self.levels = torch.from_numpy(levels.astype(np.int32)).to(self.gpu.device)
        self.gpu_memory = torch.from_numpy(np.concatenate(self.memory)).to(self.gpu.device)
        self.cpu.reset(SEED)
        self.gpu.reset(SEED)
        self.ended = self.episodes = 0

    def _random(self) -> np.ndarray:
        actions = self.cpu.actions
        if self.cpu.spec.discrete:
            return self.rng.integers(-2, self.cpu.spec.action_count + 2, actions.shape, dtype=np.int32)
        return self.rng.uniform(-1, 1, actions.shape).astype(np.float32)

    def step(self) -> str:
        """One step; returns what differs, or nothing."""
        actions = self._random()
        self.gpu.put(actions)
        self.gpu.play_bots(self.rows, self.kinds, self.levels, self.gpu_memory)
        masks = self.cpu.masks
        for i, (bot, own) in enumerate(zip(self.bots, self.own, strict=True)):
            some = None if masks is None else masks[own]
            actions[own], self.memory[i] = bot.act(self.cpu.observations[own], some, self.memory[i])
        if not np.array_equal(actions, self.gpu.actions.cpu().numpy()):
            return "actions of bots"
        ended = self.cpu.step(actions)
        if self.gpu.step() != ended:
            return "how many episodes ended"
        self.ended += ended
        over = self.cpu.terminated | self.cpu.truncated
        for i, (bot, own) in enumerate(zip(self.bots, self.own, strict=True)):
            bot.restart(self.memory[i], over[own])
        for name in OUTPUTS:
            expected = getattr(self.cpu, name)
            if expected is not None and not self._equal(expected, getattr(self.gpu, name)):
                return name
        if ended:
            last = torch.from_numpy(np.flatnonzero(over)).to(self.gpu.device)
            if not self._equal(self.cpu.final_observations[over], self.gpu.final_observations[last]):
                return "final observations"
        return ""

    def _equal(self, expected: np.ndarray, found: torch.Tensor) -> bool:
        """Byte by byte, on the device: NaN equals itself there, and -0 is not 0."""
        flat = torch.from_numpy(np.ascontiguousarray(expected).copy()).to(self.gpu.device)
        return torch.equal(flat.view(torch.uint8), found.contiguous().view(torch.uint8))

    def look(self) -> str:
        """Every state, through snapshots."""
        for world in range(self.cpu.worlds):
            if self.cpu.snapshot(world) != self.gpu.snapshot(world):
                return f"the state of world {world}"
        return ""

    def finish(self) -> str:
        """Episodes, and a snapshot that goes over and comes back."""
        one, other = self.cpu.finished(), self.gpu.finished()
        if len(one) == len(other) and len(one) < 2 * self.cpu.worlds:  # beyond it the oldest were dropped
            same = all(np.array_equal(one.heads[name], other.heads[name]) for name in HEAD.names or ())
            if not same or one.values.tobytes() != other.values.tobytes():
                return "episodes"
        self.gpu.restore(0, self.cpu.snapshot(1))
        self.cpu.restore(0, self.gpu.snapshot(0))
        return "" if self.cpu.hash(0) == self.gpu.hash(0) == self.cpu.hash(1) else "a snapshot there and back"


def check(game: str, worlds: int, steps: int, threads: int, device: str) -> tuple[str, ...]:
    start, sides = time.perf_counter(), Sides(game, worlds, threads, device)
    differs, done = "", 0
    for done in range(1, steps + 1):
        differs = sides.step()
        if not differs and done % LOOK_EVERY == 0:
            differs = sides.look()
        if differs:
            break
    differs = differs or sides.look() or sides.finish()
    verdict = f"DIFFERENT: {differs} in step {done}" if differs else "same bits"
    return (
        game,
        f"{worlds:,}",
        f"{done:,}",
        f"{sides.ended:,}",
        verdict,
        f"{time.perf_counter() - start:.0f} s",
    )


# ---------------------------------------------------------------- speed


def speed(game: str, worlds: int, device: str, rounds: int, seconds: float) -> tuple[str, ...]:
    world: Any = sandlot.make(game, worlds=worlds, seed=SEED, engine="cuda", device=device)
    world.reset(SEED)
    generator = torch.Generator(world.device).manual_seed(SEED)
    recorded = []
    for _ in range(16):
        if world.spec.discrete:
            shape, count = world.actions.shape, world.spec.action_count
            recorded.append(torch.randint(count, shape, generator=generator, device=world.device).int())
        else:
            recorded.append(torch.rand(world.actions.shape, generator=generator, device=world.device) * 2 - 1)
    play = _loop(world, recorded)
    play()
    rates: list[float] = []
    for _ in range(rounds):
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            play()
            _wait(world)
            steps += len(recorded)
        rates.append(steps * world.rows / (time.perf_counter() - start) / 1e6)
    middle, low, high = float(np.median(rates)), min(rates), max(rates)
    world.close()
    return game, f"{worlds:,}", f"{middle:.1f}", f"{low:.1f} to {high:.1f}"


def _loop(world: Any, recorded: list[torch.Tensor]) -> Any:
    """Sixteen steps, as a CUDA graph where there is a GPU."""

    def play() -> None:
        for actions in recorded:
            world.actions.copy_(actions)
            world.queue_step()

    play()
    if world.device.type == "cpu":
        return play
    _wait(world)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        play()
    return graph.replay


def _wait(world: Any) -> None:
    if world.device.type == "cuda":
        torch.cuda.synchronize(world.device)


# ---------------------------------------------------------------- train

# What a kernel is for, by a part of its name; the first that fits.
USES = (
    ("worlds and bots", ("sl_cuda",)),
    ("matrices", ("gemm", "cutlass", "nvjet", "cublas")),
    ("optimizer", ("adam", "multi_tensor", "lpnorm")),
    ("copies", ("memcpy", "memset", "copy")),
    ("everything else", ("",)),
)


def train(game: str, worlds: int, options: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A row of rates, and a row of shares of one iteration."""
    size = ["ppo.num_steps=32", "ppo.num_minibatches=4", "ppo.rollouts_per_iteration=1"]
    words = [*size, f"ppo.num_envs={worlds}", f"run.window_env_steps={worlds * 32}", "curriculum=[]"]
    words += ["run.engine=cuda", f"run.device={options.device}", f"run.threads={options.threads}"]
    trainer = Trainer(compose(game, words=[*words, *options.set]))
    try:
        for _ in range(3):
            trainer.iterate(0.0)
        rates, seconds = [], 0.0
        for _ in range(options.rounds):
            start, decisions, turns = time.perf_counter(), 0, 0
            while time.perf_counter() - start < options.seconds:
                decisions += trainer.iterate(0.0).decisions
                turns += 1
            _wait(trainer.world)
            passed = time.perf_counter() - start
            seconds = passed / turns
            rates.append(decisions / passed / 1e6)
        name = (game, f"{worlds:,}")
        rate = f"{np.median(rates):.2f}", f"{min(rates):.2f} to {max(rates):.2f}"
        return (*name, *rate, f"{1000 * seconds:.1f}"), (*name, *_shares(trainer, seconds))
    finally:
        trainer.close()


def _shares(trainer: Trainer, seconds: float) -> list[str]:
    """Of an iteration's time: kernels by use, and what is left, in which the card waits."""
    if trainer.device.type == "cpu":
        return ["-"] * (len(USES) + 2)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiled:
        trainer.iterate(0.0)
        _wait(trainer.world)
    times, launches = dict.fromkeys((use for use, _ in USES), 0.0), 0
    for event in profiled.key_averages():
        use = next(use for use, parts in USES if any(part in event.key.lower() for part in parts))
        times[use] += event.self_device_time_total / 1e6
        launches += event.count
    idle = max(0.0, seconds - sum(times.values()))
    return [
        *(f"{100 * t / seconds:.0f} %" for t in times.values()),
        f"{100 * idle / seconds:.0f} %",
        f"{launches:,}",
    ]


# ---------------------------------------------------------------- tables


def table(title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"### {title}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["check", "speed", "train"], help="all without any")
    parser.add_argument("--games", nargs="+", default=games())
    parser.add_argument("--worlds", type=int, default=10_000, help="of check")
    parser.add_argument("--steps", type=int, default=1_000, help="of check")
    parser.add_argument("--speed-worlds", type=int, nargs="+", default=[4096, 16_384, 65_536])
    parser.add_argument("--train-games", nargs="+", default=["tag", "prospector"])
    parser.add_argument("--train-worlds", type=int, nargs="+", default=[2048, 16_384, 65_536])
    parser.add_argument("--set", action="append", default=[], help="of train: a setting, as of sandlot train")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one measurement")
    parser.add_argument("--threads", type=int, default=16, help="of the CPU's side")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, help="a folder for the tables")
    options = parser.parse_args()
    tables, bad = [], False
    if "check" in options.parts:
        rows: list[tuple[str, ...]] = []
        for game in options.games:
            rows.append(check(game, options.worlds, options.steps, options.threads, options.device))
            print(*rows[-1], flush=True)
        bad = any(row[4] != "same bits" for row in rows)
        tables.append(
            table("Bits", ("game", "worlds", "steps", "episodes ended", "CPU and GPU", "took"), rows)
        )
    if "speed" in options.parts:
        rows = []
        for game in options.games:
            for worlds in options.speed_worlds:
                rows.append(speed(game, worlds, options.device, options.rounds, options.seconds))
                print(*rows[-1], flush=True)
        tables.append(table("Worlds alone", ("game", "worlds", "M agent-steps/s", "range"), rows))
    if "train" in options.parts:
        rows, shares = [], []
        for game in options.train_games:
            for worlds in options.train_worlds:
                row, share = train(game, worlds, options)
                print(*row, *share, flush=True)
                rows.append(row)
                shares.append(share)
        columns = ("game", "worlds", "M agent-steps/s", "range", "ms an iteration")
        tables.append(table("Training, both roles where there are two", columns, rows))
        uses = (*(use for use, _ in USES), "the card waits", "kernels")
        tables.append(table("Where an iteration's time goes", ("game", "worlds", *uses), shares))
    text = "\n".join(tables)
    print(text)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "cuda.md").write_text(text, encoding="utf-8")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
