"""Check that no file of a run was changed after it was written. Reads everything, changes nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..digest import check_seal
from ..errors import CheckpointError, SandlotError
from .atomic import read_lines
from .evaluations import parse_evaluations
from .paths import REPLAY_SUFFIX, RunPaths
from .replays import Replay
from .run import Run, sha256


@dataclass(frozen=True)
class Finding:
    """One file and its problem; None if it is intact."""

    file: str
    problem: str | None

    def as_json(self) -> dict[str, Any]:
        """The finding as plain JSON values."""
        return {"file": self.file, "ok": self.problem is None, "problem": self.problem}


def verify_run(run: Run) -> list[Finding]:
    """One finding per file, by name."""
    return sorted(_findings(run), key=lambda each: each.file)


def _findings(run: Run) -> Iterator[Finding]:
    paths = run.paths
    yield _checked(run, paths.record, lambda: run.record)
    yield _checked(run, paths.config, lambda: run.config)
    checks: list[tuple[Path, Callable[[], object]]] = [
        (paths.spec, lambda: run.spec),
        (paths.state, lambda: run.committed),
        (paths.windows, lambda: _windows(run)),
        (paths.episodes, lambda: _episodes(paths.episodes)),
        (paths.evaluations, lambda: _evaluations(paths.evaluations)),
        (paths.best_note, lambda: _best(run)),
        (paths.index, lambda: _catalogue(run)),
        *((path, lambda path=path: _weights(run, path)) for path in paths.checkpoints.glob("*.pt")),
        *((path, lambda path=path: Replay.read(path)) for path in _replays(paths)),
    ]
    yield from (_checked(run, path, check) for path, check in checks if path.exists())
    commit = _commit(run)
    for name in commit.files if commit else ():
        if not paths.inside(name).exists():
            yield Finding(name, "is missing, though the last commit point names it.")


def _replays(paths: RunPaths) -> Iterator[Path]:
    for folder in (paths.replays, paths.learning):
        yield from folder.glob(f"*{REPLAY_SUFFIX}")


def _checked(run: Run, path: Path, look: Any) -> Finding:
    try:
        look()
    except (SandlotError, OSError, _Problem) as problem:
        return Finding(run.paths.relative(path), str(problem).replace(f"{run.paths.folder}/", ""))
    return Finding(run.paths.relative(path), None)


class _Problem(Exception):
    """The problem of a file."""


def _windows(run: Run) -> None:
    rows = run.windows()
    numbers = [row.window_id for row in rows]
    if numbers != sorted(set(numbers)):
        raise _Problem("windows are out of order, or one is there twice.")
    commit = _commit(run)
    if commit is not None and run.paths.windows.stat().st_size < commit.lines.get("metrics/windows.jsonl", 0):
        raise _Problem("is shorter than at the last commit point: lines are missing.")


def _episodes(path: Path) -> None:
    lines = read_lines(path)
    columns = lines[0].count(",") if lines else 0
    for number, line in enumerate(lines, start=1):
        if '"' not in line and line.count(",") != columns:
            raise _Problem(f"line {number} has {line.count(',') + 1} columns, the first has {columns + 1}.")


def _evaluations(path: Path) -> None:
    problems = parse_evaluations(path)[1]
    if problems:
        raise _Problem("; ".join(problems))


def _weights(run: Run, path: Path) -> None:
    data = path.read_bytes()
    check_seal(data, path.name)
    commit = _commit(run)
    expected = commit.files.get(run.paths.relative(path)) if commit else None
    if expected is not None and sha256(data) != expected:
        raise CheckpointError(f"{path.name} is not the file of the last commit point.")


def _best(run: Run) -> None:
    best = run.best()
    if best is not None and (
        not run.paths.best.exists() or sha256(run.paths.best.read_bytes()) != best.checkpoint_sha256
    ):
        raise _Problem("names other weights than best.pt holds.")


def _catalogue(run: Run) -> None:
    problem = run.index.problem()
    if problem:
        raise _Problem(problem)
    files = {run.paths.relative(path) for path in run.paths.replays.glob(f"*{REPLAY_SUFFIX}")}
    listed = {row[0] for row in run.index.paths()}
    lost, unlisted = sorted(listed - files), sorted(files - listed)
    if lost:
        raise _Problem(f"lists replays that are not there: {', '.join(lost[:3])}.")
    if unlisted:
        missing = ", ".join(unlisted[:3])
        raise _Problem(f"does not list {missing}; rebuild it with `sandlot replay --reindex`.")


def _commit(run: Run) -> Any:
    try:
        return run.committed
    except SandlotError:  # state.json has a line of its own
        return None
