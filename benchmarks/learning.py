"""How much is learned in so many minutes: several seeds of one recipe, judged on held-out seeds beside bots.

.venv/bin/python benchmarks/learning.py tag --minutes 5 --seeds 1 2 3
.venv/bin/python benchmarks/learning.py prospector --minutes 10 --seeds 1 2 3 --episodes 1000

Runs follow one another, each with all threads, so that the machine is theirs. One line a seed, then means.
Minutes depend on the machine: the figures are no promise, their ratios to the bots are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sandlot.evaluate.bots import pilots
from sandlot.evaluate.judge import judge
from sandlot.evaluate.speed import machine
from sandlot.policies import load_policy
from sandlot.runs.store import Store

SHOWN = {
    "tag": (
        "seeker_beats_evade_3",
        "hider_beats_chase_3",
        "seeker_win_rate",
        "seeker_rating",
        "hider_rating",
    ),
    "prospector": ("net_profit_mean", "return_mean", "survival_mean", "stranded_rate", "destroyed_rate"),
}


def train(game: str, preset: str, minutes: float, seed: int, root: Path) -> tuple[Any, float]:
    """One run; the run and its decisions a second."""
    command = [sys.executable, "-m", "sandlot", "train", game, "--preset", preset, "--minutes", str(minutes)]
    subprocess.run(
        [*command, "--seed", str(seed), "--runs", str(root), "--no-evaluate", "--no-tensorboard"], check=True
    )
    run = Store(root).latest()
    rows = run.windows()
    speed = rows[-1].decisions_total / rows[-1].figures["seconds"] if rows else float("nan")
    return run, speed


def judged(game: str, run: Any, episodes: int) -> dict[str, Any]:
    roles = ("seeker", "hider") if game == "tag" else ("pilot",)
    newest = run.newest_checkpoint()
    return judge({role: load_policy(newest, role) for role in roles}, episodes, threads=2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=sorted(SHOWN))
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--episodes", type=int, default=500)
    asked = parser.parse_args()
    told = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in asked.seeds:
            run, speed = train(asked.game, asked.preset, asked.minutes, seed, Path(folder))
            figures = judged(asked.game, run, asked.episodes)
            told.append(
                {"seed": seed, "world_steps_per_second": speed} | {k: figures[k] for k in SHOWN[asked.game]}
            )
            print(json.dumps(told[-1]), flush=True)
    means = {key: float(np.mean([row[key] for row in told])) for key in SHOWN[asked.game]}
    print(json.dumps({"mean": means, "machine": machine(), **vars(asked)}))
    if asked.game == "prospector":
        best = pilots("prospector", 300, threads=2)[0]
        ratio = means["net_profit_mean"] / best.figures["net_profit_mean"]
        print(
            json.dumps(
                {"best_bot": best.name, "profit": best.figures["net_profit_mean"], "times_best_bot": ratio}
            )
        )


if __name__ == "__main__":
    main()
