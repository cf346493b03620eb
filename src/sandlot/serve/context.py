"""State shared by all requests: the run store, worker threads, play sessions and caches."""

import asyncio
import functools
import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query
from starlette.requests import HTTPConnection

from ..errors import UnsafePath
from ..runs import Run, RunRecord, Store
from ..runs.atomic import read_json
from ..runs.paths import RunPaths, check_name
from ..runs.records import parse
from ..runs.run import present_status
from .errors import ApiError
from .exports import ExportCache
from .frames import FrameCache
from .pool import Pool
from .scores import ScoreCache
from .sessions import Sessions
from .settings import Settings
from .wandb import WandbReader

T = TypeVar("T")
MAX_RECORDS = 4096  # records of runs that are kept in memory
# Tasks that may wait at a time; a request beyond that is answered with 503 and Retry-After.
MAX_FRAME_TASKS, MAX_BACKGROUND_TASKS, MAX_WANDB_REQUESTS = 2000, 64, 64


class Context:
    """Everything a route needs; one per app, at `app.state.context`."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.store = Store(settings.runs)
        seconds = settings.work_seconds
        self.frame_workers = Workers("frames", settings.workers, seconds, MAX_FRAME_TASKS)
        self.background = Workers("background", 1, seconds, MAX_BACKGROUND_TASKS)  # tasks that take seconds
        self.wandb_workers = Workers("wandb", 4, seconds, MAX_WANDB_REQUESTS)
        self.frames = FrameCache(settings.frame_cache_bytes)
        self.sessions = Sessions(settings.max_sessions, settings.session_seconds)
        self.wandb = WandbReader(settings)
        self.scores = ScoreCache()
        self.exports = ExportCache(settings.cache)
        self.sockets = 0  # open replay sockets; only the event loop changes it

    def close(self) -> None:
        """Close sessions and frames, and end the worker threads."""
        self.sessions.close()
        self.frames.close()
        self.stop_working()

    def stop_working(self) -> None:
        """Answer every request that still waits for a worker with 503."""
        for workers in (self.frame_workers, self.background, self.wandb_workers):
            workers.close()

    # ------------------------------------------------------------ runs

    def run(self, run_id: str) -> Run:
        """Open a run for reading, or raise a 404."""
        if not self.has_run(run_id):
            raise self.no_run(run_id)
        return Run(self.store.root / run_id)

    def has_run(self, run_id: str) -> bool:
        """Whether the folder of runs has that run. A link that leads out of the folder does not count."""
        try:
            folder = self.store.root / check_name("run", run_id)
        except UnsafePath:
            return False
        inside = folder.resolve().is_relative_to(self.store.root.resolve())
        return inside and RunPaths(folder).record.is_file()

    def no_run(self, run_id: str) -> ApiError:
        """The 404 for a run that does not exist."""
        text = f"There is no run {run_id[:140]!r} (any more). GET /api/runs lists all runs."
        return ApiError(404, "not_found", text)

    def all_runs(self) -> list[RunRecord]:
        """Every readable run, most recently updated first. `latest_replay` is not looked up."""
        root = self.store.root
        if not root.is_dir():
            return []
        found = []
        for folder in root.iterdir():
            record = read_record(RunPaths(folder).record) if self.has_run(folder.name) else None
            if record is not None:
                status = present_status(record, RunPaths(folder))  # a killed trainer left "running"
                found.append(record.model_copy(update={"status": status}))
        return sorted(found, key=lambda record: (record.updated_at, record.run_id), reverse=True)

    def without_paths(self, text: str) -> str:
        """The text with paths of this machine replaced by `runs`."""
        for root in (self.store.root.resolve(), self.store.root):
            if root != Path():
                text = text.replace(str(root), "runs")
        return text


class Workers:
    """A thread pool with a deadline for each request and a limit on waiting tasks."""

    def __init__(self, name: str, threads: int, seconds: float, most: int):
        self._name, self._threads, self._seconds, self._most = name, threads, seconds, most
        self._pool: Pool | None = None
        self._waiting, self._lock = 0, threading.Lock()
        # only the event loop changes these
        self._expected: set[asyncio.Future[Any]] = set()  # results that requests wait for
        self._shared: dict[Hashable, asyncio.Task[Any]] = {}  # running tasks by key

    async def submit(self, task: Callable[..., T], *args: Any) -> T:
        """The result of a task, or a 503 when there are too many tasks or it takes too long."""
        if self._waiting >= self._most:
            raise self._busy("has too many waiting requests")
        if self._pool is None:  # a closed app may be started again
            self._pool = Pool(self._threads, self._name)
        self._count(1)
        working = self._pool.submit(task, *args)
        working.add_done_callback(lambda _: self._count(-1))
        expected = asyncio.wrap_future(working)
        self._expected.add(expected)
        try:
            return await asyncio.wait_for(expected, self._seconds)
        except TimeoutError:
            raise self._busy(f"is busy: this took over {self._seconds:g} s") from None
        except asyncio.CancelledError:
            if expected in self._expected:
                raise  # the client disconnected
            raise self._busy("is being stopped") from None
        finally:
            self._expected.discard(expected)

    async def submit_once(self, key: Hashable, task: Callable[..., T], *args: Any) -> T:
        """As `submit`; who asks with the same key while it is running waits for the same result."""
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = asyncio.ensure_future(self.submit(task, *args))
            shared.add_done_callback(lambda done: self._finished(key, done))
        return await asyncio.shield(shared)  # a client that disconnects does not cancel it for the others

    def _finished(self, key: Hashable, done: asyncio.Task[Any]) -> None:
        del self._shared[key]
        if not done.cancelled():
            done.exception()  # retrieved, or asyncio warns when no client is left

    def _count(self, change: int) -> None:
        with self._lock:
            self._waiting += change

    def _busy(self, what: str) -> ApiError:
        return ApiError(503, "too_slow", f"The server {what}. Try again.", headers={"Retry-After": "5"})

    def close(self) -> None:
        """Cancel what waits and end the threads without waiting for them."""
        while self._expected:
            self._expected.pop().cancel()
        if self._pool is not None:
            self._pool.close()
            self._pool = None


def read_record(path: Path) -> RunRecord | None:
    """run.json, read again only when the file has changed; None when it cannot be read."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return _read(path, (stat.st_mtime_ns, stat.st_size, stat.st_ino))


@functools.lru_cache(maxsize=MAX_RECORDS)
def _read(path: Path, _version: tuple[int, int, int]) -> RunRecord | None:
    try:
        return parse(RunRecord, read_json(path), str(path))
    except (OSError, ValueError):  # Damaged is a ValueError
        return None


async def get_context(connection: HTTPConnection) -> Context:
    """The application's context, as a FastAPI dependency; async, so that it needs no thread."""
    return connection.app.state.context


ContextDep = Annotated[Context, Depends(get_context)]


def get_run_or_404(run_id: str, context: ContextDep) -> Run:
    """The run of the path, or a 404."""
    return context.run(run_id)


Limit = Annotated[int, Query(ge=1, le=5000)]
RunDep = Annotated[Run, Depends(get_run_or_404)]
