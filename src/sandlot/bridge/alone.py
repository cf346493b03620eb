"""One process at a time. The operating system holds the lock, so a killed holder cannot leave it shut."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from .. import locking


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait for the lock and hold it."""
    with lock.open("wb") as file:
        locking.wait_for(file.fileno())
        yield
