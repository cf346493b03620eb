"""`sandlot bench --engine godot`: the bridge beside the same scene with nobody at the other end."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from ..errors import GodotFailed
from ..evaluate.statistics import bootstrap
from ..games import make
from .progress import progress
from .show import out, table

STEPS_OF_ROWS = 4096  # decisions of one measurement, at least eight steps
CEILING_S = 600
SEED = 7


def measure(game: str, counts: list[int], rounds: int) -> dict[str, Any]:
    """Rates by number of arenas, each round with the bridge (binary, JSON) and without it, in turn."""
    cases = []
    with progress(f"Measuring {game} in Godot") as tell:
        for i, worlds in enumerate(counts):
            rates: dict[str, list[float]] = {"bridge": [], "json": [], "ceiling": []}
            for turn in range(rounds):
                tell(f"{worlds} arenas", i * rounds + turn, len(counts) * rounds)
                rates["ceiling"].append(_ceiling(game, worlds))
                rates["bridge"].append(_bridge(game, worlds, "binary"))
                rates["json"].append(_bridge(game, worlds, "json"))
            cases.append(_row(worlds, rates))
    return {"game": game, "engine": "godot", "rounds": rounds, "cases": cases}


def _steps(rows: int) -> int:
    return max(8, STEPS_OF_ROWS // rows)


def _bridge(game: str, worlds: int, encoding: str) -> float:
    """Agent decisions a second through the bridge, random play, checks and arrays included."""
    with make(game, worlds, seed=SEED, engine="godot", encoding=encoding) as world:
        world.reset()
        steps = _steps(world.rows)
        rng = np.random.default_rng(SEED)
        actions = rng.uniform(-1, 1, (16, *world.actions.shape)).astype(np.float32)
        for step in range(steps):  # the same warming up as without the bridge
            world.step(actions[step % 16])
        began = time.perf_counter()
        for step in range(steps):
            world.step(actions[step % 16])
        return steps * world.rows / (time.perf_counter() - began)


def _ceiling(game: str, worlds: int) -> float:
    from ..bridge.godot_process import GodotProcess
    from ..bridge.godot_project import project_folder

    rows = worlds * 2
    words = [f"--worlds={worlds}", f"--steps={_steps(rows)}"]
    arguments = ["--fixed-fps", "60", "--script", f"res://games/{game}/ceiling.gd", "--", *words]
    with GodotProcess(arguments, project=project_folder()) as process:
        ended = process.wait(CEILING_S)
    told = [line for line in ended.output.splitlines() if line.startswith("CEILING ")]
    if ended.code != 0 or not told:
        last = " / ".join(ended.output.strip().splitlines()[-3:])
        raise GodotFailed(f"The scene could not be measured (exit code {ended.code}): {last}")
    row = json.loads(told[-1].removeprefix("CEILING "))
    return row["decisions"] / row["seconds"]


def _row(worlds: int, rates: dict[str, list[float]]) -> dict[str, Any]:
    arrays = {name: np.array(values) for name, values in rates.items()}
    made: dict[str, Any] = {"worlds": worlds}
    for name, values in arrays.items():
        estimate = bootstrap(values, np.median)
        made[name] = {"decisions_per_second": estimate.value, "interval": [estimate.low, estimate.high]}
    for name in ("bridge", "json"):
        share = bootstrap(arrays[name] / arrays["ceiling"], np.median)
        made[f"{name}_share"] = {"value": share.value, "interval": [share.low, share.high]}
    return made


def show(report: dict[str, Any]) -> None:
    lines = [
        (
            case["worlds"],
            *(f"{case[name]['decisions_per_second']:,.0f}" for name in ("ceiling", "bridge", "json")),
            *(_share(case[f"{name}_share"]) for name in ("bridge", "json")),
        )
        for case in report["cases"]
    ]
    names = ("arenas>", "no bridge>", "bridge>", "bridge, JSON>", "share of no bridge>", "share, JSON>")
    title = f"{report['game']} in one Godot process: agent decisions/s, median of {report['rounds']} rounds"
    table(title, names, lines)
    out.print("The stock godot-rl client is not in this run: its addon is not part of the project.")


def _share(told: dict[str, Any]) -> str:
    low, high = told["interval"]
    return f"{100 * told['value']:.0f} % ({100 * low:.0f}-{100 * high:.0f})"
