"""A game without a picture of its own: its numbers by name, as bars where they have a range."""

from typing import Any

import numpy as np

from ...spec import Field, Spec
from .canvas import Canvas, colour

WIDTH = 480  # pixels
TITLE, LINE, MARGIN, TEXT = 34, 18, 14, 12  # pixels, of heights and of the text
MAX_LINES = 40  # a picture is no longer than that; further numbers are left out
BAR_LEFT, BAR_RIGHT = 300, WIDTH - MARGIN
FPS = 20.0

GROUND, PAPER, QUIET = colour("#0b1016"), colour("#ebe8e0"), colour("#8c99a5")
TROUGH, BAR = colour("#2a3440"), colour("#36b8e0")


class ValuesRenderer:
    """One line per number of the game's render block."""

    fps = FPS

    def __init__(self, spec: Spec):
        self._title = spec.title
        lines = [(field, i) for field in spec.render for i in range(field.size)]
        self._lines = lines[:MAX_LINES]
        self._height = TITLE + LINE * max(1, len(self._lines)) + MARGIN
        self._height += self._height % 2  # films have even sizes

    def draw(self, scene: dict[str, Any]) -> np.ndarray:
        """The picture of a scene, uint8 [height, WIDTH, 3]."""
        canvas = Canvas(WIDTH, self._height, GROUND)
        canvas.text((MARGIN, TITLE / 2), self._title, PAPER, TEXT + 4, "lm")
        for number, (field, entry) in enumerate(self._lines):
            value = float(np.ravel(scene[field.name])[entry])
            self._line(canvas, TITLE + LINE * (number + 0.5), field, entry, value)
        return canvas.pixels()

    def _line(self, canvas: Canvas, y: float, field: Field, entry: int, value: float) -> None:
        canvas.text((MARGIN, y), _name(field, entry), QUIET, TEXT, "lm")
        canvas.text((BAR_LEFT - MARGIN, y), _value(field, value), PAPER, TEXT, "rm")
        if field.low is None or field.high is None or not np.isfinite(value):
            return
        share = min(max((value - field.low) / (field.high - field.low), 0.0), 1.0)
        top, bottom = y - 0.25 * LINE, y + 0.25 * LINE
        canvas.rectangle(BAR_LEFT, top, BAR_RIGHT, bottom, TROUGH)
        canvas.rectangle(BAR_LEFT, top, BAR_LEFT + share * (BAR_RIGHT - BAR_LEFT), bottom, BAR)


def _name(field: Field, entry: int) -> str:
    if field.size == 1:
        return field.name
    return f"{field.name} {field.labels[entry] if len(field.labels) == field.size else entry}"


def _value(field: Field, value: float) -> str:
    """A label where the one number of a field is a code, else the number with its unit."""
    if field.size == 1 and field.labels and 0 <= value < len(field.labels):
        return field.labels[int(value)]
    return f"{value:.5g} {field.unit}".rstrip()
