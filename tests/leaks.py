"""What a test leaves open: file descriptors and child processes, counted before and after."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

DESCRIPTORS = Path("/proc/self/fd")
CHILD_DEADLINE_S = 5.0  # a child that was told to end may still be on its way


def open_files() -> dict[str, int]:
    """How often each file, pipe or socket is open, by what it leads to."""
    found: dict[str, int] = {}
    for descriptor in DESCRIPTORS.iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:  # the listing's own
            continue
        kind = target.split(":")[0] if ":[" in target else target  # sockets and pipes by kind, files by name
        found[kind] = found.get(kind, 0) + 1
    return found


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def more_than(before: dict[str, int]) -> dict[str, int]:
    """Files that are open more often than before."""
    now = {name: count - before.get(name, 0) for name, count in open_files().items()}
    return {name: count for name, count in now.items() if count > 0}


@contextmanager
def nothing_left_open() -> Iterator[None]:
    """Fails if the block leaves a descriptor or a child process, whether it ended well or by an exception."""
    files_before, children_before = open_files(), children()
    try:
        yield
    finally:
        left = more_than(files_before)
        if left:  # in a cycle, perhaps; in a process that has run many tests a collection takes seconds
            gc.collect()
        _, alive = psutil.wait_procs(children() - children_before, timeout=CHILD_DEADLINE_S)
        left = left and more_than(files_before)
    assert not left, f"left open: {left}"
    assert not alive, "child processes left running"
