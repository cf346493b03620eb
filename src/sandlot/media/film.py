"""A film of a run's learning, edited from clips: title, matches with their cards, learning curve, end."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import cards
from .clips import Shot, VideoSettings
from .cut import Chapter, FilmPlan
from .history import History
from .mp4 import Mp4, read_frames
from .role_styles import dark_colours

FADE_S = 0.3  # of a crossfade between two segments
DRAWN_SHARE = 0.7  # share of the curve's time in which it is drawn; then it stands still

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Scene:
    """A chapter and the clip that shows it."""

    chapter: Chapter
    shot: Shot
    clip: Path
    first: int  # frame of the clip at which the shot begins


@dataclass(frozen=True)
class CardTexts:
    """Texts of the title and end cards."""

    title: str
    lines: Sequence[str]
    end_lines: Sequence[str]


@dataclass(frozen=True)
class Segment:
    """A part of the film: its length, and a function that yields its frames."""

    length: int  # frames
    frames: Callable[[], Iterator[np.ndarray]]


def assemble(
    target: Path,
    video: VideoSettings,
    plan: FilmPlan,
    scenes: Sequence[Scene],
    history: History,
    texts: CardTexts,
    progress: Progress | None = None,
) -> int:
    """Write the film, whole or not at all; returns its number of frames."""
    segments = list(_segments(video, plan, scenes, history, texts))
    total = sum(segment.length for segment in segments)
    preset = "medium" if video.quality == "high" else "veryfast"
    with Mp4(target, video.size, video.fps, preset=preset) as film:
        for frame in _crossfade(segments, round(FADE_S * video.fps)):
            film.add(frame)
            if progress:
                progress(film.frames, total)
    return film.frames


def _segments(
    video: VideoSettings, plan: FilmPlan, scenes: Sequence[Scene], history: History, texts: CardTexts
) -> Iterator[Segment]:
    curve = cards.learning_curve(history)
    yield _still(video, plan.title_s, lambda: _title(scenes[0], history, texts))
    # the best ones come last, the curve before them
    best = [scene for scene in scenes if scene.chapter.heading.startswith("Best")]
    learned = [scene for scene in scenes if scene not in best]
    for number, scene in enumerate([*learned, *best], start=1):
        if number == len(learned) + 1 and curve:
            yield _curve(video, plan.curve_s, curve)
        yield _still(video, plan.card_s, lambda s=scene, n=number: _card(s, f"{n} / {len(scenes)}", history))  # type: ignore[misc]
        yield _match(scene, curve)
    if not best and curve:
        yield _curve(video, plan.curve_s, curve)
    yield _still(video, plan.end_s, lambda: _end(scenes, history, texts))


def _still(video: VideoSettings, seconds: float, draw: Callable[[], np.ndarray]) -> Segment:
    frames = round(seconds * video.fps)

    def frames_shown() -> Iterator[np.ndarray]:
        card = draw()
        for _ in range(frames):
            yield card

    return Segment(frames, frames_shown)


def _curve(video: VideoSettings, seconds: float, curve: cards.Curve) -> Segment:
    frames = round(seconds * video.fps)

    def frames_shown() -> Iterator[np.ndarray]:
        card = cards.curve_card(curve, video.size)
        for number in range(frames):
            yield card.at((number + 1) / max(1, frames * DRAWN_SHARE))

    return Segment(frames, frames_shown)


def _match(scene: Scene, curve: cards.Curve | None) -> Segment:
    def frames_shown() -> Iterator[np.ndarray]:
        size = scene.shot.video.size
        corner = cards.small_curve(curve, scene.chapter.window, size) if curve else None
        for frame in read_frames(scene.clip, scene.first, scene.shot.frames):
            yield frame if corner is None else cards.overlay(frame, corner)

    return Segment(scene.shot.frames, frames_shown)


def _crossfade(segments: Sequence[Segment], fade: int) -> Iterator[np.ndarray]:
    """The frames of all segments; the first ones of each are blended with the last one before it."""
    before: np.ndarray | None = None
    for segment in segments:
        last = before
        for number, frame in enumerate(segment.frames()):
            before = frame
            if last is not None and number < min(fade, segment.length):
                share = np.float32((number + 1) / (fade + 1))
                frame = (last * (1 - share) + frame * share).astype(np.uint8)
            yield frame


# ---------------------------------------------------------------- cards


def _first_frame(scene: Scene) -> np.ndarray:
    return next(read_frames(scene.clip, scene.first, 1))


def _colours(history: History) -> cards.Colours:
    return dark_colours(history.game, history.named_roles)


def _title(scene: Scene, history: History, texts: CardTexts) -> np.ndarray:
    return cards.title_card(cards.backdrop(_first_frame(scene)), texts.title, texts.lines, _colours(history))


def _card(scene: Scene, number: str, history: History) -> np.ndarray:
    chapter = scene.chapter
    behind = cards.backdrop(_first_frame(scene))
    line = f"window {chapter.window}  ·  {_env_steps_text(history, chapter.window)}{chapter.outcome}"
    ratings = cards.ratings_at(history, chapter.window)
    return cards.chapter_card(behind, number, chapter.heading, line, ratings, _colours(history))


def _env_steps_text(history: History, window: int) -> str:
    """Env steps trained until the end of a window; empty if the run does not know it."""
    rows = np.flatnonzero(history.windows.column("window_id") == window)
    if not len(rows):
        return ""
    return f"{format_count(history.windows.column('env_steps_total')[rows[-1]])} env steps  ·  "


def _end(scenes: Sequence[Scene], history: History, texts: CardTexts) -> np.ndarray:
    scene = scenes[-1]
    behind = cards.backdrop(next(read_frames(scene.clip, scene.first + scene.shot.frames - 1, 1)))
    last = max(scenes, key=lambda s: s.chapter.window).chapter.window
    ratings = cards.ratings_at(history, last)
    return cards.end_card(behind, f"After window {last}", ratings, texts.end_lines, _colours(history))


def format_count(value: float) -> str:
    """Three digits and a letter: 950, 34.2 k, 1.20 M."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            shown = value / size
            return f"{shown:.{2 if shown < 10 else 1 if shown < 100 else 0}f}{letter}"
    return f"{value:.0f}"
