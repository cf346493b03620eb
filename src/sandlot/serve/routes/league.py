"""The newest league that a run took part in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ...runs import Run
from ...runs.atomic import read_json
from ..context import Shared, ThisRun
from ..errors import responses
from ..listing import changed_at

router = APIRouter(prefix="/api/runs/{run_id}/league", tags=["league"])

MOST_BYTES = 16 << 20


class LeagueReport(BaseModel):
    run_id: str
    found: bool
    takes_part: bool = Field(description="whether this run is in it; else it is another league of its game")
    path: str | None
    updated_at: str | None
    hint: str | None = Field(description="what to do when there is none")
    report: dict[str, Any] | None = Field(
        description="standings and matrix, or a ranking; see docs/training.md"
    )


@router.get("", responses=responses(404, 409, 422))
def get_league(context: Shared, run: ThisRun) -> LeagueReport:
    """Ratings and the cross-play matrix of the newest league with this run; else the newest of its game."""
    game, run_id = run.record.game, run.paths.folder.name
    reports = [report for report in _reports(context.store.root / "league") if report[1].get("game") == game]
    chosen = next((r for r in reports if _takes_part(r[1], run)), reports[0] if reports else None)
    if chosen is None:
        hint = f"No league of {game} was played yet. Play one with `sandlot league {game}`."
        return LeagueReport(
            run_id=run_id, found=False, takes_part=False, path=None, updated_at=None, hint=hint, report=None
        )
    path, report = chosen
    return LeagueReport(
        run_id=run_id,
        found=True,
        takes_part=_takes_part(report, run),
        path=path.relative_to(context.store.root).as_posix(),
        updated_at=changed_at(path.stat()),
        hint=None,
        report=report,
    )


def _takes_part(report: dict[str, Any], run: Run) -> bool:
    return any(c.get("run_id") == run.paths.folder.name for c in report.get("checkpoints", []))


def _reports(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """League reports, newest first; their folders' names end in the time."""
    found = []
    for path in sorted(folder.glob("*/league.json"), key=lambda p: p.parent.name[-16:], reverse=True):
        inside = path.resolve().is_relative_to(folder.resolve())
        if not inside or path.stat().st_size > MOST_BYTES:
            continue
        try:
            report = read_json(path)
        except ValueError:
            continue
        if isinstance(report, dict):
            found.append((path, report))
    return found
