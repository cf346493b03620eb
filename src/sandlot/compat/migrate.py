"""`python -m sandlot.compat migrate`: old trajectories and frames, copied into the data folder."""

import shutil
from pathlib import Path
from typing import Annotated

from typer import Option

from ..cli.show import out
from .outputs import stamp
from .variables import frames_folder, imports_folder, legacy_folders, trajectories_folder

KINDS = {
    "trajectories": (trajectories_folder, "ep_*.jsonl"),
    "frames": (frames_folder, "frame_*.png"),
}


def migrate(
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would be done, do nothing.")] = False,
    archive_legacy: Annotated[
        bool, Option("--archive-legacy", help="Also move the originals into the imports folder.")
    ] = False,
) -> None:
    """Copy old trajectories and frames into the data folder. A file that is there already is left as it is.

    Examples: python -m sandlot.compat migrate --dry-run · python -m sandlot.compat migrate --archive-legacy
    """
    archive = imports_folder() / stamp()
    copied = kept = 0
    for kind, (target, pattern) in KINDS.items():
        for folder in legacy_folders(kind):
            if folder.is_dir() and folder.resolve() != target().resolve():
                for path in sorted(folder.glob(pattern)):
                    new = _copy(path, target(), archive / kind if archive_legacy else None, dry_run)
                    copied, kept = copied + new, kept + (not new)
    verb = "would be copied" if dry_run else "copied"
    out.print_line(f"{copied} files {verb}, {kept} were there already.")


def _copy(path: Path, folder: Path, archive: Path | None, dry_run: bool) -> bool:
    target = folder / path.name
    new = not target.exists()
    if dry_run:
        if new:
            out.print_line(f"{path} → {target}")
        return new
    if new:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    if archive is not None:
        archive.mkdir(parents=True, exist_ok=True)
        shutil.move(path, archive / path.name)
    return new
