"""`sandlot parity`: the engine against its slow Python twin."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Optional

import typer

from ..errors import ConfigError, UnknownName
from ..evaluate.parity import Report
from ..evaluate.parity_matrix import Plan, run
from ..games import library
from ..games.reference import kit
from ..games.reference.kit import Tolerances
from .options import ForMachines, GameName
from .progress import progress
from .show import as_json, out, table

BUNDLES = Path("parity_bundles")
SHOWN = 6  # goals named in a table
Words = Optional[str]  # noqa: UP045  (typer reads Optional on every Python)


Tolerance = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(metavar="NAME=VALUE", help="absolute, relative or metric; may be given many times."),
]


def parity(
    game: GameName,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds a cell of the matrix.")] = 10,
    first_seed: Annotated[int, typer.Option(min=0, help="The first of them.")] = 0,
    steps: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="Decisions a case: 2000 for the prospector, two matches of tag by default."),
    ] = None,
    suites: Annotated[
        Words, typer.Option(help="Ways of acting, with commas between; all by default.")
    ] = None,
    budgets: Annotated[Words, typer.Option(help="Lengths of an episode, with commas between.")] = None,
    profile: Annotated[Words, typer.Option(help="Profiles or variants, with commas between.")] = None,
    tolerance: Tolerance = None,
    stop_on_first: Annotated[bool, typer.Option("--stop-on-first", help="Stop at a difference.")] = False,
    report_only: Annotated[bool, typer.Option("--report-only", help="Exit with 0 all the same.")] = False,
    library_path: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--library", help="Another build of the engine."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that share the cases.")] = 1,
    bundles: Annotated[Path, typer.Option(help="Where a difference leaves its traces.")] = BUNDLES,
    as_machine: ForMachines = False,
) -> None:
    """Play the same actions in the engine and in its Python twin, and compare every decision.

    Exit code 1: a difference, or (when all suites run) an ending or action that never occurred.

    Example: sandlot parity prospector --seeds 2 --steps 500
    """
    if library_path:
        library.use(library_path)
    plan = Plan(
        game=game,
        profiles=words(profile),
        suites=words(suites),
        budgets=whole_numbers(budgets),
        seeds=seeds,
        first_seed=first_seed,
        steps=steps,
        tolerances=tolerances_of(game, tolerance),
        stop_on_first=stop_on_first,
        jobs=jobs,
        bundles=bundles,
    )
    with progress(f"Comparing {game}") as tell:
        report = run(plan, tell)
    as_json(report.as_json()) if as_machine else show(report)
    if not report.good() and not report_only:
        raise typer.Exit(1)


def words(text: str | None) -> tuple[str, ...] | None:
    return tuple(text.split(",")) if text else None


def whole_numbers(text: str | None) -> tuple[int, ...] | None:
    try:
        return tuple(int(word) for word in text.split(",")) if text else None
    except ValueError:
        raise ConfigError(f"--budgets {text}: expected whole numbers, such as 2000,8000.") from None


def tolerances_of(game: str, settings: list[str] | None) -> Tolerances:
    """The game's own tolerances with NAME=VALUE words laid over them."""
    result = kit(game).tolerances
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
    told = report.as_json()
    differences = report.mismatches()
    out.print(f"{told['cases']} cases, {told['decisions']:,} decisions, {told['episodes']:,} episodes")
    out.print(f"differences: {len(differences)}")
    if differences:
        rows = [(r.case.title(), r.mismatch.sentence() if r.mismatch else "", r.bundle) for r in differences]
        table("Differences", ("case", "first difference", "bundle"), rows)
    show_coverage(report)


def show_coverage(report: Report) -> None:
    rows = []
    for profile, counts in report.coverage().items():
        rarest = sorted((goal for goal in counts if counts[goal]), key=lambda goal: counts[goal])
        told = ", ".join(f"{goal} ({counts[goal]})" for goal in rarest[:SHOWN])
        rows.append((profile, len(rarest), len(counts), shortened(report.missing()[profile]), told))
    table("What was reached", ("profile", "goals>", "of>", "missing", "rarest (times)"), rows)
    if not report.coverage_judged:
        out.print("Only a part of the matrix ran, so what is missing is told and not judged.")


def shortened(goals: list[str]) -> str:
    """The first few of a list; --json has them all."""
    rest = f" and {len(goals) - SHOWN} more" if len(goals) > SHOWN else ""
    return ", ".join(goals[:SHOWN]) + rest if goals else "nothing"
