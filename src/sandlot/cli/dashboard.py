"""What one sees while training: a live page in a terminal, plain lines elsewhere, JSON for machines."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..train import events
from .show import err

PLAIN_SECONDS = 10.0


@contextmanager
def dashboard(as_machine: bool) -> Iterator[events.Listener]:
    yield _machine if as_machine else _Plain()


def _machine(event: events.Event) -> None:
    told: dict[str, Any] = {"event": type(event).__name__}
    if isinstance(event, events.WindowClosed):
        told["row"] = event.row.to_json()
    else:
        told |= dataclasses.asdict(event)
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


class _Plain:
    """A line a window, and one now and then in between."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, event: events.Event) -> None:
        if isinstance(event, events.Progressed):
            if time.monotonic() - self._last >= PLAIN_SECONDS:
                self._last = time.monotonic()
                err.print(f"window {event.window_id} {100 * event.share:.0f} % · {event.decisions_per_second / 1e3:.0f} k decisions/s")
        elif isinstance(event, events.WindowClosed):
            row = event.row.to_json()
            rates = {k: v for k, v in row.items() if k.endswith("_win_rate") or k in ("profit_mean", "survival_rate")}
            told = " · ".join(f"{k} {v:.3g}" for k, v in rates.items() if v is not None)
            err.print(f"window {event.row.window_id} closed: return {event.row.return_mean:.3g} · {told}")
        elif isinstance(event, events.Started):
            err.print(f"run {event.run_id} in {event.folder}", markup=False)
        elif isinstance(event, events.Ended):
            err.print(f"{event.status}: {event.reason}", markup=False)
