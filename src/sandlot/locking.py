"""File locks of the operating system: released when the holder is killed.

`FileLock` also writes its holder (process, host, since when) into the file, for the message to the next one.
That content alone means nothing: a file that nobody holds is stale.
"""

import contextlib
import json
import os
import socket
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .clock import Clock, iso, now
from .errors import RunLocked
from .files import refusal

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCK_OFFSET = 1 << 30  # Windows locks bytes, which then cannot be read: lock one beyond the content
_RETRY_S = 0.05
TRIES, TRY_SECONDS = 5, 0.01  # before a FileLock counts as taken


def try_acquire(handle: int) -> None:
    """Take the lock; OSError when it is held."""
    if sys.platform == "win32":
        os.lseek(handle, _LOCK_OFFSET, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def check_free(handle: int) -> None:
    """OSError when the lock is held; concurrent calls do not disturb each other."""
    if sys.platform == "win32":
        try_acquire(handle)
    else:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    release(handle)


def acquire(handle: int) -> None:
    """Wait for the lock and take it."""
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_EX)
        return
    while True:
        try:
            try_acquire(handle)
            return
        except OSError:
            time.sleep(_RETRY_S)


def release(handle: int) -> None:
    """Release the lock. Closing the file is not enough: a child forked meanwhile would keep it."""
    if sys.platform == "win32":
        os.lseek(handle, _LOCK_OFFSET, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextlib.contextmanager
def single_instance(lock: Path) -> Iterator[None]:
    """Wait for the lock, and hold it for the length of the block."""
    with lock.open("wb") as file:
        acquire(file.fileno())
        yield


class FileLock:
    """A lock that names its holder. Held from construction until `release()`; RunLocked if it is taken."""

    def __init__(self, path: Path, clock: Clock = now):
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as problem:
            raise refusal(path, problem, "Nothing was changed.") from problem
        try:
            _try_several_times(self._handle)
        except OSError:
            holder = _holder(self._handle)
            os.close(self._handle)
            self._handle = -1
            text = f"Run {path.parent.name} is in use by {holder}"
            raise RunLocked(f"{text}. Stop that process first, or start a new run.") from None
        _held.add(self)
        try:
            self._write_holder(clock)
        except OSError as problem:
            self.release()
            raise refusal(path, problem, "Nothing else was changed.") from problem

    @property
    def held(self) -> bool:
        """Whether this process holds the lock."""
        return self._handle >= 0

    def release(self) -> None:
        """Release it. The file stays, because removing it would race with the next holder."""
        if self.held:
            with contextlib.suppress(OSError):  # its content means nothing once nobody holds it
                os.ftruncate(self._handle, 0)
            release(self._handle)
            self._forget()

    def _write_holder(self, clock: Clock) -> None:
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": iso(clock())}
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, json.dumps(holder).encode())

    def _forget(self) -> None:
        os.close(self._handle)
        self._handle = -1


def is_held(path: Path) -> bool:
    """Whether some process holds the lock; True if that cannot be determined."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        check_free(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _try_several_times(handle: int) -> None:
    """Take it, or raise OSError; a process that only checks whether it is held is gone within a moment."""
    for _ in range(TRIES):
        try:
            try_acquire(handle)
        except OSError:
            time.sleep(TRY_SECONDS)
        else:
            return
    try_acquire(handle)


def _holder(handle: int) -> str:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        holder: dict[str, Any] = json.loads(os.read(handle, 4096))
        return f"process {holder['pid']} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process that has not written its name yet"


_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _release_in_child() -> None:
    """A forked child (an evaluator, a data loader) shares the lock and would keep it after our end."""
    for lock in list(_held):
        if lock.held:
            lock._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_child)
