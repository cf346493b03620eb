"""`sandlot parity`: the engine against its slow Python twin."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ..errors import ConfigError, UnknownName
from ..evaluate.parity import Report
from ..evaluate.parity_matrix import MatrixPlan, run
from ..games.reference import parity_setup
from ..games.reference.interface import Tolerances
from ..worlds import library
from ..worlds.make import NATIVE, engine_of
from .options import ForMachines, GameName, parse_ints
from .progress import progress
from .show import as_json, out, table

BUNDLES = Path("parity_bundles")
SHOWN = 6  # goals named in a table
CommaSeparated = str | None


def parity(
    game: GameName,
    seeds: Annotated[int, Option(min=1, help="Seeds per cell of the matrix.")] = 10,
    first_seed: Annotated[int, Option(min=0, help="The first seed.")] = 0,
    steps: Annotated[
        int | None,
        Option(min=1, help="Decisions per case. [default: 2000 for the prospector, two matches of tag]"),
    ] = None,
    suites: Annotated[CommaSeparated, Option(help="Ways of acting, comma-separated; all by default.")] = None,
    budgets: Annotated[CommaSeparated, Option(help="Lengths of an episode, comma-separated.")] = None,
    profile: Annotated[CommaSeparated, Option(help="Profiles or variants, comma-separated.")] = None,
    tolerance: Annotated[
        list[str] | None,
        Option(metavar="NAME=VALUE", help="absolute, relative or metric; may be given many times."),
    ] = None,
    stop_on_first: Annotated[bool, Option("--stop-on-first", help="Stop at the first difference.")] = False,
    report_only: Annotated[bool, Option("--report-only", help="Exit with 0 despite differences.")] = False,
    library_path: Annotated[
        Path | None, Option("--library", help="Path of another build of the engine.")
    ] = None,
    jobs: Annotated[int, Option(min=1, max=256, help="Processes that share the cases.")] = 1,
    bundles: Annotated[Path, Option(help="Folder for the traces of a difference.")] = BUNDLES,
    as_machine: ForMachines = False,
) -> None:
    """Play the same actions in the engine and in its Python twin, and compare every decision.

    Exit code 1: a difference, or (when all suites run) an ending or action that never occurred.

    Example: sandlot parity prospector --seeds 2 --steps 500
    """
    if engine_of(game) != NATIVE:
        raise ConfigError(f"{game} has no Python twin: only native games are compared with one.")
    if library_path:
        library.use(library_path)
    plan = MatrixPlan(
        game=game,
        profiles=split_commas(profile),
        suites=split_commas(suites),
        budgets=tuple(parse_ints("--budgets", budgets, "2000,8000")) if budgets else None,
        seeds=seeds,
        first_seed=first_seed,
        steps=steps,
        tolerances=parse_tolerances(game, tolerance),
        stop_on_first=stop_on_first,
        jobs=jobs,
        bundles=bundles,
    )
    with progress(f"Comparing {game}") as update:
        report = run(plan, update)
    as_json(report.as_json()) if as_machine else show(report)
    if not report.good() and not report_only:
        raise typer.Exit(1)


def split_commas(text: str | None) -> tuple[str, ...] | None:
    """Words separated by commas; None for none given."""
    return tuple(text.split(",")) if text else None


def parse_tolerances(game: str, settings: list[str] | None) -> Tolerances:
    """The game's own tolerances, overridden by NAME=VALUE settings."""
    result = parity_setup(game).tolerances
    known = [field.name for field in fields(Tolerances)]
    for word in settings or []:
        name, _, text = word.partition("=")
        if name not in known:
            raise UnknownName("tolerance", name, known)
        try:
            result = replace(result, **{name: float(text)})
        except ValueError:
            raise ConfigError(f"--tolerance {word}: expected a number, such as {name}=1e-5.") from None
    return result


def show(report: Report) -> None:
    """Print the report as tables."""
    totals = report.as_json()
    differences = report.mismatches()
    out.print(f"{totals['cases']} cases, {totals['decisions']:,} decisions, {totals['episodes']:,} episodes")
    out.print(f"differences: {len(differences)}")
    if differences:
        rows = [(r.case.title(), r.mismatch.sentence() if r.mismatch else "", r.bundle) for r in differences]
        table("Differences", ("case", "first difference", "bundle"), rows)
    show_coverage(report)


def show_coverage(report: Report) -> None:
    """Print how often each parity goal was reached."""
    rows = []
    for profile, counts in report.coverage().items():
        rarest = sorted((goal for goal in counts if counts[goal]), key=lambda goal: counts[goal])
        rarest_text = ", ".join(f"{goal} ({counts[goal]})" for goal in rarest[:SHOWN])
        rows.append((profile, len(rarest), len(counts), shortened(report.missing()[profile]), rarest_text))
    table("What was reached", ("profile", "goals>", "of>", "missing", "rarest (times)"), rows)
    if not report.coverage_required:
        out.print("Only a part of the matrix ran, so missing goals are listed but do not fail.")


def shortened(goals: list[str]) -> str:
    """The first few of a list; --json has them all."""
    rest = f" and {len(goals) - SHOWN} more" if len(goals) > SHOWN else ""
    return ", ".join(goals[:SHOWN]) + rest if goals else "nothing"
