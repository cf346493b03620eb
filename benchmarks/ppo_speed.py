"""Decisions a second of whole training, ours beside other trainers: python benchmarks/ppo_speed.py

Everybody steps the same native worlds with the same network (prospector: 260 → 128 → 128 → 69 and a value)
and learns from each step once: `ppo.num_steps` steps of every world, then one update in
`ppo.num_minibatches` minibatches. Cases take turns (A B C, then C B A), so that a machine that slows down
half-way slows all of them.
Medians with 95 % bootstrap intervals over rounds; `x` is the ratio, round by round, to Stable-Baselines3 with
as many threads. A trainer that is not installed is left out. With --device cuda networks learn on a graphics
card, ours and the others', and worlds play on the processor's threads as ever.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from sandlot.evaluate.statistics import Estimate, bootstrap
from sandlot.train.adapters import LIBRARIES, trainer_for
from sandlot.train.compose import compose

PEERS = ("sb3", "puffer")
OVERLAPPING = ("trainer=ppo", "ppo.precision=bfloat16", "ppo.rollouts_per_iteration=8")


@dataclass
class Case:
    """One trainer with so many threads."""

    name: str
    threads: int
    words: tuple[str, ...]
    trainer: Any = None
    torch_threads: int = 1
    rates: list[float] = field(default_factory=list)  # decisions a second, one a round

    def prepare(self, game: str, size: list[str]) -> None:
        words = [*size, *self.words, f"run.threads={self.threads}", "network.hidden_sizes=[128,128]"]
        torch.set_num_threads(self.threads)
        self.trainer = trainer_for(compose(game, words=words), "benchmark")
        self.torch_threads = torch.get_num_threads()  # ours wants fewer where roles learn side by side
        self.measure(1)  # pages touched, libraries warm
        self.rates.clear()

    def measure(self, iterations: int) -> None:
        torch.set_num_threads(self.torch_threads)
        start, decisions = time.perf_counter(), 0
        for _ in range(max(1, iterations // self.trainer.config.ppo.rollouts_per_iteration)):
            decisions += self.trainer.iterate(0.0).decisions
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        self.rates.append(decisions / (time.perf_counter() - start))


def cases(threads: list[int]) -> list[Case]:
    made = []
    for count in threads:
        made.append(Case("ours, float32", count, ("trainer=ppo", "ppo.precision=float32")))
        made.append(Case("ours, bfloat16", count, ("trainer=ppo", "ppo.precision=bfloat16")))
        if count > 1:
            made.append(Case("ours, bfloat16, overlapping", count, OVERLAPPING))
        for peer in PEERS:
            if importlib.util.find_spec(LIBRARIES[peer][1]) is not None:
                made.append(Case(LIBRARIES[peer][2], count, (f"trainer={peer}",)))
    return made


def median(samples: list[float]) -> Estimate:
    return bootstrap(np.array(samples), np.median)


def report(made: list[Case]) -> None:
    print("| trainer | threads | k decisions/s (95 %) | x Stable-Baselines3 (95 %) |\n|---|---|---|---|")
    base = {case.threads: case.rates for case in made if case.name == "stable-baselines3"}
    for case in made:
        rate = median([r / 1e3 for r in case.rates])
        ratio = ""
        if case.threads in base:
            times = median((np.array(case.rates) / np.array(base[case.threads])).tolist())
            ratio = f"{times.value:.2f} ({times.low:.2f} to {times.high:.2f})"
        shown = f"{rate.value:.1f} ({rate.low:.1f} to {rate.high:.1f})"
        print(f"| {case.name} | {case.threads} | {shown} | {ratio} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="prospector")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--iterations", type=int, default=2, help="rollouts with their updates, a round")
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--num-steps", type=int, default=64)
    parser.add_argument("--num-minibatches", type=int, default=8)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    asked = parser.parse_args()
    size = [f"ppo.{name}={getattr(asked, name)}" for name in ("num_envs", "num_steps", "num_minibatches")]
    size += [
        "ppo.update_epochs=1",
        "ppo.target_kl=0.0",
        "ppo.rollouts_per_iteration=1",
        "ppo.stagger_steps=0",
        "network.masked_features=[]",  # the whole observation, for all of them
        "run.minutes=1",
        f"run.device={asked.device}",
    ]
    made = cases(asked.threads)
    for case in made:
        case.prepare(asked.game, size)
    for number in range(asked.rounds):
        for case in made if number % 2 == 0 else reversed(made):
            case.measure(asked.iterations)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    device = torch.cuda.get_device_name() if asked.device != "cpu" else "cpu"
    size_text = f"{asked.num_envs} envs, {asked.num_steps} steps, {asked.rounds} rounds"
    print(f"{asked.game}: {size_text}, load {load:.1f}, {device}")
    report(made)


if __name__ == "__main__":
    main()
