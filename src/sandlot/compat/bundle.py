"""`python -m sandlot.compat bundle`: everything that helps to find a fault, in one folder."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..cli.show import out
from ..errors import ConfigError
from .outputs import FRAMES_LIMIT, collect, stamp
from .variables import frames_folder


def bundle(
    destination: Annotated[Path | None, Argument(help="Folder; else debug/ and a stamp.")] = None,
    server_log: Annotated[Path | None, Option(help="The trainer's log.")] = None,
    godot_log: Annotated[Path | None, Option(help="The engine's log.")] = None,
    trajectory: Annotated[Path | None, Option(help="This trajectory instead of the newest.")] = None,
    include_frames: Annotated[bool, Option("--include-frames", help="Recorded frames too.")] = False,
    frames_dir: Annotated[Path | None, Option(help="Frames from this folder.")] = None,
    frames_limit: Annotated[int, Option(min=1, help="At most so many, the newest.")] = FRAMES_LIMIT,
    video: Annotated[list[Path] | None, Option(help="A film or picture to add.")] = None,
) -> None:
    """Collect logs, metrics, weights, charts, checkpoints, the newest trajectory and the revision.

    Examples: python -m sandlot.compat bundle ·
    python -m sandlot.compat bundle debug/slow --server-log server.log --include-frames
    """
    for named in (server_log, godot_log, trajectory, *(video or [])):
        if named is not None and not named.is_file():
            raise ConfigError(f"There is no file {named}.")
    folder = destination or Path("debug") / stamp()
    frames = frames_dir or (frames_folder() if include_frames else None)
    logs = [path for path in (server_log, godot_log) if path is not None]
    took = collect(folder, logs, trajectory, frames, frames_limit, video or [])
    out.print_line(f"{folder}: {', '.join(took)}")
