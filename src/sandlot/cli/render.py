"""`sandlot render`: a trajectory, or tag as it is played, drawn by Godot into frames and a film.

The engine is told a fixed rate and draws every frame of simulated time, however long a frame takes, so a film
has true speed on any machine; without a screen it draws into memory.
"""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..errors import ConfigError
from ..variables import frames_folder, get
from .options import Quality
from .outputs import film_path
from .progress import progress
from .record import START_S, counting, on_one_core, picture_s
from .show import err, out

if TYPE_CHECKING:
    from ..media.clips import Look

SIZES = {Quality.low: (960, 540), Quality.high: (1920, 1080)}
MOST_FPS = 240
LONGEST_STEP_S = 1.0  # of a trajectory: a longer one is no match of ours, and its film would be endless
WORDS = {"seeker": "seeker", "chaser": "seeker", "hider": "hider", "runner": "hider"}


def render(
    trajectory: Annotated[
        Optional[Path], typer.Argument(help="ep_*.jsonl; else AI_REPLAY_PATH, else the newest.")
    ] = None,
    role: Annotated[
        Optional[str],
        typer.Option(
            help="Play a match first, the first agent in this role: seeker, hider (chaser, runner). "
            "Weights of trainer/ play, scripts where there are none."
        ),
    ] = None,
    quality: Annotated[
        Optional[Quality], typer.Option(help="high: shadows and all; low: quick. Else AI_RENDER_QUALITY.")
    ] = None,
    fps: Annotated[Optional[int], typer.Option(min=1, max=MOST_FPS, help="Else AI_RECORD_FPS, 60.")] = None,
    seconds: Annotated[float, typer.Option(min=1, max=600, help="Of such a match, at most.")] = 15.0,
    seed: Annotated[int, typer.Option(min=0, help="Of such a match.")] = 1,
    only_frames: Annotated[
        bool,
        typer.Option("--frames", help="Leave the pictures in the data folder; `sandlot frames` encodes."),
    ] = False,
    limit_s: Annotated[
        float, typer.Option("--timeout", min=10, max=86400, help="Seconds before drawing is given up.")
    ] = 3600,
) -> None:
    """Draw a match in Godot and make it a film, learn_progress-*.mp4. It quits by itself.

    Examples: sandlot render · sandlot render data/trajectories/ep_00001.jsonl --quality low --fps 30 ·
    sandlot render --role seeker
    """
    level = quality or usual_quality()
    rate = fps or usual_fps()
    if role is not None:
        if role not in WORDS:
            raise ConfigError(f"--role {role}: expected {', '.join(WORDS)}.")
        from .episode import play_one, trained_or_scripted

        path = play_one(trained_or_scripted(), "godot", WORDS[role], seed, seconds, shorten=True)
    else:
        path = _chosen(trajectory)
    if only_frames:
        count = render_frames(path, rate, level, limit_s)
        text = f"{frames_folder()}: {count} frames at {rate} a second. A film: bash scripts/encode_frames.sh"
        out.print(text, markup=False, soft_wrap=True)
    else:
        out.print(str(render_trajectory(path, rate, level, limit_s)), markup=False, soft_wrap=True)


def _chosen(trajectory: Path | None) -> Path:
    from .episode import latest

    path = trajectory or get("AI_REPLAY_PATH") or latest()
    if not path.is_file():
        raise ConfigError(f"There is no trajectory {path}.")
    return path


def render_trajectory(path: Path, fps: int, quality: Quality | None = None, limit_s: float = 3600) -> Path:
    """A film of a trajectory, at true speed."""
    from ..media.clips import Look

    level = quality or usual_quality()
    look = Look(SIZES[level], fps, level.value)
    return film_trajectory(path, look, limit_s, keep=_kept_frames())


def render_frames(path: Path, fps: int, quality: Quality, limit_s: float) -> int:
    """The pictures of a trajectory in the frames' folder; how many."""
    from ..media.clips import Look
    from .camera import draw_frames

    look = Look(SIZES[quality], fps, quality.value)
    frames = _announced(path, look)
    with progress("Drawing") as tell:
        return draw_frames(path, look, frames, emptied_frames(), limit_s, counting(tell, frames))


def film_trajectory(path: Path, look: Look, limit_s: float, **how: Any) -> Path:
    """learn_progress-STAMP.mp4 of a trajectory. how: as `draw_tape` has it."""
    from .camera import draw_tape

    frames = _announced(path, look)
    with progress("Drawing") as tell:
        return draw_tape(path, look, frames, film_path(), limit_s, counting(tell, frames), **how)


def _announced(path: Path, look: Look) -> int:
    """How many pictures there will be; it is said, with the time that takes."""
    frames = round(_shown_s(path) * look.fps)
    about = on_one_core(START_S + frames * picture_s(look.quality, look.size))
    err.print(f"{path}: {frames} pictures, {about}.", markup=False, soft_wrap=True)
    return frames


def _shown_s(path: Path) -> float:
    """How long a trajectory is to be seen, its held end included."""
    from ..media.clips import HOLD_S
    from ..runs.trajectories import read_trajectory, states_of

    start, states, _ = states_of(read_trajectory(path))
    if not states:
        raise ConfigError(f"{path} holds no steps of agents; nothing can be drawn.")
    step_s = start.get("step_s", 0.05)
    if not isinstance(step_s, (int, float)) or not 0 < step_s <= LONGEST_STEP_S:
        raise ConfigError(f"{path} says step_s = {step_s!r}: expected seconds, at most {LONGEST_STEP_S:g}.")
    return len(states) * step_s + HOLD_S


def usual_fps() -> int:
    """What AI_RECORD_FPS says."""
    said = int(get("AI_RECORD_FPS"))
    if not 1 <= said <= MOST_FPS:
        raise ConfigError(f"AI_RECORD_FPS={said}: expected 1 to {MOST_FPS}.")
    return said


def usual_quality() -> Quality:
    """What AI_RENDER_QUALITY says."""
    said = get("AI_RENDER_QUALITY")
    if said not in Quality.__members__:
        raise ConfigError(f"AI_RENDER_QUALITY={said}: expected {' or '.join(Quality.__members__)}.")
    return Quality(said)


def _kept_frames() -> Path | None:
    """The frames' folder, emptied, where AI_PRESERVE_FRAMES asks to keep them."""
    return emptied_frames() if get("AI_PRESERVE_FRAMES") else None


def emptied_frames() -> Path:
    folder = frames_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("frame_*.png"):
        old.unlink()
    return folder
