"""Checkpoints of a run."""

from fastapi import APIRouter
from pydantic import BaseModel

from ..context import RunDep
from ..errors import error_responses
from ..run_files import file_fields

router = APIRouter(prefix="/api/runs/{run_id}/checkpoints", tags=["checkpoints"])


class CheckpointFile(BaseModel):
    """One checkpoint of a run."""

    window_id: int
    env_steps_total: int | None
    path: str
    bytes: int
    updated_at: str
    newest: bool
    best: bool
    url: str


class CheckpointList(BaseModel):
    """A run's checkpoints, newest first."""

    run_id: str
    count: int
    newest_window: int | None
    best_window: int | None
    best_value: float | None
    checkpoints: list[CheckpointFile]


@router.get("", responses=error_responses(404, 409, 422))
def list_checkpoints(run: RunDep) -> CheckpointList:
    """The stored checkpoints, oldest first: the newest few, the best, and every n-th where configured."""
    commit, best = run.committed, run.best()
    steps = {row.window_id: row.env_steps_total for row in run.windows()}
    newest, best_window = commit.window_id if commit else None, best.window_id if best else None
    found = []
    for window, path in run.checkpoints().items():
        try:
            file = file_fields(run, run.paths.relative(path), path.stat())
        except FileNotFoundError:  # retention has removed it meanwhile
            continue
        file |= {"newest": window == newest, "best": window == best_window}
        found.append(CheckpointFile(window_id=window, env_steps_total=steps.get(window), **file))
    return CheckpointList(
        run_id=run.paths.folder.name,
        count=len(found),
        newest_window=newest,
        best_window=best_window,
        best_value=best.value if best else None,
        checkpoints=found,
    )
