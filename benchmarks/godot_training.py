"""Stock godot-rl and Sandlot on one scene of the plugin's kind: agent-steps a second, and PPO to one return.

    .venv/bin/python benchmarks/godot_training.py                          # --seeds 1 2 3 --seconds 10
    .venv/bin/python benchmarks/godot_training.py --project DIR --target R # a project with the plugin itself

One process of the game each, one thread of PyTorch each, one after the other. Stock runs as its users run it
(8 times real time) and without a clock (`--fixed-fps`); its PPO is Stable-Baselines3's with the settings of
the package's own training. Time begins with the first step; a return is the mean of the last 100 episodes.
Without --project the game is the paddle of tests/godot/stock_games with `addons/godot_rl`.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import stock_client as stock

import sandlot
from sandlot.bridge.godot_addon import GODOT_RL, PLACE, copy_addon
from sandlot.bridge.godot_engine import require
from sandlot.bridge.godot_project import CHECKOUT, ensure_imported
from sandlot.errors import GodotFailed
from sandlot.evaluate.speed import machine
from sandlot.runs.records import WindowRow
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.events import WindowClosed
from sandlot.train.loop import Loop, begin
from sandlot.worlds.godot_rl_project import address

PADDLE = CHECKOUT.parent / "tests/godot/stock_games/catcher_2d"
PROGRAM = CHECKOUT / "stock_rl/ppo.py"
PACES = {"stock, 8 times real time": ["--speedup", "8"], "stock, no clock": ["--framerate", "60"]}
OURS = "sandlot"
WINDOW = 1024  # env steps
LAST = 100  # episodes that a return is the mean of, as in godot/stock_rl/ppo.py
WORDS = (
    f"run.window_env_steps={WINDOW}", "ppo.num_steps=128", "ppo.num_minibatches=8", "run.threads=1",
    "evaluation.enabled=false", "run.keep_checkpoints=1",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--project", type=Path, help="a project with the plugin; else the paddle")
    parser.add_argument("--target", type=float, default=5.0, help="return of an episode that is trained to")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--seconds", type=float, default=10, help="of random play, a measurement")
    parser.add_argument("--minutes", type=float, default=10, help="after which a training is given up")
    asked = parser.parse_args()
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory(prefix="sandlot-stock-") as folder:
        table(Contest(Path(folder), asked))


def table(contest: Contest) -> None:
    """Every player at every seed, in turns."""
    results: dict[str, list[Result]] = {name: [] for name in (*PACES, OURS)}
    for seed in contest.asked.seeds:
        for name, found in results.items():
            found.append(contest.ours(seed) if name == OURS else contest.stock(PACES[name], seed))
    line(
        "",
        "agent-steps/s",
        "of stock",
        f"seconds to a return of {contest.asked.target:g}",
        "steps",
        "of stock",
    )
    line("---", *["---:"] * 5)
    base = results[next(iter(PACES))]
    for name, found in results.items():
        rate, seconds = (
            statistics.median(getattr(one, part) for one in found) for part in ("rate", "seconds")
        )
        line(
            name, f"{rate:,.0f}", f"{rate / statistics.median(one.rate for one in base):.1f} ×",
            f"{seconds:.0f} ({', '.join(one.shown for one in found)})",
            f"{statistics.median(one.steps for one in found):,.0f}",
            f"{statistics.median(one.seconds for one in base) / seconds:.1f} × faster",
        )  # fmt: skip


@dataclass
class Result:
    """One player at one seed."""

    rate: float  # agent-steps per second, random play
    seconds: float  # to the return
    steps: int
    is_reached: bool

    @property
    def shown(self) -> str:
        """Its time; one that gave up says so."""
        return f"{self.seconds:.0f}" if self.is_reached else f"not within {self.seconds:.0f}"


class LastEpisodes:
    """Whether the mean return of the newest episodes is there: of as many windows as have a hundred."""

    def __init__(self, target: float):
        self.target, self.is_reached = target, False
        self._rows: list[WindowRow] = []

    def add(self, row: WindowRow) -> None:
        """One more window."""
        self._rows.append(row)
        episodes, total = 0, 0.0
        for each in reversed(self._rows):
            episodes += each.episodes_completed
            total += each.episodes_completed * each.return_mean
            if episodes >= LAST:
                self.is_reached = total / episodes >= self.target
                break


class Contest:
    """The game, and both ways to train on it."""

    def __init__(self, folder: Path, asked: argparse.Namespace):
        self.folder, self.asked = folder, asked
        self.project = (asked.project or self._paddle()).absolute()
        self.client, engine = stock.find(), require()
        ensure_imported(engine, self.project)
        self.game = folder / "game.x86_64"
        stock.write_launcher(
            self.game, [str(engine.path), "--audio-driver", "Dummy", "--path", str(self.project)]
        )

    def _paddle(self) -> Path:
        project = self.folder / PADDLE.name
        shutil.copytree(PADDLE, project, ignore=shutil.ignore_patterns(".godot"))
        for place in (PLACE, GODOT_RL):
            copy_addon(project, place)
        return project

    def stock(self, pace: list[str], seed: int) -> Result:
        """Random play and a training of the stock client."""
        rate = self._run_stock(*pace, "--seconds", str(self.asked.seconds))["rate"]
        limits = ["--target", str(self.asked.target), "--minutes", str(self.asked.minutes)]
        return Result(rate, **self._run_stock(*pace, "--seed", str(seed), *limits))

    def _run_stock(self, *words: str) -> dict[str, Any]:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        repeat = str(self._spec().document.ticks_per_step)
        command = [str(self.client.python), str(PROGRAM), str(self.game), "--port", str(port)]
        done = subprocess.run(
            [*command, "--action-repeat", repeat, *words], capture_output=True, text=True,
            timeout=60 * self.asked.minutes + 300, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        rows = [row for row in done.stdout.splitlines() if row.startswith(stock.MARK)]
        if not rows:
            raise GodotFailed(f"The stock client measured nothing: {(done.stdout + done.stderr)[-2000:]}")
        return dict(json.loads(rows[-1].removeprefix(stock.MARK)))

    def _spec(self) -> Any:
        return sandlot.load_spec(address(self.project))

    def ours(self, seed: int) -> Result:
        """The same of ours: the arrays of the world, and `sandlot train`."""
        return Result(self._rate(), *self._learn(seed))

    def _rate(self) -> float:
        agents = int(self._spec().json["arenas"]) * self._spec().agents
        with sandlot.make(address(self.project), worlds=agents // self._spec().agents) as world:
            world.reset(1)
            rng, spec = np.random.default_rng(1), world.spec
            draw = {True: lambda: rng.integers(0, spec.action_count, world.rows), False: lambda: rng.uniform(
                -1, 1, world.actions.shape)}[spec.discrete]  # fmt: skip
            actions = [draw().astype(world.actions.dtype) for _ in range(16)]
            for share in (0.5, 1.0):  # the first one warms up
                began, steps = time.perf_counter(), 0
                while time.perf_counter() - began < share * self.asked.seconds:
                    world.step(actions[steps % 16])
                    steps += 1
            return steps * world.rows / (time.perf_counter() - began)

    def _learn(self, seed: int) -> tuple[float, int, bool]:
        game = address(self.project)
        words = [*WORDS, f"ppo.num_envs={self._spec().json['arenas']}", f"run.seed={seed}"]
        words.append(f"run.minutes={self.asked.minutes}")
        config = compose(game, words=words)
        judge = LastEpisodes(self.asked.target)
        loop: Loop

        def listen(event: Any) -> None:
            if isinstance(event, WindowClosed):
                judge.add(event.row)

        run = begin(Store(self.folder / "runs"), config)
        with run:
            loop = Loop(config, run, [listen], stop=lambda: judge.is_reached)
            loop.go()
        last = run.windows()[-1]
        return float(last.metrics["seconds"]), last.env_steps_total * self._spec().agents, judge.is_reached


def line(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
