"""Checkpoints of a run."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from pydantic import BaseModel

from ...runs import Run
from ..context import ThisRun
from ..errors import responses
from ..listing import changed_at, file_url

router = APIRouter(prefix="/api/runs/{run_id}/checkpoints", tags=["checkpoints"])


class CheckpointFile(BaseModel):
    window_id: int
    env_steps_total: int | None
    path: str
    bytes: int
    updated_at: str
    newest: bool
    best: bool
    url: str


class CheckpointList(BaseModel):
    run_id: str
    count: int
    newest_window: int | None
    best_window: int | None
    best_value: float | None
    checkpoints: list[CheckpointFile]


@router.get("", responses=responses(404, 409, 422))
def list_checkpoints(run: ThisRun) -> CheckpointList:
    """The checkpoints that are kept, oldest first: the newest few, the best, and each n-th where so set."""
    commit, best, steps = run.committed, run.best(), _steps(run)
    newest = commit.window_id if commit else None
    found = []
    for window, path in run.checkpoints().items():
        told = _told(run, path)
        if told:  # retention may remove one while we look
            found.append(
                CheckpointFile(
                    window_id=window,
                    env_steps_total=steps.get(window),
                    newest=window == newest,
                    best=bool(best and best.window_id == window),
                    **told,
                )
            )
    return CheckpointList(
        run_id=run.paths.folder.name,
        count=len(found),
        newest_window=newest,
        best_window=best.window_id if best else None,
        best_value=best.value if best else None,
        checkpoints=found,
    )


def _steps(run: Run) -> dict[int, int]:
    return {row.window_id: row.env_steps_total for row in run.windows()}


def _told(run: Run, path: Path) -> dict | None:
    try:
        told = path.stat()
    except FileNotFoundError:
        return None
    relative = run.paths.relative(path)
    return {
        "path": relative,
        "bytes": told.st_size,
        "updated_at": changed_at(told),
        "url": file_url(run, relative),
    }
