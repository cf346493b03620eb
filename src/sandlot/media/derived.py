"""Metrics that follow from other metrics of a window, as the game's document declares them.

Charts and the API take them from here; no other place computes them.
"""

import math
from collections.abc import Mapping
from typing import Any

from ..spec import Spec
from .history import Table


def derived_metrics(spec: Spec | None, row: Mapping[str, Any]) -> dict[str, float]:
    """Those that the row's columns allow: without a denominator there is no ratio."""

    def number(name: str) -> float:
        value = row.get(name)
        return float(value) if isinstance(value, int | float) else math.nan

    derived = spec.document.derived if spec else ()
    found = {one.name: one.value(number(one.above), number(one.below)) for one in derived}
    return {name: value for name, value in found.items() if math.isfinite(value)}


def with_derived(spec: Spec | None, windows: Table) -> Table:
    """The windows with their derived metrics."""
    return Table([{**row, **derived_metrics(spec, row)} for row in windows.rows])
