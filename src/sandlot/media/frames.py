"""Numbered pictures as a film. Beside them lies the rate they were drawn at: frames.json, {"fps": 60}."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ConfigError
from .mp4 import QUALITY, Mp4, picture

RATE_FILE = "frames.json"  # the recorder of the Godot addon writes it too
MOST_FPS = 240

Progress = Callable[[int, int], None]


def write_rate(folder: Path, fps: int) -> None:
    (folder / RATE_FILE).write_text(json.dumps({"fps": fps}) + "\n", encoding="utf-8")


def read_rate(folder: Path) -> int | None:
    """Frames a second that the pictures of a folder were drawn at; None where nobody wrote it down."""
    try:
        fps = json.loads((folder / RATE_FILE).read_text(encoding="utf-8"))["fps"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        fps = None
    if not isinstance(fps, (int, float)) or isinstance(fps, bool) or not 1 <= fps <= MOST_FPS:
        raise ConfigError(
            f'{folder / RATE_FILE} does not say how fast the frames are: expected {{"fps": N}}, at most '
            f"{MOST_FPS}. Give --fps, or remove the file."
        )
    return round(fps)


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
