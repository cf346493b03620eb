"""A film of learning: title, matches with their cards, the curve, the end; cut together from clips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import cards
from .clips import Look, Shot
from .cut import Chapter, Plan
from .history import History
from .mp4 import Mp4, pictures

FADE_S = 0.3  # from one picture to the next
DRAWN_SHARE = 0.7  # of the curve's time in which it is drawn; then it stands

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Scene:
    """A chapter with the clip that shows it."""

    chapter: Chapter
    shot: Shot
    clip: Path
    first: int = 0  # picture of the clip at which the shot begins


@dataclass(frozen=True)
class Words:
    """What the title and end cards say."""

    title: str
    lines: Sequence[str]
    end_lines: Sequence[str]


@dataclass(frozen=True)
class Piece:
    """A part of the film: how many pictures, and where they come from."""

    frames: int
    pictures: Callable[[], Iterator[np.ndarray]]


def assemble(
    target: Path,
    look: Look,
    plan: Plan,
    scenes: Sequence[Scene],
    history: History,
    words: Words,
    progress: Progress | None = None,
) -> int:
    """Cut the film; returns how many pictures it has. It appears whole or not at all."""
    pieces = list(_pieces(look, plan, scenes, history, words))
    total = sum(piece.frames for piece in pieces)
    preset = "medium" if look.quality == "high" else "veryfast"
    with Mp4(target, look.size, look.fps, preset=preset) as film:
        for picture in _joined(pieces, round(FADE_S * look.fps)):
            film.add(picture)
            if progress:
                progress(film.frames, total)
    return film.frames


def _pieces(
    look: Look, plan: Plan, scenes: Sequence[Scene], history: History, words: Words
) -> Iterator[Piece]:
    curve = cards.curve_of(history)
    yield _still(look, plan.title_s, lambda: _title(scenes[0], words))
    learned, best = _parts(scenes)
    for number, scene in enumerate([*learned, *best], start=1):
        if number == len(learned) + 1 and curve:
            yield _curve(look, plan.curve_s, curve)
        yield _still(look, plan.card_s, lambda s=scene, n=number: _card(s, f"{n} / {len(scenes)}", history))  # type: ignore[misc]
        yield _match(scene, curve)
    if not best and curve:
        yield _curve(look, plan.curve_s, curve)
    yield _still(look, plan.end_s, lambda: _end(scenes, history, words))


def _parts(scenes: Sequence[Scene]) -> tuple[list[Scene], list[Scene]]:
    """Those in the order of learning, and the best ones, between which the curve stands."""
    best = [scene for scene in scenes if scene.chapter.heading.startswith("Best")]
    return [scene for scene in scenes if scene not in best], best


def _still(look: Look, seconds: float, draw: Callable[[], np.ndarray]) -> Piece:
    frames = round(seconds * look.fps)

    def shown() -> Iterator[np.ndarray]:
        card = draw()
        for _ in range(frames):
            yield card

    return Piece(frames, shown)


def _curve(look: Look, seconds: float, curve: cards.Curve) -> Piece:
    frames = round(seconds * look.fps)

    def shown() -> Iterator[np.ndarray]:
        card = cards.curve_card(curve, look.size)
        for number in range(frames):
            yield card.at((number + 1) / max(1, frames * DRAWN_SHARE))

    return Piece(frames, shown)


def _match(scene: Scene, curve: cards.Curve | None) -> Piece:
    def shown() -> Iterator[np.ndarray]:
        size = scene.shot.look.size
        corner = cards.small_curve(curve, scene.chapter.window, size) if curve else None
        for picture in pictures(scene.clip, scene.first, scene.shot.frames):
            yield picture if corner is None else cards.laid_over(picture, corner)

    return Piece(scene.shot.frames, shown)


def _joined(pieces: Sequence[Piece], fade: int) -> Iterator[np.ndarray]:
    """All pictures; the first ones of a piece are mixed with the last one before it."""
    before: np.ndarray | None = None
    for piece in pieces:
        last = before
        for number, picture in enumerate(piece.pictures()):
            before = picture
            if last is not None and number < min(fade, piece.frames):
                picture = _mixed(last, picture, (number + 1) / (fade + 1))
            yield picture


def _mixed(old: np.ndarray, new: np.ndarray, share: float) -> np.ndarray:
    return (old * np.float32(1 - share) + new * np.float32(share)).astype(np.uint8)


# ---------------------------------------------------------------- what stands on the cards


def _first_picture(scene: Scene) -> np.ndarray:
    return next(pictures(scene.clip, scene.first, 1))


def _title(scene: Scene, words: Words) -> np.ndarray:
    return cards.title_card(cards.backdrop(_first_picture(scene)), words.title, words.lines)


def _card(scene: Scene, number: str, history: History) -> np.ndarray:
    chapter = scene.chapter
    behind = cards.backdrop(_first_picture(scene))
    line = f"window {chapter.window}  ·  {_played(history, chapter.window)}{chapter.outcome}"
    return cards.chapter_card(
        behind, number, chapter.heading, line, cards.figures_at(history, chapter.window)
    )


def _played(history: History, window: int) -> str:
    """How much training lies behind a window, where the run tells it."""
    rows = np.flatnonzero(history.windows.column("window_id") == window)
    if not len(rows):
        return ""
    return f"{in_short(history.windows.column('env_steps_total')[rows[-1]])} env steps  ·  "


def _end(scenes: Sequence[Scene], history: History, words: Words) -> np.ndarray:
    scene = scenes[-1]
    behind = cards.backdrop(next(pictures(scene.clip, scene.first + scene.shot.frames - 1, 1)))
    last = max(scenes, key=lambda s: s.chapter.window).chapter.window
    figures = cards.figures_at(history, last)
    return cards.end_card(behind, f"After window {last}", figures, words.end_lines)


def in_short(number: float) -> str:
    """2,500,000 as 2.5 M."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"
