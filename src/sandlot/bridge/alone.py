"""One process at a time. The operating system holds the lock, so a killed holder cannot leave it shut."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

if os.name != "nt":
    import fcntl


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait for the lock and hold it. On Windows nobody waits: work is done twice there, not wrongly."""
    with lock.open("w") as file:
        if os.name != "nt":
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
