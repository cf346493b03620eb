"""MP4 files that every player and site takes: H.264, yuv420p, the index in front for browsers.

A file appears whole or not at all. It may carry a note, by which whoever made it recognises it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import ConfigError, Damaged, MissingExtra, StoreError
from ..files import refusal, temporary

QUALITY = 18  # constant rate factor: 0 best to 51; at 18 nobody sees a difference
KEY_SECONDS = 2  # between two pictures that stand alone: how exactly a player can jump
BT709 = 1  # the number of HD's colours in H.264; without it players guess, by size
LIMITED = 1  # the number of "16 to 235" in H.264
NOTE = "comment"


@dataclass(frozen=True)
class Facts:
    """What a file says of itself."""

    size: tuple[int, int]  # width, height
    fps: float
    frames: int
    note: str


class Mp4:
    """A film that grows picture by picture. Use it with `with`: an error leaves nothing behind."""

    def __init__(
        self,
        target: Path,
        size: tuple[int, int],
        fps: int,
        quality: int = QUALITY,
        note: str = "",
        preset: str = "medium",
    ):
        width, height = size
        if width % 2 or height % 2 or min(size) < 2:
            raise ConfigError(f"A film of {width}x{height}: H.264 wants even numbers.")
        self.target, self.size, self.fps, self.frames = target, size, fps, 0
        self._part = temporary(target)
        self._options = {"crf": str(quality), "preset": preset, "g": str(KEY_SECONDS * fps)}
        self._note = note
        self._file: Any = None
        self._stream: Any = None

    def __enter__(self) -> Mp4:
        av = _av()
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._file = av.open(str(self._part), "w", format="mp4", options={"movflags": "+faststart"})
        except (OSError, av.error.FFmpegError) as problem:
            raise self._refused(problem) from problem
        if self._note:
            self._file.metadata[NOTE] = self._note
        self._stream = self._file.add_stream("libx264", rate=self.fps, options=self._options)
        self._stream.width, self._stream.height = self.size
        self._stream.pix_fmt = "yuv420p"
        context = self._stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = LIMITED
        return self

    def add(self, picture: np.ndarray) -> None:
        """One more picture, uint8 [height, width, 3]; of another size it is scaled."""
        import av

        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame = frame.reformat(*self.size, "yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        frame.pts, frame.time_base = self.frames, Fraction(1, self.fps)
        self._write(frame)
        self.frames += 1

    def _write(self, frame: Any) -> None:
        try:
            self._file.mux(self._stream.encode(frame))
        except _av().error.FFmpegError as problem:
            raise self._refused(problem) from problem

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and self.frames:
                self._write(None)
            self._close(failed=error is not None)
            if error is None:
                self._publish()
        finally:
            self._part.unlink(missing_ok=True)

    def _close(self, failed: bool) -> None:
        try:
            self._file.close()
        except _av().error.FFmpegError as problem:
            if not failed:  # the first error tells more
                raise self._refused(problem) from problem

    def _publish(self) -> None:
        if not self.frames:
            raise ConfigError("There are no pictures to make a film of.")
        try:
            self._part.replace(self.target)
        except OSError as problem:
            raise self._refused(problem) from problem

    def _refused(self, problem: Any) -> StoreError:
        """ffmpeg's errors carry the system's number, which tells a full disk from other troubles."""
        return refusal(self.target, OSError(problem.errno, problem.strerror), "Nothing of it was kept.")


def facts(path: Path) -> Facts:
    """Size, rate, length and note of a film, without decoding it."""
    av = _av()
    try:
        with av.open(str(path)) as file:
            stream = file.streams.video[0]
            size = (stream.codec_context.width, stream.codec_context.height)
            rate = float(stream.average_rate or 0)
            return Facts(size, rate, stream.frames, file.metadata.get(NOTE, ""))
    except (OSError, IndexError, av.error.FFmpegError) as problem:
        raise Damaged(f"{path} is no film: {problem}.") from None


def pictures(path: Path, first: int = 0, count: int | None = None) -> Iterator[np.ndarray]:
    """The pictures of a film, uint8 [height, width, 3], from `first` on."""
    av = _av()
    try:
        with av.open(str(path)) as file:
            for number, frame in enumerate(file.decode(video=0)):
                if count is not None and number >= first + count:
                    return
                if number >= first:
                    yield frame.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray()
    except (OSError, IndexError, av.error.FFmpegError) as problem:
        raise Damaged(f"{path} is no film: {problem}.") from None


def picture(path: Path) -> np.ndarray:
    """One picture of a file, such as a PNG: uint8 [height, width, 3]."""
    av = _av()
    try:
        with av.open(str(path)) as file:
            found: np.ndarray = next(file.decode(video=0)).to_ndarray(format="rgb24")
            return found
    except (OSError, StopIteration, IndexError, av.error.FFmpegError) as problem:
        raise ConfigError(f"{path} is no picture: {problem}.") from None


def check_encoder() -> None:
    """Refuse a film, before its first picture, where nothing can encode it."""
    _av()


def _av() -> Any:
    try:
        import av
    except ImportError:
        raise MissingExtra("Making a film", "av", "godot") from None
    return av
