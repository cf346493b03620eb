"""`sandlot record`: one match of a run, drawn in Godot as an MP4."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..errors import ConfigError
from .options import RUNS, ForMachines, Quality, RunName, RunsFolder
from .progress import progress
from .show import as_json, err, out

# Seconds a picture takes without a graphics card, by its millions of pixels; measured on one free core.
DRAWING_S = {"high": (0.08, 0.5), "low": (0.03, 0.2)}
START_S = 5.0  # of the engine, for each match

Care = Annotated[Quality, typer.Option(help="high: soft shadows and all; low: several times quicker.")]


def record(
    run: RunName,
    replay: Annotated[
        Optional[str],
        typer.Option(metavar="ID", help="This replay; `sandlot replay RUN_FOLDER` lists them."),
    ] = None,
    window: Annotated[
        Optional[int],
        typer.Option(min=0, help="The first match recorded of this window; else of the newest."),
    ] = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Of the picture, at most 1920x1080.")] = "1280x720",
    fps: Annotated[int, typer.Option(min=1, max=60, help="Pictures a second of the match.")] = 30,
    quality: Care = Quality.high,
    target: Annotated[
        Optional[Path], typer.Option("--out", help="The film; else videos/ of the run.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Draw it even if it is there already.")] = False,
    limit_s: Annotated[
        float, typer.Option("--timeout", min=10, max=86400, help="Seconds before drawing is given up.")
    ] = 3600,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """Film one recorded match in Godot, at true speed. Without a screen it is drawn in memory.

    A match that was filmed before in the same way is not drawn again. Exit code 3 when there is no Godot.

    Examples: sandlot record latest · sandlot record RUN --window 0 --size 640x360 · sandlot record RUN
    --replay replay-000012-5f3a9c01 --fps 60 --out match.mp4
    """
    from ..bridge.godot_engine import require
    from ..media import clips
    from .camera import draw, scene_digest

    if replay is not None and window is not None:
        raise ConfigError("--replay and --window: give one of them.")
    look = clips.Look(clips.parse_size(size), fps, quality.value)
    check_target(target)
    opened = open_run(run, runs)
    found = clips.choose(opened, replay, window)
    shot = clips.whole(found, look, scene_digest(require()))
    path = target or clips.clip_path(opened.paths, shot)
    if again or clips.surplus(path, shot) != 0:
        err.print(
            f"{describe(found)}: {shot.frames} pictures, {said_time([shot])}.", markup=False, soft_wrap=True
        )
        with progress("Drawing") as tell:
            draw(found, shot, path, limit_s, counting(tell, shot.frames))
    tell_film(path, shot.frames, fps, as_machine)


# ---------------------------------------------------------------- shared with `sandlot film`


def open_run(name: str, root: Path) -> Any:
    from ..runs.store import locate

    store, run_id = locate(name, root)
    return store.open(run_id)


def check_target(target: Path | None) -> None:
    """Say before an hour of drawing what would be said after it."""
    if target is None:
        return
    if target.suffix.lower() != ".mp4" or target.is_dir():
        raise ConfigError(f"--out {target}: expected the name of a file that ends in .mp4.")
    if not target.absolute().parent.is_dir():
        raise ConfigError(f"--out {target}: there is no folder {target.absolute().parent}.")


def describe(replay: Any) -> str:
    header, end = replay.header, replay.end
    winner = end.episode.get("winner", "nobody")
    won = "nobody won" if winner == "nobody" else f"won by the {winner}"
    return f"{header.replay_id}, window {header.window_id}, {won}"


def drawing_s(shots: list[Any]) -> float:
    """How long drawing will take without a graphics card, roughly."""
    return sum(START_S + shot.frames * picture_s(shot.look.quality, shot.look.size) for shot in shots)


def picture_s(quality: str, size: tuple[int, int]) -> float:
    fixed_s, megapixel_s = DRAWING_S[quality]
    return fixed_s + megapixel_s * size[0] * size[1] / 1e6


def said_time(shots: list[Any]) -> str:
    return on_one_core(drawing_s(shots))


def on_one_core(seconds: float) -> str:
    return f"about {in_words(seconds)} on one free core without a graphics card"


def in_words(seconds: float) -> str:
    return f"{max(5, round(seconds / 5) * 5)} s" if seconds < 90 else f"{round(seconds / 60)} minutes"


def counting(tell: Any, total: int, before: int = 0) -> Any:
    """Progress in pictures, with the time that is left as the last ones took it."""
    began: list[float] = []

    def count(done: int, _of: int) -> None:
        began.append(time.monotonic())
        left = total - before - done
        pace = (began[-1] - began[0]) / max(1, len(began) - 1)
        tell(f"{in_words(left * pace)} left" if len(began) > 3 else "", before + done, total)
        if len(began) > 60:
            del began[0]

    return count


def tell_film(path: Path, frames: int, fps: int, as_machine: bool) -> None:
    if as_machine:
        as_json({"film": str(path), "frames": frames, "fps": fps, "seconds": frames / fps})
    else:
        out.print(str(path), markup=False, soft_wrap=True)
