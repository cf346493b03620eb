"""Forwards the events of a training run to TensorBoard and Weights & Biases."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ..media import tensorboard as tensorboard_files
from ..media import weights_and_biases
from ..train import events
from .show import err


@contextmanager
def trackers(
    run: Any, tensorboard: bool | None, wandb: str, group: str | None
) -> Iterator[list[events.Listener]]:
    """Listeners for a run. tensorboard: None for "if it is installed". Close them after the evaluator."""
    with ExitStack() as stack:
        opened: list[Any] = []
        if wandb != "disabled":
            opened.append(weights_and_biases.WeightsAndBiases(run, wandb, group))
            stack.callback(_close, opened[-1])
            if opened[-1].url:
                run.update(wandb_run_url=opened[-1].url)
        if tensorboard_files.is_installed() if tensorboard is None else tensorboard:
            opened.append(tensorboard_files.TensorBoard(run))
            stack.callback(_close, opened[-1])
        yield [partial(_forward, tracker) for tracker in opened]


def _forward(tracker: Any, event: events.Event) -> None:
    if isinstance(event, events.WindowClosed):
        tracker.window(event.row)
    elif isinstance(event, events.Committed):
        tracker.committed(event.window_id, Path(event.checkpoint))


def _close(tracker: Any) -> None:
    if problem := tracker.close():
        err.print_line(problem)
