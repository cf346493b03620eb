"""Writing files so that a kill, a crash or a full disk leaves nothing half-written.

Two ways to write, for two kinds of file. A *whole* file (JSON, weights, replays) is written under a
temporary name beside its place, flushed to the disk and renamed: a reader sees the old one or the new one.
A *growing* file (JSONL, CSV) is appended to in whole lines; a line that a kill cut off has no newline, so
it is recognised and cut away when the file is next opened for writing.
"""

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Any

from ..closing import Closing
from ..errors import Damaged, StoreError
from ..files import TEMPORARY_SUFFIX, refusal, write_all, write_bytes
from ..files import temporary as temporary  # re-exported for this package
from ..processes import is_alive

OWNER = re.compile(r"\.(\d+)-[0-9a-f]{8}\.tmp$")


# ---------------------------------------------------------------- whole files


def write_text(path: Path, text: str) -> None:
    """Write a whole file as UTF-8."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write JSON, indented, keys in the given order. NaN is refused: it is not JSON."""
    write_text(path, json.dumps(value, indent=1, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """The content of a JSON file; Damaged or StoreError if there is none."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise Damaged(f"{path} is missing. Is {path.parent} the folder of a run?") from None
    except OSError as problem:
        raise StoreError(f"{path} could not be read ({problem.strerror or problem}).") from None
    except (ValueError, RecursionError) as problem:
        raise Damaged(f"{path} is not JSON ({problem}). Restore it from a copy.") from None


def remove_temporaries(folder: Path) -> None:
    """Remove the temporary files of killed writers; those of living processes stay."""
    for path in folder.rglob(f".*{TEMPORARY_SUFFIX}"):
        owner = OWNER.search(path.name)
        if owner is None or not is_alive(int(owner[1])):
            with contextlib.suppress(PermissionError):  # Windows: another process has it open
                path.unlink(missing_ok=True)


# ---------------------------------------------------------------- growing files


class Lines(Closing):
    """A file of whole lines, opened for appending; a torn last line is cut away first.

    One writer at a time, who holds a lock; should there be two nevertheless, their lines stay whole.
    """

    def __init__(self, path: Path):
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, flags, 0o644)
        except OSError as problem:
            raise refusal(path, problem, "What it held before is untouched.") from problem
        self.size = _end_of_last_line(self._handle)  # bytes in whole lines; what a commit point remembers
        self.torn = os.fstat(self._handle).st_size - self.size  # bytes that were cut away
        self.cut(self.size)

    def append(self, *lines: str) -> None:
        """Add lines (without their newlines): all of them, or none."""
        data = "".join(line + "\n" for line in lines).encode()
        if data.count(b"\n") != len(lines):
            raise StoreError(f"A line for {self.path} contains a newline; every record must be one line.")
        try:
            write_all(self._handle, data)
        except OSError as problem:
            self.cut(self.size)
            raise refusal(self.path, problem, f"Its first {self.size} bytes are valid.") from problem
        self.size += len(data)

    def cut(self, size: int) -> None:
        """Keep the first `size` bytes, as of a commit point."""
        length = os.fstat(self._handle).st_size
        if size > length:
            raise Damaged(
                f"{self.path} has {length} bytes, its last commit point had {size}: lines are missing. "
                "Restore the file from a copy, or start a new run."
            )
        if size < length:
            os.ftruncate(self._handle, size)
        self.size = size

    def sync(self) -> None:
        """Flush to disk, so that the lines survive a power cut."""
        try:
            os.fsync(self._handle)
        except OSError as problem:
            raise refusal(self.path, problem, "Its last commit point is valid.") from problem

    def close(self) -> None:
        """Close the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def read_lines(path: Path) -> list[str]:
    """The complete lines of a growing file, also while it is written; none if it does not exist."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise StoreError(f"{path} could not be read ({problem.strerror or problem}).") from None
    return text[: text.rfind(b"\n") + 1].decode(errors="replace").split("\n")[:-1]


def _end_of_last_line(handle: int, block: int = 1 << 16) -> int:
    """The byte after the last newline, found from the end: a growing file may be long."""
    end = os.fstat(handle).st_size
    while end > 0:
        start = max(0, end - block)
        os.lseek(handle, start, os.SEEK_SET)
        found = os.read(handle, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
