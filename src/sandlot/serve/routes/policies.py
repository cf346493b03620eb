"""The policies of a run as ONNX files for browsers."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from ...errors import MissingExtra
from ...runs import Run
from ..context import ContextDep, RunDep
from ..errors import ApiError, error_responses
from ..opponents import WindowSelector, checkpoint_path, read_checkpoint

router = APIRouter(prefix="/api/runs/{run_id}/policies", tags=["policies"])


class PolicyInfo(BaseModel):
    """One exported policy that the browser can run."""

    role: str
    window_id: int
    env_steps_total: int | None
    newest: bool
    best: bool
    url: str = Field(description="its ONNX file, exported on the first request")


class PolicyList(BaseModel):
    """A run's exported policies."""

    run_id: str
    game: str
    count: int
    available: bool = Field(description="whether this server can export")
    reason: str | None
    policies: list[PolicyInfo]


@router.get("", responses=error_responses(404, 409, 422, 503))
async def list_policies(context: ContextDep, run: RunDep) -> PolicyList:
    """One policy per role and stored checkpoint, newest first."""
    return await context.background.submit(_list_policies, run)


def _list_policies(run: Run) -> PolicyList:
    reason = _reason_unavailable()
    windows = run.checkpoints()
    roles: list[str] = []  # every checkpoint of a run holds the same
    if windows and reason is None:
        roles = list(read_checkpoint(checkpoint_path(run, "newest")).policies)
    commit, best = run.committed, run.best()
    steps = {row.window_id: row.env_steps_total for row in run.windows()}
    found = [
        PolicyInfo(
            role=role,
            window_id=window,
            env_steps_total=steps.get(window),
            newest=bool(commit and commit.window_id == window),
            best=bool(best and best.window_id == window),
            url=f"/api/runs/{run.paths.folder.name}/policies/{role}/{window}.onnx",
        )
        for window in sorted(windows, reverse=True)
        for role in roles
    ]
    return PolicyList(
        run_id=run.paths.folder.name,
        game=run.record.game,
        count=len(found),
        available=reason is None,
        reason=reason,
        policies=found,
    )


def _reason_unavailable() -> str | None:
    try:
        from ...policies import export  # noqa: F401
    except MissingExtra as problem:
        return str(problem)
    return None


@router.get(
    "/{role}/{window}.onnx",
    response_class=FileResponse,
    responses=error_responses(404, 409, 422, 503)
    | {200: {"content": {"application/octet-stream": {}}, "description": "an ONNX model"}},
)
async def get_policy(
    context: ContextDep,
    run: RunDep,
    role: Annotated[str, Path(max_length=64)],
    window: Annotated[str, Path(max_length=20, description="a window's number, newest or best")],
) -> FileResponse:
    """The policy of a role in one checkpoint."""
    path = await context.background.submit(context.exports.get, run, role, _parse_window(window))
    name = f"{run.paths.folder.name}_{window}_{role}.onnx"
    return FileResponse(
        path, media_type="application/octet-stream", filename=name, headers={"Cache-Control": "no-cache"}
    )


def _parse_window(window: str) -> WindowSelector:
    if window == "newest":
        return "newest"
    if window == "best":
        return "best"
    if not window.isascii() or not window.isdigit():
        raise ApiError(404, "not_found", f"{window!r} is not a window: expected a number, newest or best.")
    return int(window)
