"""Whether the data of a run is complete: five sources, each ok, stale, missing or error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ...clock import iso, now
from ...media.weights_and_biases import project_of
from ...runs import Run
from ..context import Context, ContextDep, Limit, RunDep
from ..errors import error_responses, to_api_error
from ..results import result_metrics
from ..run_files import modified_at
from .wandb import Name

router = APIRouter(prefix="/api/runs/{run_id}/analytics", tags=["analytics"])

Names = tuple[str | None, str | None, str | None]  # run, entity and project of Weights & Biases
Status = Literal["ok", "stale", "missing", "error"]
WORST_FIRST: tuple[Status, ...] = ("error", "missing", "stale", "ok")

RUN_FIELDS = ("run_id", "status", "trainer_backend", "env_steps_total", "windows_emitted", "updated_at")
WINDOW_FIELDS = ("window_id", "env_steps_total", "return_mean", "reward_mean", "invalid_action_rate")
REPLAY_FIELDS = ("replay_id", "window_id", "return_total", "steps", "seed", "tags")
WANDB_FIELDS = ("env_steps_total", "return_mean")
STORE, WANDB = "run store", "Weights & Biases"


class Lineage(BaseModel):
    """The source of a part, and when it last changed."""

    source: str
    path: str | None
    updated_at: str | None


class Coverage(BaseModel):
    """One part of a run's data: is it there, complete and current?"""

    key: str
    label: str
    status: Status
    observed_count: int
    required_fields: list[str]
    missing_fields: list[str]
    lineage: Lineage
    notes: list[str]


class RunContext(BaseModel):
    """The run that was checked."""

    run_id: str
    game: str | None
    status: str | None
    trainer_backend: str | None
    env_steps_total: int | None
    windows_emitted: int | None
    latest_window: int | None
    latest_replay: str | None
    started_at: str | None
    updated_at: str | None
    finished_at: str | None


class WandbScope(BaseModel):
    """Where on Weights & Biases the run is looked for."""

    available: bool
    reason: str | None
    entity: str | None
    project: str | None
    run_id: str


class StatusCounts(BaseModel):
    """How many parts have each status."""

    ok: int
    stale: int
    missing: int
    error: int


class Completeness(BaseModel):
    """What a run has, and what is missing."""

    overall_status: Status
    status_counts: StatusCounts
    checked_at: str
    stale_after_seconds: int
    run_context: RunContext
    wandb_scope: WandbScope
    coverage: list[Coverage]


@router.get("/completeness", responses=error_responses(404, 409, 422, 503))
async def get_completeness(
    context: ContextDep,
    run: RunDep,
    stale_after_seconds: Annotated[int, Query(ge=60, le=604_800)] = 21_600,
    wandb_run_id: Name = None,
    wandb_entity: Name = None,
    wandb_project: Name = None,
    wandb_history_max_points: Limit = 1000,
) -> Completeness:
    """Which data a run has, what is missing, and how old it is. The overall status is the worst of all."""
    named = (wandb_run_id, wandb_entity, wandb_project)
    limits = (stale_after_seconds, wandb_history_max_points)
    return await context.wandb_workers.submit(_report, context, run, named, *limits)


def _report(context: Context, run: Run, named: Names, stale_after_s: int, most_points: int) -> Completeness:
    about = _about(run)
    scope = _scope(context, run, about, named)
    return _Check(context, run, about, scope, stale_after_s, most_points).report()


def _about(run: Run) -> RunContext:
    try:
        record: Any = run.record
    except ValueError:  # reported by its own row
        record = None
    fields: dict[str, Any] = {name: getattr(record, name, None) for name in RunContext.model_fields}
    return RunContext(**fields | {"run_id": run.paths.folder.name})


def _scope(context: Context, run: Run, about: RunContext, named: Names) -> WandbScope:
    """The W&B run to look at: the one in the query, else where the trainer logs this run."""
    settings, (run_id, entity, project) = context.settings, named
    own = settings.wandb_project or (project_of(about.game) if about.game else None)
    return WandbScope(
        available=context.wandb.reason is None,
        reason=context.wandb.reason,
        entity=entity or settings.wandb_entity,
        project=project or own,
        run_id=run_id or run.paths.folder.name,
    )


Rows = tuple[list[dict[str, Any]], str | None]  # the newest last, and when they last changed


@dataclass
class _Check:
    """Checks the five sources."""

    context: Context
    run: Run
    about: RunContext
    scope: WandbScope
    stale_after_s: int
    most_points: int

    def report(self) -> Completeness:
        """Every source, and the worst status of all."""
        paths, scope = self.run.paths, self.scope
        windows = (*WINDOW_FIELDS, *result_metrics(self.about.game or ""))
        files = [paths.relative(path) for path in (paths.record, paths.windows, paths.index)]
        wandb = "/".join(filter(None, (scope.entity, scope.project, scope.run_id)))
        rows = [
            self._row("run_metadata", "Run metadata", RUN_FIELDS, STORE, files[0], self.metadata),
            self._row("window_metrics", "Window metrics", windows, STORE, files[1], self.windows),
            self._row("replay_timeline", "Replay timeline", REPLAY_FIELDS, STORE, files[2], self.replays),
            self._row("wandb_summary", "W&B summary", WANDB_FIELDS, WANDB, wandb, self.wandb_summary),
            self._row("wandb_history", "W&B history", WANDB_FIELDS, WANDB, wandb, self.wandb_history),
        ]
        counts = {status: sum(row.status == status for row in rows) for status in WORST_FIRST}
        return Completeness(
            overall_status=next(status for status in WORST_FIRST if counts[status]),
            status_counts=StatusCounts(**counts),
            checked_at=iso(now()),
            stale_after_seconds=self.stale_after_s,
            run_context=self.about,
            wandb_scope=scope,
            coverage=rows,
        )

    def metadata(self) -> Rows:
        record = self.run.record
        return [record.to_json()], record.updated_at

    def windows(self) -> Rows:
        rows = [row.to_json() for row in self.run.windows()]
        return rows, modified_at(self.run.paths.windows.stat()) if rows else None

    def replays(self) -> Rows:
        newest = [entry.to_json() for entry in self.run.index.find(limit=1)]
        rows = newest * self.run.index.count()  # all come from one recorder, so the newest stands for all
        return rows, newest[0]["created_at"] if newest else None

    def wandb_summary(self) -> Rows:
        wandb = self.context.wandb
        run = wandb.summary(wandb.scope(self.scope.entity, self.scope.project), self.scope.run_id)
        return [run.summary] if run.summary else [], run.updated_at

    def wandb_history(self) -> Rows:
        wandb = self.context.wandb
        scope = wandb.scope(self.scope.entity, self.scope.project)
        rows = wandb.history(scope, self.scope.run_id, [], self.most_points)
        return rows, wandb.summary(scope, self.scope.run_id).updated_at

    def _row(
        self, key: str, label: str, fields: Sequence[str], source: str, path: str, read: Callable[[], Rows]
    ) -> Coverage:
        """Check one source; the required fields must be in its newest row."""
        status: Status
        notes: list[str] = []
        rows: list[dict[str, Any]] = []
        updated_at: str | None = None
        try:
            rows, updated_at = read()
        except Exception as problem:  # noqa: BLE001  a failing source is reported as a row
            error = to_api_error(problem)
            status = "missing" if error.status in (400, 404, 503) else "error"
            notes.append(self.context.without_paths(error.detail))
            missing = list(fields)
        else:
            missing = [name for name in fields if name not in rows[-1]] if rows else list(fields)
            status = "missing" if missing else "stale" if self._is_old(updated_at) else "ok"
            notes += _notes(rows, missing, status, self.about)
        return Coverage(
            key=key,
            label=label,
            status=status,
            observed_count=len(rows),
            required_fields=list(fields),
            missing_fields=missing,
            lineage=Lineage(source=source, path=path, updated_at=updated_at),
            notes=notes,
        )

    def _is_old(self, updated_at: str | None) -> bool:
        try:
            moment = datetime.fromisoformat(updated_at or "")
        except ValueError:
            return False
        return (now() - moment.replace(tzinfo=moment.tzinfo or UTC)).total_seconds() > self.stale_after_s


def _notes(rows: list[dict[str, Any]], missing: list[str], status: Status, about: RunContext) -> list[str]:
    if not rows:
        return ["No data yet."]
    if missing:
        return [f"The newest row lacks {', '.join(missing)}."]
    if status == "stale" and about.finished_at:
        return [f"The run ended at {about.finished_at}; no new data is expected."]
    return ["No new data for a while."] if status == "stale" else []
