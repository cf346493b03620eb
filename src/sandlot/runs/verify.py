"""Whether every file of a run is what it was when it was written. Reads everything, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..digest import check_seal
from ..errors import CheckpointError, SandlotError
from .atomic import read_lines
from .evaluations import parse_evaluations
from .paths import REPLAY_SUFFIX
from .replays import Replay
from .run import Run, sha256


@dataclass(frozen=True)
class Finding:
    """One file: what is wrong with it, None when nothing is."""

    file: str
    problem: str | None

    def as_json(self) -> dict[str, Any]:
        return {"file": self.file, "ok": self.problem is None, "problem": self.problem}


def verify_run(run: Run) -> list[Finding]:
    """Every file that Sandlot knows how to check, in the order of the run's folder."""
    found = list(_findings(run))
    return sorted(found, key=lambda each: each.file)


def _findings(run: Run) -> Iterator[Finding]:
    paths = run.paths
    yield _checked(run, paths.record, lambda: run.record)
    yield _checked(run, paths.config, lambda: run.config)
    if paths.state.exists():
        yield _checked(run, paths.state, lambda: run.committed)
    if paths.windows.exists():
        yield _checked(run, paths.windows, lambda: _windows(run))
    if paths.episodes.exists():
        yield _checked(run, paths.episodes, lambda: _episodes(paths.episodes))
    if paths.evaluations.exists():
        yield _checked(run, paths.evaluations, lambda: _evaluations(paths.evaluations))
    for path in sorted(paths.checkpoints.glob("*.pt")):
        yield _checked(run, path, lambda path=path: _weights(run, path))
    if paths.best_note.exists():
        yield _checked(run, paths.best_note, lambda: _best(run))
    for path in sorted(paths.replays.glob(f"*{REPLAY_SUFFIX}")):
        yield _checked(run, path, lambda path=path: Replay.read(path))
    if paths.index.exists():
        yield _checked(run, paths.index, lambda: _catalogue(run))
    for relative in _lost(run):
        yield Finding(relative, "is missing, though the last commit point names it.")


def _checked(run: Run, path: Path, look: Any) -> Finding:
    try:
        look()
    except (SandlotError, OSError, _Wrong) as problem:
        return Finding(run.paths.relative(path), str(problem).replace(f"{run.paths.folder}/", ""))
    return Finding(run.paths.relative(path), None)


class _Wrong(Exception):
    """What is wrong with a file, in words."""


def _windows(run: Run) -> None:
    rows = run.windows()
    numbers = [row.window_id for row in rows]
    if numbers != sorted(set(numbers)):
        raise _Wrong("windows are out of order, or one is there twice.")
    commit = _commit(run)
    if commit is not None and run.paths.windows.stat().st_size < commit.lines.get("metrics/windows.jsonl", 0):
        raise _Wrong("is shorter than at the last commit point: lines are missing.")


def _episodes(path: Path) -> None:
    lines = read_lines(path)
    columns = lines[0].count(",") if lines else 0
    for number, line in enumerate(lines, start=1):
        if '"' not in line and line.count(",") != columns:
            raise _Wrong(f"line {number} has {line.count(',') + 1} columns, the first has {columns + 1}.")


def _evaluations(path: Path) -> None:
    problems = parse_evaluations(path)[1]
    if problems:
        raise _Wrong("; ".join(problems))


def _weights(run: Run, path: Path) -> None:
    data = path.read_bytes()
    check_seal(data, path.name)
    commit = _commit(run)
    expected = commit.files.get(run.paths.relative(path)) if commit else None
    if expected is not None and sha256(data) != expected:
        raise CheckpointError(f"{path.name} is not the file of the last commit point.")


def _best(run: Run) -> None:
    best = run.best()
    if best is not None and (not run.paths.best.exists() or sha256(run.paths.best.read_bytes()) != best.checkpoint_sha256):
        raise _Wrong("names other weights than best.pt holds.")


def _catalogue(run: Run) -> None:
    problem = run.index.problem()
    if problem:
        raise _Wrong(problem)
    files = {run.paths.relative(path) for path in run.paths.replays.glob(f"*{REPLAY_SUFFIX}")}
    listed = {row[0] for row in run.index.paths()}
    if listed - files:
        raise _Wrong(f"lists replays that are not there: {', '.join(sorted(listed - files)[:3])}.")
    if files - listed:
        raise _Wrong(f"does not list {', '.join(sorted(files - listed)[:3])}; rebuild it with `sandlot replay --reindex`.")


def _lost(run: Run) -> list[str]:
    """Files of the last commit point that are gone."""
    commit = _commit(run)
    return [name for name in commit.files if not run.paths.inside(name).exists()] if commit else []


def _commit(run: Run) -> Any:
    try:
        return run.committed
    except SandlotError:  # state.json has a line of its own
        return None
