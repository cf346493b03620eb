"""`sandlot film`: how a run learned, or one of its matches, as an MP4 drawn by Godot, the env or Pillow."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ..bridge.godot_engine import require
from ..clock import now, stamp
from ..errors import ConfigError
from ..media import clips, cut
from ..media.cards import learning_curve
from ..media.clips import Shot, VideoSettings, parse_size
from ..media.film import CardTexts, Scene, assemble, format_count
from ..media.history import run_history
from ..media.plotting import pyplot
from ..runs import Replay, Run
from ..runs.store import open_run
from ..spec import Spec
from ..worlds import load_spec
from ..worlds.make import GODOT, GYM
from . import camera, film_learning, rendered
from .drawing import check_target, describe_replay, estimate, picture_progress, print_film
from .options import RUNS, ForMachines, Quality, RunName, RunsFolder
from .progress import progress
from .show import err

QUICK_SIZE, QUICK_FPS, QUICK_SECONDS = "320x180", 10, 12.0
NEWEST = "newest"  # of --match: the first match of the newest window


class Shape(StrEnum):
    """Which way a film is held."""

    wide = "wide"
    short = "short"


def film(
    run: RunName,
    match: Annotated[
        str | None,
        Option(metavar="ID", help="Film only this match: an id of `sandlot replay RUN_FOLDER`, or newest."),
    ] = None,
    window: Annotated[
        int | None,
        Option(min=0, help="Film only the first match recorded in this window."),
    ] = None,
    # no numbers as defaults of what --quick has a say in
    seconds: Annotated[
        float | None,
        Option(min=10, max=600, help="Approximate length of the film of a run. [default: 40]"),
    ] = None,
    size: Annotated[
        str | None, Option(metavar="WxH", help="Picture size, up to 1920x1080. [default: 1280x720]")
    ] = None,
    fps: Annotated[
        int | None, Option("--fps", min=1, max=60, help="Frames per second. [default: 30]")
    ] = None,
    shape: Annotated[
        Shape, Option("--format", help="Landscape, or upright for phones (720x1280).")
    ] = Shape.wide,
    quality: Annotated[
        Quality | None, Option(help="high (default): with soft shadows; low: much quicker.")
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="A quick preview: 12 s, 320x180, 10 frames per second, low quality.")
    ] = False,
    target: Annotated[
        Path | None, Option("--out", help="File to write; default: a new one in the run's videos/.")
    ] = None,
    again: Annotated[
        bool, Option("--again", help="Draw matches again even if they were drawn before.")
    ] = False,
    limit_s: Annotated[
        float, Option("--timeout", min=10, max=86400, help="Time limit for drawing one match.")
    ] = 7200,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """Film how a run learned, or one match.

    How it learned: the weights before, in the middle of and after training play the same 100 starts; one of
    them is shown three times, with words and sound, and at the end who won how often. Without such weights,
    or of a game that cannot be played here: matches recorded while it trained, and the curve.

    With --match or --window the film is that match as a whole, at true speed. Where a game has a Godot scene,
    its matches are drawn there; other native games are drawn as their environments are (rgb_array), and
    Gymnasium envs draw themselves. What was drawn before is not drawn again. Without a screen Godot draws in
    memory. Exit code 3 when there is no Godot.

    Examples: sandlot film latest · sandlot film RUN --seconds 60 --size 1920x1080 ·
    sandlot film RUN --quick · sandlot film RUN --match newest ·
    sandlot film RUN --match replay-000012-5f3a9c01 --fps 60 --out match.mp4
    """
    video = _video_settings(size, fps, quality, quick, shape)
    check_target(target)
    if match is not None and window is not None:
        raise ConfigError("--match and --window: give one of them.")
    if match is None and window is None:
        opened = open_run(run, runs)
        if film_learning.can_film(opened):
            asked = seconds or (QUICK_SECONDS if quick else film_learning.LONGEST_S)
            path, frames = film_learning.film(opened, video, asked, target, limit_s)
        elif shape is Shape.short:
            raise ConfigError("--format short is for the film of a native game's run with two checkpoints.")
        else:
            length_s = seconds or (QUICK_SECONDS if quick else cut.USUAL_S)
            path, frames = _film_run(opened, video, length_s, target, limit_s)
    elif seconds is not None:
        raise ConfigError("--seconds is for the film of a run; a match is filmed as a whole.")
    else:
        path, frames = _film_match(open_run(run, runs), match, window, video, target, limit_s, again)
    print_film(path, frames, video.fps, as_machine)


def _film_match(
    run: Run,
    match: str | None,
    window: int | None,
    video: VideoSettings,
    target: Path | None,
    limit_s: float,
    again: bool,
) -> tuple[Path, int]:
    """One match as a whole; the film and its number of pictures."""
    replay = clips.choose(run, None if match == NEWEST else match, window)
    artist = _artist(replay)
    shot = clips.full_shot(replay, video, artist.scene)
    path = target or clips.clip_path(run.paths, shot)
    if again or clips.excess_frames(path, shot) != 0:
        err.print_line(f"{describe_replay(replay)}: {shot.frames} pictures{artist.estimate([shot])}.")
        with progress("Drawing") as show:
            artist.draw(replay, shot, path, limit_s, picture_progress(show, shot.frames))
    return path, shot.frames


def _film_run(
    run: Run, video: VideoSettings, seconds: float, target: Path | None, limit_s: float
) -> tuple[Path, int]:
    """How a run learned; the film and its number of pictures."""
    pyplot()  # a package that the cards need is missed now, not after everything is drawn
    history = run_history(run)
    plan = cut.plan(run, seconds, with_curve=learning_curve(history) is not None)
    artist = _artist(plan.chapters[0].replay)
    shots = [
        clips.last_seconds(chapter.replay, video, artist.scene, chapter.shown_s) for chapter in plan.chapters
    ]
    scenes = _filmed(run, plan.chapters, shots, limit_s, artist)
    path = target or run.paths.videos / f"learn_progress-{stamp(now())}.mp4"
    played = f"{run.window_count()} windows  ·  {format_count(run.record.env_steps_total)} env steps"
    texts = CardTexts(f"Learning {artist.title}", (played, f"run {run.run_id}"), ("made with sandlot",))
    with progress("Cutting") as show:
        frames = assemble(path, video, plan, scenes, history, texts, partial(show, ""))
    return path, frames


def _video_settings(
    size: str | None, fps: int | None, quality: Quality | None, quick: bool, shape: Shape
) -> VideoSettings:
    """What was asked for; what was not, as a whole film or a quick one has it."""
    width_height = parse_size(size or (QUICK_SIZE if quick else "1280x720"))
    if shape is Shape.short and width_height[0] > width_height[1]:
        width_height = width_height[::-1]
    level = (quality or (Quality.low if quick else Quality.high)).value
    return VideoSettings(width_height, fps or (QUICK_FPS if quick else 30), level)


@dataclass(frozen=True)
class Artist:
    """What draws a match: scene is the digest of all that decides how it looks."""

    title: str  # of the game
    scene: str
    draw: Callable[..., Path]  # replay, shot, target, limit in seconds, progress
    estimate: Callable[[list[Shot]], str]


def _artist(replay: Replay) -> Artist:
    """Godot for a game that has a scene there, else the env itself or the game's renderer."""
    header = replay.header
    if header.spec is not None and header.played_in == GODOT:
        document = Spec.restored(header.spec).document
        return Artist(
            document.title or header.game, camera.foreign_digest(replay), camera.draw_again, estimate
        )
    if header.played_in == GYM:
        return _env_artist(replay)
    if clips.replay_scene(header.game):
        return Artist(header.game, camera.scene_digest(header.game, require()), camera.draw, estimate)
    return Artist(load_spec(header.game).title, rendered.digest(replay), rendered.draw, lambda shots: "")


def _env_artist(replay: Replay) -> Artist:
    from ..media import env_clip

    header = replay.header
    env_clip.check_drawable(replay)
    title = str((header.spec or {}).get("document", {}).get("title") or header.game)

    def draw(replay: Replay, shot: Shot, target: Path, limit_s: float, tell: Any) -> Path:
        return env_clip.draw(replay, shot, target, tell)

    return Artist(title, f"{header.engine} {header.spec_hash}", draw, lambda shots: "")


def _filmed(run: Run, chapters: Any, shots: list[Shot], limit_s: float, artist: Artist) -> list[Scene]:
    """Every chapter with a clip of it: one that is there, or one that is drawn now."""
    there = [clips.find(run.paths, shot) for shot in shots]
    for chapter, shot, found in zip(chapters, shots, there, strict=True):
        how = "is drawn already" if found else f"{shot.frames} pictures"
        err.print_line(f"{chapter.heading}: {describe_replay(chapter.replay)}: {how}")
    missing = [shot for shot, found in zip(shots, there, strict=True) if found is None]
    total, done, scenes = sum(shot.frames for shot in missing), 0, []
    if missing:
        err.print_line(f"{total} pictures to draw{artist.estimate(missing)}.")
    with progress("Drawing") as show:
        for chapter, shot, found in zip(chapters, shots, there, strict=True):
            if found is None:
                path, tell = clips.clip_path(run.paths, shot), picture_progress(show, total, done)
                found = (artist.draw(chapter.replay, shot, path, limit_s, tell), 0)
                done += shot.frames
            scenes.append(Scene(chapter, shot, *found))
    return scenes
