"""Writing a whole file so that a kill, a crash or a full disk leaves the old one or the new one.

Under a temporary name beside its place, flushed to the disk, then renamed. Files that grow line by line, and
everything else about a run's folder: runs/atomic.py.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from .errors import DiskFull, StoreError

TEMPORARY_SUFFIX = ".tmp"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_bytes(path: Path, data: bytes) -> None:
    """Put `data` at `path`: all of it, or nothing and the old file stays."""
    unfinished = temporary(path)
    try:
        _write_new(unfinished, data)
        unfinished.replace(path)
        _sync_folder(path.parent)
    except OSError as problem:
        raise refusal(path, problem, "The file that was there before is untouched.") from problem
    finally:
        with contextlib.suppress(OSError):  # a folder that is read-only now: the refusal above is what counts
            unfinished.unlink(missing_ok=True)


def temporary(path: Path) -> Path:
    """A name beside `path` that says whose it is, so that nobody cleans it away under a writer."""
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}{TEMPORARY_SUFFIX}")


def _write_new(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    try:
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_folder(folder: Path) -> None:
    """A rename survives a power cut only when its folder is flushed too. Windows has no such call."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def refusal(path: Path, problem: OSError, remains: str) -> StoreError:
    if problem.errno in FULL:
        return DiskFull(f"The disk is full: {path} could not be written. {remains} Make room and try again.")
    return StoreError(f"{path} could not be written ({problem.strerror or problem}). {remains}")
