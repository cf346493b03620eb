"""A small canvas over Pillow: shapes in pixels of the finished picture, drawn twice as large and halved."""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]
Colour = tuple[int, ...]  # red, green, blue, and opacity where it is not 255

SCALE = 2  # drawn so many times larger, then reduced: smooth edges


def colour(text: str, opacity: float = 1.0) -> Colour:
    """(232, 196, 122, 255) of "#e8c47a"."""
    red, green, blue = (int(text[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue, round(255 * opacity)


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """A colour between two: 0 is the one, 1 the other."""
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other, strict=True))


@functools.lru_cache(maxsize=32)
def font(size: float) -> Any:
    """The default font in pixels of the finished picture."""
    return ImageFont.load_default(size * SCALE)


@functools.lru_cache(maxsize=2048)  # the same texts are drawn again and again
def lettered(words: str, size: float, anchor: str) -> tuple[Image.Image, int, int]:
    """The shape of a text, and where it begins from its anchor."""
    left, top, right, bottom = (round(v) for v in font(size).getbbox(words, anchor=anchor))
    mask = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
    ImageDraw.Draw(mask).text((-left, -top), words, 255, font(size), anchor)
    return mask, left, top


class Canvas:
    """A picture to draw on. `Canvas(width, height)` is blank; `Canvas.over(other)` begins as a copy."""

    def __init__(self, width: int, height: int, ground: Colour = (0, 0, 0, 255)):
        self._begin(Image.new("RGB", (width * SCALE, height * SCALE), ground[:3]))

    def _begin(self, image: Image.Image) -> None:
        self.image, self._pen = image, ImageDraw.Draw(image, "RGBA")

    @classmethod
    def over(cls, other: "Canvas") -> "Canvas":
        """A copy of another canvas to draw on."""
        new = cls.__new__(cls)
        new._begin(other.image.copy())
        return new

    def pixels(self) -> np.ndarray:
        """The finished picture, uint8 [height, width, 3]."""
        return np.array(self.image.reduce(SCALE))

    # ------------------------------------------------------------ shapes

    def polygon(
        self, points: Iterable[Point], fill: Colour, line: Colour | None = None, width: float = 0
    ) -> None:
        """A filled polygon, optionally with an outline."""
        corners = [(x * SCALE, y * SCALE) for x, y in points]
        self._pen.polygon(corners, fill)
        if line is not None:
            self._pen.line([*corners, corners[0]], line, round(width * SCALE), joint="curve")

    def rectangle(
        self, left: float, top: float, right: float, bottom: float, fill: Colour | None,
        line: Colour | None = None, width: float = 0, radius: float = 0,
    ) -> None:  # fmt: skip
        """A rectangle with optional fill, outline and rounded corners."""
        box = [v * SCALE for v in (left, top, max(left, right), max(top, bottom))]
        self._pen.rounded_rectangle(box, radius * SCALE, fill, line, round(width * SCALE))

    def circle(
        self, at: Point, radius: float, fill: Colour | None, line: Colour | None = None, width: float = 0
    ) -> None:
        """A circle with optional fill and outline."""
        (x, y), r = at, radius
        box = [v * SCALE for v in (x - r, y - r, x + r, y + r)]
        self._pen.ellipse(box, fill, line, round(width * SCALE))

    def line(self, points: Sequence[Point], fill: Colour, width: float) -> None:
        """A line through several points."""
        self._pen.line([(x * SCALE, y * SCALE) for x, y in points], fill, round(width * SCALE), joint="curve")

    def dashes(self, start: Point, end: Point, fill: Colour, width: float, on: float, off: float) -> None:
        """A dashed line; `on` and `off` in pixels."""
        length = math.dist(start, end)
        if not length:
            return
        step_x, step_y = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        for i in range(math.ceil(length / (on + off))):
            a, b = i * (on + off), min(i * (on + off) + on, length)
            ends = [(start[0] + step_x * at, start[1] + step_y * at) for at in (a, b)]
            self.line(ends, fill, width)

    def text(self, at: Point, words: str, fill: Colour, size: float, anchor: str = "la") -> None:
        """anchor: where `at` is, horizontally l, m, r and vertically a (top), m, s (baseline)."""
        mask, left, top = lettered(words, size, anchor)
        self.image.paste(fill[:3], (round(at[0] * SCALE) + left, round(at[1] * SCALE) + top), mask)
