"""`sandlot render`: a trajectory, or tag as it is played, drawn by Godot into frames and a film.

The engine is told a fixed rate and draws every frame of simulated time, however long a frame takes, so a film
has true speed on any machine; without a screen it draws into memory.
"""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..errors import ConfigError, GodotFailed
from ..variables import frames_folder, get
from .options import Quality
from .progress import progress
from .record import START_S, on_one_core, picture_s
from .show import err, out

HOLD_S = 3.0  # that the end of a match stays on the screen, and a little more
LOW = ["--rendering-method", "gl_compatibility", "--resolution", "960x540"]
SIZES = {Quality.low: (960, 540), Quality.high: (1920, 1080)}  # as above, and as the project says
LOOK_S = 0.5  # between two looks at how many pictures there are
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
    fps: Annotated[Optional[int], typer.Option(min=1, max=240, help="Else AI_RECORD_FPS, 60.")] = None,
    seconds: Annotated[float, typer.Option(min=1, max=600, help="Of such a match, at most.")] = 15.0,
    seed: Annotated[int, typer.Option(min=0, help="Of such a match.")] = 1,
    limit_s: Annotated[
        float, typer.Option("--timeout", min=10, max=86400, help="Seconds before drawing is given up.")
    ] = 3600,
) -> None:
    """Draw a match in Godot and make it a film, learn_progress-*.mp4. It quits by itself.

    Examples: sandlot render · sandlot render data/trajectories/ep_00001.jsonl --quality low --fps 30 ·
    sandlot render --role seeker
    """
    level = quality or Quality(get("AI_RENDER_QUALITY"))
    rate = fps or get("AI_RECORD_FPS")
    if role is not None:
        if role not in WORDS:
            raise ConfigError(f"--role {role}: expected {', '.join(WORDS)}.")
        from .episode import play_one, trained_or_scripted

        played = play_one(trained_or_scripted(), "godot", WORDS[role], seed, seconds, shorten=True)
        film = render_trajectory(played, rate, level, limit_s)
    else:
        film = render_trajectory(_chosen(trajectory), rate, level, limit_s)
    out.print(str(film), markup=False, soft_wrap=True)


def _chosen(trajectory: Path | None) -> Path:
    from .episode import latest

    path = trajectory or get("AI_REPLAY_PATH") or latest()
    if not path.is_file():
        raise ConfigError(f"There is no trajectory {path}.")
    return path


def render_trajectory(path: Path, fps: int, quality: Quality | None = None, limit_s: float = 3600) -> Path:
    """A film of a trajectory, at true speed."""
    from ..runs.trajectories import read_trajectory, states_of

    start, states, _ = states_of(read_trajectory(path))
    if not states:
        raise ConfigError(f"{path} holds no steps of agents; nothing can be drawn.")
    seconds = len(states) * float(start.get("step_s", 0.05)) + HOLD_S
    level = quality or Quality(get("AI_RENDER_QUALITY"))
    return _film("tag/Replay", [str(path.resolve())], fps, level, seconds, limit_s)


def _film(scene: str, words: list[str], fps: int, quality: Quality, seconds: float, limit_s: float) -> Path:
    from datetime import datetime

    from ..bridge.godot_process import TIMED_OUT, GodotProcess, screen
    from ..bridge.godot_project import project_folder, scene_path
    from ..media.frames import encode
    from .camera import EVERY_PICTURE

    project, folder = project_folder(), frames_folder().resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("frame_*.png"):
        old.unlink()
    movie = ["--fixed-fps", str(fps), "--disable-vsync"]
    recording = {"AI_RECORD": "1", "AI_RECORD_FPS": EVERY_PICTURE, "AI_FRAMES_DIR": str(folder)}
    stop = ["--quit-after", str(int(fps * (seconds + HOLD_S)))]
    look = LOW if quality is Quality.low else []
    arguments = [*movie, *stop, *look, scene_path(project, scene), "--", *words]
    wanted = int(fps * seconds)
    about = on_one_core(START_S + wanted * picture_s(quality.value, SIZES[quality]))
    err.print(f"{words[0]}: some {wanted} pictures, {about}.", markup=False, soft_wrap=True)
    with (
        screen() as variables,
        GodotProcess(
            arguments, project=project, headless=False, environment={**variables, **recording}
        ) as process,
    ):
        ended = _watched(process, folder, wanted, limit_s)
    pictures = sorted(folder.glob("frame_*.png"))
    if ended.code == TIMED_OUT:
        longer = "--timeout gives it longer; --quality low and a lower --fps are quicker."
        raise GodotFailed(f"{len(pictures)} of {wanted} pictures were drawn within {limit_s:g} s. {longer}")
    if ended.code != 0 or not pictures:
        last = " / ".join(ended.output.strip().splitlines()[-3:])
        raise GodotFailed(f"Godot drew {len(pictures)} frames and ended with {ended.code}. It said: {last}")
    target = Path(f"learn_progress-{datetime.now():%Y%m%d-%H%M%S}.mp4")
    encode(pictures, target, fps)
    if not get("AI_PRESERVE_FRAMES"):
        for path in pictures:
            path.unlink(missing_ok=True)
    return target


def _watched(process: Any, folder: Path, wanted: int, limit_s: float) -> Any:
    """How drawing ended; how far it is gets told meanwhile."""
    until = time.monotonic() + limit_s
    with progress("Drawing") as tell:
        while process.code is None and time.monotonic() < until:
            tell("", min(len(list(folder.glob("frame_*.png"))), wanted), wanted)
            time.sleep(LOOK_S)
    return process.wait(0.0)
