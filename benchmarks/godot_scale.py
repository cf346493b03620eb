"""Knobs of training in Godot on one machine, each beside the success of what was trained with it.

    .venv/bin/python benchmarks/godot_scale.py processes      # 1, 2, 4, 8 engines
    .venv/bin/python benchmarks/godot_scale.py speedup        # 1, 8, 16, 32 times real time, and no clock
    .venv/bin/python benchmarks/godot_scale.py repeat         # 1, 4, 8 ticks a decision, and coarse to fine
    .venv/bin/python benchmarks/godot_scale.py every          # a decision every 1, 2, 3, 6 steps in play
    .venv/bin/python benchmarks/godot_scale.py memory         # by network, and by replay buffer

The game is the catcher of examples/godot_minimal (twenty apples caught before three are missed), for
`speedup` the paddle of the plugin's kind in tests/godot/stock_games. Trainings of one table have the same
number of env steps and the same seeds; success is that of 100 episodes on held-out seeds, pooled over the
trainings. Rates follow the machine and whatever else runs on it, successes do not. Prints Markdown.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sandlot
from sandlot.bridge.godot_addon import GODOT_RL, PLACE, copy_addon
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import CHECKOUT
from sandlot.bridge.godot_rl import HANDSHAKE, GodotRLListener
from sandlot.evaluate.play import play
from sandlot.evaluate.speed import machine
from sandlot.evaluate.statistics import proportion
from sandlot.runs.run import Run
from sandlot.runs.store import Store
from sandlot.seeding import held_out
from sandlot.worlds.godot_rl_spaces import read_spaces

ROOT = CHECKOUT.parent
CATCHER = ROOT / "examples/godot_minimal"
PADDLE = ROOT / "tests/godot/stock_games/catcher_2d"
ARENAS = 16
WINDOW = 16_384  # env steps
EPISODES = 100
MB = "MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of trainings")
    parser.add_argument("--windows", type=int, default=4, help=f"of {WINDOW} env steps, a training")
    parser.add_argument("--seconds", type=float, default=20, help="of play at each speed-up")
    asked = parser.parse_args()
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory(prefix="sandlot-scale-") as folder:
        TABLES[asked.table](Bench(Path(folder), asked))


@dataclass
class Bench:
    """Where it happens, and what was asked for."""

    folder: Path
    asked: argparse.Namespace

    def project(self, source: Path, addons: Sequence[str]) -> Path:
        """A game with the addons that it needs."""
        place = self.folder / source.name
        if not place.exists():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns(".godot"))
            for addon in addons:
                copy_addon(place, addon)
        return place

    def trained(self, name: str, seed: int, *words: str, project: Path | None = None) -> Run:
        """A run in a process of its own, so that its memory is its own."""
        runs = self.folder / "runs" / f"{name}-{seed}"
        project = project or self.project(CATCHER, [PLACE])
        command = [sys.executable, "-m", "sandlot", "train", "--project", str(project), "--runs", str(runs)]
        command += ["--windows", str(self.asked.windows), "--seed", str(seed), "--threads", "1"]
        command += ["--no-evaluate", "--no-tensorboard", "--set", f"run.window_env_steps={WINDOW}", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        return Store(runs).latest()

    def row(self, name: str, *words: str) -> None:
        """A line of a table of trainings: rates and success."""
        runs = [self.trained(name.replace(" ", "_"), seed, *words) for seed in self.asked.seeds]
        rates = [decisions_per_second(run) for run in runs]
        seconds = [run.windows()[-1].metrics["seconds"] for run in runs]
        won = np.concatenate([successes(run) for run in runs])
        line(name, f"{np.mean(rates):,.0f}", f"{np.mean(seconds):.0f}", share(won))


def decisions_per_second(run: Run) -> float:
    """Of the whole training."""
    last = run.windows()[-1]
    return float(last.env_steps_total / last.metrics["seconds"])


def successes(run: Run, every: int = 1) -> np.ndarray:
    """Of held-out episodes, with its newest weights, the likeliest action."""
    policy = sandlot.load_policy(run.newest_checkpoint())
    policy.greedy = True
    seeds = held_out("benchmark", EPISODES, run.record.seed)
    player: Any = policy if every == 1 else Repeated(policy, every)
    episodes = play(run.record.game, player, seeds, run.config["settings"], engine="godot")
    return np.asarray(episodes.column("success"))


class Repeated:
    """A policy that is asked at every n-th step and repeats itself in between. All rows begin together."""

    def __init__(self, policy: Any, every: int):
        self.policy, self.spec, self.every = policy, policy.spec, every
        self._steps, self._last = 0, None

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[Any, Any]:
        if self._steps % self.every == 0:
            self._last, state = self.policy.act(observations, masks, state)
        self._steps += 1
        return self._last, state


# ---------------------------------------------------------------- tables


def processes(bench: Bench) -> None:
    """Engines side by side share the same arenas, so all of them play and learn the same."""
    head("processes", "decisions/s", "seconds", "success")
    for count in (1, 2, 4, 8):
        bench.row(str(count), "--arenas", str(ARENAS), "--processes", str(count))


def repeat(bench: Bench) -> None:
    """Ticks a decision: equal env steps, so coarse trainings play more of the game."""
    head("ticks a decision", "decisions/s", "seconds", "success")
    for ticks in (1, 4, 8):
        bench.row(str(ticks), "--arenas", str(ARENAS), "--set", f"settings.action_repeat={ticks}")
    bench.row("8, 4, then 2", "--preset", "coarse_to_fine", "--arenas", str(ARENAS))


def every(bench: Bench) -> None:
    """One training a seed, played with fewer decisions: a policy that thinks at every n-th step."""
    runs = [bench.trained("every", seed, "--arenas", str(ARENAS)) for seed in bench.asked.seeds]
    head("a decision every", "success")
    for steps in (1, 2, 3, 6):
        line(f"{steps} steps", share(np.concatenate([successes(run, steps) for run in runs])))


def memory(bench: Bench) -> None:
    """The largest resident size of trainer and engine at the end of any window; one seed each."""
    head("what", "trainer", "engine", "decisions/s")
    sizes = {"[64, 64]": "[64,64]", "[256, 256]": "[256,256]", "[1024, 1024]": "[1024,1024]"}
    cases = {f"PPO {name}": ["--set", f"network.hidden_sizes={sizes[name]}"] for name in sizes}
    for steps in (10_000, 1_000_000):
        words = ["--trainer", "sb3", "--algorithm", "dqn", "--set", f"adapter.buffer_size={steps}"]
        cases[f"DQN [64, 64], a buffer of {steps:,}"] = [*words, "--set", "network.hidden_sizes=[64,64]"]
    for i, (name, words) in enumerate(cases.items()):
        run = bench.trained(f"memory_{i}", bench.asked.seeds[0], "--arenas", str(ARENAS), *words)
        rows = [row.metrics for row in run.windows()]
        largest = [max(row[f"memory_{who}_mb"] for row in rows) for who in ("trainer", "engine_0")]
        line(name, *(f"{size:,.0f} {MB}" for size in largest), f"{decisions_per_second(run):,.0f}")


def speedup(bench: Bench) -> None:
    """A Sync node at several paces: the same policy plays the same seeds, which must come out the same."""
    project = bench.project(PADDLE, [PLACE, GODOT_RL])
    run = bench.trained("speedup", bench.asked.seeds[0], project=project)
    policy = sandlot.load_policy(run.newest_checkpoint())
    policy.greedy = True
    head("speed-up", "decisions/s", "episodes", "success", "same play as at 1")
    first = None
    for pace in (1, 8, 16, 32, None):
        words = [f"--speedup={pace}"] if pace else ["--speedup=1", "--fixed-fps", "60"]
        made = paced(project, policy, words, bench.asked.seconds)
        first = first or made
        same = min(len(made.rewards), len(first.rewards))
        equal = made.rewards[:same] == first.rewards[:same]
        line(
            str(pace or "no clock"), f"{made.rate:,.0f}", str(len(made.won)), share(np.array(made.won)),
            f"{'yes' if equal else 'NO'}, {same} steps",
        )  # fmt: skip


@dataclass
class Played:
    """What a policy did through the stock protocol."""

    rate: float
    rewards: list[list[float]]
    won: list[bool]


def paced(project: Path, policy: Any, words: list[str], seconds: float) -> Played:
    """The policy on all agents of the scene, at this pace, for so long."""
    rewards, won = [], []
    with stock_game(project, words) as channel:
        spaces = read_spaces(ask(channel, {"type": "env_info"}, "env_info"))
        agents = len(spaces.policies)
        seen = ask(channel, {"type": "reset", "seeds": list(range(agents))}, "reset")["obs"]
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            actions, _ = policy.act(np.array([one["obs"] for one in seen], np.float32))
            encoded = [spaces.of(i).encode(action) for i, action in enumerate(actions)]
            answer = ask(channel, {"type": "action", "action": encoded}, "step")
            seen = answer["obs"]
            rewards.append(answer["reward"])
            won += [
                info["is_success"] for info, done in zip(answer["info"], answer["done"], strict=True) if done
            ]
        took = time.perf_counter() - began
    return Played(agents * len(rewards) / took, rewards, won)


@contextlib.contextmanager
def stock_game(project: Path, words: list[str]) -> Iterator[Any]:
    """A game with a Sync node, connected and greeted."""
    listener = GodotRLListener()
    process = GodotProcess([*words, f"--port={listener.port}"], project=project)
    with process:
        channel = listener.accept(60, lambda: process.log_tail() if process.code is not None else None)
        channel.send(HANDSHAKE, 60)
        yield channel
        channel.close()
        listener.close()


def ask(channel: Any, message: dict[str, Any], expected: str) -> dict[str, Any]:
    """One message, and its answer."""
    channel.send(message, 60)
    return dict(channel.receive(expected, 60))


# ---------------------------------------------------------------- Markdown


def head(*columns: str) -> None:
    line(*columns)
    line("---", *["---:"] * (len(columns) - 1))


def line(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def share(won: np.ndarray) -> str:
    """In percent, with its 95 % interval."""
    if not len(won):
        return "no episode ended"
    estimate = proportion(int(won.sum()), len(won))
    low, high = (100 * bound for bound in estimate.interval)
    return f"{100 * estimate.value:.0f} % ({math.floor(low)} to {math.ceil(high)})"


TABLES = {"processes": processes, "speedup": speedup, "repeat": repeat, "every": every, "memory": memory}

if __name__ == "__main__":
    main()
