"""A lock on an open file, held by the operating system: a killed holder cannot leave it shut."""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 30  # Windows locks bytes, and a locked byte cannot be read: lock one beyond the content
_AGAIN_S = 0.05


def take(handle: int) -> None:
    """OSError where somebody else holds it."""
    if sys.platform == "win32":
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def look(handle: int) -> None:
    """OSError where somebody holds it; others who look do not disturb."""
    if sys.platform == "win32":
        take(handle)
    else:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    give_back(handle)


def wait_for(handle: int) -> None:
    """Returns when it is ours."""
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_EX)
        return
    while True:
        try:
            take(handle)
            return
        except OSError:
            time.sleep(_AGAIN_S)


def give_back(handle: int) -> None:
    """Said aloud: closing alone would leave it with a child that was forked a moment ago."""
    if sys.platform == "win32":
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_UN)
