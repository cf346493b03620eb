"""Where the words of a film stand: never over somebody who plays, and never over one another.

A picture's own rectangles (bodies, names) come from outside, in pixels. Every text has a few places; it takes
the first one that stays free as long as it is shown. A text without a free place is left out, and said to be.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import MissingExtra
from .film_plan import Shot

FONT = Path(__file__).parent / "fonts" / "fredoka_600.woff2"
BASE = 720.0  # sizes are for a picture whose shorter side has so many pixels
CHIP, NOTE, CAPTION, UPRIGHT_CAPTION, CLOCK, TITLE, SUBTITLE, BANNER = 26, 20, 40, 44, 33, 76, 38, 120
MARGIN, GAP, CAPTION_GAP = 24, 8, 38
CLOCK_RADIUS = 46
UPRIGHT_CAPTION_END = 0.80  # of the height: below it lie the buttons of the apps
GUTTER = 8  # between two panels
NOTE_S = 4.0  # that a note is shown

Rect = tuple[float, float, float, float]  # left, top, right, bottom
Busy = Callable[[float, float], Sequence[Rect]]  # what is drawn between two moments of the shot


@dataclass(frozen=True)
class TextBox:
    """A text, where it stands and when."""

    kind: str  # chip, note, caption, clock, title, subtitle, banner
    text: str
    rect: Rect
    size: float  # of the letters, in pixels
    begin_s: float
    end_s: float
    number: int = 0  # of a chip: which stage, from 1


def lay_out(shot: Shot, size: tuple[int, int], busy: Busy) -> tuple[list[TextBox], list[str]]:
    """The texts of a shot, and those that found no place."""
    unit, made, dropped = min(size) / BASE, list[TextBox](), list[str]()

    def put(box: TextBox, places: Sequence[tuple[float, float]]) -> None:
        """At the first free place, given as left and top."""
        wide, tall = box.rect[2], box.rect[3]
        taken = [*busy(box.begin_s, box.end_s), *(b.rect for b in made if _together(b, box))]
        for left, top in places:
            rect = (left, top, left + wide, top + tall)
            if not any(overlap(rect, other) for other in taken):
                made.append(TextBox(box.kind, box.text, rect, box.size, box.begin_s, box.end_s, box.number))
                return
        dropped.append(box.text)

    for box, places in _wanted(shot, size, unit):
        put(box, places)
    return made, dropped


def _wanted(
    shot: Shot, size: tuple[int, int], unit: float
) -> list[tuple[TextBox, list[tuple[float, float]]]]:
    """Texts with their places, the most important first."""
    found = []
    if shot.clock and shot.panels:
        found.append(_clock(shot, size, unit))
    if shot.title:
        found += _titles(shot, size, unit)
    found += [_caption(shot, i, size, unit) for i in range(len(shot.captions))]
    if shot.banner:
        found.append(_banner(shot, size, unit))
    for side in range(len(shot.panels)):
        found += _chips(shot, side, size, unit)
    return found


def _clock(shot: Shot, size: tuple[int, int], unit: float) -> tuple[TextBox, list[tuple[float, float]]]:
    wide = 2 * CLOCK_RADIUS * unit
    top = 24 * unit
    right, left = size[0] - 24 * unit - wide, 24 * unit
    middle = (size[0] - wide) / 2
    if len(shot.panels) > 1:  # on the gutter
        places = [(middle, (size[1] - wide) / 2 if size[1] > size[0] else top)]
    else:
        places = [(right, top), (left, top), (middle, top)]
    box = TextBox("clock", "", (0, 0, wide, wide), CLOCK * unit, 0.0, shot.seconds)
    return box, places


def _titles(
    shot: Shot, size: tuple[int, int], unit: float
) -> list[tuple[TextBox, list[tuple[float, float]]]]:
    made, top = [], 0.07 * size[1]
    for kind, text, letters in (("title", shot.title, TITLE), ("subtitle", shot.subtitle, SUBTITLE)):
        if not text:
            continue
        lines, fitted = broken(text, letters * unit, size[0] * 0.92)
        wide, tall = max(width(line, fitted) for line in lines), 1.15 * fitted * len(lines)
        box = TextBox(kind, "\n".join(lines), (0, 0, wide, tall), fitted, 0.3, shot.seconds)
        made.append((box, [((size[0] - wide) / 2, top)]))
        top += tall + 10 * unit
    return made


def _caption(
    shot: Shot, number: int, size: tuple[int, int], unit: float
) -> tuple[TextBox, list[tuple[float, float]]]:
    caption = shot.captions[number]
    upright = size[1] > size[0]
    letters = (UPRIGHT_CAPTION if upright else CAPTION) * unit
    lines, letters = broken(caption.text, letters, size[0] * 0.86)
    wide = max(width(line, letters) for line in lines) + 1.4 * letters
    tall = 1.15 * letters * len(lines) + 0.55 * letters
    bottom = size[1] * UPRIGHT_CAPTION_END if upright else size[1] - CAPTION_GAP * unit
    left = (size[0] - wide) / 2
    margin = MARGIN * unit
    sides = [(margin, bottom - tall), (size[0] - margin - wide, bottom - tall)]
    places = [(left, bottom - tall), *sides, (left, margin), (left, 130 * unit)]
    box = TextBox("caption", "\n".join(lines), (0, 0, wide, tall), letters, caption.begin_s, caption.end_s)
    return box, places


def _banner(shot: Shot, size: tuple[int, int], unit: float) -> tuple[TextBox, list[tuple[float, float]]]:
    letters = BANNER * unit
    letters *= min(1.0, 0.6 * size[0] / width(shot.banner, letters))
    wide, tall = width(shot.banner, letters), letters
    left = (size[0] - wide) / 2
    tops = [0.05 * size[1], 0.60 * size[1], 0.35 * size[1]]
    places = [(left, tops[0]), (0.06 * size[0], tops[0]), (0.86 * size[0] - wide, tops[0])]
    places += [(left, top) for top in tops[1:]]
    return TextBox("banner", shot.banner, (0, 0, wide, tall), letters, shot.banner_s, shot.seconds), places


def _chips(
    shot: Shot, side: int, size: tuple[int, int], unit: float
) -> list[tuple[TextBox, list[tuple[float, float]]]]:
    """How long they had trained, and below it who wins how often."""
    panel, made = shot.panels[side], []
    left, top, right, bottom = panel_rects(size, len(shot.panels))[side]
    many, margin, tall = len(shot.panels) > 1, MARGIN * unit, 46 * unit
    clear = 0.0 if many else 110 * unit  # of the clock in the corner
    for kind, text, usual in (("chip", panel.chip, CHIP), ("note", panel.note, NOTE)):
        if not text:
            continue
        letters = usual * unit * (0.85 if many else 1.0)
        high = tall if kind == "chip" else 36 * unit
        wide = width(text, letters) + (1.2 * letters if kind == "note" else 58 * unit)
        upper = top + margin + (0 if kind == "chip" else tall + GAP * unit)
        lower = bottom - margin - high - (0 if kind == "note" else 44 * unit)
        near, away = left + margin, right - margin - wide
        if many and side and size[0] > size[1]:  # the outer corners
            near, away = away, near
        places = [(near, upper), (away - clear, upper), (near, lower), (away, lower)]
        end_s = shot.seconds if kind == "chip" else min(shot.seconds, NOTE_S)
        made.append((TextBox(kind, text, (0, 0, wide, high), letters, 0.0, end_s, panel.stage + 1), places))
    return made


def panel_rects(size: tuple[int, int], count: int) -> list[Rect]:
    """The parts of a picture: side by side, in an upright picture one over the other. Even numbers."""
    wide, tall = size
    if count < 2:
        return [(0, 0, wide, tall)]
    if tall > wide:
        half = (tall - GUTTER) // 4 * 2
        return [(0, 0, wide, half), (0, tall - half, wide, tall)]
    half = (wide - GUTTER) // 4 * 2
    return [(0, 0, half, tall), (wide - half, 0, wide, tall)]


def overlap(one: Rect, other: Rect) -> bool:
    """Whether two rectangles share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _together(one: TextBox, other: TextBox) -> bool:
    return one.begin_s < other.end_s and other.begin_s < one.end_s


# ---------------------------------------------------------------- letters


@lru_cache(maxsize=64)
def font(size: float) -> Any:
    """The film's font; sizes are whole pixels."""
    try:
        from PIL import ImageFont
    except ImportError:
        raise MissingExtra("Filming", "pillow", "gym") from None
    return ImageFont.truetype(str(FONT), max(6, round(size)))


def width(text: str, size: float) -> float:
    """Of a line, in pixels."""
    return float(font(size).getlength(text))


def broken(text: str, size: float, room: float) -> tuple[list[str], float]:
    """A text in one or two lines that fit, and the size at which they do."""
    if width(text, size) <= room:
        return [text], size
    words = text.split()
    middle = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - len(text) / 2), default=0)
    lines = [" ".join(words[:middle]), " ".join(words[middle:])] if middle else [text]
    widest = max(width(line, size) for line in lines)
    return lines, size * min(1.0, room / widest)
