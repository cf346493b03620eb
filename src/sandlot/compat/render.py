"""`python -m sandlot.compat render`: a trajectory, or a match played for it, drawn in Godot as a film.

The engine runs at a fixed rate and draws every frame of simulated time, however long a frame takes, so a film
has true speed on any machine; without a screen it draws into memory.
"""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ..cli import camera
from ..cli.drawing import drawing_cost_s, format_estimate, picture_progress
from ..cli.options import Quality
from ..cli.progress import progress
from ..cli.show import err, out
from ..errors import ConfigError
from ..media.clips import HOLD_S, VideoSettings
from .episode import latest, play_one, trained_or_scripted
from .outputs import film_path
from .trajectories import read_trajectory, states_of
from .variables import frames_folder, get

SCENE = "tag/Replay"
SIZES = {Quality.low: (960, 540), Quality.high: (1920, 1080)}
MOST_FPS = 240
LONGEST_STEP_S = 1.0  # of a trajectory: a longer one is not a match of ours, and its film would be endless
WORDS = {"seeker": "seeker", "chaser": "seeker", "hider": "hider", "runner": "hider"}


def render(
    trajectory: Annotated[Path | None, Argument(help="Else AI_REPLAY_PATH, else the newest.")] = None,
    role: Annotated[
        str | None,
        Option(
            help="Play a match first, the first agent in this role: seeker, hider (chaser, runner). "
            "Weights of trainer/ play, scripts where there are none."
        ),
    ] = None,
    quality: Annotated[Quality | None, Option(help="high, or low: quick. Else AI_RENDER_QUALITY.")] = None,
    fps: Annotated[int | None, Option(min=1, max=MOST_FPS, help="Else AI_RECORD_FPS, 60.")] = None,
    seconds: Annotated[float, Option(min=1, max=600, help="Of such a match, at most.")] = 15.0,
    seed: Annotated[int, Option(min=0, help="Of such a match.")] = 1,
    only_frames: Annotated[
        bool,
        Option("--frames", help="Leave the pictures in the data folder; the command `frames` encodes them."),
    ] = False,
    limit_s: Annotated[float, Option("--timeout", min=10, max=86400, help="Seconds for drawing.")] = 3600,
) -> None:
    """Draw a match in Godot and make it a film, learn_progress-*.mp4. It quits by itself.

    Examples: python -m sandlot.compat render ·
    python -m sandlot.compat render data/trajectories/ep_00001.jsonl --quality low --fps 30 ·
    python -m sandlot.compat render --role seeker
    """
    level = quality or usual_quality()
    rate = fps or usual_fps()
    if role is not None:
        if role not in WORDS:
            raise ConfigError(f"--role {role}: expected {', '.join(WORDS)}.")
        path = play_one(trained_or_scripted(), "godot", WORDS[role], seed, seconds, shorten=True)
    else:
        path = trajectory or get("AI_REPLAY_PATH") or latest()
        if not path.is_file():
            raise ConfigError(f"There is no trajectory {path}.")
    if only_frames:
        video = VideoSettings(SIZES[level], rate, level.value)
        frames = _announced(path, video)
        with progress("Drawing") as show:
            tell = picture_progress(show, frames)
            count = camera.draw_frames(path, SCENE, video, frames, emptied_frames(), limit_s, tell)
        done = f"{frames_folder()}: {count} frames at {rate} a second"
        out.print_line(f"{done}. A film: bash scripts/encode_frames.sh")
    else:
        out.print_line(str(render_trajectory(path, rate, level, limit_s)))


def render_trajectory(path: Path, fps: int, quality: Quality | None = None, limit_s: float = 3600) -> Path:
    """A film of a trajectory, at true speed."""
    level = quality or usual_quality()
    video = VideoSettings(SIZES[level], fps, level.value)
    keep = emptied_frames() if get("AI_PRESERVE_FRAMES") else None
    return film_trajectory(path, video, limit_s, keep=keep)


def film_trajectory(path: Path, video: VideoSettings, limit_s: float, **how: Any) -> Path:
    """learn_progress-STAMP.mp4 of a trajectory. how: as `draw_scene` has it."""
    frames = _announced(path, video)
    with progress("Drawing") as show:
        tell = picture_progress(show, frames)
        scene = camera.recorded(path, SCENE)
        return camera.draw_scene(scene, video, frames, film_path(), limit_s, tell, **how)


def _announced(path: Path, video: VideoSettings) -> int:
    """How many pictures there will be; printed with the time that takes."""
    frames = round(_shown_s(path) * video.fps)
    about = format_estimate(drawing_cost_s(frames, video.quality, video.size))
    err.print_line(f"{path}: {frames} pictures, {about}.")
    return frames


def _shown_s(path: Path) -> float:
    """How long a trajectory is to be seen, its held end included."""
    start, states, _ = states_of(read_trajectory(path))
    if not states:
        raise ConfigError(f"{path} holds no steps of agents; nothing can be drawn.")
    step_s = start.get("step_s", 0.05)
    if not isinstance(step_s, (int, float)) or not 0 < step_s <= LONGEST_STEP_S:
        raise ConfigError(f"{path} says step_s = {step_s!r}: expected seconds, at most {LONGEST_STEP_S:g}.")
    return len(states) * step_s + HOLD_S


def usual_fps() -> int:
    """What AI_RECORD_FPS says."""
    value = int(get("AI_RECORD_FPS"))
    if not 1 <= value <= MOST_FPS:
        raise ConfigError(f"AI_RECORD_FPS={value}: expected 1 to {MOST_FPS}.")
    return value


def usual_quality() -> Quality:
    """What AI_RENDER_QUALITY says."""
    value = get("AI_RENDER_QUALITY")
    if value not in Quality.__members__:
        raise ConfigError(f"AI_RENDER_QUALITY={value}: expected {' or '.join(Quality.__members__)}.")
    return Quality(value)


def emptied_frames() -> Path:
    """The folder of frames, without old ones."""
    folder = frames_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("frame_*.png"):
        old.unlink()
    return folder
