"""Weights & Biases through the server: read-only, with a key that stays here."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, ValidationError

from ..context import Shared
from ..errors import Refusal, responses
from ..wandb import kpis_of, upstream

router = APIRouter(prefix="/api/wandb", tags=["wandb"])

MOST_KEYS = 64
Name = Annotated[str | None, Query(max_length=128, pattern=r"^[A-Za-z0-9_.\-]*$")]
RunName = Annotated[str, Path(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_.\-]+$")]
MaxPoints = Annotated[int, Query(ge=1, le=5000)]
Keys = Annotated[str | None, Query(max_length=8000, description=f"names with commas, at most {MOST_KEYS}")]
TROUBLE = responses(400, 404, 422, 502, 503)


class WandbDefaults(BaseModel):
    entity: str | None
    project: str | None


class WandbCache(BaseModel):
    seconds: float
    entries: int
    hits: int
    misses: int


class WandbStatus(BaseModel):
    available: bool
    reason: str | None
    defaults: WandbDefaults
    cache: WandbCache
    operations: list[str]
    notes: list[str]


class WandbRun(BaseModel):
    id: str
    name: str
    state: str | None
    created_at: str | None
    updated_at: str | None
    group: str | None
    job_type: str | None
    tags: list[str]
    user: str | None
    history_rows: int | None
    url: str
    config: dict[str, Any]
    summary: dict[str, Any]


def _run(told: dict[str, Any]) -> WandbRun:
    try:
        return WandbRun(**told)
    except ValidationError:
        raise upstream("its answer has another shape than expected.") from None


class WandbRunList(BaseModel):
    entity: str
    project: str
    count: int
    runs: list[WandbRun]


class WandbRunDetail(BaseModel):
    entity: str
    project: str
    run: WandbRun


class WandbHistory(BaseModel):
    entity: str
    project: str
    run_id: str
    keys: list[str]
    count: int
    rows: list[dict[str, Any]]


class WandbKpi(BaseModel):
    key: str
    last: float
    best: float
    change: float | None


class WandbIterationView(BaseModel):
    entity: str
    project: str
    run: WandbRun
    history: WandbHistory
    kpis: list[WandbKpi]


def _where(entity: Name = None, project: Name = None) -> tuple[str | None, str | None]:
    return entity, project


Where = Annotated[
    tuple[str | None, str | None], Depends(_where)
]  # looked up once all else is known to be right


def _keys(keys: Keys = None) -> list[str]:
    words = list(dict.fromkeys(word.strip() for word in (keys or "").split(",") if word.strip()))
    if len(words) > MOST_KEYS:
        raise Refusal(422, "bad_request", f"{len(words)} keys in one question; at most {MOST_KEYS} fit.")
    return words


KeyList = Annotated[list[str], Depends(_keys)]


@router.get("/status")
def wandb_status(context: Shared) -> WandbStatus:
    """Whether Weights & Biases can be asked here, and why not."""
    return WandbStatus(**context.wandb.status())


@router.get("/runs/latest", responses=TROUBLE)
async def wandb_latest_runs(
    context: Shared, where: Where, limit: Annotated[int, Query(ge=1, le=50)] = 10
) -> WandbRunList:
    """The newest runs of a project."""
    scope = context.wandb.scope(*where)
    runs = [_run(run) for run in await context.ask(context.wandb.latest, *scope, limit)]
    return WandbRunList(entity=scope[0], project=scope[1], count=len(runs), runs=runs)


@router.get("/runs/{wandb_run_id}/summary", responses=TROUBLE)
async def wandb_run_summary(context: Shared, where: Where, wandb_run_id: RunName) -> WandbRunDetail:
    """One run with its config and summary."""
    scope = context.wandb.scope(*where)
    run = _run(await context.ask(context.wandb.summary, *scope, wandb_run_id))
    return WandbRunDetail(entity=scope[0], project=scope[1], run=run)


@router.get("/runs/{wandb_run_id}/history", responses=TROUBLE)
async def wandb_run_history(
    context: Shared, where: Where, wandb_run_id: RunName, keys: KeyList, max_points: MaxPoints = 1000
) -> WandbHistory:
    """Logged rows, thinned to so many points."""
    scope = context.wandb.scope(*where)
    rows = await context.ask(context.wandb.history, *scope, wandb_run_id, keys, max_points)
    return WandbHistory(
        entity=scope[0], project=scope[1], run_id=wandb_run_id, keys=keys, count=len(rows), rows=rows
    )


@router.get("/runs/{wandb_run_id}/iteration-view", responses=TROUBLE)
async def wandb_iteration_view(
    context: Shared, where: Where, wandb_run_id: RunName, keys: KeyList, max_points: MaxPoints = 1000
) -> WandbIterationView:
    """Run, history and key figures in one answer."""
    scope = context.wandb.scope(*where)
    run = _run(await context.ask(context.wandb.summary, *scope, wandb_run_id))
    told = await wandb_run_history(context, scope, wandb_run_id, keys, max_points)
    kpis = [WandbKpi(**kpi) for kpi in kpis_of(run.summary, told.rows)]
    return WandbIterationView(entity=scope[0], project=scope[1], run=run, history=told, kpis=kpis)
