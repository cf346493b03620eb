"""Read-only access to Weights & Biases; the key stays on the server."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel

from ..context import ContextDep, Limit
from ..errors import ApiError, error_responses
from ..wandb import WandbProject, WandbRun, key_metrics

router = APIRouter(prefix="/api/wandb", tags=["wandb"])

MAX_KEYS = 64
Name = Annotated[str | None, Query(max_length=128, pattern=r"^[A-Za-z0-9_.\-]*$")]
RunName = Annotated[str, Path(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_.\-]+$")]
Keys = Annotated[str | None, Query(max_length=8000, description=f"comma-separated names, at most {MAX_KEYS}")]
ERRORS = error_responses(400, 404, 422, 502, 503)


class WandbDefaults(BaseModel):
    """Entity and project that the site suggests."""

    entity: str | None
    project: str | None


class WandbCache(BaseModel):
    """The cache of responses, and how often it helped."""

    seconds: float
    entries: int
    hits: int
    misses: int


class WandbStatus(BaseModel):
    """Whether Weights & Biases can be reached."""

    available: bool
    reason: str | None
    defaults: WandbDefaults
    cache: WandbCache
    operations: list[str]
    notes: list[str]


class WandbRunList(WandbProject):
    """Runs of a project there."""

    count: int
    runs: list[WandbRun]


class WandbRunDetail(WandbProject):
    """One run there, with its project."""

    run: WandbRun


class WandbHistory(WandbProject):
    """Logged metrics of a run there."""

    run_id: str
    keys: list[str]
    count: int
    rows: list[dict[str, Any]]


class WandbKpi(BaseModel):
    """One headline metric."""

    key: str
    last: float
    best: float
    change: float | None


class WandbIterationView(WandbProject):
    """A run there with its history and headline metrics."""

    run: WandbRun
    history: WandbHistory
    kpis: list[WandbKpi]


def _where(entity: Name = None, project: Name = None) -> tuple[str | None, str | None]:
    return entity, project


# resolved after the other parameters were validated
Where = Annotated[tuple[str | None, str | None], Depends(_where)]


def _keys(keys: Keys = None) -> list[str]:
    words = list(dict.fromkeys(word.strip() for word in (keys or "").split(",") if word.strip()))
    if len(words) > MAX_KEYS:
        raise ApiError(422, "bad_request", f"{len(words)} keys in one request; at most {MAX_KEYS} fit.")
    return words


KeyList = Annotated[list[str], Depends(_keys)]


@router.get("/status")
def wandb_status(context: ContextDep) -> WandbStatus:
    """Whether Weights & Biases is available, and why not."""
    return WandbStatus(**context.wandb.status())


@router.get("/runs/latest", responses=ERRORS)
async def wandb_latest_runs(
    context: ContextDep, where: Where, limit: Annotated[int, Query(ge=1, le=50)] = 10
) -> WandbRunList:
    """The newest runs of a project."""
    scope = context.wandb.scope(*where)
    runs = await context.wandb_workers.submit(context.wandb.latest, scope, limit)
    return WandbRunList(**scope.model_dump(), count=len(runs), runs=runs)


@router.get("/runs/{wandb_run_id}/summary", responses=ERRORS)
async def wandb_run_summary(context: ContextDep, where: Where, wandb_run_id: RunName) -> WandbRunDetail:
    """One run with its config and summary."""
    scope = context.wandb.scope(*where)
    run = await context.wandb_workers.submit(context.wandb.summary, scope, wandb_run_id)
    return WandbRunDetail(**scope.model_dump(), run=run)


@router.get("/runs/{wandb_run_id}/history", responses=ERRORS)
async def wandb_run_history(
    context: ContextDep, where: Where, wandb_run_id: RunName, keys: KeyList, max_points: Limit = 1000
) -> WandbHistory:
    """Logged rows, sampled to max_points."""
    scope = context.wandb.scope(*where)
    words = (scope, wandb_run_id, keys, max_points)
    rows = await context.wandb_workers.submit(context.wandb.history, *words)
    return WandbHistory(**scope.model_dump(), run_id=wandb_run_id, keys=keys, count=len(rows), rows=rows)


@router.get("/runs/{wandb_run_id}/iteration-view", responses=ERRORS)
async def wandb_iteration_view(
    context: ContextDep, where: Where, wandb_run_id: RunName, keys: KeyList, max_points: Limit = 1000
) -> WandbIterationView:
    """Run, history and key metrics in one response."""
    scope = context.wandb.scope(*where)
    run = await context.wandb_workers.submit(context.wandb.summary, scope, wandb_run_id)
    history = await wandb_run_history(context, where, wandb_run_id, keys, max_points)
    kpis = [WandbKpi(**kpi) for kpi in key_metrics(run.summary, history.rows)]
    return WandbIterationView(**scope.model_dump(), run=run, history=history, kpis=kpis)
