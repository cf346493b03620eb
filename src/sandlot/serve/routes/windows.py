"""Window metrics: one row a window; and how the windows' checkpoints were judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ...errors import Damaged
from ...runs import WindowRow
from ...runs.evaluations import read_evaluations
from ...runs.records import Best
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
    """How good the checkpoint of a window is, on the seeds on which checkpoints are compared."""

    window_id: int
    env_steps_total: int | None
    value: float | None = Field(description="the metric by which checkpoints are compared; higher is better")
    ratings: dict[str, float] = Field(description="by role, on the game's fixed scale")
    rating_intervals: dict[str, tuple[float, float]] = Field(description="95 %, by role")
    intervals: dict[str, tuple[float, float]] = Field(description="95 %, of shares and ratings, by metric")
    figures: dict[str, Any]


class BestReport(BaseModel):
    """What best.pt is worth on seeds on which nothing was chosen."""

    windows: dict[str, int] = Field(description="the window of each role; empty where all are of best_window")
    episodes: int | None
    value: float | None
    value_interval: tuple[float, float] | None
    ratings: dict[str, float]
    rating_intervals: dict[str, tuple[float, float]]


class RatingList(BaseModel):
    run_id: str
    count: int
    total: int
    best_window: int | None
    best: BestReport | None = Field(description="null until the best checkpoint has been measured again")
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
    """How each judged window did against fixed rivals on held-out seeds; damaged lines are left out."""
    rows = read_evaluations(run.paths.evaluations)
    judged = [_judgement(row) for row in rows[max(0, len(rows) - limit) :]]
    best = run.best()
    return RatingList(
        run_id=run.paths.folder.name,
        count=len(judged),
        total=len(rows),
        best_window=best.window_id if best else None,
        best=_best(best),
        ratings=judged if order == "asc" else judged[::-1],
    )


def _judgement(row: dict[str, Any]) -> Judgement:
    apart = (
        "window_id",
        "env_steps_total",
        "checkpoint_sha256",
        "evaluator_pid",
        "intervals",
        "schema_version",
    )
    intervals = row.get("intervals", {})
    return Judgement(
        window_id=row["window_id"],
        env_steps_total=row.get("env_steps_total"),
        value=row.get("value"),
        ratings=_ratings(row),
        rating_intervals=_ratings(intervals),
        intervals=intervals,
        figures={name: value for name, value in row.items() if name not in apart},
    )


def _ratings(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        k.removesuffix("_rating"): v for k, v in values.items() if k.endswith("_rating") and v is not None
    }


def _best(best: Best | None) -> BestReport | None:
    if best is None or best.report is None:
        return None
    report = best.report
    low, high = report.get("value_low"), report.get("value_high")
    try:
        return BestReport(
            windows={role: one.window_id for role, one in best.roles.items()},
            episodes=report.get("episodes"),
            value=report.get("value"),
            value_interval=None if low is None or high is None else (low, high),
            ratings=_ratings(report),
            rating_intervals=_ratings(report.get("intervals", {})),
        )
    except (ValueError, TypeError, AttributeError):
        raise Damaged(
            "best.json holds a report that is none. Remove it, or restore it from a copy."
        ) from None
