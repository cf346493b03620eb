"""`--profile FILE`: where the time of a training goes, function by function.

The file is what Python's cProfile writes; `python -m pstats FILE` and snakeviz read it. It has the thread
that trains, with `--threads 1` all learners too; what other processes do (evaluator, engines) shows as
waiting.
"""

import cProfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..files import write_bytes
from .show import err


@contextmanager
def profiling(path: Path | None) -> Iterator[None]:
    """Profile a block, and write the file however it ends; None for no profile."""
    if path is None:
        yield
        return
    write_bytes(path, b"")  # refuse a place that cannot be written now, not after the training
    profile = cProfile.Profile()
    try:
        profile.enable()
        yield
    finally:
        profile.disable()
        profile.dump_stats(path)
        err.print_line(f"Profile: {path}. Look at it with: python -m pstats {path}")
