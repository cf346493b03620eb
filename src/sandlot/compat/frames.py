"""`python -m sandlot.compat frames`: recorded frames into a film."""

from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..cli.progress import progress
from ..cli.show import out
from ..errors import ConfigError
from ..media.frames import RATE_FILE, encode, read_rate
from .outputs import film_path
from .variables import frames_folder, get, legacy_folders

PATTERNS = ("frame_*.png", "frame*.png")  # the recorder's names, then those of the engine's movie maker


def frames(
    folder: Annotated[Path | None, Argument(help="Where the frames are; else the data root's.")] = None,
    output: Annotated[Path | None, Option(help="The film; else learn_progress- and a stamp.")] = None,
    fps: Annotated[int | None, Option(min=1, max=240, help="Per second; else the rate of drawing.")] = None,
    keep: Annotated[
        bool | None, Option("--keep/--remove", help="Keep the frames; else as AI_PRESERVE_FRAMES says.")
    ] = None,
) -> None:
    """Make numbered frames into an MP4: H.264, yuv420p. The frames are removed afterwards unless kept.

    The rate lies beside the frames (frames.json); where it is missing, AI_RECORD_FPS counts.

    Examples: python -m sandlot.compat frames · python -m sandlot.compat frames data/frames --fps 30 --keep
    """
    found = find(folder)
    target = output or film_path()
    target.parent.mkdir(parents=True, exist_ok=True)
    rate = fps or read_rate(found[0].parent) or get("AI_RECORD_FPS")
    with progress("Encoding") as tell:
        encode(found, target, rate, progress=partial(tell, ""))
    if not (get("AI_PRESERVE_FRAMES") if keep is None else keep):
        for path in found:
            path.unlink(missing_ok=True)
        (found[0].parent / RATE_FILE).unlink(missing_ok=True)
    out.print_line(f"{target}: {len(found)} frames, {len(found) / rate:.1f} s")


def find(folder: Path | None) -> list[Path]:
    """The frames of a folder, or of the first of the usual places that has any."""
    places = [folder] if folder else [frames_folder(), *legacy_folders("frames")]
    for place in places:
        for pattern in PATTERNS:
            found = sorted(place.glob(pattern))
            if found:
                return found
    raise ConfigError(f"There are no frames in {', '.join(map(str, places))}. Record some first.")
