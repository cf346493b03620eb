"""The newest league that a run took part in."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ...runs import Run
from ...runs.atomic import read_json
from ..context import ContextDep, RunDep
from ..errors import error_responses
from ..run_files import modified_at

router = APIRouter(prefix="/api/runs/{run_id}/league", tags=["league"])

MAX_REPORT_BYTES = 16 << 20


class Standing(BaseModel, extra="allow"):
    """The rating of one player in one role."""

    name: str
    role: str
    rating: float
    rating_interval: tuple[float, float] | None = Field(default=None, description="95 %")
    scripted: bool


class CrossPlay(BaseModel, extra="allow"):
    """Who wins against whom: the share of the row's wins."""

    row_role: str
    column_role: str
    rows: list[str]
    columns: list[str]
    row_wins: list[list[float]]


class RankedPlayer(BaseModel, extra="allow"):
    """One player of a single-agent game."""

    name: str
    scripted: bool
    value: float = Field(description="mean of the headline")
    value_interval: tuple[float, float] = Field(description="95 %")


class Headline(BaseModel):
    """The episode field by which players of a single-agent game are ranked."""

    name: str
    metric: str
    kind: str = Field(description="flag: its mean is a share of episodes; measure: a number")
    unit: str
    better: str


class League(BaseModel, extra="allow"):
    """A league.json as `sandlot league` writes it."""

    game: str
    episodes: int | None = Field(default=None, description="per pair, or per player of a single-agent game")
    labels: dict[str, str] = Field(default={}, description="short names of long ones")
    checkpoints: list[dict[str, Any]] = []
    standings: list[Standing] | None = None
    matrix: CrossPlay | None = None
    headline: Headline | None = None
    ranking: list[RankedPlayer] | None = None


class LeagueReport(BaseModel):
    """The newest league that concerns a run."""

    run_id: str
    found: bool
    takes_part: bool = Field(
        description="whether this run played in it; else it is another league of the game"
    )
    path: str | None
    updated_at: str | None
    hint: str | None = Field(description="what to do when there is no league")
    report: League | None = Field(description="standings and matrix, or a ranking; see docs/training.md")


def _names(report: League) -> tuple[str, ...]:
    """What the league's game may be called in a run: its name, or what opens it."""
    return report.game, str((report.model_extra or {}).get("address", report.game))


@router.get("", responses=error_responses(404, 409, 422))
def get_league(context: ContextDep, run: RunDep) -> LeagueReport:
    """The newest league with this run, else the newest of its game: ratings and the cross-play matrix."""
    game, run_id = run.record.game, run.paths.folder.name
    reports = [report for report in _reports(context.store.root / "league") if game in _names(report[1])]
    chosen = next((r for r in reports if _takes_part(r[1], run)), reports[0] if reports else None)
    path, report = chosen or (None, None)
    hint = f"No league of {game} was played yet. Play one with `sandlot league {game}`."
    return LeagueReport(
        run_id=run_id,
        found=report is not None,
        takes_part=report is not None and _takes_part(report, run),
        path=path.relative_to(context.store.root).as_posix() if path else None,
        updated_at=modified_at(path.stat()) if path else None,
        hint=None if report else hint,
        report=report,
    )


def _takes_part(report: League, run: Run) -> bool:
    return any(checkpoint.get("run_id") == run.paths.folder.name for checkpoint in report.checkpoints)


def _reports(folder: Path) -> list[tuple[Path, League]]:
    """Valid league reports, newest first by the time at the end of their folders' names."""
    found = []
    for path in sorted(
        folder.glob("*/league.json"), key=lambda p: p.parent.name.rpartition("-")[2], reverse=True
    ):
        inside = path.resolve().is_relative_to(folder.resolve())
        if not inside or path.stat().st_size > MAX_REPORT_BYTES:
            continue
        try:
            found.append((path, League.model_validate(read_json(path))))
        except ValueError:  # also pydantic's ValidationError
            continue
    return found
