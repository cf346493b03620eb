"""Filmed matches of a run: which file holds which match, so that nothing is drawn twice.

A clip is known by what is in it: the replay, the picture's size and rate, and the scene that drew it. The
digest of all that is a note in the file: a renamed clip is found again, a stale one is not used. Every clip
goes on to the end of its match, so a longer one holds the shorter ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import ConfigError, Damaged
from ..runs import Replay, Run
from ..runs.index import MOST
from ..runs.paths import RunPaths
from .mp4 import facts

KIND = "sandlot clip "
PARTS = "clips"  # folder of clips that show only the end of a match
HOLD_S = 1.5  # that the end of a match stays in the picture
LEAST_S = 0.5  # of play before it
LARGEST = (1920, 1080)  # of the screen in memory
SMALLEST = (64, 36)


@dataclass(frozen=True)
class Look:
    """How a picture is made."""

    size: tuple[int, int] = (1280, 720)  # width, height
    fps: int = 30
    quality: str = "high"  # or "low": no soft shadows, no glow, several times quicker


@dataclass(frozen=True)
class Shot:
    """A match to be drawn from one step on, and its end held for a while."""

    replay_id: str
    replay_digest: str
    look: Look
    scene: str  # digest of what draws it
    first_step: int
    frames: int

    @property
    def note(self) -> str:
        """What all clips of this match in this look carry, however much of it they show."""
        told = json.dumps([self.replay_id, self.replay_digest, asdict(self.look), self.scene, HOLD_S])
        return KIND + hashlib.sha256(told.encode()).hexdigest()[:24]

    def name(self) -> str:
        """What its file is called."""
        width, height = self.look.size
        part = "-last" if self.first_step else ""
        return f"{self.replay_id}{part}-{width}x{height}-{self.look.fps}fps.mp4"


def whole(replay: Replay, look: Look, scene: str) -> Shot:
    """All of a match."""
    return last(replay, look, scene, seconds_of(replay) + HOLD_S)


def last(replay: Replay, look: Look, scene: str, seconds: float) -> Shot:
    """The last seconds of a match, the held end included: that is where it is decided."""
    played = max(LEAST_S, seconds - HOLD_S)
    step_s = seconds_of(replay) / max(1, replay.end.steps)
    first_step = max(0, replay.end.steps - max(1, round(played / step_s))) if step_s else 0
    shown = min(played + HOLD_S, (replay.end.steps - first_step) * step_s + HOLD_S)
    digest = hashlib.sha256(replay.to_bytes()).hexdigest()[:24]
    frames = max(1, round(shown * look.fps))
    return Shot(replay.header.replay_id, digest, look, scene, first_step, frames)


def seconds_of(replay: Replay) -> float:
    """How long a match lasted in its own time."""
    return replay.end.ticks / float(replay.header.config.get("tick_rate", 60))


def parse_size(text: str) -> tuple[int, int]:
    """`1280x720`: even numbers within what can be drawn."""
    width, sign, height = text.lower().partition("x")
    if not sign or not width.isdecimal() or not height.isdecimal() or len(text) > 12:
        raise ConfigError(f"--size {text}: expected WIDTHxHEIGHT, for example 1280x720.")
    size = (int(width), int(height))
    low, high = SMALLEST, LARGEST
    if any(n % 2 or not least <= n <= most for n, least, most in zip(size, low, high, strict=True)):
        raise ConfigError(
            f"--size {text}: expected even numbers from {low[0]}x{low[1]} to {high[0]}x{high[1]}."
        )
    return size


# ---------------------------------------------------------------- files


def clip_path(paths: RunPaths, shot: Shot) -> Path:
    """Whole matches are for people and lie in videos/; parts are for films, one folder deeper."""
    return (paths.videos / PARTS if shot.first_step else paths.videos) / shot.name()


def find(paths: RunPaths, shot: Shot) -> tuple[Path, int] | None:
    """A clip that holds this shot, whatever it is called, and the picture of it at which the shot begins."""
    for path in [*sorted(paths.videos.glob("*.mp4")), *sorted((paths.videos / PARTS).glob("*.mp4"))]:
        extra = surplus(path, shot)
        if extra is not None and extra >= 0:
            return path, extra
    return None


def surplus(path: Path, shot: Shot) -> int | None:
    """How many pictures a film has more than the shot, below zero when fewer; None: of something else."""
    try:
        told = facts(path)
    except Damaged:
        return None
    return told.frames - shot.frames if told.note == shot.note else None


def digest_of(files: Iterable[Path], more: str = "") -> str:
    """Of the names and contents of what draws; another look makes other clips."""
    made = hashlib.sha256(more.encode())
    for path in sorted(files):
        made.update(path.name.encode() + b"\0" + path.read_bytes())
    return made.hexdigest()[:24]


# ---------------------------------------------------------------- choosing one match


def choose(run: Run, replay_id: str | None = None, window_id: int | None = None) -> Replay:
    """The replay that was named, the first of a window, or the first of the newest window."""
    if replay_id is not None:
        return read(run, run.index.get(replay_id).replay_id)
    newest = run.index.find(limit=1)
    if not newest:
        raise nothing_recorded(run)
    wanted = newest[0].window_id if window_id is None else window_id
    entries = run.index.find(window_id=wanted, limit=MOST)
    if not entries:
        known = sorted({entry.window_id for entry in run.index.find(limit=MOST)})
        raise ConfigError(
            f"No match of window {wanted} was recorded in {run.run_id}. There are matches of {_spans(known)}."
        )
    return read(run, min(entries, key=lambda entry: (entry.created_at, entry.replay_id)).replay_id)


def nothing_recorded(run: Run) -> ConfigError:
    return ConfigError(
        f"Run {run.run_id} has no recorded matches. They are recorded while it trains: leave out "
        f"--no-evaluate, or go on with `sandlot train --resume {run.run_id}`."
    )


def read(run: Run, replay_id: str) -> Replay:
    """A replay of tag; other games have no scene to be drawn in."""
    path = run.paths.replay(replay_id)
    replay = Replay.read(path)
    if replay.header.game != "tag":
        raise ConfigError(
            f"{replay_id} is a match of {replay.header.game}; Godot draws tag. Watch it with `sandlot serve`."
        )
    return replay


def _spans(numbers: list[int]) -> str:
    """0–4, 6: neighbours as one."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in parts)
