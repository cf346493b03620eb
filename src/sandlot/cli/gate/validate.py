"""`sandlot gate validate`: thresholds on a report, a run or a TensorBoard folder."""

from typing import Annotated

from typer import Argument, Option

from ..options import RUNS, ForMachines, RunsFolder
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


def validate(
    source: Annotated[
        str, Argument(metavar="REPORT|RUN|EVENTS", help="A report, a run, or a folder of TensorBoard events.")
    ],
    minimum: Annotated[
        list[str] | None, Option("--min", metavar="NAME=NUMBER", help="The last value is at least this.")
    ] = None,
    maximum: Annotated[
        list[str] | None, Option("--max", metavar="NAME=NUMBER", help="The largest value is at most this.")
    ] = None,
    sure: Annotated[bool, Option("--sure", help="The whole 95 % interval has to keep the limit.")] = False,
    config: ConfigFile = None,
    runs: RunsFolder = RUNS,
    undecided: Undecided = "fail",
    output: VerdictFile = None,
    junit: JUnitFile = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    as_machine: ForMachines = False,
) -> None:
    """Check numbers against limits. That no episode ended is a result of its own, no data, and no pass.

    Examples: sandlot gate validate report.json --min success=0.8 ·
    sandlot gate validate logs/my_run --min rollout/ep_rew_mean=-10 --max performance/frame_ms=15
    """
    from ...gates.settings import read_settings
    from ...gates.validate import open_source
    from ...gates.validate import validate as judge

    limits = read_settings(config).validate_
    lowest = {**limits.min, **parse_limits("--min", minimum)}
    highest = {**limits.max, **parse_limits("--max", maximum)}
    verdict = judge(open_source(source, runs), lowest, highest, sure, command_line())
    finish(verdict, output, junit, markdown, html, undecided, as_machine)
