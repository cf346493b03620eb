"""One trainer per run folder, and one evaluator. The operating system holds a lock, so a killed holder cannot
leave it shut.

The lock file says who holds it (process, host, since when) for the message to the second trainer; its
content alone means nothing: a file that nobody holds is stale and is taken over.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
import weakref
from pathlib import Path
from typing import Any

from .. import locking
from ..clock import Clock, iso, now
from ..errors import RunLocked
from ..files import refusal

LOOKS, LOOK_SECONDS = 5, 0.01  # tries before a lock counts as held


class RunLock:
    """Held from construction until `release()`."""

    def __init__(self, path: Path, clock: Clock = now):
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as problem:
            raise refusal(path, problem, "Nothing was changed.") from problem
        try:
            _take_soon(self._handle)
        except OSError:
            holder = _holder(self._handle)
            os.close(self._handle)
            self._handle = -1
            raise RunLocked(
                f"Run {path.parent.name} is in use by {holder}. Stop that process first, or start a new run."
            ) from None
        _held.add(self)
        try:
            self._sign(clock)
        except OSError as problem:
            self.release()
            raise refusal(path, problem, "Nothing else was changed.") from problem

    @property
    def held(self) -> bool:
        return self._handle >= 0

    def release(self) -> None:
        """Let go; the file stays, because removing it would race with the next holder."""
        if self.held:
            with contextlib.suppress(OSError):  # its content means nothing once nobody holds it
                os.ftruncate(self._handle, 0)
            locking.give_back(self._handle)
            self._forget()

    def _sign(self, clock: Clock) -> None:
        told = {"pid": os.getpid(), "host": socket.gethostname(), "since": iso(clock())}
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, json.dumps(told).encode())

    def _forget(self) -> None:
        os.close(self._handle)
        self._handle = -1


def is_held(path: Path) -> bool:
    """Whether some process holds the lock; True where that cannot be found out."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        locking.look(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _take_soon(handle: int) -> None:
    """Take it, or fail; somebody who only looks whether it is held is gone within a moment."""
    for _ in range(LOOKS):
        with contextlib.suppress(OSError):
            return locking.take(handle)
        time.sleep(LOOK_SECONDS)
    locking.take(handle)


def _holder(handle: int) -> str:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        told: dict[str, Any] = json.loads(os.read(handle, 4096))
        return f"process {told['pid']} on {told['host']}, since {told['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process that has not signed yet"


_held: weakref.WeakSet[RunLock] = weakref.WeakSet()


def _let_go_in_child() -> None:
    """A forked helper (an evaluator, a data loader) shares the lock and would keep it after our death."""
    for lock in list(_held):
        if lock.held:
            lock._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
