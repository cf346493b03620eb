"""The list of runs, and one run."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ...runs import Run, RunRecord
from ..context import Context, ContextDep, RunDep
from ..errors import error_responses

router = APIRouter(prefix="/api/runs", tags=["runs"])


class RunSummary(BaseModel):
    """One run in a list."""

    run_id: str
    game: str
    status: str
    trainer_backend: str
    seed: str
    env_steps_total: int
    target_env_steps: int | None
    window_env_steps: int
    episodes_total: int
    windows_emitted: int
    checkpoints_written: int
    latest_window: int | None
    latest_checkpoint: str | None
    latest_replay: str | None
    replay_count: int
    wandb_run_url: str | None
    constellation_url: str | None
    started_at: str
    updated_at: str
    finished_at: str | None
    error: str | None


class RunList(BaseModel):
    """Runs, newest first."""

    runs: list[RunSummary]
    count: int
    total: int


class Tracker(BaseModel):
    """Another place where the metrics of a run are."""

    name: str = Field(description="Weights & Biases, TensorBoard")
    url: str | None = Field(description="its web page; null when the data is only on this machine")
    command: str | None = Field(description="the command that opens or uploads it")


class RunDetail(BaseModel):
    """One run with its configuration."""

    run_id: str
    trackers: list[Tracker]
    metadata: RunRecord
    config: dict[str, Any]
    replay_count: int
    window_count: int


def run_summary(context: Context, record: RunRecord) -> RunSummary:
    """A run as the list shows it."""
    run = Run(context.store.root / record.run_id)
    replay_count, newest = _replays(run)
    fields = {name: getattr(record, name) for name in RunSummary.model_fields if hasattr(record, name)}
    fields |= {"seed": str(record.seed), "replay_count": replay_count}
    fields["latest_replay"] = newest or record.latest_replay
    return RunSummary(**fields)


def _replays(run: Run) -> tuple[int, str | None]:
    """Number of replays and the newest one; a damaged index must not hide the run."""
    try:
        return run.index.count(), run.index.newest_id()
    except ValueError:
        return 0, None


@router.get("", responses=error_responses(422))
def list_runs(
    context: ContextDep,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    game: Annotated[str | None, Query(max_length=64, description="only runs of this game")] = None,
) -> RunList:
    """All runs, most recently updated first."""
    records = [record for record in context.all_runs() if game is None or record.game == game]
    shown = [run_summary(context, record) for record in records[:limit]]
    return RunList(runs=shown, count=len(shown), total=len(records))


@router.get("/{run_id}", responses=error_responses(404, 409, 422))
def get_run(context: ContextDep, run: RunDep) -> RunDetail:
    """One run: its record (run.json) and its configuration (config.json)."""
    replay_count, _ = _replays(run)
    return RunDetail(
        run_id=run.paths.folder.name,
        trackers=_trackers(context, run),
        metadata=run.record,
        config=run.config,
        replay_count=replay_count,
        window_count=run.window_count(),
    )


def _trackers(context: Context, run: Run) -> list[Tracker]:
    """The trackers that this run was logged to."""
    runs = context.settings.runs
    place = f"{runs.name if runs.is_absolute() else runs.as_posix()}/{run.paths.folder.name}"
    url = run.record.wandb_run_url
    offline = sorted(run.paths.folder.glob("wandb/offline-run-*"))
    found = []
    if url or offline:
        command = None if url else f"wandb sync {place}/wandb/{offline[-1].name}"
        found.append(Tracker(name="Weights & Biases", url=url, command=command))
    if any(run.paths.tensorboard.glob("events.out.tfevents.*")):
        command = f"tensorboard --logdir {place}/tensorboard"
        found.append(Tracker(name="TensorBoard", url=None, command=command))
    return found
