"""The end of a session: one match of the newest weights, as a trajectory and as a short film.

What cannot be made is a sentence and an exit code; the trained weights stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..bridge.godot_engine import require
from ..bridge.godot_process import check_screen
from ..cli.show import err, out
from ..cli.stopping import terminable
from ..errors import ConfigError, SandlotError
from ..media.clips import VideoSettings
from ..media.mp4 import check_encoder
from .episode import play_one, trained_or_scripted
from .render import film_trajectory, usual_fps, usual_quality
from .variables import get, is_set

# Small and quick: a minute of training should not end with five minutes of drawing.
SIZE, FPS, QUALITY = (640, 360), 20, "low"
SEED = 1
SPARE_S = 1.0  # of play after the match's own limit, before it counts as failed


@dataclass
class LastMatch:
    """What was made, and the exit code of what was not."""

    trajectory: Path | None = None
    film: Path | None = None
    code: int = 0


@dataclass(frozen=True)
class FilmOptions:
    """How the film is made; checked before training, so that a bad value is not found after it."""

    fps: int
    quality: str
    limit_s: float

    @classmethod
    def from_variables(cls) -> FilmOptions:
        """What the environment variables ask for; ConfigError for a bad value."""
        limit_s = get("TRAIN_FILM_TIMEOUT")
        if limit_s <= 0:
            raise ConfigError(f"TRAIN_FILM_TIMEOUT={limit_s:g}: expected seconds, above 0.")
        fps = usual_fps() if is_set("AI_RECORD_FPS") else FPS
        return cls(fps, usual_quality().value if is_set("AI_RENDER_QUALITY") else QUALITY, limit_s)


def film_options() -> FilmOptions:
    """What the variables ask for; a missing program is reported already now."""
    options = FilmOptions.from_variables()
    try:
        _check_camera()
    except SandlotError as problem:
        err.print_line(f"There will be no film: {problem}")
    return options


def play_and_film(role: str, engine: str, options: FilmOptions, debug: Path) -> LastMatch:
    """One match, the first agent in this role; the engine's output goes into the bundle."""
    made = LastMatch()
    with terminable():
        with _reporting("No match was recorded", made):
            err.print("Playing one match with the newest weights …")
            made.trajectory = _play(role, engine, debug / "godot_match.log")
            out.print_line(str(made.trajectory))
        if made.trajectory:
            with _reporting("No film was made", made):
                made.film = _film(made.trajectory, options, debug / "godot_film.log")
                out.print_line(str(made.film))
    return made


def _play(role: str, engine: str, log: Path) -> Path:
    from ..worlds.godot import LOG_VARIABLE

    policies = trained_or_scripted()
    limit_s = max(float(policy.spec.config["time_limit"]) for policy in policies.values())
    os.environ[LOG_VARIABLE] = str(log.resolve())
    return play_one(policies, engine, role, SEED, limit_s + SPARE_S)


def _film(trajectory: Path, options: FilmOptions, log: Path) -> Path:
    _check_camera()
    video = VideoSettings(SIZE, options.fps, options.quality)
    advice = "TRAIN_FILM_TIMEOUT gives it longer; --no-film makes none."
    return film_trajectory(trajectory, video, options.limit_s, log=log, advice=advice)


def _check_camera() -> None:
    require()
    check_screen()
    check_encoder()


@contextmanager
def _reporting(what: str, made: LastMatch) -> Iterator[None]:
    """A part that may fail without taking the rest along."""
    try:
        yield
    except SandlotError as problem:
        err.print_line(f"{what}: {problem}")
        made.code = problem.exit_code
    except OSError as problem:  # a disk that is full or read-only
        err.print_line(f"{what}: {problem}.")
        made.code = SandlotError.exit_code
