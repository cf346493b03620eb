"""MP4 files that every player and browser accepts: H.264, yuv420p, the index at the front.

A file is written whole or not at all. It may carry a note, by which its writer recognises it later.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import ConfigError, Damaged, MissingExtra, SandlotError
from ..files import refusal, temporary

QUALITY = 18  # constant rate factor, 0 (best) to 51; at 18 no loss is visible
CLIP_QUALITY = 14  # finer than a film's: a clip is encoded once more when it is cut into one
KEY_SECONDS = 2  # between key frames: how exactly a player can seek
BT709 = 1  # H.264's code for the BT.709 colour space; without it players guess by size
LIMITED = 1  # H.264's code for levels 16 to 235
NOTE = "comment"
SOUND_RATE, SOUND_BITS = 48_000, 192_000
SOUND_BLOCK = 1024  # samples of one frame of AAC


@dataclass(frozen=True)
class VideoInfo:
    """Properties of an MP4 file."""

    size: tuple[int, int]  # width, height
    fps: float
    frames: int
    note: str


class Mp4:
    """An MP4 file, written frame by frame. Use it with `with`: after an error no file is left."""

    def __init__(
        self,
        target: Path,
        size: tuple[int, int],
        fps: int,
        quality: int = QUALITY,
        note: str = "",
        preset: str = "medium",
        sound: np.ndarray | None = None,
    ):
        """sound: float32 [samples, 2] at SOUND_RATE, for the whole film."""
        width, height = size
        if width % 2 or height % 2 or min(size) < 2:
            raise ConfigError(f"A film of {width}x{height}: H.264 wants even numbers.")
        self.target, self.size, self.fps, self.frames = target, size, fps, 0
        self._part = temporary(target)
        self._options = {"crf": str(quality), "preset": preset, "g": str(KEY_SECONDS * fps)}
        self._note, self._sound = note, sound
        self._file: Any = None
        self._stream: Any = None
        self._voice: Any = None  # the stream of the sound
        self._samples_written = 0  # samples of the sound that are written

    def __enter__(self) -> Mp4:
        av = _av()
        with self._errors():
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._file = av.open(str(self._part), "w", format="mp4", options={"movflags": "+faststart"})
        if self._note:
            self._file.metadata[NOTE] = self._note
        self._stream = self._file.add_stream("libx264", rate=self.fps, options=self._options)
        self._stream.width, self._stream.height = self.size
        self._stream.pix_fmt = "yuv420p"
        context = self._stream.codec_context
        context.colorspace = context.color_primaries = context.color_trc = BT709
        context.color_range = LIMITED
        if self._sound is not None:
            self._voice = self._file.add_stream("aac", rate=SOUND_RATE)
            self._voice.bit_rate = SOUND_BITS
            self._voice.codec_context.layout = "stereo"
        return self

    def add(self, frame: np.ndarray) -> None:
        """Append one frame, uint8 [height, width, 3]; another size is scaled."""
        import av

        rgb = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        yuv = rgb.reformat(*self.size, "yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        yuv.pts, yuv.time_base = self.frames, Fraction(1, self.fps)
        with self._errors():
            self._file.mux(self._stream.encode(yuv))
            self._say(round((self.frames + 1) / self.fps * SOUND_RATE))
        self.frames += 1

    def _say(self, until: int) -> None:
        """Write the sound up to this sample, so that both streams lie close together in the file."""
        if self._sound is None:
            return
        last = min(until, len(self._sound))
        while self._samples_written < last and (
            last - self._samples_written >= SOUND_BLOCK or last == len(self._sound)
        ):
            block = self._sound[self._samples_written : min(last, self._samples_written + SOUND_BLOCK)]
            planes = np.ascontiguousarray(block.T, np.float32)
            frame = _av().AudioFrame.from_ndarray(planes, format="fltp", layout="stereo")
            frame.sample_rate, frame.pts = SOUND_RATE, self._samples_written
            frame.time_base = Fraction(1, SOUND_RATE)
            self._file.mux(self._voice.encode(frame))
            self._samples_written += len(block)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._finish()
            else:
                with contextlib.suppress(_av().error.FFmpegError):  # the first error says more
                    self._file.close()
        finally:
            self._part.unlink(missing_ok=True)

    def _finish(self) -> None:
        with self._errors():
            if self.frames:
                self._file.mux(self._stream.encode(None))
                if self._sound is not None:
                    self._say(len(self._sound))
                    self._file.mux(self._voice.encode(None))
            self._file.close()
            if self.frames:
                self._part.replace(self.target)
        if not self.frames:
            raise ConfigError("There are no frames to make a film of.")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """ffmpeg's errors carry errno, which tells a full disk from other errors."""
        try:
            yield
        except (OSError, _av().error.FFmpegError) as problem:
            cause = OSError(problem.errno, problem.strerror)
            raise refusal(self.target, cause, "Nothing of it was kept.") from problem


def video_info(path: Path) -> VideoInfo:
    """Size, rate, length and note of a file, without decoding it."""
    with _opened(path, Damaged, "film") as file:
        stream = file.streams.video[0]
        size = (stream.codec_context.width, stream.codec_context.height)
        rate = float(stream.average_rate or 0)
        return VideoInfo(size, rate, stream.frames, file.metadata.get(NOTE, ""))


def read_frames(path: Path, first: int = 0, count: int | None = None) -> Iterator[np.ndarray]:
    """Decoded frames, uint8 [height, width, 3], from `first` on."""
    with _opened(path, Damaged, "film") as file:
        stop = None if count is None else first + count
        for frame in itertools.islice(file.decode(video=0), first, stop):
            yield frame.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray()


def read_image(path: Path) -> np.ndarray:
    """An image file such as a PNG, uint8 [height, width, 3]."""
    with _opened(path, ConfigError, "picture") as file:
        found: np.ndarray = next(file.decode(video=0)).to_ndarray(format="rgb24")
        return found


@contextlib.contextmanager
def _opened(path: Path, error: type[SandlotError], kind: str) -> Iterator[Any]:
    """A file to decode; whatever is wrong with it becomes this error."""
    av = _av()
    try:
        with av.open(str(path)) as file:
            yield file
    except (OSError, StopIteration, IndexError, av.error.FFmpegError) as problem:
        raise error(f"{path} is no {kind}: {problem}.") from None


def check_encoder() -> None:
    """Refuse, before any frame is drawn, if no encoder is installed."""
    _av()


def _av() -> Any:
    try:
        import av
    except ImportError:
        raise MissingExtra("Making a film", "av", "godot") from None
    return av
