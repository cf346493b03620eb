"""The files of a run that may be downloaded, and the way from a name to one of them and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from stat import S_ISREG
from urllib.parse import quote

from ..clock import iso
from ..errors import UnsafePath
from ..runs import Run
from .errors import Refusal

# Top folders and files of a run that are shown, each with what it is to a person.
KINDS = {
    "config.json": "settings",
    "run.json": "settings",
    "metrics": "metrics",
    "checkpoints": "weights",
    "exports": "export",
    "replays": "replay",
    "charts": "chart",
    "videos": "video",
    "logs": "log",
    "tensorboard": "tensorboard",
}
MOST_DEPTH = 4
MOST_FILES = 20_000


def kind_of(relative: str) -> str | None:
    """None for what is not shown: hidden and temporary files, and whatever is not on the list."""
    parts = relative.split("/")
    hidden = any(not part or part.startswith(".") or part.endswith(".tmp") for part in parts)
    return None if hidden else KINDS.get(parts[0])


def files_of(run: Run) -> Iterator[tuple[str, os.stat_result]]:
    """Every file that may be downloaded: its path from the run folder, and its size and time."""
    for count, (relative, told) in enumerate(_walk(run.paths.folder, "", MOST_DEPTH)):
        if count >= MOST_FILES:
            return
        yield relative, told


def _walk(folder: Path, prefix: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # removed while we look
    for entry in entries:
        relative = prefix + entry.name
        if kind_of(relative) is None:
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _walk(Path(entry.path), relative + "/", depth - 1)
        elif entry.is_file(follow_symlinks=False):
            try:
                yield relative, entry.stat(follow_symlinks=False)
            except OSError:
                continue


def file_of(run: Run, relative: str) -> Path:
    """The file behind a name, or a 404: nothing outside the run, nothing hidden, no folder, no device."""
    missing = Refusal(
        404, "not_found",
        f"Run {run.paths.folder.name} has no file {relative[:200]!r}. "
        f"GET /api/runs/{run.paths.folder.name}/files lists those there are.",
    )  # fmt: skip
    if "\x00" in relative or kind_of(relative) is None:  # two dots in a row begin with a dot
        raise missing
    try:
        path = run.paths.inside(relative)
        led_to = path.relative_to(run.paths.folder.resolve()).as_posix()
        regular = S_ISREG(path.stat().st_mode)
    except (UnsafePath, OSError):
        raise missing from None
    if not regular or kind_of(led_to) is None:
        raise missing
    return path


def changed_at(told: os.stat_result) -> str:
    return iso(datetime.fromtimestamp(told.st_mtime, timezone.utc))


def file_url(run: Run, relative: str) -> str:
    return f"/api/runs/{run.paths.folder.name}/files/{quote(relative)}"
