"""Progress on standard error: a bar in a terminal, a line every ten seconds elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .show import err

QUIET_SECONDS = 10.0  # between two plain lines


class ProgressCallback(Protocol):
    """What is being done, how much is done, of how much."""

    def __call__(self, what: str, done: int, of: int) -> None: ...


@contextmanager
def progress(title: str) -> Iterator[ProgressCallback]:
    """`with progress("Measuring") as update: update("case", 3, 10)`."""
    if not err.is_terminal:
        yield _plain(title)
        return
    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, of: bar.update(task, description=what, completed=done, total=of)


def _plain(title: str) -> ProgressCallback:
    last = time.monotonic()

    def update(what: str, done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last >= QUIET_SECONDS:
            last = time.monotonic()
            err.print_line(f"{title}: {what} {done}/{of}")

    return update
