"""What a figure shows, read from its axes instead of from its pixels."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from sandlot.media import league, paths, plotting


def keep_figures(monkeypatch: pytest.MonkeyPatch) -> list:
    """Figures that would have been saved, in their order. Nothing is written."""
    kept: list = []
    for module in (plotting, league, paths):
        monkeypatch.setattr(module, "save", lambda figure, path, *dpi: kept.append(figure))
    return kept


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def curve(line) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)]


def curves(axes, colour: str, marker: str | None = None) -> list[list[tuple[float, float]]]:
    """Points of every line of a colour (and marker), without those that span the axes."""
    return [
        curve(line)
        for line in axes.lines
        if to_hex(line.get_color()) == colour and (marker is None or line.get_marker() == marker)
    ]


def points(x, y) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in zip(np.asarray(x), np.asarray(y), strict=True)]
