"""A refusal is its effect, not its sentence: nothing on the disk is another afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def contents(folder: Path) -> dict[str, str]:
    """Every file of a folder with the digest of its bytes, every folder with none."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else ""
        for path in sorted(folder.rglob("*"))
    }


@contextmanager
def refused(folder: Path, error: type[BaseException], match: str) -> Iterator[pytest.ExceptionInfo]:
    """Like pytest.raises; and the folder has the same files with the same bytes before and after."""
    before = contents(folder)
    with pytest.raises(error, match=match) as problem:
        yield problem
    assert contents(folder) == before
