"""Kill a trainer again and again and look what is lost: python benchmarks/kills.py --kills 100

Trains one run in peace, then others of the same seed that are killed with SIGKILL at random moments and
resumed, until so many kills have happened. Every checkpoint, window row and episode row of each must equal
those of the peaceful run; only the run's id and times may differ. Exit code 1 when anything does.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from sandlot.runs import Run, Store

TIMED = {"run_id", "seconds"}  # of a window row or checkpoint: allowed to differ


def train(root: Path, *words: str) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-c", "from sandlot.cli.main import run; run()"]
    command = [*program, "train", *words, "--runs", str(root), "--no-evaluate", "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def beginning(options: argparse.Namespace) -> list[str]:
    settings = (
        "run.window_env_steps=8000",
        "ppo.num_envs=32",
        "ppo.num_steps=32",
        f"run.windows={options.windows}",
    )
    return [options.game, "--seed", "3", "--threads", "1", *(w for s in settings for w in ("--set", s))]


def peaceful(root: Path, options: argparse.Namespace) -> tuple[Run, float, float]:
    """A run that nobody disturbs, and when it was killable: seconds to its first word, seconds to its end."""
    start = time.monotonic()
    process = train(root, *beginning(options))
    assert process.stdout is not None
    process.stdout.readline()
    spoke_s = time.monotonic() - start
    process.communicate()
    if process.returncode != 0:
        sys.exit("the peaceful run failed")
    return Store(root).latest(), spoke_s, time.monotonic() - start


def killed(
    root: Path, options: argparse.Namespace, moments: random.Random, spoke_s: float, ended_s: float
) -> tuple[Run, int]:
    """A run that is killed until it manages to end, and how often that was.

    A kill may fall anywhere from loading to a third of the training; so a run is killed several times.
    """
    kills, words = 0, beginning(options)
    while True:
        process = train(root, *words)
        try:
            process.communicate(timeout=moments.uniform(0.5 * spoke_s, spoke_s + 0.3 * (ended_s - spoke_s)))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
            process.communicate()
        if process.returncode == 0:
            return Store(root).latest(), kills
        if process.returncode > 0:
            sys.exit(f"a resumed run failed with code {process.returncode}")
        known = Store(root).runs()
        words = ["--resume", known[0].run_id] if known else beginning(options)


def content(run: Run) -> dict[str, Any]:
    """All that must be equal, by name."""
    rows = [{k: v for k, v in row.to_json().items() if k not in TIMED} for row in run.windows()]
    found: dict[str, Any] = {"windows": json.dumps(rows), "episodes": run.paths.episodes.read_text()}
    for window, path in run.checkpoints().items():
        for name, value in leaves(torch.load(path, weights_only=True)):
            found[f"checkpoint {window} {name}"] = value
    return found


def leaves(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """A nest of dicts and lists as flat names; tensors as their bytes."""
    if isinstance(value, dict):
        return [leaf for k, v in value.items() if k not in TIMED for leaf in leaves(v, f"{name}.{k}")]
    if isinstance(value, (list, tuple)):
        return [leaf for i, v in enumerate(value) for leaf in leaves(v, f"{name}.{i}")]
    return [(name, value.numpy().tobytes() if isinstance(value, torch.Tensor) else value)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="tag")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--windows", type=int, default=12)
    options = parser.parse_args()
    moments, total, differing = random.Random(20260131), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        run, spoke_s, ended_s = peaceful(Path(folder) / "peace", options)
        wanted = content(run)
        for number in itertools.count():
            if total >= options.kills:
                break
            run, kills = killed(Path(folder) / f"killed-{number}", options, moments, spoke_s, ended_s)
            found = content(run)
            wrong = sorted(
                name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)
            )
            total, differing = total + kills, differing + bool(wrong)
            print(
                f"{kills} kills, {len(wanted)} parts compared: {'same' if not wrong else wrong[:5]}",
                flush=True,
            )
    print(f"{total} kills, {differing} runs that differ")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
