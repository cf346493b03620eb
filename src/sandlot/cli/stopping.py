"""Clean termination for commands that have something to clean up."""

import signal
import threading
from collections.abc import Iterator
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
