"""A run as TensorBoard shows it: one scalar per window and tag, at env_steps_total.

Scalars as Stable-Baselines3 writes them (`simple_value`), which every reader finds; `tensorboard.summary`
writes tensors instead, which `EventAccumulator.Scalars` does not.

The event files follow from windows.jsonl and evaluations.jsonl. When a run goes on after a stop they are
written anew from those, so that windows which were cut away leave no marks.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from ..errors import MissingExtra
from ..runs.records import WindowRow
from ..runs.run import Run
from .history import Follower
from .tags import evaluation_tags, window_tags

EVENT_FILES = "events.out.tfevents.*"


def is_installed() -> bool:
    return importlib.util.find_spec("tensorboard") is not None


class TensorBoard:
    """Listens to one run. Marks are handed to a thread of the library; nothing here waits for the disk."""

    def __init__(self, run: Run):
        self._folder = run.paths.tensorboard
        self._judged = Follower(run.paths.evaluations)
        for old in self._folder.glob(EVENT_FILES):
            old.unlink()
        self._writer = _open(str(self._folder))
        for row in run.windows():
            self.window(row)

    def window(self, row: WindowRow) -> None:
        self._mark(window_tags(row), row.env_steps_total)
        self._mark_judged()

    def close(self) -> None:
        self._mark_judged()
        self._writer.close()

    def _mark_judged(self) -> None:
        for row in self._judged.new():
            self._mark(evaluation_tags(row), row["env_steps_total"])
        self._writer.flush()

    def _mark(self, tags: dict[str, float], env_steps_total: int) -> None:
        for tag, value in tags.items():
            self._writer.add_scalar(tag, value, env_steps_total)


def _open(folder: str) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise MissingExtra("Writing for TensorBoard", "tensorboard", "train") from None
    return SummaryWriter(folder)
