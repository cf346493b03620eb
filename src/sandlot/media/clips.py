"""Clips: filmed matches of a run, reused so that no match is drawn twice.

A clip is identified by its content: the replay, the video settings and the scene that drew it. Their digest
is a note in the file, so a renamed clip is found again and a stale one is not used. Every clip ends with its
match, so a longer clip contains the shorter ones.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import ConfigError, Damaged
from ..runs import Replay, Run
from ..runs.index import MAX_LIMIT
from ..runs.paths import RunPaths
from ..worlds import known_spec
from .mp4 import video_info

KIND = "sandlot clip "
PARTS = "clips"  # folder of clips that show only the end of a match
DEFAULT_TICK_RATE = 30.0  # of a game that does not say how fast it is
HOLD_S = 1.5  # for which the last frame of a match is held
MIN_PLAY_S = 0.5  # of play before the held frame
LARGEST = (1920, 1080)  # of the virtual screen
SMALLEST = (64, 36)


@dataclass(frozen=True)
class VideoSettings:
    """Size, frame rate and quality of a video."""

    size: tuple[int, int] = (1280, 720)  # width, height
    fps: int = 30
    quality: str = "high"  # or "low": no soft shadows and no glow, several times faster


@dataclass(frozen=True)
class Shot:
    """A match from one step to its end, plus the held last frame."""

    replay_id: str
    replay_digest: str
    video: VideoSettings
    scene: str  # digest of the files that draw it
    first_step: int
    frames: int

    @property
    def note(self) -> str:
        """The note of all clips of this match with these settings, however much of it they show."""
        key = json.dumps([self.replay_id, self.replay_digest, asdict(self.video), self.scene, HOLD_S])
        return KIND + hashlib.sha256(key.encode()).hexdigest()[:24]

    def name(self) -> str:
        """Its file name."""
        width, height = self.video.size
        part = "-last" if self.first_step else ""
        return f"{self.replay_id}{part}-{width}x{height}-{self.video.fps}fps.mp4"


def full_shot(replay: Replay, video: VideoSettings, scene: str) -> Shot:
    """A whole match."""
    return last_seconds(replay, video, scene, match_seconds(replay) + HOLD_S)


def last_seconds(replay: Replay, video: VideoSettings, scene: str, seconds: float) -> Shot:
    """The last seconds of a match, including the held last frame."""
    played = max(MIN_PLAY_S, seconds - HOLD_S)
    step_s = match_seconds(replay) / max(1, replay.end.steps)
    first_step = max(0, replay.end.steps - max(1, round(played / step_s))) if step_s else 0
    shown = min(played + HOLD_S, (replay.end.steps - first_step) * step_s + HOLD_S)
    digest = hashlib.sha256(replay.to_bytes()).hexdigest()[:24]
    frames = max(1, round(shown * video.fps))
    return Shot(replay.header.replay_id, digest, video, scene, first_step, frames)


def match_seconds(replay: Replay) -> float:
    """The simulated length of a match."""
    if replay.header.spec is not None:
        return replay.end.ticks / float(replay.header.spec["document"].get("tick_rate") or DEFAULT_TICK_RATE)
    return replay.end.ticks / float(replay.header.config.get("tick_rate", 60))


def parse_size(text: str) -> tuple[int, int]:
    """Parse `1280x720`: even numbers from SMALLEST to LARGEST."""
    width, sign, height = text.lower().partition("x")
    if not sign or not width.isdecimal() or not height.isdecimal() or len(text) > 12:
        raise ConfigError(f"--size {text}: expected WIDTHxHEIGHT, for example 1280x720.")
    size = (int(width), int(height))
    low, high = SMALLEST, LARGEST
    if any(n % 2 or not least <= n <= most for n, least, most in zip(size, low, high, strict=True)):
        limits = f"{low[0]}x{low[1]} to {high[0]}x{high[1]}"
        raise ConfigError(f"--size {text}: expected even numbers from {limits}.")
    return size


# ---------------------------------------------------------------- files


def clip_path(paths: RunPaths, shot: Shot) -> Path:
    """Where a clip is written: whole matches in videos/, parts for films in videos/clips/."""
    return (paths.videos / PARTS if shot.first_step else paths.videos) / shot.name()


def find(paths: RunPaths, shot: Shot) -> tuple[Path, int] | None:
    """A clip that contains this shot, and the frame at which the shot begins; None if there is none."""
    for path in [*sorted(paths.videos.glob("*.mp4")), *sorted((paths.videos / PARTS).glob("*.mp4"))]:
        extra = excess_frames(path, shot)
        if extra is not None and extra >= 0:
            return path, extra
    return None


def excess_frames(path: Path, shot: Shot) -> int | None:
    """How many frames a file has more than the shot (negative: fewer); None if it shows something else."""
    try:
        info = video_info(path)
    except Damaged:
        return None
    return info.frames - shot.frames if info.note == shot.note else None


def files_digest(files: Mapping[str, bytes], more: str = "") -> str:
    """A digest of names and contents of files, and of `more`."""
    made = hashlib.sha256(more.encode())
    for name, data in sorted(files.items()):
        made.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    return made.hexdigest()[:24]


# ---------------------------------------------------------------- choosing one match


def choose(run: Run, replay_id: str | None = None, window_id: int | None = None) -> Replay:
    """The named replay, the first of a window, or the first of the newest window."""
    if replay_id is not None:
        return read(run, run.index.get(replay_id).replay_id)
    newest = run.index.find(limit=1)
    if not newest:
        raise nothing_recorded(run)
    wanted = newest[0].window_id if window_id is None else window_id
    entries = run.index.find(window_id=wanted, limit=MAX_LIMIT)
    if not entries:
        known = sorted({entry.window_id for entry in run.index.find(limit=MAX_LIMIT)})
        there = f"There are matches of {_spans(known)}."
        raise ConfigError(f"No match of window {wanted} was recorded in {run.run_id}. {there}")
    return read(run, min(entries, key=lambda entry: (entry.created_at, entry.replay_id)).replay_id)


def nothing_recorded(run: Run) -> ConfigError:
    """The error for a run without replays."""
    how = f"leave out --no-evaluate, or go on with `sandlot train --resume {run.run_id}`"
    return ConfigError(f"Run {run.run_id} has no recorded matches. They are recorded while it trains: {how}.")


def replay_scene(game: str) -> str:
    """The scene of our Godot project that draws a game's replays; "" where there is none."""
    spec = known_spec(game)
    return spec.document.replay_scene if spec else ""


def read(run: Run, replay_id: str) -> Replay:
    """Read a replay of a run."""
    return Replay.read(run.paths.replay(replay_id))


def _spans(numbers: list[int]) -> str:
    """0–4, 6: neighbours as one."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in parts)
