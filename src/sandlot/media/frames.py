"""Numbered pictures as a film."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ConfigError
from .mp4 import QUALITY, Mp4, picture

Progress = Callable[[int, int], None]


def encode(
    frames: Sequence[Path],
    target: Path,
    fps: int = 60,
    quality: int = QUALITY,
    progress: Progress | None = None,
) -> Path:
    """The frames in their order, in the size of the first one. Half a film is never left."""
    if not frames:
        raise ConfigError("There are no frames to make a film of.")
    height, width, _ = picture(frames[0]).shape
    with Mp4(target, (width // 2 * 2, height // 2 * 2), fps, quality) as film:
        for path in frames:
            film.add(picture(path))
            if progress:
                progress(film.frames, len(frames))
    return target
