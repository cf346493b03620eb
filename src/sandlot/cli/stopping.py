"""Clean termination for commands that have something to clean up."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt, so that clean-up code runs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _as_ctrl_c)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _as_ctrl_c(number: int, frame: Any) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def stop_request() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or SIGTERM asked to stop; a second one stops at once."""
    asked = False
    if (
        threading.current_thread() is not threading.main_thread()
    ):  # signals are handled by the main thread only
        yield lambda: False
        return

    def ask(number: int, frame: Any) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        # not through the console: the signal may have come while it was writing
        os.write(2, b"Stopping after this step; once more to stop at once.\n")

    before = {name: signal.signal(name, ask) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
