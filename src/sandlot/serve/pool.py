"""A thread pool of daemon threads.

Python joins the threads of a ThreadPoolExecutor at exit, so Ctrl-C would wait for results that nobody reads.
Tasks here only compute, or write files atomically, so they may be cut off.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Pool:
    """Like ThreadPoolExecutor, with daemon threads."""

    def __init__(self, threads: int, name: str):
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._threads = threads
        for i in range(threads):
            threading.Thread(target=self._work, name=f"{name}_{i}", daemon=True).start()

    def submit(self, task: Callable[..., T], *args: Any) -> Future[T]:
        """Schedule a call."""
        future: Future[T] = Future()
        self._tasks.put((future, partial(task, *args)))
        return future

    def close(self) -> None:
        """Cancel tasks that have not begun; running ones end by themselves or with the program."""
        while True:
            try:
                item = self._tasks.get_nowait()
            except queue.Empty:
                break
            if item is not None:
                item[0].cancel()
        for _ in range(self._threads):
            self._tasks.put(None)

    def _work(self) -> None:
        while (item := self._tasks.get()) is not None:
            _finish(*item)
            del item  # or the idle thread would keep the last result alive


def _finish(future: Future[Any], task: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(task())
    except BaseException as problem:  # noqa: BLE001  raised again in whoever waits for the result
        future.set_exception(problem)
