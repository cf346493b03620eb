"""`sandlot frames`: recorded frames into a film."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..errors import ConfigError
from ..variables import frames_folder, get, legacy_folders
from .outputs import film_path
from .progress import progress
from .show import out

PATTERNS = ("frame_*.png", "frame*.png")  # the recorder's names, then those of the engine's movie maker


def frames(
    folder: Annotated[
        Optional[Path], typer.Argument(help="Where the frames are; else the data root's.")
    ] = None,
    output: Annotated[
        Optional[Path],
        typer.Option(help="The film; else learn_progress- and a stamp."),
    ] = None,
    fps: Annotated[
        Optional[int],
        typer.Option(min=1, max=240, help="Frames a second; else the rate they were drawn at."),
    ] = None,
    keep: Annotated[
        Optional[bool],
        typer.Option("--keep/--remove", help="Keep the frames; else as AI_PRESERVE_FRAMES says."),
    ] = None,
) -> None:
    """Make numbered frames into an MP4: H.264, yuv420p. The frames are removed afterwards unless kept.

    The rate lies beside the frames (frames.json); where it is missing, AI_RECORD_FPS counts.

    Examples: sandlot frames · sandlot frames data/frames --fps 30 --keep
    """
    from ..media.frames import RATE_FILE, encode, read_rate

    found = find(folder)
    target = output or film_path()
    target.parent.mkdir(parents=True, exist_ok=True)
    rate = fps or read_rate(found[0].parent) or get("AI_RECORD_FPS")
    with progress("Encoding") as tell:
        encode(found, target, rate, progress=lambda done, of: tell("", done, of))
    if not (get("AI_PRESERVE_FRAMES") if keep is None else keep):
        for path in found:
            path.unlink(missing_ok=True)
        (found[0].parent / RATE_FILE).unlink(missing_ok=True)
    out.print(f"{target}: {len(found)} frames, {len(found) / rate:.1f} s", markup=False, soft_wrap=True)


def find(folder: Path | None) -> list[Path]:
    """The frames of a folder, or of the first of the usual places that has any."""
    places = [folder] if folder else [frames_folder(), *legacy_folders("frames")]
    for place in places:
        for pattern in PATTERNS:
            found = sorted(place.glob(pattern))
            if found:
                return found
    raise ConfigError(f"There are no frames in {', '.join(map(str, places))}. Record some first.")
