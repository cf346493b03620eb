"""`sandlot runs`: what there is, what it takes up, and away with what is not needed."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

import enum
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..clock import now
from ..errors import ConfigError
from ..runs.records import RunRecord
from ..runs.run import Run
from ..runs.store import Store, locate
from .options import RUNS, ForMachines, RunsFolder
from .show import as_json, err, out, table


class Action(str, enum.Enum):
    list = "list"
    show = "show"
    remove = "remove"


class Order(str, enum.Enum):
    age = "age"
    size = "size"


def runs(
    action: Annotated[Action, typer.Argument(help="list, show RUN, or remove RUN…")] = Action.list,
    names: Annotated[
        Optional[list[str]], typer.Argument(metavar="[RUN…]", help="Ids or folders of runs, or `latest`.")
    ] = None,
    sort: Annotated[Order, typer.Option(help="list: the newest or the largest first.")] = Order.age,
    older: Annotated[
        Optional[float],
        typer.Option("--older-than", metavar="DAYS", min=0, help="Only runs so many days old."),
    ] = None,
    empty: Annotated[bool, typer.Option("--empty", help="Only runs with nothing in them.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="remove: do not ask.")] = False,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """List runs by age or size, show one, or remove some. A run that is being trained is never removed.

    Examples: sandlot runs · sandlot runs list --sort size · sandlot runs show latest ·
    sandlot runs remove --empty --yes · sandlot runs remove --older-than 30
    """
    if action is Action.show:
        _show(names or [], runs, as_machine)
    elif action is Action.remove:
        _remove(_chosen(names or [], runs, older, empty), names or [], older, empty, yes, as_machine)
    else:
        found = [_row(run) for run in _chosen(names or [], runs, older, empty)]
        if sort is Order.size:
            found.sort(key=lambda row: -row["bytes"])
        as_json({"runs": found}) if as_machine else _print(found, runs)


def _chosen(names: list[str], folder: Path, older: float | None, empty: bool) -> list[Run]:
    """Those that are named, else all; newest updated first, and only those that fit the filters."""
    if names:
        runs = [store.open(run_id) for store, run_id in (locate(name, folder) for name in names)]
    else:
        runs = [Store(folder).open(record.run_id) for record in Store(folder).runs()]
    if older is not None:
        latest = now() - timedelta(days=older)
        runs = [run for run in runs if _moment(run.record) <= latest]
    return [run for run in runs if run.is_empty()] if empty else runs


def _moment(record: RunRecord) -> datetime:
    try:
        return datetime.fromisoformat(record.updated_at.replace("Z", "+00:00"))
    except ValueError:
        return now()  # nobody knows; it is not old


def _row(run: Run) -> dict[str, Any]:
    record, best = run.record, run.best()
    return {
        "run_id": record.run_id,
        "game": record.game,
        "trainer": record.trainer_backend,
        "status": record.status,
        "windows": record.windows_emitted,
        "checkpoints": len(run.checkpoints()),
        "replays": run.index.count(),
        "best_window": best.window_id if best else None,
        "bytes": sum(path.stat().st_size for path in run.paths.folder.rglob("*") if path.is_file()),
        "empty": run.is_empty(),
        "updated_at": record.updated_at,
        "folder": str(run.paths.folder),
    }


def _print(rows: list[dict[str, Any]], folder: Path) -> None:
    if not rows:
        out.print(f"There is no such run in {folder}.", markup=False)
        return
    lines = [
        (
            row["run_id"],
            row["game"],
            "empty" if row["empty"] else row["status"],
            row["windows"],
            row["replays"],
            size(row["bytes"]),
            row["updated_at"][:16].replace("T", " "),
        )
        for row in rows
    ]
    heads = ("run", "game", "status", "windows>", "replays>", "size>", "updated, UTC")
    table(f"{len(rows)} in {folder}, {size(sum(row['bytes'] for row in rows))}", heads, lines)


def size(count: float) -> str:
    """1.4 MB"""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"


def _show(names: list[str], folder: Path, as_machine: bool) -> None:
    if len(names) != 1:
        raise ConfigError("Name one run to show: sandlot runs show latest.")
    store, run_id = locate(names[0], folder)
    run = store.open(run_id)
    best = run.best()
    row = _row(run) | {
        "record": run.record.to_json(),
        "best": best.to_json() if best else None,
        "not_evaluated": run.unevaluated(),
    }
    if as_machine:
        as_json(row)
        return
    shown = {key: value for key, value in row.items() if key not in ("record", "best", "bytes")}
    shown |= {"size": size(row["bytes"]), "started_at": run.record.started_at, "error": run.record.error}
    table(run_id, ("", ""), [(key, "" if value is None else value) for key, value in shown.items()])
    if best is not None and best.report is not None:
        report = best.report
        value = f"value {report.get('value'):,.4g} on {report.get('episodes')} seeds that chose nothing"
        out.print(f"best.pt: {value}.", markup=False)


def _remove(
    runs: list[Run], names: list[str], older: float | None, empty: bool, yes: bool, as_machine: bool
) -> None:
    if not (names or empty or older is not None):
        raise ConfigError("Name runs to remove, or choose them by --empty or --older-than DAYS.")
    rows = [_row(run) for run in runs]
    for row in rows:
        err.print(f"{row['run_id']}: {row['game']}, {row['status']}, {size(row['bytes'])}", markup=False)
    if rows and not yes and not typer.confirm(f"Remove {len(rows)} for good?", err=True):
        raise typer.Exit(1)
    for run in runs:
        Store(run.paths.folder.parent).remove(run.paths.folder.name)
    if as_machine:
        as_json({"removed": [row["run_id"] for row in rows], "bytes": sum(row["bytes"] for row in rows)})
    else:
        freed = size(sum(row["bytes"] for row in rows))
        out.print(f"Removed {len(rows)}, {freed}." if rows else "There is no such run.")
