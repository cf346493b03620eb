"""The files of a run that may be downloaded, and the safe way from a requested path to one of them."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from typing import Any
from urllib.parse import quote

from ..clock import iso
from ..errors import UnsafePath
from ..runs import Run
from .errors import ApiError

# Top-level folders and files of a run that are listed, with the kind that the API reports.
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
MAX_DEPTH = 4
MAX_FILES = 20_000


def file_kind(relative: str) -> str | None:
    """The kind of a file; None for hidden and temporary files and everything not in KINDS."""
    parts = relative.split("/")
    hidden = any(not part or part.startswith(".") or part.endswith(".tmp") for part in parts)
    return None if hidden else KINDS.get(parts[0])


def list_run_files(run: Run) -> Iterator[tuple[str, os.stat_result]]:
    """Every file that may be downloaded: its path from the run folder, and its stat."""
    for count, (relative, stat) in enumerate(_walk(run.paths.folder, "", MAX_DEPTH)):
        if count >= MAX_FILES:
            return
        yield relative, stat


def _walk(folder: Path, prefix: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # removed meanwhile
    for entry in entries:
        relative = prefix + entry.name
        if file_kind(relative) is None:
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _walk(Path(entry.path), relative + "/", depth - 1)
        elif entry.is_file(follow_symlinks=False):
            try:
                yield relative, entry.stat(follow_symlinks=False)
            except OSError:
                continue


def find_file_of_run(run: Run, relative: str) -> Path:
    """The file at a path, or a 404: nothing outside the run, nothing hidden, no folder, no device."""
    name = run.paths.folder.name
    text = f"Run {name} has no file {relative[:200]!r}. GET /api/runs/{name}/files lists all files."
    missing = ApiError(404, "not_found", text)
    if "\x00" in relative or file_kind(relative) is None:  # ".." is hidden too
        raise missing
    try:
        path = run.paths.inside(relative)
        resolved = path.relative_to(run.paths.folder.resolve()).as_posix()
        regular = S_ISREG(path.stat().st_mode)
    except (UnsafePath, OSError):
        raise missing from None
    if not regular or file_kind(resolved) is None:
        raise missing
    return path


def modified_at(stat: os.stat_result) -> str:
    """When a file was last modified, as UTC text."""
    return iso(datetime.fromtimestamp(stat.st_mtime, UTC))


def file_fields(run: Run, relative: str, stat: os.stat_result) -> dict[str, Any]:
    """What the API says about every file: path, bytes, updated_at, url."""
    url = f"/api/runs/{run.paths.folder.name}/files/{quote(relative)}"
    return {"path": relative, "bytes": stat.st_size, "updated_at": modified_at(stat), "url": url}
