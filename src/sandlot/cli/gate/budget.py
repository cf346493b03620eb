"""`sandlot gate budget`: limits of time and memory, p50 and p95."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ...errors import ConfigError
from ...spec import parse_settings
from ..options import RUNS, ForMachines, RunsFolder, Setting, Threads
from ..progress import progress
from .common import (
    ConfigFile,
    HtmlFile,
    JUnitFile,
    MarkdownFile,
    Undecided,
    VerdictFile,
    command_line,
    finish,
    parse_limits,
)

if TYPE_CHECKING:
    from ...gates.sides import PlayedSide, Side


def budget(
    report: Annotated[Path | None, Option(help="A report whose episodes measured times or memory.")] = None,
    baseline: Annotated[str | None, Option(metavar="SIDE", help="Steps of two builds: the first.")] = None,
    current: Annotated[str | None, Option(metavar="SIDE", help="And the second.")] = None,
    p50: Annotated[list[str] | None, Option(metavar="NAME=NUMBER", help="Limit of a median.")] = None,
    p95: Annotated[
        list[str] | None, Option(metavar="NAME=NUMBER", help="Limit of a 95th percentile.")
    ] = None,
    slower: Annotated[
        float | None, Option(min=0.001, max=10, help="Share by which steps may be slower; default: 0.1.")
    ] = None,
    rounds: Annotated[int, Option(min=4, max=1000, help="Rounds of A B B A.")] = 12,
    worlds: Annotated[int, Option(min=1, max=100_000, help="Worlds whose steps are timed.")] = 64,
    policy: Annotated[
        str,
        Option(
            metavar="RUN|CHECKPOINT|bot:NAME",
            help="Policy that plays on both builds; default: the game's bots.",
        ),
    ] = "",
    game: Annotated[str, Option(help="The game of bots and builds.")] = "",
    settings: Setting = None,
    threads: Threads = 1,
    config: ConfigFile = None,
    runs: RunsFolder = RUNS,
    undecided: Undecided = "fail",
    output: VerdictFile = None,
    junit: JUnitFile = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    as_machine: ForMachines = False,
) -> None:
    """Judge budgets by measurements: of a report's episodes, or of two builds' steps in turns (A B B A).

    Examples: sandlot gate budget --report report.json --p95 physics_frame_ms=11.11 ·
    sandlot gate budget --baseline ../main --current . --game landing
    """
    from ...evaluate.report_file import read_report
    from ...gates.budget import judge_report, judge_steps, limits_of
    from ...gates.settings import read_settings
    from ...gates.sides import open_side
    from ...gates.worker import Request

    limits = limits_of(
        read_settings(config).budget, parse_limits("--p50", p50), parse_limits("--p95", p95), slower
    )
    if report is not None:
        if baseline or current:
            raise ConfigError(
                "--report is judged alone; --baseline and --current are two builds. Give one of them."
            )
        verdict = judge_report(read_report(report), limits, command_line())
    elif not (baseline and current):
        raise ConfigError("Give --report FILE, or --baseline and --current.")
    else:
        request = Request(
            policy=policy, game=game, runs=str(runs), settings=parse_settings(settings), threads=threads
        )
        one = open_side(baseline, request)
        try:
            two = open_side(current, request)
            try:
                with progress("Gate") as update:
                    sides = _played(one), _played(two)
                    verdict = judge_steps(*sides, limits, rounds, worlds, command_line(), update)
            finally:
                two.close()
        finally:
            one.close()
    finish(verdict, output, junit, markdown, html, undecided, as_machine)


def _played(side: Side) -> PlayedSide:
    from ...gates.sides import PlayedSide

    if not isinstance(side, PlayedSide):
        raise ConfigError("A report has no steps to time. Give two builds, or policies.")
    return side
