"""What is newest, in one cheap answer: for pages that ask again and again."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ...runs import IndexEntry, Run, WindowRow
from ..context import Shared
from .runs import RunSummary, summary_of

router = APIRouter(prefix="/api", tags=["runs"])


class Newest(BaseModel):
    run: RunSummary | None = Field(description="null while there is no run")
    window: WindowRow | None = Field(description="its newest window")
    replay: IndexEntry | None = Field(description="its newest replay; of another run while it has none")


@router.get("/newest")
def get_newest(context: Shared) -> Newest:
    """The run that was updated last, its newest window and the newest replay."""
    records = context.all_runs()
    if not records:
        return Newest(run=None, window=None, replay=None)
    root = context.store.root
    run = Run(root / records[0].run_id)
    replay = next(filter(None, (_replay(Run(root / record.run_id)) for record in records[:20])), None)
    return Newest(run=summary_of(context, records[0]), window=_window(run), replay=replay)


def _window(run: Run) -> WindowRow | None:
    try:
        return next(iter(run.windows(limit=1)), None)
    except (ValueError, OSError, RecursionError):  # a broken file must not blind the first page
        return None


def _replay(run: Run) -> IndexEntry | None:
    try:
        return next(iter(run.index.find(limit=1)), None)
    except (ValueError, OSError, RecursionError):
        return None
