"""Numbered pictures as a film: H.264, yuv420p, which every player and site takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from ..errors import ConfigError, MissingExtra

Progress = Callable[[int, int], None]


def encode(
    frames: Sequence[Path], target: Path, fps: int = 60, quality: int = 18, progress: Progress | None = None
) -> Path:
    """The frames in their order. quality: constant rate factor, 0 best to 51. Half a film is never left."""
    try:
        import av
    except ImportError:
        raise MissingExtra("Making a film", "av", "godot") from None
    if not frames:
        raise ConfigError("There are no frames to make a film of.")
    part = target.with_name(f".{target.name}.part.mp4")
    try:
        with av.open(str(part), "w") as film:
            stream = None
            for number, path in enumerate(frames, start=1):
                picture = _picture(path)
                if stream is None:
                    stream = film.add_stream("libx264", rate=fps)
                    stream.width, stream.height = picture.width // 2 * 2, picture.height // 2 * 2
                    stream.pix_fmt, stream.options = "yuv420p", {"crf": str(quality)}
                small = picture.reformat(stream.width, stream.height, "yuv420p")
                small.pts, small.time_base = number - 1, Fraction(1, fps)  # a picture knows no time
                film.mux(stream.encode(small))
                if progress:
                    progress(number, len(frames))
            if stream is not None:
                film.mux(stream.encode())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _picture(path: Path):  # type: ignore[no-untyped-def]  # av brings no types of its own
    import av

    try:
        with av.open(str(path)) as file:
            return next(file.decode(video=0))
    except (av.error.FFmpegError, StopIteration, OSError) as problem:
        raise ConfigError(f"{path} is no picture: {problem}.") from None
