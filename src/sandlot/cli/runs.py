"""`sandlot runs`: list, show, verify and remove runs."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from ..clock import now
from ..errors import ConfigError
from ..runs.records import RunRecord
from ..runs.run import Run
from ..runs.store import Store, open_run
from ..runs.verify import verify_run
from .options import RUNS, ForMachines, RunsFolder
from .show import as_json, err, out, table


def runs(
    action: Annotated[Literal["list", "show", "verify", "remove"], Argument(help="What to do.")] = "list",
    names: Annotated[list[str] | None, Argument(metavar="[RUN…]", help="Ids, folders, or `latest`.")] = None,
    sort: Annotated[Literal["age", "size"], Option(help="list: newest or largest first.")] = "age",
    older: Annotated[
        float | None,
        Option("--older-than", metavar="DAYS", min=0, help="Only runs at least this many days old."),
    ] = None,
    empty: Annotated[bool, Option("--empty", help="Only empty runs.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="remove: do not ask.")] = False,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """List runs by age or size, show one, check its files, or remove some.

    `verify` checks every file of a run (digests of weights and replays, lines of metrics, the index), changes
    nothing, and exits with 1 when a file is damaged. A run that is being trained is never removed.

    Examples: sandlot runs · sandlot runs list --sort size · sandlot runs show latest ·
    sandlot runs verify latest · sandlot runs remove --empty --yes · sandlot runs remove --older-than 30
    """
    if action == "show":
        _show(_one(names, "show", runs), as_machine)
    elif action == "verify":
        _verify(_one(names, "verify", runs), as_machine)
    elif action == "remove":
        _remove(_chosen(names or [], runs, older, empty), names or [], older, empty, yes, as_machine)
    else:
        found = [_row(run) for run in _chosen(names or [], runs, older, empty)]
        if sort == "size":
            found.sort(key=lambda row: -row["bytes"])
        as_json({"runs": found}) if as_machine else _print(found, runs, filtered=empty or older is not None)


def _chosen(names: list[str], folder: Path, older: float | None, empty: bool) -> list[Run]:
    """The named runs, else all, most recently updated first; only those that match the filters."""
    if names:
        runs = [open_run(name, folder) for name in names]
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
        return now()  # unknown, so not old


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


def _print(rows: list[dict[str, Any]], folder: Path, filtered: bool) -> None:
    if not rows:
        out.print_line(f"No run in {folder} matches." if filtered else f"There are no runs in {folder}.")
        return
    lines = []
    for row in rows:
        status = "empty" if row["empty"] else row["status"]
        updated = row["updated_at"][:16].replace("T", " ")
        counts = (row["windows"], row["replays"], size(row["bytes"]))
        lines.append((row["run_id"], row["game"], status, *counts, updated))
    heads = ("run", "game", "status", "windows>", "replays>", "size>", "updated, UTC")
    table(f"{len(rows)} in {folder}, {size(sum(row['bytes'] for row in rows))}", heads, lines)


def size(count: float) -> str:
    """1.4 MB"""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"


def _one(names: list[str] | None, action: str, folder: Path) -> Run:
    if not names or len(names) != 1:
        raise ConfigError(f"Name one run: sandlot runs {action} latest.")
    return open_run(names[0], folder)


def _verify(run: Run, as_machine: bool) -> None:
    """Exit code 1 when a file is damaged or missing."""
    found = verify_run(run)
    bad = [each for each in found if each.problem]
    if as_machine:
        as_json({"run_id": run.run_id, "ok": not bad, "files": [each.as_json() for each in found]})
    elif bad:
        rows = [(each.file, each.problem) for each in bad]
        table(f"{run.run_id}: {len(bad)} of {len(found)} files are damaged", ("file", "problem"), rows)
    else:
        out.print_line(f"{run.run_id}: all {len(found)} files are undamaged.")
    if bad:
        raise typer.Exit(1)


def _show(run: Run, as_machine: bool) -> None:
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
    table(run.run_id, ("", ""), [(key, "" if value is None else value) for key, value in shown.items()])
    if best is not None and best.report is not None:
        report = best.report
        value = f"value {report.get('value'):,.4g} on {report.get('episodes')} report seeds"
        out.print_line(f"best.pt: {value}.")


def _remove(
    runs: list[Run], names: list[str], older: float | None, empty: bool, yes: bool, as_machine: bool
) -> None:
    if not (names or empty or older is not None):
        raise ConfigError("Name runs to remove, or choose them by --empty or --older-than DAYS.")
    rows = [_row(run) for run in runs]
    for row in rows:
        err.print_line(f"{row['run_id']}: {row['game']}, {row['status']}, {size(row['bytes'])}")
    if rows and not yes and not typer.confirm(f"Remove {len(rows)} for good?", err=True):
        raise typer.Exit(1)
    for run in runs:
        Store(run.paths.folder.parent).remove(run.paths.folder.name)
    if as_machine:
        as_json({"removed": [row["run_id"] for row in rows], "bytes": sum(row["bytes"] for row in rows)})
    else:
        freed = size(sum(row["bytes"] for row in rows))
        out.print(f"Removed {len(rows)}, {freed}." if rows else "No run matches.")
