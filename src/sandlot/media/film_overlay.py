"""Draws the words of a film over its pictures: chips, captions, the clock, large words, the last card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .film_layout import BASE, CLOCK_RADIUS, TextBox, font, width
from .film_plan import FilmFacts, StageFacts, pattern_words, scored, trained

INK, PAPER, LATE, GOLD = (20, 32, 58), (255, 250, 240), (200, 51, 29), (255, 210, 74)
FADE_S = 0.15  # of a text that comes or goes
GROW_S = 0.28  # of a large word
LATE_S = 3.0  # left on the clock, from which on it is red
NARROW = 22  # percent of a bar below which its number stands without a word
SMOOTH = 2  # times larger a rounded form is drawn


@dataclass(frozen=True)
class Clock:
    """What the clock of a match shows."""

    left_s: float
    limit_s: float


def draw(frame: np.ndarray, boxes: Sequence[TextBox], seconds: float, clock: Clock | None) -> np.ndarray:
    """The picture with its words at this moment of its shot."""
    from PIL import Image

    image = Image.fromarray(frame)
    unit = min(image.size) / BASE
    for box in boxes:
        if not box.begin_s <= seconds < box.end_s:
            continue
        alpha = min(1.0, (seconds - box.begin_s + 0.02) / FADE_S, (box.end_s - seconds) / FADE_S)
        if box.kind == "clock":
            if clock is not None:
                _paste(image, _clock_face(_tenths(clock.left_s), _share(clock), box.size, unit), box, 1.0)
        elif box.kind == "banner":
            grown = min(1.0, (seconds - box.begin_s) / GROW_S)
            _paste(image, _outlined(box.text, box.size, GOLD, 22 * unit), box, min(1.0, grown + 0.2))
        elif box.kind in ("title", "subtitle"):
            line = 16 if box.kind == "title" else 9
            _paste(image, _outlined(box.text, box.size, PAPER, line * unit), box, alpha)
        else:
            steady = 1.0 if box.begin_s == 0 else alpha  # what is there at a cut does not fade in
            _paste(image, _pill(box, unit), box, steady)
    return np.asarray(image)


def _tenths(seconds: float) -> str:
    return f"{max(0.0, seconds):.1f}"


def _share(clock: Clock) -> float:
    return round(max(0.0, min(1.0, clock.left_s / clock.limit_s)), 3) if clock.limit_s else 0.0


def _paste(image: Any, drawn: Any, box: TextBox, alpha: float) -> None:
    """Around the middle of its rectangle."""
    left = round((box.rect[0] + box.rect[2] - drawn.width) / 2)
    top = round((box.rect[1] + box.rect[3] - drawn.height) / 2)
    mask = drawn.getchannel("A")
    if alpha < 1.0:
        mask = mask.point(lambda value: int(value * max(0.0, alpha)))
    image.paste(drawn.convert("RGB"), (left, top), mask)


@lru_cache(maxsize=64)
def _pill(box: TextBox, unit: float) -> Any:
    """Words on a rounded ground: captions light on ink, chips and notes ink on paper."""
    from PIL import Image, ImageDraw

    wide, tall = (
        round(end - start) for start, end in ((box.rect[0], box.rect[2]), (box.rect[1], box.rect[3]))
    )
    dark = box.kind == "caption"
    ground, ink = ((*INK, 235), PAPER) if dark else ((*PAPER, 240), INK)
    made = _rounded(wide, tall, min(tall / 2, 20 * unit), ground)
    pen = ImageDraw.Draw(made)
    middle = wide / 2
    if box.kind == "chip":
        radius = 0.36 * tall
        center = tall / 2 + 2 * unit
        made.alpha_composite(
            _rounded(round(2 * radius), round(2 * radius), radius, (*INK, 255)),
            (round(center - radius), round(tall / 2 - radius)),
        )
        pen.text((center, tall / 2), str(box.number), PAPER, font(box.size * 0.85), anchor="mm")
        middle = (center + radius + wide - 8 * unit) / 2
    lines = box.text.split("\n")
    for i, line in enumerate(lines):
        at = tall / 2 + (i - (len(lines) - 1) / 2) * 1.15 * box.size
        pen.text((middle, at), line, ink, font(box.size), anchor="mm")
    del Image
    return made


@lru_cache(maxsize=64)
def _rounded(wide: int, tall: int, radius: float, colour: tuple[int, int, int, int]) -> Any:
    from PIL import Image, ImageDraw

    made = Image.new("RGBA", (wide * SMOOTH, tall * SMOOTH), (*colour[:3], 0))
    edge = (wide * SMOOTH - 1, tall * SMOOTH - 1)
    ImageDraw.Draw(made).rounded_rectangle((0, 0, *edge), radius * SMOOTH, colour)
    return made.resize((wide, tall), Image.Resampling.BOX)


@lru_cache(maxsize=64)
def _outlined(text: str, size: float, colour: tuple[int, int, int], line: float) -> Any:
    """Large letters with a dark outline."""
    from PIL import Image, ImageDraw

    lines = text.split("\n")
    wide = max(width(one, size) for one in lines) + 2 * line
    made = Image.new("RGBA", (round(wide), round(1.15 * size * len(lines) + 2 * line)), (*INK, 0))
    pen = ImageDraw.Draw(made)
    for i, one in enumerate(lines):
        at = (made.width / 2, made.height / 2 + (i - (len(lines) - 1) / 2) * 1.15 * size)
        pen.text(
            at, one, colour, font(size), anchor="mm", stroke_width=max(1, round(line / 2)), stroke_fill=INK
        )
    return made


@lru_cache(maxsize=512)
def _clock_face(text: str, share: float, size: float, unit: float) -> Any:
    from PIL import Image, ImageDraw

    scale = unit * SMOOTH
    edge = round(2 * CLOCK_RADIUS * scale)
    tint = LATE if float(text) < LATE_S else INK
    made = Image.new("RGBA", (edge, edge), (*PAPER, 0))
    pen = ImageDraw.Draw(made)
    pen.ellipse((0, 0, edge - 1, edge - 1), (*PAPER, 255))
    inset = round(4 * scale)
    ring = (inset, inset, edge - inset, edge - inset)
    pen.arc(ring, 0, 360, (218, 219, 222), round(9 * scale))
    if share > 0:
        pen.arc(ring, -90, -90 + 360 * share, tint, round(9 * scale))
    pen.text((edge / 2, edge / 2), text, tint, font(size * SMOOTH), anchor="mm")
    return made.resize((edge // SMOOTH, edge // SMOOTH), Image.Resampling.BOX)


# ---------------------------------------------------------------- the last card


def end_card(
    frame: np.ndarray, facts: FilmFacts, colours: Mapping[str, tuple[int, int, int]], shown: float
) -> np.ndarray:
    """Who wins at every stage, over a picture. shown: share of the card's time, in which bars grow."""
    from PIL import Image

    image = Image.fromarray(frame)
    wide, tall = image.size
    unit = min(wide, tall) / BASE
    upright = tall > wide
    panel = (round(40 * unit), round(40 * unit))
    size = (wide - 2 * panel[0], round(700 * unit)) if upright else (round(0.52 * wide), tall - 2 * panel[1])
    card = _card(facts, tuple(sorted(colours.items())), size, unit, round(min(1.0, shown * 3), 2))
    image.paste(card.convert("RGB"), panel, card.getchannel("A"))
    return np.asarray(image)


@lru_cache(maxsize=40)
def _card_ground(size: tuple[int, int], unit: float) -> Any:
    return _rounded(*size, 20 * unit, (*INK, 238))


def _card(facts: FilmFacts, colours: Any, size: tuple[int, int], unit: float, grown: float) -> Any:
    from PIL import ImageDraw

    made = _card_ground(size, unit).copy()
    pen = ImageDraw.Draw(made)
    left, right = 34 * unit, size[0] - 34 * unit
    question = "Who wins?" if facts.chaser else "How well does it do?"
    pen.text((left, 56 * unit), question, PAPER, font(54 * unit), anchor="lm")
    top = 106 * unit
    best = max((stage.score.value for stage in facts.stages if stage.score), default=1.0)
    for number, stage in enumerate(facts.stages):
        name = trained(stage.trained_s) or f"Stage {number + 1}"
        pen.text((left, top + 16 * unit), name, PAPER, font(26 * unit), anchor="lm")
        place = (left, top + 38 * unit, right, top + 82 * unit)
        if stage.wins:
            _versus_bar(made, facts, stage, dict(colours), place, unit, grown)
        elif stage.score is not None:
            _score_bar(made, facts, stage, best, place, unit, grown)
        top += 128 * unit
    lines = [pattern_words(facts), "White lines: where the true number lies, 95 % sure."]
    lines += [f"Trained {_length(facts)}{facts.machine}. Made with Sandlot."]
    for line in lines:
        room = right - left
        letters = 20 * unit * min(1.0, room / width(line, 20 * unit))
        pen.text((left, top + 14 * unit), line, PAPER, font(letters), anchor="lm")
        top += 29 * unit
    return made


def _length(facts: FilmFacts) -> str:
    words = trained(facts.stages[-1].trained_s, short=True)
    return f"for {words}" if words else "here"


def _versus_bar(
    card: Any,
    facts: FilmFacts,
    stage: StageFacts,
    colours: Mapping[str, tuple[int, int, int]],
    place: tuple[float, float, float, float],
    unit: float,
    grown: float,
) -> None:
    """Both shares in one bar: the runner's is hatched, so that no colour alone tells them apart."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(card)
    left, top, right, bottom = place
    share = stage.wins[facts.chaser].value
    cut = left + (right - left) * (0.5 + (share - 0.5) * grown)
    pen.rectangle((left, top, cut, bottom), colours[facts.chaser])
    pen.rectangle((cut, top, right, bottom), colours[facts.runner])
    words = {role: round(100 * stage.wins[role].value) for role in (facts.chaser, facts.runner)}
    letters, middle = font(26 * unit), (top + bottom) / 2
    second = _bar_words(facts.runner, words[facts.runner])
    free = right - 12 * unit - width(second, 26 * unit) - 12 * unit
    at = cut + 6 * unit
    while at + 22 * unit < free:  # hatching ends before the words
        pen.line((at, bottom, at + 20 * unit, top), (255, 255, 255, 60), round(3 * unit))
        at += 22 * unit
    pen.text((left + 12 * unit, middle), _bar_words(facts.chaser, words[facts.chaser]), PAPER, letters, "lm")
    pen.text((right - 12 * unit, middle), second, PAPER, letters, "rm")
    pen.rectangle((left, top, right, bottom), outline=PAPER, width=max(1, round(3 * unit)))
    _interval(pen, stage.wins[facts.chaser].interval, place, unit)


def _bar_words(role: str, percent: int) -> str:
    return f"{role.capitalize()} {percent}" if percent > NARROW else str(percent)


def _score_bar(
    card: Any,
    facts: FilmFacts,
    stage: StageFacts,
    best: float,
    place: tuple[float, float, float, float],
    unit: float,
    grown: float,
) -> None:
    from PIL import ImageDraw

    assert stage.score is not None
    pen = ImageDraw.Draw(card)
    left, top, right, bottom = place
    whole = 1.0 if not facts.measure else max(best, 1e-9) * 1.25
    share = max(0.0, min(1.0, stage.score.value / whole))
    pen.rectangle((left, top, left + (right - left) * share * grown, bottom), (26, 92, 192))
    pen.rectangle((left, top, right, bottom), outline=PAPER, width=max(1, round(3 * unit)))
    pen.text((right - 12 * unit, (top + bottom) / 2), scored(facts, stage), PAPER, font(24 * unit), "rm")
    _interval(pen, [max(0.0, min(1.0, end / whole)) for end in stage.score.interval], place, unit)


def _interval(pen: Any, ends: Sequence[float], place: tuple[float, float, float, float], unit: float) -> None:
    """A whisker below a bar."""
    left, _, right, bottom = place
    low, high = (left + (right - left) * end for end in ends)
    at, line = bottom + 9 * unit, max(1, round(3 * unit))
    pen.line((low, at, high, at), PAPER, line)
    for end in (low, high):
        pen.line((end, at - 5 * unit, end, at + 5 * unit), PAPER, line)
