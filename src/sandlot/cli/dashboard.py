"""What one sees while training: a live page in a terminal, plain lines elsewhere, JSON for machines."""

from __future__ import annotations

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

from ..media.history import Follower
from ..runs.evaluations import read_evaluations
from ..runs.records import WindowRow
from ..train import events
from .board import Seen, count, left, page, roles_in, said
from .show import err

PLAIN_SECONDS = 10.0  # between two plain lines within a window
PAGE_SECONDS = 0.25  # between two pictures of the live page, at least
PILOT = ("profit_mean", "survival_rate")  # what is said of a window beside its return, where a game has it
PAGE_SHARE = 0.01  # of the trainer's time that drawing may take; a slow terminal sees fewer pictures


@contextmanager
def dashboard(as_machine: bool, evaluations: Path, page: bool = True) -> Iterator[events.Listener]:
    """A listener for the loop. evaluations: the file in which judgements arrive while it trains.
    page: whether a terminal may show the live page; else plain lines."""
    told = read_evaluations(evaluations)  # before a resume
    if as_machine:
        face: _Face = _Machine(Follower(evaluations, told))
    elif err.is_terminal and page:
        face = _Page(Follower(evaluations), err)  # its curves begin at the beginning
    else:
        face = _Plain(Follower(evaluations, told))
    try:
        yield face
    finally:
        face.close()


class _Face:
    """What the three faces share: judgements are looked for whenever the loop says something."""

    def __init__(self, judged: Follower):
        self._judged = judged

    def __call__(self, event: events.Event) -> None:
        self.hear(event)
        self.judge(self._judged.new())

    def close(self) -> None:
        self.judge(self._judged.new())

    def hear(self, event: events.Event) -> None:
        raise NotImplementedError

    def judge(self, rows: Iterable[dict[str, Any]]) -> None:
        raise NotImplementedError


class _Machine(_Face):
    """One JSON object a line on standard output; a judgement is an event like the others."""

    def hear(self, event: events.Event) -> None:
        told: dict[str, Any] = {"event": type(event).__name__}
        if isinstance(event, events.WindowClosed):
            told["row"] = event.row.to_json()
        else:
            told |= dataclasses.asdict(event)
        _write(told)

    def judge(self, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            _write({"event": "Judged", "row": row})


def _write(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


class _Page(_Face):
    """The live page. It is drawn when the loop says something, and seldom enough to cost next to nothing."""

    def __init__(self, judged: Follower, console: Console):
        super().__init__(judged)
        self.seen = Seen()
        self._next = 0.0
        self._live = Live(page(self.seen), console=console, auto_refresh=False, vertical_overflow="visible")
        self._live.start()

    def hear(self, event: events.Event) -> None:
        self.seen.hear(event)
        if time.monotonic() >= self._next:
            self._draw()

    def judge(self, rows: Iterable[dict[str, Any]]) -> None:
        self.seen.judge(rows)

    def close(self) -> None:
        super().close()
        self._draw()
        self._live.stop()

    def _draw(self) -> None:
        start = time.monotonic()
        self._live.update(page(self.seen), refresh=True)
        end = time.monotonic()
        self._next = end + max(PAGE_SECONDS, (end - start) / PAGE_SHARE)


class _Plain(_Face):
    """A line a window, and one now and then in between."""

    def __init__(self, judged: Follower):
        super().__init__(judged)
        self._last = time.monotonic()

    def hear(self, event: events.Event) -> None:
        line = self._line(event)
        if line:
            err.print(line, markup=False, soft_wrap=True)

    def judge(self, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            err.print(f"window {row['window_id']} judged: {said(row)}", markup=False, soft_wrap=True)

    def _line(self, event: events.Event) -> str:
        if isinstance(event, events.Progressed):
            return self._progress(event)
        if isinstance(event, events.WindowClosed):
            return f"window {event.row.window_id} closed: {_outcomes(event.row)}"
        if isinstance(event, events.Started):
            return f"run {event.run_id} in {event.folder}"
        if isinstance(event, events.StageEntered):
            return f"lesson {event.stage + 1}: {event.name}"
        return f"{event.status}: {event.reason}" if isinstance(event, events.Ended) else ""

    def _progress(self, event: events.Progressed) -> str:
        if time.monotonic() - self._last < PLAIN_SECONDS:
            return ""
        self._last = time.monotonic()
        speed = f"{count(event.decisions_per_second)} decisions/s · {count(event.ticks_per_second)} ticks/s"
        parts = (f"window {event.window_id} {100 * event.share:.0f} %", speed, left(event))
        return " · ".join(part for part in parts if part)


def _outcomes(row: WindowRow) -> str:
    """How the episodes of a window came out: by role where there are several, else the return."""
    metrics = row.figures
    parts = [_role(role, metrics) for role in roles_in(metrics)]
    if not parts:
        parts = [f"return {row.return_mean:.3g}"]
    parts += [f"{name} {metrics[name]:.3g}" for name in PILOT if metrics.get(name) is not None]
    return " · ".join(part for part in parts if part)


def _role(role: str, metrics: Mapping[str, Any]) -> str:
    mean, wins = metrics.get(f"{role}_return_mean"), metrics.get(f"{role}_win_rate")
    parts = [
        "" if mean is None else f"return {mean:.3g}",
        "" if wins is None else f"wins {100 * wins:.0f} %",
    ]
    said = ", ".join(part for part in parts if part)
    return f"{role} {said}" if said else ""
