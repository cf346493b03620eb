"""Cuts a film of learning from the clips of its plan: words over pictures, halves side by side, sound."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .clips import VideoSettings
from .env_clip import fitted
from .film_layout import Rect, TextBox, panel_rects
from .film_overlay import PAPER, Clock, draw, end_card
from .film_plan import Plan, Shot
from .film_sound import Motion, soundtrack
from .mp4 import Mp4, read_frames

Progress = Callable[[int, int], None]
Colours = Mapping[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Drawn:
    """A shot with the clips of its panels and the places of its words."""

    shot: Shot
    clips: Sequence[Path]
    texts: Sequence[TextBox]


def frames_of(shot: Shot, fps: int) -> int:
    """How many pictures a shot has."""
    return max(1, round(shot.seconds * fps))


def cut_film(
    target: Path,
    video: VideoSettings,
    plan: Plan,
    drawn: Sequence[Drawn],
    motions: Sequence[Motion | None],
    colours: Colours,
    progress: Progress | None = None,
) -> int:
    """Write the film, whole or not at all; returns its number of pictures."""
    total = sum(frames_of(one.shot, video.fps) for one in drawn)
    sound = soundtrack(plan, motions)
    whole = np.zeros((round(total / video.fps * 48_000), 2), np.float32)
    whole[: len(sound)] = sound[: len(whole)]
    preset = "medium" if video.quality == "high" else "veryfast"
    with Mp4(target, video.size, video.fps, preset=preset, sound=whole) as film:
        for one in drawn:
            for picture in pictures(one, video, plan, colours):
                film.add(picture)
                if progress:
                    progress(film.frames, total)
    return film.frames


def pictures(one: Drawn, video: VideoSettings, plan: Plan, colours: Colours) -> Iterator[np.ndarray]:
    """The finished pictures of a shot."""
    shot, count = one.shot, frames_of(one.shot, video.fps)
    parts = panel_rects(video.size, len(shot.panels))
    readers = [read_frames(clip, 0, count) for clip in one.clips]
    for number, found in enumerate(zip(*readers, strict=True)):
        seconds = number / video.fps
        frame = _joined(found, parts, video.size)
        if shot.camera == "end":
            yield end_card(frame, plan.facts, colours, seconds / shot.seconds)
        else:
            yield draw(frame, one.texts, seconds, _clock(plan, shot, seconds))


def _clock(plan: Plan, shot: Shot, seconds: float) -> Clock | None:
    limit = plan.facts.limit_s
    return Clock(limit - shot.match_s(seconds), limit) if limit and shot.clock else None


def _joined(frames: Sequence[np.ndarray], parts: Sequence[Rect], size: tuple[int, int]) -> np.ndarray:
    """One picture of the panels, with a gutter between them."""
    if len(frames) == 1 and frames[0].shape[1::-1] == size:
        return frames[0]
    made = np.full((size[1], size[0], 3), PAPER, np.uint8)
    for frame, (left, top, right, bottom) in zip(frames, parts, strict=True):
        wide, tall = round(right - left), round(bottom - top)
        made[round(top) : round(top) + tall, round(left) : round(left) + wide] = fitted(frame, (wide, tall))
    return made
