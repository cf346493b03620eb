"""Whether all that should be known of a run is there: five sources, each ok, stale, missing or error."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ...clock import iso, now
from ...media.weights_and_biases import project_of
from ...runs import Run
from ..context import Context, Shared, ThisRun
from ..errors import refusal_of, responses
from ..listing import changed_at
from .wandb import MaxPoints, Name

router = APIRouter(prefix="/api/runs/{run_id}/analytics", tags=["analytics"])

Status = Literal["ok", "stale", "missing", "error"]
WORST_FIRST: tuple[Status, ...] = ("error", "missing", "stale", "ok")

RUN_FIELDS = ("run_id", "status", "trainer_backend", "env_steps_total", "windows_emitted", "updated_at")
WINDOW_FIELDS = ("window_id", "env_steps_total", "return_mean", "reward_mean", "invalid_action_rate")
GAME_FIELDS = {"prospector": ("profit_mean", "survival_rate"), "tag": ("seeker_win_rate",)}
REPLAY_FIELDS = ("replay_id", "window_id", "return_total", "steps", "seed", "tags")
SUMMARY_FIELDS = ("env_steps_total", "return_mean")
HISTORY_FIELDS = ("env_steps_total", "return_mean")


class Lineage(BaseModel):
    source: str
    path: str | None
    updated_at: str | None


class Coverage(BaseModel):
    key: str
    label: str
    status: Status
    observed_count: int
    required_fields: list[str]
    missing_fields: list[str]
    lineage: Lineage
    notes: list[str]


class RunContext(BaseModel):
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
    available: bool
    reason: str | None
    entity: str | None
    project: str | None
    run_id: str


class StatusCounts(BaseModel):
    ok: int
    stale: int
    missing: int
    error: int


class Completeness(BaseModel):
    overall_status: Status
    status_counts: StatusCounts
    checked_at: str
    stale_after_seconds: int
    run_context: RunContext
    wandb_scope: WandbScope
    coverage: list[Coverage]


@router.get("/completeness", responses=responses(404, 409, 422, 503))
async def get_completeness(
    context: Shared,
    run: ThisRun,
    stale_after_seconds: Annotated[int, Query(ge=60, le=604_800)] = 21_600,
    wandb_run_id: Name = None,
    wandb_entity: Name = None,
    wandb_project: Name = None,
    wandb_history_max_points: MaxPoints = 1000,
) -> Completeness:
    """What there is of a run, what is missing, and how old it is. The overall status is the worst of all."""
    named = (wandb_run_id, wandb_entity, wandb_project)
    return await context.ask(_looked, context, run, named, stale_after_seconds, wandb_history_max_points)


def _looked(
    context: Context,
    run: Run,
    named: tuple[str | None, str | None, str | None],
    stale_after_s: int,
    most_points: int,
) -> Completeness:
    about = _about(run)
    scope = _scope(context, run, about, *named)
    look = _Look(context, run, about, scope, stale_after_s, most_points)
    rows = [look.metadata(), look.windows(), look.replays(), look.wandb_summary(), look.wandb_history()]
    counts = {status: sum(row.status == status for row in rows) for status in WORST_FIRST}
    return Completeness(
        overall_status=next(status for status in WORST_FIRST if counts[status]),
        status_counts=StatusCounts(**counts),
        checked_at=iso(now()),
        stale_after_seconds=stale_after_s,
        run_context=about,
        wandb_scope=scope,
        coverage=rows,
    )


def _about(run: Run) -> RunContext:
    try:
        record: Any = run.record
    except ValueError:  # its row of the table says so
        record = None
    told: dict[str, Any] = {name: getattr(record, name, None) for name in RunContext.model_fields}
    return RunContext(**told | {"run_id": run.paths.folder.name})


def _scope(
    context: Context, run: Run, about: RunContext, run_id: str | None, entity: str | None, project: str | None
) -> WandbScope:
    """Where the trainer would have logged this run, unless told otherwise."""
    settings = context.settings
    own = settings.wandb_project or (project_of(about.game) if about.game else None)
    return WandbScope(
        available=context.wandb.reason is None,
        reason=context.wandb.reason,
        entity=entity or settings.wandb_entity,
        project=project or own,
        run_id=run_id or run.paths.folder.name,
    )


class _Look:
    """Looks at the five sources."""

    def __init__(
        self,
        context: Context,
        run: Run,
        about: RunContext,
        scope: WandbScope,
        stale_after_s: int,
        most_points: int,
    ):
        self.context, self.run, self.about, self.scope = context, run, about, scope
        self.stale_after_s, self.most_points = stale_after_s, most_points

    def metadata(self) -> Coverage:
        def look() -> tuple[list[dict[str, Any]], str | None]:
            record = self.run.record
            return [record.to_json()], record.updated_at

        path = self.run.paths.relative(self.run.paths.record)
        return self._row("run_metadata", "Run metadata", RUN_FIELDS, "run store", path, look)

    def windows(self) -> Coverage:
        path = self.run.paths.windows

        def look() -> tuple[list[dict[str, Any]], str | None]:
            rows = [row.to_json() for row in self.run.windows()]
            return rows, changed_at(path.stat()) if rows else None

        fields = (*WINDOW_FIELDS, *GAME_FIELDS.get(self.about.game or "", ()))
        return self._row(
            "window_metrics", "Window metrics", fields, "run store", self.run.paths.relative(path), look
        )

    def replays(self) -> Coverage:
        def look() -> tuple[list[dict[str, Any]], str | None]:
            newest = [entry.to_json() for entry in self.run.index.find(limit=1)]
            rows = newest * self.run.index.count()  # all are made by one recorder: the newest speaks for them
            return rows, newest[0]["created_at"] if newest else None

        path = self.run.paths.relative(self.run.paths.index)
        return self._row("replay_timeline", "Replay timeline", REPLAY_FIELDS, "run store", path, look)

    def wandb_summary(self) -> Coverage:
        def look() -> tuple[list[dict[str, Any]], str | None]:
            scope = self.context.wandb.scope(self.scope.entity, self.scope.project)
            told = self.context.wandb.summary(*scope, self.scope.run_id)
            return [told["summary"]] if told["summary"] else [], told["updated_at"]

        return self._row(
            "wandb_summary", "W&B summary", SUMMARY_FIELDS, "Weights & Biases", self._wandb_path(), look
        )

    def wandb_history(self) -> Coverage:
        def look() -> tuple[list[dict[str, Any]], str | None]:
            scope = self.context.wandb.scope(self.scope.entity, self.scope.project)
            rows = self.context.wandb.history(*scope, self.scope.run_id, [], self.most_points)
            told = self.context.wandb.summary(*scope, self.scope.run_id)
            return rows, told["updated_at"]

        return self._row(
            "wandb_history", "W&B history", HISTORY_FIELDS, "Weights & Biases", self._wandb_path(), look
        )

    def _wandb_path(self) -> str:
        return "/".join(filter(None, (self.scope.entity, self.scope.project, self.scope.run_id)))

    def _row(
        self,
        key: str,
        label: str,
        fields: tuple[str, ...],
        source: str,
        path: str,
        look: Callable[[], tuple[list[dict[str, Any]], str | None]],
    ) -> Coverage:
        """Look at one source. required fields are those of its newest row."""
        status: Status
        notes: list[str] = []
        rows: list[dict[str, Any]] = []
        updated_at: str | None = None
        try:
            rows, updated_at = look()
        except Exception as problem:  # noqa: BLE001  a source that fails is a row of the table
            refusal = refusal_of(problem)
            status = "missing" if refusal.status in (400, 404, 503) else "error"
            notes.append(self.context.without_paths(refusal.detail))
            lacking = list(fields)
        else:
            lacking = [name for name in fields if name not in rows[-1]] if rows else list(fields)
            status = "missing" if lacking else "stale" if self._is_old(updated_at) else "ok"
            notes += _notes(rows, lacking, status, self.about)
        return Coverage(
            key=key,
            label=label,
            status=status,
            observed_count=len(rows),
            required_fields=list(fields),
            missing_fields=lacking,
            lineage=Lineage(source=source, path=path, updated_at=updated_at),
            notes=notes,
        )

    def _is_old(self, updated_at: str | None) -> bool:
        if updated_at is None:
            return False
        try:
            moment = datetime.fromisoformat(updated_at.replace("Z", "+00:00"))
        except ValueError:
            return False
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        return (now() - moment).total_seconds() > self.stale_after_s


def _notes(rows: list[dict[str, Any]], lacking: list[str], status: Status, about: RunContext) -> list[str]:
    if not rows:
        return ["Nothing is there yet."]
    if lacking:
        return [f"The newest row lacks {', '.join(lacking)}."]
    if status == "stale" and about.finished_at:
        return [f"The run ended at {about.finished_at}; nothing new is to be expected."]
    return ["Nothing new for a while."] if status == "stale" else []
