"""The folder of all runs.

store = Store("runs")
with store.create(config, game="tag", trainer_backend="ppo", window_env_steps=100_000, seed=7) as run: ...
with store.resume(run_id) as run: commit = run.committed
for record in store.runs(): ...
"""

import logging
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..clock import Clock, iso, now
from ..errors import Damaged, SandlotError, StoreError, UnknownName
from ..files import refusal
from ..locking import FileLock
from .atomic import write_json
from .paths import RunPaths, check_name, new_run_folder
from .records import RunRecord
from .retention import Retention
from .run import Run

log = logging.getLogger(__name__)


class Store:
    """Creates, opens, resumes, lists and removes the runs of one folder."""

    def __init__(self, root: Path | str = "runs", clock: Clock = now):
        self.root, self._clock = Path(root), clock

    def create(
        self,
        config: Mapping[str, Any],
        retention: Retention | None = None,
        revision: str | None = None,
        spec: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Run:
        """A new run, locked for its trainer. fields: of RunRecord, as far as they are known.

        spec: of the game, as plain values (`Spec.stored`).
        """
        with _os_errors(self.root, "Nothing was changed."):
            paths = RunPaths(new_run_folder(self.root, self._clock, revision))
        try:
            with _os_errors(paths.folder, "No run was begun."):
                paths.make_folders()
                lock = FileLock(paths.lock, self._clock)
                started = iso(self._clock())
                record = RunRecord(
                    run_id=paths.folder.name,
                    metrics_windows_path=paths.relative(paths.windows),
                    metrics_episodes_path=paths.relative(paths.episodes),
                    checkpoints_dir=paths.relative(paths.checkpoints),
                    replays_dir=paths.relative(paths.replays),
                    replay_index_path=paths.relative(paths.index),
                    config_path=paths.relative(paths.config),
                    retention=asdict(retention or Retention()),
                    started_at=started,
                    updated_at=started,
                    **fields,
                )
                write_json(paths.config, dict(config))
                if spec is not None:
                    write_json(paths.spec, dict(spec))
                write_json(paths.record, record.to_json())  # last: a folder without it is no run yet
                return Run(paths.folder, lock, self._clock, retention)
        except BaseException:
            shutil.rmtree(paths.folder, ignore_errors=True)
            raise

    def open(self, run_id: str) -> Run:
        """A run for reading (and for adding replays); its trainer may be running."""
        return Run(self._folder(run_id), clock=self._clock)

    def resume(self, run_id: str, retention: Retention | None = None) -> Run:
        """A run to continue: locked, and rewound to its last commit point, which is `run.committed`.

        It keeps its retention, unless another one is given.
        """
        folder = self._folder(run_id)
        run = Run(folder, FileLock(RunPaths(folder).lock, self._clock), self._clock)
        try:
            with _os_errors(folder, "What was committed is untouched."):
                run.retention = retention or _retention_of(run)
                run.rewind()
        except BaseException:
            run.close()
            raise
        return run

    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """Records of all runs, last updated first. Unreadable ones are left out with a warning."""
        found = []
        for folder in self._folders():
            try:
                found.append(Run(folder).record)
            except StoreError as problem:
                log.warning("left out of the list of runs: %s", problem)
        found.sort(key=lambda record: (record.updated_at, record.run_id), reverse=True)
        return found[:limit]

    def latest(self, with_checkpoint: bool = False) -> Run:
        """The run that was updated last and is not empty; with_checkpoint: and has a checkpoint."""
        empty: list[str] = []
        for record in self.runs():
            run = self.open(record.run_id)
            if run.paths.state.exists() if with_checkpoint else not run.is_empty():
                if empty:
                    lacking = "a checkpoint" if with_checkpoint else "content"
                    names = ", ".join(empty)
                    log.warning("latest is %s; left out, without %s: %s", run.run_id, lacking, names)
                return run
            empty.append(record.run_id)
        what = "with a checkpoint " if with_checkpoint and empty else "with anything in it " if empty else ""
        raise StoreError(f"There is no run {what}in {self.root}. Make one with `sandlot train GAME`.")

    def remove(self, run_id: str) -> None:
        """Delete a run's folder; RunLocked while a trainer or an evaluator uses it."""
        folder = self._folder(run_id)
        with ExitStack() as held:
            for path in (RunPaths(folder).lock, RunPaths(folder).evaluator_lock):
                held.callback(FileLock(path, self._clock).release)
        with _os_errors(folder, "Some of it may be left."):
            shutil.rmtree(folder)

    def _folders(self) -> list[Path]:
        if not self.root.is_dir():
            return []
        with _os_errors(self.root, "Nothing was changed."):
            return sorted(folder for folder in self.root.iterdir() if RunPaths(folder).record.is_file())

    def _folder(self, run_id: str) -> Path:
        folder = self.root / check_name("run", run_id)
        if not RunPaths(folder).record.is_file():
            raise UnknownName(f"run in {self.root}", run_id, [f.name for f in self._folders()])
        return folder


@contextmanager
def _os_errors(path: Path, remains: str) -> Iterator[None]:
    """Turn OSError (a read-only folder, a full disk) into StoreError."""
    try:
        yield
    except SandlotError:
        raise
    except OSError as problem:
        raise refusal(Path(problem.filename or path), problem, remains) from problem


def _retention_of(run: Run) -> Retention:
    try:
        return Retention(**run.record.retention)
    except TypeError:
        text = f"{run.paths.record} is not valid at retention: {run.record.retention}"
        raise Damaged(f"{text}. Restore it from a copy.") from None


def open_run(name: str, root: Path | str = "runs") -> Run:
    """A run for reading, by its id, its folder or `latest`."""
    store, run_id = locate(name, root)
    return store.open(run_id)


def locate(name: str, root: Path | str = "runs") -> tuple[Store, str]:
    """The store and run id for a run's id, the path of its folder, or `latest`."""
    if name == "latest":
        store = Store(root)
        return store, store.latest().run_id
    path = Path(name)
    if RunPaths(path).record.is_file():
        path = path.resolve()
        return Store(path.parent), path.name
    return Store(root), name
