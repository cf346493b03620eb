"""Draws a recorded match, or a part of one, in Godot, picture by picture into an MP4.

The engine runs at a fixed rate, so every picture is the next moment of simulated time, however long it takes
to draw. Pictures are encoded and removed while the next ones are drawn: a film needs no space for frames.
The addon's recorder saves them; the engine's movie maker scales all pictures to the project's own size.
"""

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bridge.godot_engine import Engine, require
from ..bridge.godot_process import GodotProcess, screen
from ..bridge.godot_project import MADE_BY_IMPORT, project_folder, scene_path
from ..errors import GodotFailed
from ..evaluate.replay_reader import open_replay
from ..media.clips import Shot, VideoSettings, files_digest, replay_scene
from ..media.env_clip import fitted
from ..media.frames import RATE_FILE, write_rate
from ..media.mp4 import CLIP_QUALITY, QUALITY, Mp4, read_image
from ..runs import Replay
from ..spec import Spec
from .play import setting_words
from .stopping import terminable

PICTURE_S = 240.0  # that one picture may take, the start of the engine and its shaders included
LOOK_S = 0.05  # between two looks for new pictures
QUICK = ["--rendering-method", "gl_compatibility"]
STARTING = 8  # pictures until a scene has begun to play
DRAWN_BY = ("games/{}/*.gd", "games/{}/*.tscn", "games/{}/look/**/*", "addons/sandlot/*.gd", "project.godot")
ADVICE = "--timeout gives it longer; --quality low is quicker."

Tell = Callable[[int, int], None]  # pictures done, of how many


@dataclass(frozen=True)
class Filmed:
    """A scene in front of the camera."""

    project: Path
    path: str  # res://…
    words: tuple[str, ...] = ()  # for the scene, after a --
    skipped: int = 0  # pictures' worth of play before the first one is taken


def scene_digest(game: str, engine: Engine | None = None) -> str:
    """Of everything that decides how a match looks."""
    project, folder = project_folder(), replay_scene(game).partition("/")[0]
    patterns = [pattern.format(folder) for pattern in DRAWN_BY]
    found = [path for pattern in patterns for path in project.glob(pattern)]
    files = [path for path in found if path.is_file() and path.suffix not in MADE_BY_IMPORT]
    contents = {path.relative_to(project).as_posix(): path.read_bytes() for path in files}
    return files_digest(contents, (engine or require()).version)


def draw(replay: Replay, shot: Shot, target: Path, limit_s: float, tell: Tell | None = None) -> Path:
    """The shot as a film at `target`, whole or not at all."""
    name = replay_scene(replay.header.game)
    played = recording(replay, shot.first_step)
    return _draw_shot(played, lambda path: recorded(path, name), shot, target, limit_s, tell)


def draw_again(replay: Replay, shot: Shot, target: Path, limit_s: float, tell: Tell | None = None) -> Path:
    """The shot of an episode of a foreign scene: played there again, from its seed and actions."""
    from ..worlds.godot import DEFAULT_TICK_RATE, parse_address  # needs an extra: websockets

    spec = Spec.restored(replay.header.spec)
    project, path = parse_address(spec.address)
    played = {
        "seed": str(replay.header.seed),
        "actions": replay.actions.tolist(),
        "first_step": shot.first_step,
        "return": replay.end.returns[0],
    }
    step_s = (spec.document.ticks_per_step or 1) / (spec.tick_rate or DEFAULT_TICK_RATE)
    skipped = int(shot.first_step * step_s * shot.video.fps) + STARTING

    def scene(file: Path) -> Filmed:
        return Filmed(project, path, (f"--replay={file}", *setting_words(spec)), skipped)

    return _draw_shot(played, scene, shot, target, limit_s, tell)


def _draw_shot(
    played: Mapping[str, Any],
    scene: Callable[[Path], Filmed],
    shot: Shot,
    target: Path,
    limit_s: float,
    tell: Tell | None,
) -> Path:
    """A film of what was played, by the scene that reads the file of it."""
    with tempfile.TemporaryDirectory(prefix="sandlot-recording-") as folder:
        path = Path(folder) / "recording.json"
        path.write_text(json.dumps(played, allow_nan=False), encoding="utf-8")
        how: dict[str, Any] = {"quality": CLIP_QUALITY, "note": shot.note}
        return draw_scene(scene(path), shot.video, shot.frames, target, limit_s, tell, **how)


def foreign_digest(replay: Replay) -> str:
    """Of the files of a foreign project that may decide how an episode of it looks."""
    from ..worlds.godot import parse_address

    project, path = parse_address(Spec.restored(replay.header.spec).address)
    files = [p for p in project.rglob("*") if p.is_file() and p.suffix not in MADE_BY_IMPORT]
    own = {p.relative_to(project).as_posix(): p for p in files}
    contents = {name: p.read_bytes() for name, p in own.items() if not name.startswith(".")}
    return files_digest(contents, f"{require().version} {path}")


def recorded(file: Path, scene: str) -> Filmed:
    """A scene of our own project that plays a recording, whatever the scene of replays can read."""
    ours = project_folder()
    return Filmed(ours, scene_path(ours, scene), (str(file.resolve()),))


def draw_scene(
    scene: Filmed,
    video: VideoSettings,
    frames: int,
    target: Path,
    limit_s: float,
    tell: Tell | None = None,
    *,
    quality: int = QUALITY,
    note: str = "",
    keep: Path | None = None,
    log: Path | None = None,
    advice: str = ADVICE,
) -> Path:
    """A film of a scene of any project, one that has a SandlotFrameRecorder or a SandlotTrainer.

    keep: a folder in which the pictures stay. log: where the engine's output goes. advice: what to do when
    the limit is reached.
    """
    preset = "medium" if video.quality == "high" else "veryfast"
    with (
        terminable(),
        tempfile.TemporaryDirectory(prefix="sandlot-film-") as passing,
        screen() as variables,
        Mp4(target, video.size, video.fps, quality, note, preset) as film,
    ):
        folder = keep or Path(passing)
        with _started(scene, video, frames, folder, variables, log) as process:
            for number, path in enumerate(_arriving(process, folder, frames, limit_s, advice), start=1):
                picture = read_image(path)
                if picture.shape[1::-1] != video.size:  # of a project with a window of another shape
                    picture = fitted(picture, video.size)
                film.add(picture)
                if keep is None:
                    path.unlink()
                if tell:
                    tell(number, frames)
    return target


def draw_frames(
    file: Path,
    scene: str,
    video: VideoSettings,
    frames: int,
    folder: Path,
    limit_s: float,
    tell: Tell | None = None,
) -> int:
    """The pictures of a film in a folder, for whoever encodes them later; how many there are.

    Whoever closes the window ends it early and keeps what was drawn.
    """
    drawn = 0
    with terminable(), screen() as variables:
        write_rate(folder, video.fps)
        with _started(recorded(file, scene), video, frames, folder, variables, None) as process:
            try:
                for drawn, _ in enumerate(_arriving(process, folder, frames, limit_s, ADVICE), start=1):
                    if tell:
                        tell(drawn, frames)
            except GodotFailed:
                if not drawn:  # what lies there is no picture of the match
                    for path in (*folder.glob("frame_*.png"), folder / RATE_FILE):
                        path.unlink(missing_ok=True)
                if process.code != 0 or not drawn:
                    raise
    return drawn


def recording(replay: Replay, first_step: int = 0) -> dict[str, Any]:
    """What the replay scene reads: named frames from one step on."""
    with open_replay(replay) as reader:
        frames = reader.page(first_step, replay.end.steps - first_step).frames
    header = replay.header.to_json()
    header["policies"] = {role: _short(name) for role, name in header["policies"].items()}
    title = f"WINDOW {replay.header.window_id}" if replay.header.run_id else ""
    return {"header": header, "frames": [frame.to_json() for frame in frames], "title": title}


def _short(name: str) -> str:
    """`ROLE of window 12` is `window 12` beneath the name of the role, which the picture has anyway."""
    return re.sub(r"^\w+ of (window \d+)$", r"\1", name)


def _started(
    scene: Filmed,
    video: VideoSettings,
    frames: int,
    folder: Path,
    variables: Mapping[str, str],
    log: Path | None,
) -> GodotProcess:
    arguments = [
        *("--fixed-fps", str(video.fps), "--quit-after", str(frames + 1 + scene.skipped), "--disable-vsync"),
        *("--resolution", f"{video.size[0]}x{video.size[1]}", "--windowed"),
        *(QUICK if video.quality == "low" else []),
        scene.path,
        *("--", *scene.words),
    ]
    recorder = {"AI_RECORD": "1", "AI_RECORD_FPS": str(video.fps), "AI_FRAMES_DIR": str(folder.resolve())}
    environment = {**variables, **recorder}
    return GodotProcess(arguments, project=scene.project, headless=False, environment=environment, log=log)


def _arriving(process: GodotProcess, folder: Path, count: int, limit_s: float, advice: str) -> Iterator[Path]:
    """Each picture's file as soon as it is whole: the next one is there, or the engine has ended."""
    end_at = time.monotonic() + limit_s
    for number in range(count):
        path, after = (folder / f"frame_{number + i:05d}.png" for i in range(2))
        doing = f"drawing {number + 1} of {count} pictures"
        if not _came(process, path, after, end_at, doing):
            raise GodotFailed(f"The limit of {limit_s:g} s was reached while {doing}. {advice}")
        yield path


def _came(process: GodotProcess, path: Path, after: Path, end_at: float, doing: str) -> bool:
    """Wait for a picture; false when the time of the whole film is over."""
    late_at = time.monotonic() + PICTURE_S
    while not after.exists():
        if process.code is not None:
            if process.code == 0 and path.exists():
                return True
            raise process.failure(doing)
        now = time.monotonic()
        if now > end_at:
            return False
        if now > late_at:
            raise process.failure(doing)
        time.sleep(LOOK_S)
    return True
