"""Draws a part of a recorded match in Godot, picture by picture into an MP4.

The engine is told a fixed rate, so every picture is the next moment of simulated time, however long it takes
to draw. Pictures are encoded and removed while the next ones are drawn: a film needs no room for frames.
The addon's recorder saves them; the engine's movie maker scales all pictures to the project's own size.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge.godot_engine import Engine, require
from ..bridge.godot_process import GodotProcess, screen
from ..bridge.godot_project import project_folder, scene_path
from ..errors import GodotFailed
from ..evaluate.replays import open_player
from ..media.clips import Look, Shot, digest_of
from ..media.mp4 import Mp4, picture
from ..runs import Replay

PICTURE_S = 240.0  # that one picture may take, the start of the engine and its shaders included
LOOK_S = 0.05  # between two looks for new pictures
CLIP_QUALITY = 14  # finer than a film's: a clip is encoded once more when it is cut into one
EVERY_PICTURE = "240"  # the recorder's rate; above the engine's, so that no drawn picture is left out
QUICK = ["--rendering-method", "gl_compatibility"]
DRAWN_BY = ("games/tag/*.gd", "games/tag/*.tscn", "games/tag/look/*", "addons/sandlot/*.gd", "project.godot")

Tell = Callable[[int, int], None]  # pictures done, of how many


def scene_digest(engine: Engine | None = None) -> str:
    """Of everything that decides how a match looks."""
    project = project_folder()
    files = [path for pattern in DRAWN_BY for path in project.glob(pattern) if path.suffix != ".uid"]
    return digest_of(files, (engine or require()).version)


def draw(replay: Replay, shot: Shot, target: Path, limit_s: float, tell: Tell | None = None) -> Path:
    """The shot as a film at `target`, whole or not at all."""
    preset = "medium" if shot.look.quality == "high" else "veryfast"
    with tempfile.TemporaryDirectory(prefix="sandlot-film-") as name:
        room = Path(name)
        tape = room / "tape.json"
        tape.write_text(json.dumps(_tape(replay, shot.first_step), allow_nan=False))
        with (
            screen() as variables,
            _started(shot, tape, room, variables) as process,
            Mp4(target, shot.look.size, shot.look.fps, CLIP_QUALITY, shot.note, preset) as film,
        ):
            for number, drawn in enumerate(_arriving(process, room, shot.frames, limit_s), start=1):
                film.add(drawn)
                if tell:
                    tell(number, shot.frames)
    return target


def _tape(replay: Replay, first_step: int) -> dict[str, Any]:
    """What the replay scene reads: named frames from one step on."""
    with open_player(replay) as player:
        frames = player.page(first_step, replay.end.steps - first_step).frames
    header = replay.header.to_json()
    header["policies"] = {role: _short(name) for role, name in header["policies"].items()}
    title = f"WINDOW {replay.header.window_id}" if replay.header.run_id else ""
    return {"header": header, "frames": [frame.to_json() for frame in frames], "title": title}


def _short(name: str) -> str:
    """`seeker of window 12` is `window 12` beneath the word SEEKER, which the picture has anyway."""
    return re.sub(r"^\w+ of (window \d+)$", r"\1", name)


def _started(shot: Shot, tape: Path, room: Path, variables: Any) -> GodotProcess:
    project = project_folder()
    arguments = [
        *("--fixed-fps", str(shot.look.fps), "--quit-after", str(shot.frames + 1), "--disable-vsync"),
        *_size(shot.look),
        *(QUICK if shot.look.quality == "low" else []),
        scene_path(project, "tag/Replay"),
        *("--", str(tape)),
    ]
    recording = {"AI_RECORD": "1", "AI_RECORD_FPS": EVERY_PICTURE, "AI_FRAMES_DIR": str(room)}
    environment = {**variables, **recording}
    return GodotProcess(arguments, project=project, headless=False, environment=environment)


def _size(look: Look) -> list[str]:
    return ["--resolution", f"{look.size[0]}x{look.size[1]}", "--windowed"]


def _arriving(process: GodotProcess, room: Path, count: int, limit_s: float) -> Iterator[np.ndarray]:
    """Each picture as soon as it is whole: the next one is there, or the engine has ended."""
    end_at = time.monotonic() + limit_s
    for number in range(count):
        path = room / f"frame_{number:05d}.png"
        _wait(
            process,
            path,
            room / f"frame_{number + 1:05d}.png",
            end_at,
            f"drawing {number + 1} of {count} pictures",
        )
        yield picture(path)
        path.unlink()


def _wait(process: GodotProcess, path: Path, after: Path, end_at: float, doing: str) -> None:
    late_at = time.monotonic() + PICTURE_S
    while not after.exists():
        if process.code is not None:
            if process.code == 0 and path.exists():
                return
            raise process.failure(doing)
        now = time.monotonic()
        if now > late_at:
            raise process.failure(doing)
        if now > end_at:
            raise GodotFailed(
                f"The limit was reached while {doing}. --timeout gives it longer; --quality low is quicker."
            )
        time.sleep(LOOK_S)
