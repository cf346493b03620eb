"""The cards of a film: titles over a blurred frame of the match, ratings in the roles' colours, the curve.

Everything is laid out in hundredths of the frame's height, so that a card looks the same in every size.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MissingExtra
from .history import History, X
from .plotting import pyplot
from .role_styles import dark_colours

NIGHT = (9, 11, 17)  # of the scene's background
LIGHT, QUIET, FAINT = (240, 243, 248), (160, 170, 186), (52, 60, 76)
Colours = Mapping[str, tuple[int, int, int]]  # by role, light enough for text
DARKNESS = 0.72  # of the picture behind a title
BLUR = 2.2  # hundredths of the height
SMOOTH = 3  # times larger a small curve is drawn, then made smaller


@dataclass(frozen=True)
class Curve:
    """A learning curve: one line per role over env steps."""

    title: str
    lines: dict[str, tuple[np.ndarray, np.ndarray]]  # role → x, y
    windows: np.ndarray
    steps: np.ndarray  # env steps of each window
    colours: Colours
    percent: bool = False


def learning_curve(history: History) -> Curve | None:
    """Ratings against scripted players, else win rates in training; None for fewer than two points."""
    colours = dark_colours(history.game, history.named_roles)
    for title, table, suffix, percent in (
        ("Rating against scripted players", history.evaluations, "_rating", False),
        ("Matches won in training", history.windows, "_win_rate", True),
    ):
        lines = {}
        for role in colours:
            if table.has(role + suffix):
                x, y = table.column(X), table.column(role + suffix)
                good = np.isfinite(x) & np.isfinite(y)
                lines[role] = (x[good], y[good])
        if lines and max(len(x) for x, _ in lines.values()) > 1:
            return Curve(title, lines, table.column("window_id"), table.column(X), colours, percent)
    return None


def ratings_at(history: History, window: int) -> dict[str, str]:
    """The formatted rating of each role in a window; empty if it was not evaluated."""
    windows = history.evaluations.column("window_id")
    rows = np.flatnonzero(windows == window)
    ratings = {}
    for role in history.named_roles:
        value = history.evaluations.column(f"{role}_rating")[rows[-1]] if len(rows) else np.nan
        if np.isfinite(value):
            ratings[role] = f"{value:,.0f}"
    return ratings


# ---------------------------------------------------------------- titles


def backdrop(picture: np.ndarray) -> np.ndarray:
    """A blurred and darkened frame, as background of text."""
    image, blur = _pil("Image"), _pil("ImageFilter").GaussianBlur
    made = image.fromarray(picture)
    soft = np.asarray(made.filter(blur(BLUR * made.height / 100)), float)
    return (soft * (1 - DARKNESS) + np.array(NIGHT) * DARKNESS).astype(np.uint8)


def title_card(behind: np.ndarray, title: str, lines: Sequence[str], colours: Colours) -> np.ndarray:
    """A large title with smaller lines below it."""
    card = _CardCanvas(behind)
    card.write(50, 40, title, 13, LIGHT, bold=True)
    card.rule(50, 49.5, 16, colours)
    for number, line in enumerate(lines):
        card.write(50, 57 + 6.4 * number, line, 4.2, QUIET)
    return card.done()


def chapter_card(
    behind: np.ndarray, number: str, heading: str, line: str, ratings: dict[str, str], colours: Colours
) -> np.ndarray:
    """The reason why the next match is shown, and both ratings at that time."""
    card = _CardCanvas(behind)
    card.write(50, 27, number, 3.8, QUIET)
    card.write(50, 37, heading, 11, LIGHT, bold=True)
    card.write(50, 47.5, line, 4.4, QUIET)
    _write_ratings(card, ratings, 64, colours)
    return card.done()


def end_card(
    behind: np.ndarray, heading: str, ratings: dict[str, str], lines: Sequence[str], colours: Colours
) -> np.ndarray:
    """The last ratings, and lines below them."""
    card = _CardCanvas(behind)
    card.write(50, 27, heading, 8, LIGHT, bold=True)
    _write_ratings(card, ratings, 47, colours)
    for number, line in enumerate(lines):
        card.write(50, 70 + 6 * number, line, 4.0, QUIET)
    return card.done()


def _write_ratings(card: _CardCanvas, ratings: dict[str, str], y: float, colours: Colours) -> None:
    places = {1: (50,), 2: (34, 66)}.get(len(ratings), ())
    for x, (role, value) in zip(places, ratings.items(), strict=True):
        card.write(x, y, value, 11, colours[role], bold=True)
        card.write(x, y + 8.8, f"{role} rating", 3.8, QUIET)


class _CardCanvas:
    """A frame to write on. x in hundredths of the width, y and sizes in hundredths of the height."""

    def __init__(self, behind: np.ndarray):
        self._image = _pil("Image").fromarray(behind)
        self._draw = _pil("ImageDraw").Draw(self._image)

    def write(
        self, x: float, y: float, text: str, size: float, colour: tuple[int, int, int], bold: bool = False
    ) -> None:
        """Write a centred text; smaller if it would not fit."""
        width, height = self._image.size
        font = _font(size * height / 100, bold)
        wide = self._draw.textlength(text, font=font)
        if wide > 0.92 * width:
            font = _font(size * height / 100 * 0.92 * width / wide, bold)
        self._draw.text((x * width / 100, y * height / 100), text, fill=colour, font=font, anchor="mm")

    def rule(self, x: float, y: float, length: float, colours: Colours) -> None:
        """A short line, an equal part in each role's colour."""
        width, height = self._image.size
        left, part = (x - length / 2) * width / 100, length * width / 100 / max(1, len(colours))
        top, bottom = (y - 0.4) * height / 100, (y + 0.4) * height / 100
        for number, colour in enumerate(colours.values()):
            self._draw.rectangle((left + number * part, top, left + (number + 1) * part, bottom), fill=colour)

    def done(self) -> np.ndarray:
        return np.asarray(self._image)


def _font(pixels: float, bold: bool) -> Any:
    pyplot()
    from matplotlib import font_manager

    weight = "bold" if bold else "normal"
    path = font_manager.findfont(font_manager.FontProperties(family="DejaVu Sans", weight=weight))
    return _pil("ImageFont").truetype(path, max(6, round(pixels)))


# ---------------------------------------------------------------- the curve


@dataclass(frozen=True)
class CurveCard:
    """The chart without and with its lines, which are uncovered from left to right."""

    empty: np.ndarray
    full: np.ndarray
    left: int  # pixels between which the lines lie
    right: int

    def at(self, share: float) -> np.ndarray:
        """The card with this share of the curve uncovered."""
        edge = self.left + round(min(1.0, max(0.0, share)) * (self.right - self.left))
        if share >= 1.0:
            return self.full
        made = self.empty.copy()
        made[:, :edge] = self.full[:, :edge]
        return made


def curve_card(curve: Curve, size: tuple[int, int]) -> CurveCard:
    """Draw the chart of a learning curve."""
    empty, left, right = _chart(curve, size, lines=False)
    full, _, _ = _chart(curve, size, lines=True)
    return CurveCard(empty, full, left, right)


def _chart(curve: Curve, size: tuple[int, int], lines: bool) -> tuple[np.ndarray, int, int]:
    plt = pyplot()
    width, height = size
    unit = height / 100  # pixels; at 100 dots an inch a point is 100/72 of one
    points = unit * 0.72
    figure = plt.figure(figsize=(width / 100, height / 100), dpi=100, facecolor=_hex(NIGHT))
    axes = figure.add_axes((0.12, 0.19, 0.68, 0.54), facecolor=_hex(NIGHT))
    figure.text(0.12, 0.87, "What it learned", fontsize=7.5 * points, fontweight="bold", color=_hex(LIGHT))
    figure.text(0.12, 0.80, curve.title, fontsize=4.0 * points, color=_hex(QUIET))
    _set_axes(axes, curve, points)
    for role, (x, y) in curve.lines.items():
        shown = {"color": _hex(curve.colours[role]), "linewidth": 0.9 * points, "solid_capstyle": "round"}
        axes.plot(x, y, alpha=1.0 if lines else 0.0, **shown)
        if lines:
            axes.plot(
                x[-1], y[-1], "o", color=_hex(curve.colours[role]), markersize=2.4 * points, clip_on=False
            )
    if lines:
        _name_ends(axes, curve, points)
    left = round(axes.get_position().x0 * width)
    right = round(axes.get_position().x1 * width)
    made = _pixels(figure, size)
    plt.close(figure)
    return made, left, right


def _set_axes(axes: Any, curve: Curve, points: float) -> None:
    from matplotlib.ticker import EngFormatter, MaxNLocator, PercentFormatter, StrMethodFormatter

    axes.tick_params(colors=_hex(QUIET), labelsize=3.5 * points, length=0, pad=2.2 * points)
    axes.grid(axis="y", color=_hex(FAINT), linewidth=0.25 * points)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    percent, number = PercentFormatter(1.0, decimals=0), StrMethodFormatter("{x:,.0f}")
    axes.yaxis.set_major_formatter(percent if curve.percent else number)
    axes.set_xlabel("env steps of training", color=_hex(QUIET), fontsize=3.5 * points, labelpad=2 * points)
    axes.margins(x=0.0, y=0.1)


def _name_ends(axes: Any, curve: Curve, points: float) -> None:
    """Name and last value right of each line, apart from each other."""
    from .plotting import spread_labels

    low, high = axes.get_ylim()
    ends = sorted(((y[-1] - low) / (high - low), role, y[-1]) for role, (_, y) in curve.lines.items())
    for place, (_, role, value) in zip(spread_labels([end[0] for end in ends], 0.2), ends, strict=True):
        label = f"{value:.0%}" if curve.percent else f"{value:,.0f}"
        for text, below, size, weight in ((label, 0.0, 5.6, "bold"), (role, 0.085, 3.6, "normal")):
            axes.annotate(
                text, (1.03, place - below), xycoords="axes fraction", color=_hex(curve.colours[role]),
                fontsize=size * points, fontweight=weight, va="center", annotation_clip=False,
            )  # fmt: skip


def small_curve(curve: Curve, window: int, size: tuple[int, int]) -> np.ndarray:
    """The curve for a corner of the match's frame, solid up to this window: RGBA, transparent around it."""
    image = _pil("Image")
    width, height = size[0] * 7 // 32, size[1] * 9 // 50
    made = image.new("RGBA", (width * SMOOTH, height * SMOOTH), (0, 0, 0, 0))
    pen = _pil("ImageDraw").Draw(made)
    thick = max(2, round(size[1] * SMOOTH / 260))
    margin, letters = 3 * thick, 2.6 * size[1] * SMOOTH / 100
    room = (margin, margin, made.width - margin, made.height - margin - 1.2 * letters)
    for role, (line, reached) in _corner_lines(curve, window, room).items():
        colour = curve.colours[role]
        pen.line(line, fill=(*colour, 70), width=thick, joint="curve")
        pen.line(line[:reached], fill=(*colour, 255), width=thick, joint="curve")
        x, y = line[max(0, reached - 1)]
        pen.ellipse((x - 2 * thick, y - 2 * thick, x + 2 * thick, y + 2 * thick), fill=(*colour, 255))
    place = (made.width - margin, made.height - margin / 3)
    word = "matches won" if curve.percent else "rating"
    pen.text(place, word, fill=(*QUIET, 255), font=_font(letters, bold=False), anchor="rs")
    return np.asarray(made.resize((width, height), image.LANCZOS))


def _corner_lines(
    curve: Curve, window: int, room: tuple[float, float, float, float]
) -> dict[str, tuple[list[tuple[float, float]], int]]:
    """The points of each role's line within left, top, right, bottom; and how many lie before the window."""
    left, top, right, bottom = room
    every = np.concatenate([y for _, y in curve.lines.values()])
    low, span = float(every.min()), max(float(np.ptp(every)), 1e-9)
    last = max(float(x[-1]) for x, _ in curve.lines.values()) or 1.0
    now = curve.steps[curve.windows == window]
    until = float(now[-1]) if len(now) else last
    made = {}
    for role, (x, y) in curve.lines.items():
        across, up = left + x / last * (right - left), bottom - (y - low) / span * (bottom - top)
        made[role] = (list(zip(across.tolist(), up.tolist(), strict=True)), int((x <= until).sum()))
    return made


def overlay(picture: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """A frame with a transparent image in its upper right corner."""
    height, width = corner.shape[:2]
    gap = picture.shape[0] // 25
    made = picture.copy()
    place = made[gap : gap + height, made.shape[1] - gap - width : made.shape[1] - gap]
    share = corner[..., 3:].astype(np.float32) / 255
    place[...] = (place * (1 - share) + corner[..., :3] * share).astype(np.uint8)
    return made


def _pixels(figure: Any, size: tuple[int, int]) -> np.ndarray:
    data = io.BytesIO()
    figure.savefig(data, format="rgba", dpi=100, facecolor=figure.get_facecolor())
    flat = np.frombuffer(data.getvalue(), np.uint8)
    return flat.reshape(size[1], size[0], 4)[..., :3].copy()


def _hex(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _pil(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"PIL.{name}")
    except ImportError:
        raise MissingExtra("Drawing a film's cards", "Pillow", "train") from None
