"""Window metrics, one row per window, and the evaluations of their checkpoints."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ...errors import Damaged
from ...media.derived import derived_metrics
from ...runs import Run, WindowRow
from ...runs.evaluations import read_evaluations
from ...runs.records import Best
from ...worlds import known_spec
from ..context import Limit, RunDep
from ..errors import ApiError, error_responses

router = APIRouter(prefix="/api/runs/{run_id}", tags=["windows"])

Order = Annotated[Literal["asc", "desc"], Query(description="asc: oldest first")]


class WindowList(BaseModel):
    """Window rows of a run."""

    run_id: str
    metrics_path: str
    count: int
    total: int
    windows: list[WindowRow]


class Evaluation(BaseModel):
    """The evaluation of a window's checkpoint on the seeds that choose the best one."""

    window_id: int
    env_steps_total: int | None
    value: float | None = Field(description="the metric by which checkpoints are compared; higher is better")
    ratings: dict[str, float] = Field(description="by role, on the game's fixed scale")
    rating_intervals: dict[str, tuple[float, float]] = Field(description="95 %, by role")
    intervals: dict[str, tuple[float, float]] = Field(description="95 %, of shares and ratings, by metric")
    metrics: dict[str, Any]


class BestReport(BaseModel):
    """The evaluation of best.pt on seeds that were not used to choose it."""

    windows: dict[str, int] = Field(description="the window of each role; empty where all are of best_window")
    episodes: int | None
    value: float | None
    value_interval: tuple[float, float] | None
    ratings: dict[str, float]
    rating_intervals: dict[str, tuple[float, float]]


class RatingList(BaseModel):
    """Evaluations of a run, and its best checkpoint."""

    run_id: str
    count: int
    total: int
    best_window: int | None
    best: BestReport | None = Field(description="null until the best checkpoint was evaluated again")
    ratings: list[Evaluation]


def _with_derived(run: Run, row: WindowRow) -> WindowRow:
    return row.model_copy(update=derived_metrics(known_spec(run.record.game), row.to_json()))


@router.get("/metrics/windows", responses=error_responses(404, 409, 422))
def list_windows(run: RunDep, limit: Limit = 200, order: Order = "desc") -> WindowList:
    """The newest windows, derived metrics included."""
    rows = [_with_derived(run, row) for row in run.windows(limit, order)]
    return WindowList(
        run_id=run.paths.folder.name,
        metrics_path=run.paths.relative(run.paths.windows),
        count=len(rows),
        total=run.window_count(),
        windows=rows,
    )


@router.get("/metrics/windows/{window_id}", responses=error_responses(404, 409, 422))
def get_window(run: RunDep, window_id: Annotated[int, Path(ge=0, le=2**53)]) -> WindowRow:
    """One window."""
    for row in run.windows(order="desc"):
        if row.window_id == window_id:
            return _with_derived(run, row)
    raise ApiError(404, "not_found", f"Run {run.run_id} has no window {window_id} (yet).")


@router.get("/ratings", responses=error_responses(404, 409, 422))
def list_ratings(run: RunDep, limit: Limit = 1000, order: Order = "asc") -> RatingList:
    """The evaluation of each window against fixed opponents on held-out seeds; damaged lines are skipped."""
    rows = read_evaluations(run.paths.evaluations)
    evaluated = [_evaluation(row) for row in rows[max(0, len(rows) - limit) :]]
    best = run.best()
    return RatingList(
        run_id=run.paths.folder.name,
        count=len(evaluated),
        total=len(rows),
        best_window=best.window_id if best else None,
        best=_best(best),
        ratings=evaluated if order == "asc" else evaluated[::-1],
    )


def _evaluation(row: dict[str, Any]) -> Evaluation:
    about = ("window_id", "env_steps_total", "checkpoint_sha256", "evaluator_pid", "schema_version")
    intervals = row.get("intervals", {})
    return Evaluation(
        window_id=row["window_id"],
        env_steps_total=row.get("env_steps_total"),
        value=row.get("value"),
        ratings=_ratings(row),
        rating_intervals=_ratings(intervals),
        intervals=intervals,
        metrics={name: value for name, value in row.items() if name not in (*about, "intervals")},
    )


def _ratings(values: Mapping[str, Any]) -> dict[str, Any]:
    rated = {k: v for k, v in values.items() if k.endswith("_rating") and v is not None}
    return {k.removesuffix("_rating"): v for k, v in rated.items()}


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
        raise Damaged("best.json holds an invalid report. Remove it, or restore it from a copy.") from None
