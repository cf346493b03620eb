"""Atomic file writes: a kill, a crash or a full disk leaves the old file or the new one.

The data goes to a temporary file in the same folder, is flushed to disk, then renamed. Files that grow line
by line: runs/atomic.py.
"""

import contextlib
import errno
import os
import secrets
from pathlib import Path

from .errors import DiskFull, StoreError

TEMPORARY_SUFFIX = ".tmp"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path`; on failure the old file stays."""
    unfinished = temporary(path)
    try:
        _write_new(unfinished, data)
        unfinished.replace(path)
        _sync_folder(path.parent)
    except OSError as problem:
        raise refusal(path, problem, "The file that was there before is untouched.") from problem
    finally:
        # the folder may have become read-only; the error above is what counts
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def temporary(path: Path) -> Path:
    """A hidden name in the same folder with our process id, so that no clean-up removes it meanwhile."""
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}{TEMPORARY_SUFFIX}")


def _write_new(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    try:
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write all bytes, however many calls it takes."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_folder(folder: Path) -> None:
    """Flush the folder, or the rename may not survive a power cut. Not possible on Windows."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def refusal(path: Path, problem: OSError, remains: str) -> StoreError:
    """A failed write as an error that says what to do."""
    if problem.errno in FULL:
        return DiskFull(f"The disk is full: {path} could not be written. {remains} Make room and try again.")
    return StoreError(f"{path} could not be written ({problem.strerror or problem}). {remains}")
