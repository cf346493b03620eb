"""Draws the shots of a film in the game's own Godot scene, or by the game's renderer where it has none.

A scene that can be filmed has a Film.tscn beside its replay scene. It is asked first where everybody is in
every picture (no drawing: seconds), so that words can be placed and a shot can take another camera.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge.godot_engine import require
from ..bridge.godot_process import GodotProcess
from ..bridge.godot_project import project_folder, scene_path
from ..errors import ConfigError, Damaged
from ..files import write_bytes
from ..media.clips import KIND, PARTS, VideoSettings, match_seconds, replay_scene
from ..media.env_clip import fitted
from ..media.film_cut import frames_of
from ..media.film_layout import Busy, Rect, lay_out, panel_rects
from ..media.film_plan import Panel, Shot
from ..media.mp4 import CLIP_QUALITY, Mp4, video_info
from ..runs import Replay, Run
from . import camera, rendered

FILM_SCENE, WORDS = "Film", "film.json"  # beside a game's replay scene
MEASURE_S = 300.0  # that measuring a shot may take
OTHER_CAMERAS = {"wide": ("wide", "follow"), "push": ("push", "follow")}  # tried in turn
UPRIGHT = {"wide": "tall", "follow": "tall", "push": "tall"}
STILL = ("title", "end")  # shots without names and sight
QUIET = (*STILL, "touch")
ROOM = 0.004  # of the picture around bodies that words keep free

Tell = Any  # pictures done, of how many
Requested = Mapping[str, Any]  # what the scene reads about a panel
Measured = dict[str, Any]  # what it says about its pictures


@dataclass(frozen=True)
class Taken:
    """A shot as it is drawn: with its camera, where its words stand, and where its clips are."""

    shot: Shot
    requests: Sequence[Mapping[str, Any]]  # of each panel, for the scene
    texts: Sequence[Any]
    dropped: Sequence[str]


def film_scene(game: str) -> str:
    """The scene that films a game: "tag/Film"; "" where there is none."""
    folder = replay_scene(game).partition("/")[0]
    name = f"{folder}/{FILM_SCENE}"
    return name if folder and (project_folder() / "games" / f"{name}.tscn").is_file() else ""


def film_words(scene: str) -> dict[str, str]:
    """Texts that a spec does not have, such as the title's question: `film.json` beside the scene."""
    if not scene:
        return {}
    path = project_folder() / "games" / scene.partition("/")[0] / WORDS
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}


class Scene:
    """Draws in Godot."""

    def __init__(self, run: Run, game: str, replays: Sequence[Replay], video: VideoSettings, limit_s: float):
        self._run, self._name, self._replays = run, film_scene(game), replays
        self._video, self._limit_s = video, limit_s
        self._digest = camera.scene_digest(game, require())
        self._recordings = [camera.recording(replay) for replay in replays]

    def take(self, shots: Sequence[Shot]) -> list[Taken]:
        """Each shot with the first camera that leaves room for all words, else with the fewest left out."""
        tried = [[replace(shot, camera=one) for one in self._cameras(shot)] for shot in shots]
        every = [shot for group in tried for shot in group]
        taken = dict(zip(map(id, every), self._taken(every), strict=True))
        return [min((taken[id(shot)] for shot in group), key=lambda one: len(one.dropped)) for group in tried]

    def _cameras(self, shot: Shot) -> Sequence[str]:
        wanted = UPRIGHT.get(shot.camera, shot.camera) if self._is_upright else shot.camera
        return OTHER_CAMERAS.get(wanted, (wanted,))

    def draw(self, taken: Taken, panel: int, tell: Tell | None = None) -> Path:
        """The clip of a panel; the one that is there, or drawn now."""
        request, frames = taken.requests[panel], frames_of(taken.shot, self._video.fps)
        path, note = self._clip(taken.shot, panel, request)
        if is_clip(path, note, frames):
            return path
        played = {**self._recordings[taken.shot.panels[panel].stage], "shot": request}
        video = replace(self._video, size=tuple(request["size"]))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="sandlot-recording-") as folder:
            recording = Path(folder) / "recording.json"
            recording.write_text(json.dumps(played, allow_nan=False), encoding="utf-8")
            scene = camera.recorded(recording, self._name)
            camera.draw_scene(
                scene, video, frames, path, self._limit_s, tell, quality=CLIP_QUALITY, note=note
            )
        return path

    def is_there(self, taken: Taken, panel: int) -> bool:
        """Whether a panel was drawn already."""
        path, note = self._clip(taken.shot, panel, taken.requests[panel])
        return is_clip(path, note, frames_of(taken.shot, self._video.fps))

    @property
    def _is_upright(self) -> bool:
        return self._video.size[1] > self._video.size[0]

    def _taken(self, shots: Sequence[Shot]) -> list[Taken]:
        rects = {id(shot): panel_rects(self._video.size, len(shot.panels)) for shot in shots}
        asked = [
            [
                self._request(shot, panel, rect)
                for panel, rect in zip(shot.panels, rects[id(shot)], strict=True)
            ]
            for shot in shots
        ]
        measured = self.measured(shots, asked)
        asked = _from_one_side(shots, asked, measured)
        asked = [  # both halves at the same scale all the time
            _at_one_scale(*one) if len(one[0]) > 1 else one[0] for one in zip(asked, measured, strict=True)
        ]
        measured = self.measured(shots, asked)
        made = []
        for shot, requests, found in zip(shots, asked, measured, strict=True):
            taken_up = busy(shot, rects[id(shot)], found, self._video.fps)
            made.append(Taken(shot, requests, *lay_out(shot, self._video.size, taken_up)))
        return made

    def _request(self, shot: Shot, panel: Panel, rect: Rect) -> Requested:
        """What the scene reads about a panel."""
        return {
            "camera": shot.camera,
            "begin_s": panel.begin_s,
            "end_s": panel.end_s,
            "speed": shot.speed,
            "seconds": shot.seconds,
            "fps": self._video.fps,
            "size": [round(rect[2] - rect[0]), round(rect[3] - rect[1])],
            "sight": shot.camera not in QUIET,
            "names": shot.camera not in QUIET,
        }

    def measured(self, shots: Sequence[Shot], asked: Sequence[Sequence[Requested]]) -> list[list[Measured]]:
        """Where bodies, names and the camera are in every picture of the panels of each shot."""
        flat = [
            one
            for shot, all_of in zip(shots, asked, strict=True)
            for one in zip(shot.panels, all_of, strict=True)
        ]
        kept = [self._folder / f"measure-{self._key(*one)}.json" for one in flat]
        missing = {path: one for path, one in zip(kept, flat, strict=True) if not path.is_file()}
        recordings = [{**self._recordings[panel.stage], "shot": asked} for panel, asked in missing.values()]
        for path, found in zip(missing, measure(recordings, self._name) if missing else (), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, json.dumps(found).encode())
        read = iter([dict(json.loads(path.read_text(encoding="utf-8"))) for path in kept])
        return [[next(read) for _ in shot.panels] for shot in shots]

    @property
    def _folder(self) -> Path:
        return self._run.paths.videos / PARTS

    def _key(self, panel: Panel, request: Mapping[str, Any]) -> str:
        replay = hashlib.sha256(self._replays[panel.stage].to_bytes()).hexdigest()
        key = json.dumps([replay, request, self._digest], sort_keys=True)
        return hashlib.sha256(key.encode()).hexdigest()[:24]

    def _clip(self, shot: Shot, panel: int, request: Mapping[str, Any]) -> tuple[Path, str]:
        key = self._key(shot.panels[panel], {**request, "quality": self._video.quality})
        return self._folder / f"shot-{key}.mp4", KIND + key


def measure(recordings: Sequence[Mapping[str, Any]], scene: str) -> list[Measured]:
    """Every picture of these shots, computed by the scene without drawing any."""
    with tempfile.TemporaryDirectory(prefix="sandlot-measure-") as folder:
        made, words = Path(folder) / "measured.json", []
        for number, recording in enumerate(recordings):
            path = Path(folder) / f"{number}.json"
            path.write_text(json.dumps(recording, allow_nan=False), encoding="utf-8")
            words.append(str(path))
        project = project_folder()
        arguments = [scene_path(project, scene), "--", *words, f"--measure={made}"]
        with GodotProcess(arguments, project=project) as process:
            if process.wait(MEASURE_S).code != 0 or not made.is_file():
                raise process.failure("measuring the shots of a film")
        return list(json.loads(made.read_text(encoding="utf-8")))


def _from_one_side(
    shots: Sequence[Shot], asked: Sequence[list[Requested]], measured: Sequence[list[Measured]]
) -> list[list[Requested]]:
    """A shot that goes on where another ended is seen from its side: a cut does not lose the direction."""
    made = []
    for number, (shot, requests) in enumerate(zip(shots, asked, strict=True)):
        before = [i for i in range(number) if shots[i].name != shot.name]
        if shot.same_side and before:
            alike = [i for i in before if shots[i].name == shots[before[-1]].name]
            like = next((i for i in alike if shots[i].camera == shot.camera), alike[-1])
            requests = [{**one, "yaw": measured[like][0]["yaw"]} for one in requests]
        made.append(requests)
    return made


def _at_one_scale(requests: Sequence[Requested], measured: Sequence[Measured]) -> list[Requested]:
    """Both panels as high as the one that needs more, at every moment of the match."""
    lists = [one["heights"] for one in measured]
    longest = max(len(heights) for heights in lists)
    full = [[*heights, *[heights[-1]] * (longest - len(heights))] for heights in lists]
    heights = np.max(full, axis=0).round(4).tolist()
    return [{**one, "heights": heights, "yaw": measured[0]["yaw"]} for one in requests]


def busy(shot: Shot, rects: Sequence[Rect], measured: Sequence[Mapping[str, Any]], fps: int) -> Busy:
    """Rectangles of bodies and names, in pixels, between two moments of a shot."""

    def between(begin_s: float, end_s: float) -> list[Rect]:
        found = []
        for (left, top, right, bottom), one in zip(rects, measured, strict=True):
            wide, tall = right - left, bottom - top
            for picture in one["pictures"][int(begin_s * fps) : int(np.ceil(end_s * fps)) + 1]:
                for a, b, c, d in [*picture["bodies"], *picture["names"]]:
                    a, b, c, d = a - ROOM, b - ROOM, c + ROOM, d + ROOM
                    found.append((left + a * wide, top + b * tall, left + c * wide, top + d * tall))
        return found

    return between if shot.camera != "end" else lambda begin_s, end_s: []


def is_clip(path: Path, note: str, frames: int) -> bool:
    """Whether a file is this clip, as a whole."""
    try:
        info = video_info(path)
    except Damaged:
        return False
    return info.note == note and info.frames == frames


# ---------------------------------------------------------------- without Godot


class Renderer:
    """Draws by the renderer of the game's environments."""

    def __init__(self, run: Run, game: str, replays: Sequence[Replay], video: VideoSettings, limit_s: float):
        del game, limit_s
        self._run, self._replays, self._video = run, replays, video

    def take(self, shots: Sequence[Shot]) -> list[Taken]:
        """Words where they usually stand: the renderer does not say where anything is."""
        free: Busy = lambda begin_s, end_s: []  # noqa: E731
        laid = [(shot, lay_out(shot, self._video.size, free)) for shot in shots]
        return [Taken(shot, [{} for _ in shot.panels], *found) for shot, found in laid]

    def is_there(self, taken: Taken, panel: int) -> bool:
        """Whether a panel was drawn already."""
        return is_clip(*self._clip(taken.shot, panel), frames_of(taken.shot, self._video.fps))

    def draw(self, taken: Taken, panel: int, tell: Tell | None = None) -> Path:
        """The clip of a panel; the one that is there, or drawn now."""
        shot, frames = taken.shot, frames_of(taken.shot, self._video.fps)
        path, note = self._clip(shot, panel)
        if is_clip(path, note, frames):
            return path
        size = self._size(shot, panel)
        path.parent.mkdir(parents=True, exist_ok=True)
        with Mp4(path, size, self._video.fps, CLIP_QUALITY, note, "veryfast") as clip:
            for number, picture in enumerate(self._pictures(shot, panel, frames), start=1):
                clip.add(fitted(picture, size))
                if tell:
                    tell(number, frames)
        return path

    def _pictures(self, shot: Shot, panel: int, frames: int) -> Iterator[np.ndarray]:
        """The picture of each moment of the shot."""
        shown = shot.panels[panel]
        replay = self._replays[shown.stage]
        rate = replay.end.steps / max(1e-9, match_seconds(replay))
        wanted = [
            min(replay.end.steps, int(shot.match_s(i / self._video.fps, panel) * rate)) for i in range(frames)
        ]
        played = rendered.pictures(replay, wanted[0])
        step, picture = next(played)
        for number in wanted:
            while step < number:
                step, picture = next(played)
            yield picture

    def _size(self, shot: Shot, panel: int) -> tuple[int, int]:
        left, top, right, bottom = panel_rects(self._video.size, len(shot.panels))[panel]
        return round(right - left), round(bottom - top)

    def _clip(self, shot: Shot, panel: int) -> tuple[Path, str]:
        replay = self._replays[shot.panels[panel].stage]
        shown = shot.panels[panel]
        key: list[Any] = [
            rendered.digest(replay),
            hashlib.sha256(replay.to_bytes()).hexdigest(),
            self._size(shot, panel),
        ]
        key += [shown.begin_s, shown.end_s, shot.speed, shot.seconds, self._video.fps]
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:24]
        return self._run.paths.videos / PARTS / f"shot-{name}.mp4", KIND + name


def check_upright(game: str, upright: bool) -> None:
    """Refuse an upright film of a game whose renderer draws wide pictures."""
    if upright and not film_scene(game):
        raise ConfigError(
            "--format short needs a game with a Film.tscn in Godot; others are drawn as they are."
        )
