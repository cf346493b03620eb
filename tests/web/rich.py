"""A folder of runs with more in it: a second run of the prospector, charts, and a league."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from sandlot.runs import Run, Store

from . import trained
from .trained import kept, sandlot, trained_runs

TWIN = "20260101T000000Z-0badcafe"  # the name of the second run of the prospector
STEPS_APART = 1000  # by which its windows end later, so that the two share no x


def run_of(runs: Path, game: str) -> Run:
    """The newest run of a game as it was trained."""
    store = Store(runs)
    return store.open(next(each.run_id for each in store.runs() if each.game == game and each.run_id != TWIN))


def add_twin(runs: Path) -> None:
    """A copy of the prospector's run that learned twice as fast and earned twice as much."""
    folder = runs / TWIN
    shutil.copytree(run_of(runs, "prospector").paths.folder, folder)
    record = json.loads((folder / "run.json").read_text())
    record |= {"run_id": TWIN, "status": "failed", "error": "The twin was switched off.", "seed": "99"}
    record["resumes"] = [{"at": "2026-01-01T00:10:00.000Z", "window_id": 1}]
    (folder / "run.json").write_text(json.dumps(record))
    config = json.loads((folder / "config.json").read_text())
    config["ppo"]["learning_rate"] *= 2
    (folder / "config.json").write_text(json.dumps(config))
    rows = [json.loads(line) for line in (folder / "metrics/windows.jsonl").read_text().splitlines()]
    for row in rows:
        row["run_id"] = TWIN
        row["env_steps_total"] += STEPS_APART
        row["profit_mean"] = 2 * abs(row["profit_mean"])
    rows[1]["profit_mean"] = None  # a window in which no episode ended
    (folder / "metrics/windows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def rich_runs() -> Path:
    """The trained runs, and all of that."""
    return kept("rich", _enrich, Path(__file__), Path(trained.__file__))


def _enrich(rich: Path) -> None:
    shutil.copytree(trained_runs(), rich)
    sandlot("league", "tag", "--runs", str(rich), "--episodes", "2")
    sandlot("plot", run_of(rich, "tag").run_id, "--runs", str(rich), "--no-anchors")
    add_twin(rich)
