"""`sandlot film`: how a run learned, as one film."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..clock import now, stamp
from .options import RUNS, ForMachines, Quality, RunName, RunsFolder
from .progress import progress
from .record import check_target, counting, describe, open_run, said_time, tell_film
from .show import err

if TYPE_CHECKING:
    from ..media.clips import Look

QUICK_SIZE, QUICK_FPS, QUICK_SECONDS = "320x180", 10, 12.0


# What --quick has a say in, so that a default cannot be one number.
Seconds = Annotated[
    Optional[float], typer.Option(min=10, max=600, help="How long the film shall be, about. [default: 40]")
]
Size = Annotated[
    Optional[str], typer.Option(metavar="WxH", help="Of the picture, at most 1920x1080. [default: 1280x720]")
]
Pace = Annotated[Optional[int], typer.Option(min=1, max=60, help="Pictures a second. [default: 30]")]
Care = Annotated[
    Optional[Quality], typer.Option(help="high (the default): soft shadows and all; low: much quicker.")
]


def film(
    run: RunName,
    seconds: Seconds = None,
    size: Size = None,
    fps: Pace = None,
    quality: Care = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small and soon: 12 s, 320x180, 10 pictures a second, low.")
    ] = False,
    target: Annotated[
        Optional[Path],
        typer.Option("--out", help="The film; else learn_progress-STAMP.mp4 in videos/ of the run."),
    ] = None,
    limit_s: Annotated[
        float, typer.Option("--timeout", min=10, max=86400, help="Seconds before a match is given up.")
    ] = 7200,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """Film how a run learned: first, middle and last window, the curve, the best matches; titles and ratings.

    Matches are drawn in Godot and kept as clips: what was drawn before is not drawn again.

    Examples: sandlot film latest · sandlot film RUN --seconds 60 --size 1920x1080 · sandlot film RUN --quick
    """
    from ..bridge.godot_engine import require
    from ..media import clips, cut
    from ..media.cards import curve_of
    from ..media.film import assemble
    from ..media.history import of_run
    from ..media.paper import pyplot
    from .camera import scene_digest

    look = _look(size, fps, quality, quick)
    check_target(target)
    pyplot()  # what the cards need is missed now, not after everything is drawn
    opened = open_run(run, runs)
    history = of_run(opened)
    length = seconds or (QUICK_SECONDS if quick else cut.USUAL_S)
    plan = cut.plan(opened, length, with_curve=curve_of(history) is not None)
    scene = scene_digest(require())
    shots = [clips.last(chapter.replay, look, scene, chapter.shown_s) for chapter in plan.chapters]
    scenes = _filmed(opened, plan.chapters, shots, limit_s)
    path = target or opened.paths.videos / f"learn_progress-{stamp(now())}.mp4"
    with progress("Cutting") as tell:
        frames = assemble(
            path, look, plan, scenes, history, _words(opened), lambda done, of: tell("", done, of)
        )
    tell_film(path, frames, look.fps, as_machine)


def _look(size: str | None, fps: int | None, quality: Quality | None, quick: bool) -> Look:
    """What was asked for; what was not, as a whole film or a quick one has it."""
    from ..media.clips import Look, parse_size

    width_height = parse_size(size or (QUICK_SIZE if quick else "1280x720"))
    level = (quality or (Quality.low if quick else Quality.high)).value
    return Look(width_height, fps or (QUICK_FPS if quick else 30), level)


def _filmed(run: Any, chapters: Any, shots: list[Any], limit_s: float) -> list[Any]:
    """Every chapter with a clip of it: one that is there, or one that is drawn now."""
    from ..media.clips import clip_path, find
    from ..media.film import Scene
    from .camera import draw

    there = [find(run.paths, shot) for shot in shots]
    missing = [shot for shot, found in zip(shots, there, strict=True) if found is None]
    _announce(chapters, shots, there, missing)
    total, done, scenes = sum(shot.frames for shot in missing), 0, []
    with progress("Drawing") as tell:
        for chapter, shot, found in zip(chapters, shots, there, strict=True):
            if found is None:
                path = clip_path(run.paths, shot)
                found = (draw(chapter.replay, shot, path, limit_s, counting(tell, total, done)), 0)
                done += shot.frames
            scenes.append(Scene(chapter, shot, *found))
    return scenes


def _announce(chapters: Any, shots: list[Any], there: list[Any], missing: list[Any]) -> None:
    for chapter, shot, found in zip(chapters, shots, there, strict=True):
        how = "is drawn already" if found else f"{shot.frames} pictures"
        err.print(f"{chapter.heading}: {describe(chapter.replay)}: {how}", markup=False, soft_wrap=True)
    if missing:
        total = sum(shot.frames for shot in missing)
        err.print(f"{total} pictures to draw, {said_time(missing)}.", markup=False, soft_wrap=True)


def _words(run: Any) -> Any:
    from ..media.film import Words, in_short

    record = run.record
    windows = run.window_count()
    played = f"{windows} windows  ·  {in_short(record.env_steps_total)} env steps"
    return Words("Learning tag", (played, f"run {record.run_id}"), ("made with sandlot",))
