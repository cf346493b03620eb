"""Encode numbered pictures as a film. frames.json beside them has their rate: {"fps": 60}."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ConfigError
from .mp4 import Mp4, read_image

RATE_FILE = "frames.json"  # the recorder of the Godot addon writes it too
MAX_FPS = 240

Progress = Callable[[int, int], None]


def write_rate(folder: Path, fps: int) -> None:
    """Write frames.json."""
    (folder / RATE_FILE).write_text(json.dumps({"fps": fps}) + "\n", encoding="utf-8")


def read_rate(folder: Path) -> int | None:
    """The frame rate of a folder's pictures; None if there is no frames.json."""
    try:
        fps = json.loads((folder / RATE_FILE).read_text(encoding="utf-8"))["fps"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        fps = None
    if not isinstance(fps, (int, float)) or isinstance(fps, bool) or not 1 <= fps <= MAX_FPS:
        raise ConfigError(
            f'{folder / RATE_FILE} has no valid frame rate: expected {{"fps": N}}, at most '
            f"{MAX_FPS}. Give --fps, or remove the file."
        )
    return round(fps)


def encode(frames: Sequence[Path], target: Path, fps: int = 60, progress: Progress | None = None) -> Path:
    """Encode the frames in their order, in the size of the first. After an error no file is left."""
    if not frames:
        raise ConfigError("There are no frames to make a film of.")
    height, width, _ = read_image(frames[0]).shape
    with Mp4(target, (width // 2 * 2, height // 2 * 2), fps) as film:
        for path in frames:
            film.add(read_image(path))
            if progress:
                progress(film.frames, len(frames))
    return target
