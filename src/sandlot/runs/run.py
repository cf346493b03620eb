"""One run folder: what it holds, how it grows, where it is safe.

The commit point. A trainer appends rows while it works and now and then calls `commit`, which stages the
checkpoint beside its place, renames state.json into place, and moves the staged files. The rename of
state.json is the commit: before it the old commit point is untouched, after it a resume can finish the
moving. state.json remembers how long every growing file was, so that a resumed run cuts away what came after
and continues as if the rest had never happened. See docs/run_store.md.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..clock import Clock, iso, now
from ..errors import Damaged, StoreError, UnknownName
from .atomic import Lines, read_json, read_lines, remove_temporaries, write_bytes, write_json
from .episodes import EpisodeLog, legacy_of
from .evaluations import parse_evaluations
from .index import ReplayIndex
from .lock import RunLock, is_held
from .paths import RunPaths, staged, window_of
from .records import Best, Commit, IndexEntry, RoleBest, RunRecord, Status, WindowRow, parse
from .replays import Replay, read_folder
from .retention import Retention

log = logging.getLogger(__name__)

MOST_RESUMES = 100  # remembered; a run that a faulty machine restarts all night must not grow without end
TOTALS = ("env_steps_total", "ticks_total", "episodes_total")  # run.json has them of its newest window


class Run:
    """A run, opened to read; with a lock, also to write."""

    def __init__(
        self,
        folder: Path,
        lock: RunLock | None = None,
        clock: Clock = now,
        retention: Retention | None = None,
    ):
        self.paths = RunPaths(folder)
        self.index = ReplayIndex(self.paths.index)
        self.retention = retention or Retention()
        self._lock, self._clock = lock, clock
        self._windows: Lines | None = None
        self._episodes: EpisodeLog | None = None
        self._totals: dict[str, int] = {}  # of the newest row that was appended
        self._digests: dict[Path, tuple[tuple[int, int], str]] = {}  # of checkpoints, by size and time

    # ------------------------------------------------------------ reading

    @functools.cached_property
    def run_id(self) -> str:
        return self.record.run_id

    @property
    def record(self) -> RunRecord:
        """run.json as it is now; its newest replay is asked of the catalogue, which evaluators write."""
        record = parse(RunRecord, read_json(self.paths.record), str(self.paths.record))
        changes: dict[str, Any] = {"latest_replay": self._latest_replay(record.latest_replay)}
        return record.model_copy(update=changes | {"status": present_status(record, self.paths)})

    @property
    def config(self) -> dict[str, Any]:
        value = read_json(self.paths.config)
        if not isinstance(value, dict):
            raise Damaged(
                f"{self.paths.config} holds {type(value).__name__}, expected an object. "
                "Restore it from a copy."
            )
        return value

    @property
    def committed(self) -> Commit | None:
        """The last commit point; None before the first."""
        if not self.paths.state.exists():
            return None
        commit = parse(Commit, read_json(self.paths.state), str(self.paths.state))
        if commit.digest != commit.own_digest():
            raise Damaged(
                f"{self.paths.state} was changed after it was written: its digest differs. "
                "Restore it from a copy, or start a new run."
            )
        return commit

    def is_empty(self) -> bool:
        """Whether nothing came of it: no window, no episode, no checkpoint, no replay."""
        episodes = len(read_lines(self.paths.episodes)) > 1  # the first line holds the columns
        replays = any(self.paths.replays.glob("*")) if self.paths.replays.is_dir() else False
        return not (self.paths.state.exists() or self.window_count() or episodes or replays)

    def windows(self, limit: int | None = None, order: Literal["asc", "desc"] = "asc") -> list[WindowRow]:
        """Window rows by age; with a limit, the newest so many."""
        numbered = list(enumerate(read_lines(self.paths.windows), start=1))
        numbered = numbered[max(0, len(numbered) - limit) :] if limit is not None else numbered
        rows = [self._window_row(number, line) for number, line in numbered]
        return rows if order == "asc" else rows[::-1]

    def window_count(self) -> int:
        return len(read_lines(self.paths.windows))

    def checkpoints(self) -> dict[int, Path]:
        """Every checkpoint by window, oldest first."""
        found = {window_of(path): path for path in self.paths.checkpoints.glob("ckpt_*.pt")}
        return {window: found[window] for window in sorted(w for w in found if w is not None)}

    def newest_checkpoint(self) -> Path:
        """The checkpoint of the last commit point."""
        commit = self.committed
        if commit is None:
            raise StoreError(
                f"Run {self.paths.folder.name} has no checkpoint yet. Train it for at least one window."
            )
        path = self.paths.inside(commit.checkpoint)
        return path if path.exists() else staged(path)

    def best(self) -> Best | None:
        if not self.paths.best_note.exists():
            return None
        return parse(Best, read_json(self.paths.best_note), str(self.paths.best_note))

    def _window_row(self, number: int, line: str) -> WindowRow:
        what = f"Line {number} of {self.paths.windows}"
        try:
            return parse(WindowRow, json.loads(line), what)
        except (ValueError, RecursionError) as problem:
            raise Damaged(f"{what} is not a window row ({problem}).") from None

    # ------------------------------------------------------------ evaluation

    def evaluated_every(self, windows: int) -> None:
        """Checkpoints stay until they were evaluated, one in so many windows; 0: nobody evaluates them."""
        self.retention = dataclasses.replace(self.retention, evaluated_every=windows)

    def unevaluated(self, every: int = 1) -> list[int]:
        """Windows whose committed checkpoints wait for evaluation, oldest first.

        every: at least so many windows lie between two evaluated ones. A window that was committed again
        since its evaluation waits too: its weights are others now.
        """
        commit = self.committed
        files = {w: path for w, path in self.checkpoints().items() if commit and w <= commit.window_id}
        evaluated = {row["window_id"]: row for row in parse_evaluations(self.paths.evaluations)[0]}
        waiting: list[int] = []
        last: int | None = None
        for window in sorted(files.keys() | evaluated.keys()):
            row = evaluated.get(window)
            changed = row is not None and window in files and not self._is_of(row, files[window])
            due = changed if row is not None else last is None or window - last >= every
            if due:
                waiting.append(window)
            if due or row is not None:
                last = window
        return waiting

    def _is_of(self, row: Mapping[str, Any], checkpoint: Path) -> bool:
        """Whether an evaluation is of the file that lies there now."""
        evaluated = row.get("checkpoint_sha256")
        return not evaluated or evaluated == self._digest(checkpoint)

    def _digest(self, path: Path) -> str | None:
        """SHA-256 of a file, read again only when it has changed; None when it is gone."""
        try:
            told = path.stat()
            version = (told.st_size, told.st_mtime_ns)
            if self._digests.get(path, (None,))[0] != version:
                self._digests[path] = (version, sha256(path.read_bytes()))
        except OSError:
            return None
        return self._digests[path][1]

    # ------------------------------------------------------------ replays: any process may add

    def add_replay(self, replay: Replay) -> IndexEntry:
        """Store a replay and enter it in the catalogue; the file first, so that no entry lacks its file."""
        path = self.paths.replay(replay.header.replay_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, replay.to_bytes())
        entry = replay.entry(self.paths.relative(path))
        self.index.add(entry)
        return entry

    def remove_replay(self, entry: IndexEntry) -> None:
        """Take a replay out of the catalogue, then its file away."""
        self.index.remove(entry.replay_id)
        self.replay_path(entry).unlink(missing_ok=True)

    def reindex(self) -> list[StoreError]:
        """Rebuild the catalogue from the replays' own files; returns what is wrong with those left out."""
        entries, problems = read_folder(self.paths.replays, self.paths.folder)
        self.index.rebuild(entries)
        return problems

    def replay_path(self, entry: IndexEntry) -> Path:
        return self.paths.inside(entry.replay_path)

    # ------------------------------------------------------------ writing: the holder of the lock

    def append_windows(self, rows: Sequence[WindowRow]) -> None:
        self._writing()
        if self._windows is None:
            self._windows = Lines(self.paths.windows)
        self._windows.append(*(json.dumps(row.to_json(), allow_nan=False) for row in rows))
        for row in rows[-1:]:
            self._totals = {name: getattr(row, name) for name in TOTALS}

    def episode_log(
        self, metrics: Sequence[str] = (), codes: Mapping[str, Sequence[str]] | None = None
    ) -> EpisodeLog:
        """The table of episodes, opened once; later calls give the same."""
        self._writing()
        if self._episodes is None:
            self._episodes = EpisodeLog(self.paths.episodes, metrics, codes)
        return self._episodes

    def update(self, **changes: Any) -> RunRecord:
        """Change fields of run.json."""
        self._writing()
        told = self.record.to_json() | {"updated_at": iso(self._clock())} | changes
        record = parse(RunRecord, told, str(self.paths.record))
        write_json(self.paths.record, record.to_json())
        return record

    def finish(self, status: Status, error: str | None = None) -> RunRecord:
        """The last word: completed, stopped (to be resumed) or failed (with the error)."""
        return self.update(status=status, error=error, finished_at=iso(self._clock()))

    def _latest_replay(self, before: str | None) -> str | None:
        try:
            return self.index.newest_id() or before
        except (
            StoreError
        ) as problem:  # a broken catalogue must not stop a training; reading it will say so too
            log.warning("%s", problem)
            return before

    # ------------------------------------------------------------ the commit point

    def commit(
        self,
        window_id: int,
        checkpoint: bytes,
        trainer: Mapping[str, Any] | None = None,
        record: Mapping[str, Any] | None = None,
        policies: Mapping[str, bytes] | None = None,
        best: float | None = None,
        resume: bytes | None = None,
    ) -> Commit:
        """Make everything so far safe.

        trainer: JSON that comes back as `committed.trainer`.
        record: fields of run.json at this point; its totals are those of the newest row unless given here.
        policies: newest weights by role.
        best: given when this checkpoint is the best so far, its value.
        resume: state too large for every checkpoint (worlds, optimiser); only the newest is kept.
        """
        self._writing()
        path = self.paths.checkpoint(window_id)
        files = {path: checkpoint}
        if resume is not None:
            files[self.paths.resume(window_id)] = resume
        files |= {self.paths.policy(role): weights for role, weights in (policies or {}).items()}
        for final, data in files.items():
            write_bytes(staged(final), data)
        commit = Commit(
            run_id=self.run_id,
            window_id=window_id,
            checkpoint=self.paths.relative(path),
            files={self.paths.relative(final): sha256(data) for final, data in files.items()},
            lines=self._synced_lines(),
            best_window=None if best is None else window_id,
            best_value=best,
            record=self._record_at(window_id, record or {}),
            trainer=dict(trainer or {}),
            created_at=iso(self._clock()),
        )
        commit = commit.signed()
        write_json(self.paths.state, commit.to_json())  # from here on it counts
        for final in files:
            staged(final).replace(final)
        self._settle(commit)
        return commit

    def _record_at(self, window_id: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """What run.json says from a commit on."""
        before = self.committed
        return {
            **self._totals,
            **given,
            "latest_window": window_id,
            "latest_checkpoint": self.paths.relative(self.paths.checkpoint(window_id)),
            "windows_emitted": self.window_count(),
            "checkpoints_written": 1 + (before.record["checkpoints_written"] if before else 0),
        }

    def resume_state(self) -> bytes:
        """The `resume` of the last commit point."""
        commit = self.committed
        path = self.paths.resume(commit.window_id) if commit else None
        if commit is None or path is None or self.paths.relative(path) not in commit.files:
            raise StoreError(f"Run {self.paths.folder.name} has nothing to resume from.")
        self._check_file(path, commit.files[self.paths.relative(path)])
        return path.read_bytes()

    def promote(
        self,
        window_id: int,
        value: float | None = None,
        weights: bytes | None = None,
        roles: Mapping[str, RoleBest] | None = None,
    ) -> Best:
        """Make a committed checkpoint best.pt. An evaluator in another process may do so too.

        weights: what best.pt holds; without any, that checkpoint's file, which must still be there.
        roles: which window each role is of.
        """
        commit = self.committed
        known = self.checkpoints()
        there = weights is not None or window_id in known
        if commit is None or not there or window_id > commit.window_id:
            raise UnknownName("committed checkpoint for window", window_id, map(str, known))
        data = known[window_id].read_bytes() if weights is None else weights
        write_bytes(self.paths.best, data)
        best = Best(
            window_id=window_id,
            value=value,
            checkpoint_sha256=sha256(data),
            created_at=iso(self._clock()),
            roles=dict(roles or {}),
        )
        write_json(self.paths.best_note, best.to_json())
        return best

    def report_best(self, report: Mapping[str, Any]) -> Best:
        """Note how good best.pt is on seeds on which nothing was chosen."""
        best = self.best()
        if best is None:
            raise StoreError(f"Run {self.paths.folder.name} has no best checkpoint to report on.")
        best = best.model_copy(update={"report": dict(report)})
        write_json(self.paths.best_note, best.to_json())
        return best

    def _settle(self, commit: Commit) -> None:
        """What follows from a commit. Repeating it does no harm, so a resume does it again."""
        if commit.best_window is not None:
            self.promote(commit.best_window, commit.best_value)
        self.update(**commit.record)
        best = self.best()
        kept = self.retention.kept(self.checkpoints(), best.window_id if best else None) | {commit.window_id}
        if self.retention.evaluated_every:
            kept |= set(self.unevaluated(self.retention.evaluated_every))
        for window, path in self.checkpoints().items():
            if window not in kept:
                path.unlink(missing_ok=True)
        for path in self.paths.checkpoints.glob("resume_*.pt"):
            if path != self.paths.resume(commit.window_id):
                path.unlink(missing_ok=True)

    def _synced_lines(self) -> dict[str, int]:
        """How long each growing file is, after flushing it."""
        growing = [lines for lines in (self._windows, self._episodes and self._episodes.lines) if lines]
        for lines in growing:
            lines.sync()
        files = (self.paths.windows, self.paths.episodes)
        return {self.paths.relative(path): path.stat().st_size for path in files if path.exists()}

    def rewind(self) -> Commit | None:
        """Back to the last commit point: cut, remove and repair what came after. None: to the start."""
        self._writing()
        self._repair_index()
        commit = self.committed
        if commit:
            self._finish_publishing(commit)
            self._check_commit(commit)
        remove_temporaries(self.paths.folder)
        for path in (self.paths.windows, self.paths.episodes):
            _cut(path, commit.lines.get(self.paths.relative(path), 0) if commit else 0)
        for window, path in self.checkpoints().items():
            if commit is None or window > commit.window_id:
                path.unlink()
        if commit:
            self._settle(commit)
        resumes = [each.model_dump() for each in self.record.resumes[1 - MOST_RESUMES :]]
        resumes.append({"at": iso(self._clock()), "window_id": commit.window_id if commit else None})
        self.update(status="running", finished_at=None, error=None, resumes=resumes)
        return commit

    def _repair_index(self) -> None:
        """Rebuild a catalogue that cannot be read: everything in it is in the replays' own files."""
        problem = self.index.problem()
        if problem:
            log.warning("%s The catalogue is rebuilt from the replays.", problem)
            for lost in self.reindex():
                log.warning("left out of the catalogue: %s", lost)

    def _finish_publishing(self, commit: Commit) -> None:
        """A kill right after the commit leaves its files under their staged names: move them now."""
        for relative, digest in commit.files.items():
            final = self.paths.inside(relative)
            if staged(final).exists() and sha256(staged(final).read_bytes()) == digest:
                staged(final).replace(final)

    def _check_commit(self, commit: Commit) -> None:
        if commit.run_id != self.run_id:
            raise Damaged(
                f"{self.paths.state} belongs to run {commit.run_id}, its folder to {self.run_id}. "
                "Copy whole folders only."
            )
        for path in (self.paths.checkpoint(commit.window_id), self.paths.resume(commit.window_id)):
            digest = commit.files.get(self.paths.relative(path))
            if digest:
                self._check_file(path, digest)

    def _check_file(self, path: Path, digest: str) -> None:
        found = sha256(path.read_bytes()) if path.exists() else None
        if found != digest:
            what = "is missing" if found is None else "was changed or cut off after it was written"
            raise Damaged(f"{path} {what}, so the run cannot be resumed. Restore it, or start a new run.")

    # ------------------------------------------------------------ life

    @property
    def writable(self) -> bool:
        """Whether this object holds the run's lock."""
        return self._lock is not None and self._lock.held

    def _writing(self) -> None:
        if not self.writable:
            raise StoreError(
                f"Run {self.paths.folder.name} was opened to read. Use Store.create or Store.resume to write."
            )

    def discard(self) -> None:
        """Remove the folder of a run that came to nothing; refused when there is something in it."""
        self._writing()
        if not self.is_empty():
            raise StoreError(f"Run {self.paths.folder.name} is not empty; nothing was removed.")
        self.close()
        shutil.rmtree(self.paths.folder)

    def close(self) -> None:
        """Close the files and let the next trainer in."""
        if self._windows:
            self._windows.close()
        if self._episodes:
            self._episodes.lines.close()
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def present_status(record: RunRecord, paths: RunPaths) -> Status:
    """What run.json says; but a run that nobody holds is not running."""
    return "interrupted" if record.status == "running" and not is_held(paths.lock) else record.status


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _cut(path: Path, size: int) -> None:
    if not path.exists() and not size:
        return
    with Lines(path) as lines:
        # a table that was begun anew under other columns is younger than the commit point
        restarted = lines.size < size and legacy_of(path).exists()
        lines.cut(0 if restarted else size)
