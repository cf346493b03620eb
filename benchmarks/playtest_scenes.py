"""The playtest scenes of the Godot project, played by their scripted, random and still players, as tables.

.venv/bin/python benchmarks/playtest_scenes.py players --episodes 32
.venv/bin/python benchmarks/playtest_scenes.py players --scene multi_agent --episodes 64
.venv/bin/python benchmarks/playtest_scenes.py decoration

`players`: success with its 95 % interval and the means that each scene reports. `decoration`: what a scene
costs with and without the nodes that are only looked at, which training frees, in seconds of the engine's
own processor time: other programs do not count. Arenas side by side, headless, at seeds that no training
draws (1,000,000 and on). Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import psutil

import sandlot
from sandlot.bridge.godot_project import project_folder
from sandlot.evaluate.speed import machine
from sandlot.worlds.godot import address

FIRST_SEED = 1_000_000
ARENAS = 16
MOST_STEPS = 3_000  # of one batch of episodes
KEEP = "SANDLOT_KEEP_DECORATION"
DECISIONS = 100  # of the comparison of decoration
REPEATS = 2  # of it; the smaller numbers count
Row = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """A scene, the players to compare by their settings, and the measures to show."""

    path: str
    players: dict[str, dict[str, Any]]
    measures: tuple[str, ...]


FEATURES = "res://scenes/features/"
SCRIPTED = {"scripted": {"baseline": "scripted"}, "random": {}, "still": {"baseline": "still"}}
AUTOPILOT: dict[str, dict[str, Any]] = {"scripted": {"autopilot": True}, "random": {}}
KEEP_APART: dict[str, dict[str, Any]] = {
    f"{kind}, {player}": {"rewards": kind, **({"baseline": player} if player != "random" else {})}
    for kind in ("cooperative", "adversarial")
    for player in ("scripted", "random", "still")
}
SCENES = {
    "locomotion": Scene(
        FEATURES + "vr_locomotion_test.tscn",
        AUTOPILOT,
        ("time_s", "collisions", "vignette_count", "comfort_score", "snaps_per_minute"),
    ),
    "course": Scene(
        FEATURES + "vr_locomotion_course.tscn",
        AUTOPILOT,
        ("waypoints", "time_s", "collisions", "vignette_count", "comfort_score"),
    ),
    "ui": Scene(
        FEATURES + "vr_ui_test.tscn",
        AUTOPILOT,
        ("pages", "element_share", "pointer_accuracy", "centre_error_m", "persisted"),
    ),
    "tracking": Scene(
        FEATURES + "vr_tracking_test.tscn",
        {
            "faults planned": {"baseline": "scripted"},
            "sound headset": {"baseline": "scripted", "faults": "none"},
        },
        ("planned", "pose_jumps", "drifts", "hand_losses", "missed", "false_alarms"),
    ),
    "landing_scenario": Scene(
        "res://games/landing/scenario.tscn",
        {"autopilot": {"baseline": "autopilot"}, "random": {}, "falling": {"baseline": "fall"}},
        ("soft_landing", "distance_to_pad", "touchdown_speed", "fuel_efficiency", "heading_error_deg"),
    ),
    "multi_agent": Scene(
        "res://games/multi_agent/multi_agent.tscn",
        KEEP_APART,
        ("nearest_m", "nearest_three_m", "spread_m", "collisions", "time_s"),
    ),
    "bug_reproduction": Scene(
        "res://games/bug_reproduction/bug_reproduction.tscn",
        {name: {"save_reports": False, **player} for name, player in SCRIPTED.items()}
        | {
            "scripted, sound terrain": {"save_reports": False, "baseline": "scripted", "planted": False},
            "scripted, queue overflow": {
                "save_reports": False,
                "baseline": "scripted",
                "target": "voxel_queue_overflow",
            },
        },
        ("found_after_s", "fast_share", "requests", "return"),
    ),
}


def play(scene: Scene, player: str, episodes: int) -> list[Row]:
    """The first episode of each seed. Where no script of the scene decides, actions are drawn uniformly."""
    generator = np.random.default_rng(7)
    rows: list[Row] = []
    while len(rows) < episodes:
        seeds = range(FIRST_SEED + len(rows), FIRST_SEED + min(len(rows) + ARENAS, episodes))
        rows += _batch(scene, player, list(seeds), generator)
    return rows


def _batch(scene: Scene, player: str, seeds: list[int], generator: np.random.Generator) -> list[Row]:
    game = address(project_folder(), scene.path)
    rows: list[Row] = []
    with sandlot.make(game, len(seeds), config=scene.players[player]) as world:
        world.reset(seeds=seeds)
        names = [one.name for one in world.spec.episode if one.size == 1]
        for _ in range(MOST_STEPS):
            if world.step(generator.uniform(-1, 1, world.actions.shape).astype(np.float32)):
                ended = world.finished()
                rows += [
                    {name: float(ended[i][name]) for name in names}
                    for i in range(len(ended))
                    if ended.heads["episode"][i] == 0
                ]
            if len(rows) == len(seeds):
                return rows
    raise SystemExit(f"{scene.path}: {len(rows)} of {len(seeds)} episodes ended in {MOST_STEPS} decisions.")


def interval(successes: float, count: int) -> str:
    """Wilson's 95 % interval of a share, in percent."""
    z, share = 1.96, successes / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * ((share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5) / (1 + z * z / count)
    return f"{100 * max(middle - half, 0):.0f} to {100 * min(middle + half, 1):.0f}"


def table(head: list[str], rows: list[list[str]]) -> None:
    """Print Markdown."""
    for line in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(line) + " |", flush=True)


def players(name: str, episodes: int) -> None:
    """One scene's table."""
    scene = SCENES[name]
    lines = []
    for player in scene.players:
        rows = play(scene, player, episodes)
        found = sum(row["success"] for row in rows)
        share = f"{100 * found / len(rows):.0f} ({interval(found, len(rows))})"
        lines.append(
            [player, str(len(rows)), share]
            + [f"{fmean(row[measure] for row in rows):.2f}" for measure in scene.measures]
        )
    print(f"\n{name}: `{scene.path}`\n")
    table(["player", "episodes", "success, % (95 %)", *scene.measures], lines)


@contextmanager
def _kept(keep: bool) -> Iterator[None]:
    os.environ[KEEP] = "1" if keep else "0"
    try:
        yield
    finally:
        del os.environ[KEEP]


def _engine() -> psutil.Process:
    """The process that plays: of all below this one the one that has worked most."""
    return max(psutil.Process().children(recursive=True), key=lambda one: sum(one.cpu_times()[:2]))


def _cost(path: str, keep: bool) -> tuple[float, float, float]:
    """Processor seconds to open the scene with its arenas, those of a thousand decisions, and megabytes."""
    with _kept(keep), sandlot.make(address(project_folder(), path), ARENAS) as world:
        world.reset(seed=1)
        engine = _engine()
        opened = sum(engine.cpu_times()[:2])
        world.actions[:] = 0
        for _ in range(DECISIONS):
            world.step(world.actions)
        played = sum(engine.cpu_times()[:2]) - opened
        return opened, 1000 * played / (DECISIONS * ARENAS), engine.memory_info().rss / 2**20


def decoration() -> None:
    """Scenes with and without what is only looked at."""
    lines = []
    for name in ("locomotion", "multi_agent"):
        for kind, keep in (("everything", True), ("stripped", False)):
            runs = [_cost(SCENES[name].path, keep) for _ in range(REPEATS)]
            opened, played, memory = (min(column) for column in zip(*runs, strict=True))
            lines.append([name, kind, f"{opened:.2f}", f"{played:.2f}", f"{memory:.0f}"])
    table(["scene", "nodes", "to open, s", "1,000 decisions, s", "memory, MB"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["players", "decoration"])
    parser.add_argument("--scene", choices=SCENES, help="of `players`; without it every scene")
    parser.add_argument("--episodes", type=int, default=32)
    asked = parser.parse_args()
    print(machine())
    if asked.what == "decoration":
        decoration()
        return
    for name in [asked.scene] if asked.scene else SCENES:
        players(name, asked.episodes)


if __name__ == "__main__":
    main()
