"""A run as TensorBoard shows it: one scalar per window and tag, at env_steps_total.

Scalars as Stable-Baselines3 writes them (`simple_value`), which every reader finds; `tensorboard.summary`
writes tensors instead, which `EventAccumulator.Scalars` does not.

The event files follow from windows.jsonl and evaluations.jsonl. When a run is resumed they are
written anew from those, so that windows which were cut away leave no scalars.
"""

import importlib.util
from pathlib import Path
from typing import Any

from ..errors import MissingExtra
from ..runs.records import WindowRow
from ..runs.run import Run
from .history import EvaluationFollower
from .tags import evaluation_tags, window_tags

EVENT_FILES = "events.out.tfevents.*"


def is_installed() -> bool:
    """Whether the package tensorboard is installed."""
    return importlib.util.find_spec("tensorboard") is not None


class TensorBoard:
    """Writes the scalars of one run, by the library in its own thread: nothing here waits for the disk."""

    def __init__(self, run: Run):
        self._folder = run.paths.tensorboard
        self._evaluations = EvaluationFollower(run.paths.evaluations)
        for old in self._folder.glob(EVENT_FILES):
            old.unlink()
        self._writer = _open(str(self._folder))
        for row in run.windows():
            self.window(row)

    def window(self, row: WindowRow) -> None:
        """Write the scalars of a window."""
        self._add_scalars(window_tags(row), row.env_steps_total)
        self._add_evaluations()

    def committed(self, window_id: int, checkpoint: Path) -> None:
        """TensorBoard does not keep checkpoints."""

    def close(self) -> None:
        """Write the last evaluations and close the event file."""
        self._add_evaluations()
        self._writer.close()

    def _add_evaluations(self) -> None:
        for row in self._evaluations.new():
            self._add_scalars(evaluation_tags(row), row["env_steps_total"])
        self._writer.flush()

    def _add_scalars(self, tags: dict[str, float], env_steps_total: int) -> None:
        for tag, value in tags.items():
            self._writer.add_scalar(tag, value, env_steps_total)


def _open(folder: str) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise MissingExtra("Writing for TensorBoard", "tensorboard", "train") from None
    return SummaryWriter(folder)
