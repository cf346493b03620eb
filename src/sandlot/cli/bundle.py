"""`sandlot bundle`: everything that helps to find a fault, in one folder."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..errors import ConfigError
from ..variables import frames_folder
from .outputs import FRAMES_LIMIT, collect, stamp
from .show import out


def bundle(
    destination: Annotated[Optional[Path], typer.Argument(help="Folder; else debug/ and a stamp.")] = None,
    server_log: Annotated[Optional[Path], typer.Option(help="The trainer's log.")] = None,
    godot_log: Annotated[Optional[Path], typer.Option(help="The engine's log.")] = None,
    trajectory: Annotated[
        Optional[Path],
        typer.Option(help="This trajectory instead of the newest."),
    ] = None,
    include_frames: Annotated[bool, typer.Option("--include-frames", help="Recorded frames too.")] = False,
    frames_dir: Annotated[Optional[Path], typer.Option(help="Frames from this folder.")] = None,
    frames_limit: Annotated[int, typer.Option(min=1, help="At most so many, the newest.")] = FRAMES_LIMIT,
    video: Annotated[Optional[list[Path]], typer.Option(help="A film or picture to add.")] = None,
) -> None:
    """Collect logs, metrics, weights, charts, checkpoints, the newest trajectory and the revision.

    Examples: sandlot bundle · sandlot bundle debug/slow --server-log server.log --include-frames
    """
    for named in (server_log, godot_log, trajectory, *(video or [])):
        if named is not None and not named.is_file():
            raise ConfigError(f"There is no file {named}.")
    folder = destination or Path("debug") / stamp()
    frames = frames_dir or (frames_folder() if include_frames else None)
    logs = [path for path in (server_log, godot_log) if path is not None]
    took = collect(folder, logs, trajectory, frames, frames_limit, video or [])
    out.print(f"{folder}: {', '.join(took)}", markup=False, soft_wrap=True)
