"""How much a policy that was trained natively loses in the Godot scene of the same game: the transfer gap.

.venv/bin/python benchmarks/transfer.py RUN [RUN …] --episodes 100

Each run is evaluated in both engines on the same held-out seeds with its likeliest actions, as with
`sandlot eval --greedy`. Prints one Markdown row per run. The gap is native less Godot, in points of the
headline; its interval is that of the difference of the paired episodes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

LIMIT_S = 3600


def evaluate(run: str, engine: str, episodes: int) -> dict[str, Any]:
    """The report of `sandlot eval`, with one row per episode."""
    words = [sys.executable, "-m", "sandlot", "eval", run, "--greedy", "--engine", engine]
    words += ["--episodes", str(episodes), "--json", "--rows"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return json.loads(done.stdout)


def paired(native: np.ndarray, godot: np.ndarray) -> tuple[float, float]:
    """The mean difference in points and half of its 95 % interval."""
    difference = 100.0 * (native - godot)
    return float(difference.mean()), float(1.96 * difference.std(ddof=1) / len(difference) ** 0.5)


def values(report: dict[str, Any], name: str) -> dict[int, float]:
    """A number of every episode of the checkpoint, by its seed."""
    return {row["seed"]: float(row[name]) for row in report["results"][0]["rows"]}


def main() -> None:
    """Parse, evaluate, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", help="ids or folders of native runs")
    parser.add_argument("--episodes", type=int, default=100)
    given = parser.parse_args()
    print("| game, run | episodes | native, % | Godot, % | gap, points (95 %) |\n|---|---|---|---|---|")
    for run in given.runs:
        reports = {engine: evaluate(run, engine, given.episodes) for engine in ("native", "godot")}
        name = reports["native"]["headline"]["name"]
        found = [values(reports[engine], name) for engine in ("native", "godot")]
        seeds = sorted(found[0].keys() & found[1].keys())
        native, godot = (np.array([one[seed] for seed in seeds]) for one in found)
        gap, half = paired(native, godot)
        cells = [f"{100 * native.mean():.1f}", f"{100 * godot.mean():.1f}", f"{gap:+.1f} ± {half:.1f}"]
        print(
            f"| {reports['native']['game']}, {Path(run).name} | {len(native)} | {' | '.join(cells)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
