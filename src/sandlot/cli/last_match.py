"""The end of a session: one match of the newest weights, as a trajectory and as a short film.

What cannot be made is told in a sentence and in the exit code; what was trained stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigError, SandlotError
from ..variables import get, is_set
from .show import err, out
from .stopping import terminable

# Small and quick: a minute of training should not end with five minutes of drawing.
SIZE, FPS, QUALITY = (640, 360), 20, "low"
SEED = 1
SPARE_S = 1.0  # of play after the match's own limit, before it counts as failed
COULD_NOT_RUN = SandlotError.exit_code


@dataclass
class LastMatch:
    """What was made, and the exit code of what was not."""

    trajectory: Path | None = None
    film: Path | None = None
    code: int = 0


@dataclass(frozen=True)
class Wish:
    """How the film shall be; checked before training, for nobody wants to hear of a wrong word after it."""

    fps: int
    quality: str
    limit_s: float

    @classmethod
    def asked(cls) -> Wish:
        from .render import usual_fps, usual_quality

        limit_s = get("TRAIN_FILM_TIMEOUT")
        if limit_s <= 0:
            raise ConfigError(f"TRAIN_FILM_TIMEOUT={limit_s:g}: expected seconds, above 0.")
        fps = usual_fps() if is_set("AI_RECORD_FPS") else FPS
        return cls(fps, usual_quality().value if is_set("AI_RENDER_QUALITY") else QUALITY, limit_s)


def film_wish() -> Wish:
    """What the variables ask for; what will be in its way is told already."""
    wish = Wish.asked()
    try:
        _need_a_camera()
    except SandlotError as problem:
        err.print(f"There will be no film: {problem}", markup=False, soft_wrap=True)
    return wish


def play_and_film(role: str, engine: str, wish: Wish, debug: Path) -> LastMatch:
    """One match, the first agent in this role; the engine's words go into the bundle."""
    made = LastMatch()
    with terminable():
        with _told("No match was recorded", made):
            err.print("Playing one match with the newest weights …")
            made.trajectory = _play(role, engine, debug / "godot_match.log")
            out.print(str(made.trajectory), markup=False, soft_wrap=True)
        if made.trajectory:
            with _told("No film was made", made):
                made.film = _film(made.trajectory, wish, debug / "godot_film.log")
                out.print(str(made.film), markup=False, soft_wrap=True)
    return made


def _play(role: str, engine: str, log: Path) -> Path:
    from ..bridge.godot_game import LOG_VARIABLE
    from .episode import play_one, trained_or_scripted

    policies = trained_or_scripted()
    limit_s = max(float(policy.spec.config["time_limit"]) for policy in policies.values())
    os.environ[LOG_VARIABLE] = str(log.resolve())
    return play_one(policies, engine, role, SEED, limit_s + SPARE_S)


def _film(trajectory: Path, wish: Wish, log: Path) -> Path:
    from ..media.clips import Look
    from .render import film_trajectory

    _need_a_camera()
    look = Look(SIZE, wish.fps, wish.quality)
    advice = "TRAIN_FILM_TIMEOUT gives it longer; --no-film makes none."
    return film_trajectory(trajectory, look, wish.limit_s, log=log, advice=advice)


def _need_a_camera() -> None:
    from ..bridge.godot_engine import require
    from ..bridge.godot_process import check_screen
    from ..media.mp4 import check_encoder

    require()
    check_screen()
    check_encoder()


@contextmanager
def _told(what: str, made: LastMatch) -> Iterator[None]:
    """A part that may fail without taking the rest along."""
    try:
        yield
    except SandlotError as problem:
        err.print(f"{what}: {problem}", markup=False, soft_wrap=True)
        made.code = problem.exit_code
    except OSError as problem:  # a disk that is full or read-only
        err.print(f"{what}: {problem}.", markup=False, soft_wrap=True)
        made.code = COULD_NOT_RUN
