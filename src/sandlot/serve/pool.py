"""Threads that nobody waits for in the end.

Python joins the threads of an executor before it exits, however long they still work: Ctrl-C would wait for
scores that nobody will read. What is done here is either only computed, or written whole or not at all.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Pool:
    def __init__(self, threads: int, name: str):
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._threads = threads
        for i in range(threads):
            threading.Thread(target=self._work, name=f"{name}_{i}", daemon=True).start()

    def submit(self, task: Callable[..., T], *args: Any) -> Future[T]:
        future: Future[T] = Future()
        self._tasks.put((future, partial(task, *args)))
        return future

    def close(self) -> None:
        """What has not begun is cancelled; what has goes on until it is done, or the program is."""
        while True:
            try:
                told = self._tasks.get_nowait()
            except queue.Empty:
                break
            if told is not None:
                told[0].cancel()
        for _ in range(self._threads):
            self._tasks.put(None)

    def _work(self) -> None:
        while (told := self._tasks.get()) is not None:
            _finish(*told)
            del told  # a thread that waits keeps no answer alive


def _finish(future: Future[Any], task: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(task())
    except BaseException as problem:  # noqa: BLE001  who waits for it is told
        future.set_exception(problem)
