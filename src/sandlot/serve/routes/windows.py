"""Window metrics: one row a window; and how the windows' checkpoints were judged."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ...errors import Damaged
from ...runs import Run, WindowRow
from ...runs.atomic import read_lines
from ..context import ThisRun
from ..errors import Refusal, responses

router = APIRouter(prefix="/api/runs/{run_id}", tags=["windows"])

Order = Annotated[Literal["asc", "desc"], Query(description="by age")]


class WindowList(BaseModel):
    run_id: str
    metrics_path: str
    count: int
    total: int
    windows: list[WindowRow]


class Judgement(BaseModel):
    """How good the checkpoint of a window is on held-out seeds."""

    window_id: int
    env_steps_total: int | None
    value: float | None = Field(description="the figure by which checkpoints are compared; higher is better")
    ratings: dict[str, float] = Field(description="by role, on the game's fixed scale")
    figures: dict[str, Any]


class RatingList(BaseModel):
    run_id: str
    count: int
    total: int
    best_window: int | None
    ratings: list[Judgement]


@router.get("/metrics/windows", responses=responses(404, 409, 422))
def list_windows(
    run: ThisRun, limit: Annotated[int, Query(ge=1, le=5000)] = 200, order: Order = "desc"
) -> WindowList:
    """The newest so many windows; none when there is no file yet."""
    rows = run.windows(limit, order)
    return WindowList(
        run_id=run.paths.folder.name,
        metrics_path=run.paths.relative(run.paths.windows),
        count=len(rows),
        total=run.window_count(),
        windows=rows,
    )


@router.get("/metrics/windows/{window_id}", responses=responses(404, 409, 422))
def get_window(run: ThisRun, window_id: Annotated[int, Path(ge=0, le=2**53)]) -> WindowRow:
    """One window."""
    for row in run.windows(order="desc"):
        if row.window_id == window_id:
            return row
    raise Refusal(404, "not_found", f"Run {run.run_id} has no window {window_id} (yet).")


@router.get("/ratings", responses=responses(404, 409, 422))
def list_ratings(
    run: ThisRun, limit: Annotated[int, Query(ge=1, le=5000)] = 1000, order: Order = "asc"
) -> RatingList:
    """How each judged window did against fixed rivals on held-out seeds."""
    lines = read_lines(run.paths.evaluations)
    judged = [_judgement(run, line) for line in lines[max(0, len(lines) - limit) :]]
    best = run.best()
    return RatingList(
        run_id=run.paths.folder.name,
        count=len(judged),
        total=len(lines),
        best_window=best.window_id if best else None,
        ratings=judged if order == "asc" else judged[::-1],
    )


def _judgement(run: Run, line: str) -> Judgement:
    try:
        told = json.loads(line, parse_constant=lambda _: None)
        figures = {k: v for k, v in told.items() if k not in ("window_id", "env_steps_total")}
        ratings = {k.removesuffix("_rating"): v for k, v in figures.items() if k.endswith("_rating")}
        return Judgement(
            window_id=told["window_id"],
            env_steps_total=told.get("env_steps_total"),
            value=figures.get("value"),
            ratings={role: rating for role, rating in ratings.items() if rating is not None},
            figures=figures,
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Damaged(f"{run.paths.evaluations} holds a line that is no judgement.") from None
