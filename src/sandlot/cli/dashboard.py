"""Progress of a training: a live page in a terminal, plain lines elsewhere, or JSON lines."""

import dataclasses
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from ..media.history import EvaluationFollower
from ..runs.evaluations import read_evaluations
from ..runs.records import WindowRow
from ..train import events
from .dashboard_page import (
    DashboardState,
    format_change,
    format_evaluation,
    format_memory,
    format_progress,
    outcomes_of,
    page,
    roles_in,
)  # fmt: skip
from .show import err

PLAIN_SECONDS = 10.0  # between two plain lines within a window
PAGE_SECONDS = 0.25  # between two pictures of the live page, at least
PAGE_SHARE = 0.01  # of the trainer's time that drawing may take; a slow terminal sees fewer pictures


@contextmanager
def dashboard(as_machine: bool, evaluations: Path, page: bool = True) -> Iterator[events.Listener]:
    """A listener for the training loop. evaluations: the file that the evaluator appends to.
    page: whether a terminal may show the live page; else plain lines."""
    before = read_evaluations(evaluations)  # of a resumed run
    if as_machine:
        display: _Display = _JsonLines(EvaluationFollower(evaluations, before))
    elif err.is_terminal and page:
        # with the evaluations before a resume, for its curves
        display = _LivePage(EvaluationFollower(evaluations), err)
    else:
        display = _PlainLines(EvaluationFollower(evaluations, before))
    try:
        yield display
    finally:
        display.close()


class _Display:
    """Base of the three displays: looks for new evaluations at every event."""

    def __init__(self, follower: EvaluationFollower):
        self._follower = follower

    def __call__(self, event: events.Event) -> None:
        self.handle(event)
        self.add_evaluations(self._follower.new())

    def close(self) -> None:
        self.add_evaluations(self._follower.new())

    def handle(self, event: events.Event) -> None:
        raise NotImplementedError

    def add_evaluations(self, rows: Iterable[dict[str, Any]]) -> None:
        raise NotImplementedError


class _JsonLines(_Display):
    """One JSON object per line on standard output; an evaluation is an event too."""

    def handle(self, event: events.Event) -> None:
        message: dict[str, Any] = {"event": type(event).__name__}
        if isinstance(event, events.WindowClosed):
            message["row"] = event.row.to_json()
        else:
            message |= dataclasses.asdict(event)
        _write(message)

    def add_evaluations(self, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            _write({"event": "Evaluated", "row": row})


def _write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


class _LivePage(_Display):
    """The live page, redrawn at events but rarely enough to cost next to nothing."""

    def __init__(self, follower: EvaluationFollower, console: Console):
        super().__init__(follower)
        self.state = DashboardState()
        self._next = 0.0
        self._live = Live(page(self.state), console=console, auto_refresh=False, vertical_overflow="visible")
        self._live.start()

    def handle(self, event: events.Event) -> None:
        self.state.handle(event)
        if time.monotonic() >= self._next:
            self._draw()

    def add_evaluations(self, rows: Iterable[dict[str, Any]]) -> None:
        self.state.add_evaluations(rows)

    def close(self) -> None:
        super().close()
        self._draw()
        self._live.stop()

    def _draw(self) -> None:
        start = time.monotonic()
        self._live.update(page(self.state), refresh=True)
        end = time.monotonic()
        self._next = end + max(PAGE_SECONDS, (end - start) / PAGE_SHARE)


class _PlainLines(_Display):
    """One line per window, and one now and then in between."""

    def __init__(self, follower: EvaluationFollower):
        super().__init__(follower)
        self._last = time.monotonic()
        self._shown: dict[str, str] = {}  # metrics beside the return, with their labels

    def handle(self, event: events.Event) -> None:
        line = self._line(event)
        if line:
            err.print_line(line)

    def add_evaluations(self, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            err.print_line(f"window {row['window_id']} evaluated: {format_evaluation(row)}")

    def _line(self, event: events.Event) -> str:
        if isinstance(event, events.Progressed):
            return self._progress(event)
        if isinstance(event, events.WindowClosed):
            return f"window {event.row.window_id} closed: {_outcomes(event.row, self._shown)}"
        if isinstance(event, events.Started):
            self._shown = outcomes_of(event.config["game"])
            return f"run {event.run_id} in {event.folder}"
        return format_change(event)

    def _progress(self, event: events.Progressed) -> str:
        if time.monotonic() - self._last < PLAIN_SECONDS:
            return ""
        self._last = time.monotonic()
        return format_progress(event)


def _outcomes(row: WindowRow, shown: Mapping[str, str]) -> str:
    """Results of a window's episodes: by role where there are several, else the return; and what is shown."""
    metrics = row.metrics
    parts = [_role(role, metrics) for role in roles_in(metrics)] or [f"return {row.return_mean:.3g}"]
    parts += [
        f"{label} {metrics[name]:.3g}" for name, label in shown.items() if metrics.get(name) is not None
    ]
    return " · ".join(part for part in [*parts, format_memory(metrics)] if part)


def _role(role: str, metrics: Mapping[str, Any]) -> str:
    mean, wins = metrics.get(f"{role}_return_mean"), metrics.get(f"{role}_win_rate")
    parts = [] if mean is None else [f"return {mean:.3g}"]
    parts += [] if wins is None else [f"wins {100 * wins:.0f} %"]
    return f"{role} {', '.join(parts)}" if parts else ""
