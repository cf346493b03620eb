"""Joins what a training run announces to those who write it down elsewhere: TensorBoard, Weights & Biases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..train import events
from .show import err


@contextmanager
def trackers(
    run: Any, tensorboard: bool | None, wandb: str, group: str | None
) -> Iterator[list[events.Listener]]:
    """Listeners for a run. tensorboard: None for "if it is installed". Close them after the evaluator."""
    with ExitStack() as stack:
        listeners = []
        if wandb != "disabled":
            listeners.append(stack.enter_context(_weights_and_biases(run, wandb, group)))
        if _wants_tensorboard(tensorboard):
            listeners.append(stack.enter_context(_tensorboard(run)))
        yield listeners


def _wants_tensorboard(asked: bool | None) -> bool:
    from ..media.tensorboard import is_installed

    return is_installed() if asked is None else asked


@contextmanager
def _tensorboard(run: Any) -> Iterator[events.Listener]:
    from ..media.tensorboard import TensorBoard

    tracker = TensorBoard(run)

    def listen(event: events.Event) -> None:
        if isinstance(event, events.WindowClosed):
            tracker.window(event.row)

    try:
        yield listen
    finally:
        tracker.close()


@contextmanager
def _weights_and_biases(run: Any, mode: str, group: str | None) -> Iterator[events.Listener]:
    from ..media.weights_and_biases import WeightsAndBiases

    tracker = WeightsAndBiases(run, mode, group)
    if tracker.url:
        run.update(wandb_run_url=tracker.url)

    def listen(event: events.Event) -> None:
        if isinstance(event, events.WindowClosed):
            tracker.window(event.row)
        elif isinstance(event, events.Committed):
            tracker.committed(event.window_id, Path(event.checkpoint))

    try:
        yield listen
    finally:
        problem = tracker.close()
        if problem:
            err.print(problem, markup=False)
