"""What all requests share: the store and what was learned about it, the workers, the sessions, the caches."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends
from starlette.requests import HTTPConnection

from ..errors import UnsafePath
from ..runs import Run, RunRecord, Store
from ..runs.atomic import read_json
from ..runs.paths import RunPaths, check_name
from ..runs.records import parse
from ..runs.run import present_status
from .errors import Refusal
from .exports import Exports
from .frames import FrameShelf
from .pool import Pool
from .scores import ScoreBook
from .sessions import Sessions
from .settings import Settings
from .wandb import WandbReader

T = TypeVar("T")
# Waiting at a time; who comes later is told to come again.
MOST_FRAME_TASKS, MOST_CHORES, MOST_QUESTIONS = 2000, 64, 64


class Context:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.store = Store(settings.runs)
        self.records = RecordCache()
        self.workers = Workers("frames", settings.workers, settings.work_seconds, MOST_FRAME_TASKS)
        self.chores = Workers("chores", 1, settings.work_seconds, MOST_CHORES)
        self.askers = Workers("wandb", 4, settings.work_seconds, MOST_QUESTIONS)
        self.frames = FrameShelf(settings.frame_cache_bytes)
        self.sessions = Sessions(settings.max_sessions, settings.session_seconds)
        self.wandb = WandbReader(settings)
        self.scores = ScoreBook()
        self.exports = Exports(settings.cache)
        self.sockets = 0  # open ones; touched by the event loop alone

    def close(self) -> None:
        self.sessions.close()
        self.frames.close()
        self.stop_working()

    def stop_working(self) -> None:
        """Who waits for something to be worked out is told that nothing comes any more."""
        for workers in (self.workers, self.chores, self.askers):
            workers.close()

    async def work(self, task: Callable[..., T], *args: Any) -> T:
        """Make frames on a thread, so that the event loop goes on."""
        return await self.workers.do(task, *args)

    async def chore(self, task: Callable[..., T], *args: Any) -> T:
        """Do what takes seconds (scores, exports) apart from frames, which somebody is watching."""
        return await self.chores.do(task, *args)

    async def chore_once(self, key: Hashable, task: Callable[..., T], *args: Any) -> T:
        """A chore that everybody who asks for it meanwhile waits for, instead of having it done again."""
        return await self.chores.do_once(key, task, *args)

    async def ask(self, task: Callable[..., T], *args: Any) -> T:
        """Ask somebody elsewhere, who may be slow: not on the threads that everybody else needs."""
        return await self.askers.do(task, *args)

    # ------------------------------------------------------------ runs

    def run(self, run_id: str) -> Run:
        """A run to read, or a 404."""
        if not self.has_run(run_id):
            raise self.no_run(run_id)
        return Run(self.store.root / run_id)

    def has_run(self, run_id: str) -> bool:
        """Whether there is a run of that name in the folder of runs, and not behind a link out of it."""
        try:
            folder = self.store.root / check_name("run", run_id)
        except UnsafePath:
            return False
        inside = folder.resolve().is_relative_to(self.store.root.resolve())
        return inside and RunPaths(folder).record.is_file()

    def no_run(self, run_id: str) -> Refusal:
        return Refusal(
            404,
            "not_found",
            f"There is no run {run_id[:140]!r} (any more). GET /api/runs lists those there are.",
        )

    def all_runs(self) -> list[RunRecord]:
        """Every readable run, newest updated first. What their newest replay is, is not looked up."""
        root = self.store.root
        if not root.is_dir():
            return []
        found = []
        for folder in root.iterdir():
            record = self.records.get(RunPaths(folder).record) if self.has_run(folder.name) else None
            if record is not None:
                status = present_status(record, RunPaths(folder))  # a kill leaves run.json as it was
                found.append(record.model_copy(update={"status": status}))
        return sorted(found, key=lambda record: (record.updated_at, record.run_id), reverse=True)

    def without_paths(self, text: str) -> str:
        """A sentence without the places of this machine."""
        for root in (self.store.root.resolve(), self.store.root):
            if root != Path():
                text = text.replace(str(root), "runs")
        return text


class Workers:
    """A few threads, with a deadline for who waits and a limit on how many may."""

    def __init__(self, name: str, threads: int, seconds: float, most: int):
        self._name, self._threads, self._seconds, self._most = name, threads, seconds, most
        self._pool: Pool | None = None
        self._waiting, self._lock = 0, threading.Lock()
        # touched by the event loop alone
        self._expected: set[asyncio.Future[Any]] = set()  # by requests
        self._shared: dict[Hashable, asyncio.Task[Any]] = {}  # under way, for whoever asks for the same

    async def do(self, task: Callable[..., T], *args: Any) -> T:
        if self._waiting >= self._most:
            raise self._busy("has too much to do already")
        if self._pool is None:  # an app that was closed may be started again
            self._pool = Pool(self._threads, self._name)
        self._count(1)
        working = self._pool.submit(task, *args)
        working.add_done_callback(lambda _: self._count(-1))
        expected = asyncio.wrap_future(working)
        self._expected.add(expected)
        try:
            return await asyncio.wait_for(expected, self._seconds)
        except asyncio.TimeoutError:
            raise self._busy(f"is busy: this took over {self._seconds:g} s") from None
        except asyncio.CancelledError:
            if expected in self._expected:
                raise  # the client has gone
            raise self._busy("is being stopped") from None
        finally:
            self._expected.discard(expected)

    async def do_once(self, key: Hashable, task: Callable[..., T], *args: Any) -> T:
        """As `do`; who asks with the same key while it is under way waits for the same result."""
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = asyncio.ensure_future(self.do(task, *args))
            shared.add_done_callback(lambda done: self._finished(key, done))
        return await asyncio.shield(shared)  # one who leaves does not stop it for the others

    def _finished(self, key: Hashable, done: asyncio.Task[Any]) -> None:
        del self._shared[key]
        if not done.cancelled():
            done.exception()  # looked at, even if everybody has left

    def _count(self, change: int) -> None:
        with self._lock:
            self._waiting += change

    def _busy(self, what: str) -> Refusal:
        return Refusal(503, "too_slow", f"The server {what}. Try again.", headers={"Retry-After": "5"})

    def close(self) -> None:
        while self._expected:
            self._expected.pop().cancel()
        if self._pool is not None:
            self._pool.close()
            self._pool = None


class RecordCache:
    """run.json of every run, read again only when it has changed: lists of runs are asked for often."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, int, int], RunRecord | None]] = {}
        self._lock = threading.Lock()

    def get(self, path: Path) -> RunRecord | None:
        """None for a record that cannot be read: it is left out of lists."""
        try:
            told = path.stat()
        except OSError:
            return None
        version = (told.st_mtime_ns, told.st_size, told.st_ino)
        with self._lock:
            known = self._known.get(path)
        if known is not None and known[0] == version:
            return known[1]
        record = _read(path)
        with self._lock:
            self._known[path] = (version, record)
        return record


def _read(path: Path) -> RunRecord | None:
    try:
        return parse(RunRecord, read_json(path), str(path))
    except (OSError, ValueError):  # a Damaged one is a ValueError
        return None


async def context_of(connection: HTTPConnection) -> Context:  # async: worth no thread
    return connection.app.state.context


Shared = Annotated[Context, Depends(context_of)]


def run_of(run_id: str, context: Shared) -> Run:
    return context.run(run_id)


ThisRun = Annotated[Run, Depends(run_of)]
