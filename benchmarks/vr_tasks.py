"""Scenes of the Godot project, played by their scripted baselines and by exported policies, as tables.

.venv/bin/python benchmarks/vr_tasks.py voxel --episodes 10
.venv/bin/python benchmarks/vr_tasks.py voxel --episodes 10 --policy exports/policy.onnx
.venv/bin/python benchmarks/vr_tasks.py faults --episodes 3
.venv/bin/python benchmarks/vr_tasks.py load

`voxel`: what is found above 5 ms a chunk. `faults`: a planted seam and a planted growth beside a sound
terrain. `load`: which load breaks 90 frames a second for 1,000 frames. Headless: times are those of scripts
and physics, not of drawing; they are real, so other work on the machine shows in them. Prints a Markdown
table.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from statistics import fmean
from typing import Any

from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder
from sandlot.evaluate.speed import machine

LIMIT_S = 3600
RATE = "90"  # ticks per second of these scenes
WORD = "sandlot episode "  # before each episode in the log
VOXEL = "res://games/voxel/voxel_stress.tscn"
YARD = "res://games/physics_stress/physics_stress.tscn"
Row = dict[str, Any]


def play(scene: str, episodes: int, seed: int, **words: object) -> list[Row]:
    """Episodes of a scene, as it prints them. words: settings, or `policy`."""
    given = [
        f"--{name}={value}" if name == "policy" else f"--set.{name}={value}" for name, value in words.items()
    ]
    arguments = ["--fixed-fps", RATE, scene, "--", f"--episodes={episodes}", f"--seed={seed}", *given]
    with GodotProcess(arguments, project=project_folder()) as process:
        ended = process.wait(LIMIT_S)
        log = process.log.read_text(errors="replace")
    rows = [json.loads(line.removeprefix(WORD)) for line in log.splitlines() if line.startswith(WORD)]
    if ended.code or len(rows) != episodes:
        raise SystemExit(f"{scene} ended with {ended.code} after {len(rows)} episodes:\n{log[-2000:]}")
    return rows


def interval(successes: float, count: int) -> str:
    """Wilson's 95 % interval of a share, in percent."""
    z, share = 1.96, successes / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return f"{100 * max(middle - half, 0):.0f} to {100 * min(middle + half, 1):.0f}"


def share(rows: list[Row], name: str) -> str:
    """A flag's share with its interval."""
    found = sum(row[name] for row in rows)
    return f"{100 * found / len(rows):.0f} ({interval(found, len(rows))})"


def mean(rows: list[Row], name: str, digits: int = 1) -> str:
    """A measure's mean."""
    return f"{fmean(row[name] for row in rows):.{digits}f}"


def table(head: list[str], rows: list[list[str]]) -> None:
    """Print Markdown."""
    for line in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(line) + " |", flush=True)


def voxel(episodes: int, seed: int, policy: str | None) -> None:
    """What random movement finds, what a straight line finds, what a policy finds."""
    players: list[tuple[str, dict[str, object]]] = [("random", {"baseline": "random"})]
    players += [("policy", {"policy": Path(policy).absolute()})] if policy else []
    players += [("straight line", {"baseline": "straight"})]
    lines = []
    for name, words in players:
        rows = play(VOXEL, episodes, seed, view_radius=6, **words)
        cells = [
            share(rows, "success"),
            mean(rows, "slow_chunks"),
            mean(rows, "slowest_chunk_ms"),
            mean(rows, "distance", 0),
        ]
        lines.append([name, str(len(rows)), *cells, mean(rows, "return", 0)])
    head = [
        "player",
        "episodes",
        "finds a chunk above 5 ms, % (95 %)",
        "such chunks",
        "slowest, ms",
        "ends at, m",
        "return",
    ]
    table(head, lines)


def faults(episodes: int, seed: int) -> None:
    """A sound terrain beside one with a planted seam and one with a planted growth."""
    lines = []
    for name, words in (
        ("sound", {}),
        ("seam", {"plant_seam": "true"}),
        ("growth", {"plant_growth": "true"}),
    ):
        for player in ("random", "straight"):
            rows = play(VOXEL, episodes, seed, view_radius=6, baseline=player, **words)
            cells = [share(rows, "lod_seam"), mean(rows, "cracks", 0), share(rows, "memory_growth")]
            lines.append([name, player, str(len(rows)), *cells])
    head = ["planted", "player", "episodes", "seam found, % (95 %)", "cracks, m", "growth found, % (95 %)"]
    table(head, lines)


def load(episodes: int, seed: int) -> None:
    """More and more spawns for each decision of 9 ticks: when does the rate break?"""
    lines = []
    for spawns in (0, 1, 2, 3, 5, 8, 10):
        rows = play(YARD, episodes, seed, baseline="load", load_per_decision=spawns)
        cells = [mean(rows, name, 0) for name in ("bodies", "chunks", "slow_frames")]
        cells += [mean(rows, "longest_ms"), mean(rows, "memory_mb", 0), share(rows, "success")]
        lines.append([str(spawns), *cells])
    head = [
        "spawns",
        "crates",
        "chunks",
        "frames over 11.1 ms of 1,000",
        "longest, ms",
        "memory, MB",
        "holds, % (95 %)",
    ]
    table(head, lines)


def main() -> None:
    """Parse, play, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("voxel", "faults", "load"))
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1001)
    parser.add_argument("--policy", help="an ONNX file of `sandlot export`")
    given = parser.parse_args()
    if given.episodes < 1:
        parser.error("--episodes: expected at least 1.")
    print(f"{machine()}, headless\n")
    if given.task == "voxel":
        voxel(given.episodes, given.seed, given.policy)
    else:
        {"faults": faults, "load": load}[given.task](given.episodes, given.seed)


if __name__ == "__main__":
    main()
