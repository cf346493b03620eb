"""The newest run, window and replay in one cheap response, for polling."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ...runs import IndexEntry, Run, WindowRow
from ..context import ContextDep
from .runs import RunSummary, run_summary

T = TypeVar("T")
router = APIRouter(prefix="/api", tags=["runs"])


class Newest(BaseModel):
    """The newest run, window and replay."""

    run: RunSummary | None = Field(description="null while there is no run")
    window: WindowRow | None = Field(description="its newest window")
    replay: IndexEntry | None = Field(description="its newest replay; of another run while it has none")


@router.get("/newest")
def get_newest(context: ContextDep) -> Newest:
    """The most recently updated run, its newest window and the newest replay."""
    records = context.all_runs()
    if not records:
        return Newest(run=None, window=None, replay=None)
    runs = [Run(context.store.root / record.run_id) for record in records[:20]]
    replays = (_first(partial(run.index.find, limit=1)) for run in runs)
    window = _first(partial(runs[0].windows, limit=1))
    newest = next(filter(None, replays), None)
    return Newest(run=run_summary(context, records[0]), window=window, replay=newest)


def _first(read: Callable[[], Sequence[T]]) -> T | None:
    try:
        return next(iter(read()), None)
    except (ValueError, OSError, RecursionError):  # a damaged file must not break the first page
        return None
