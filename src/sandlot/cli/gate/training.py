"""`sandlot gate training`: is what this version trains worse than what the baseline's trained?"""

from pathlib import Path
from typing import Annotated

from typer import Option

from ...errors import ConfigError
from ..options import ForMachines
from .common import (
    ConfigFile,
    HtmlFile,
    JUnitFile,
    MarkdownFile,
    Undecided,
    VerdictFile,
    command_line,
    finish,
)


def training(
    baseline: Annotated[str, Option(metavar="FILE,…", help="Reports, one per training, comma-separated.")],
    current: Annotated[str, Option(metavar="FILE,…", help="The same of the version that is judged.")],
    looks: Annotated[
        int, Option(min=1, max=20, help="In how many parts the trainings are looked at, the first first.")
    ] = 1,
    config: ConfigFile = None,
    undecided: Undecided = "fail",
    output: VerdictFile = None,
    junit: JUnitFile = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    as_machine: ForMachines = False,
) -> None:
    """Compare two groups of trainings, each with its own seed, by what their agents reach.

    Example: sandlot gate training --baseline a1.json,a2.json,a3.json --current b1.json,b2.json,b3.json
    """
    from ...evaluate.report_file import read_report
    from ...gates.settings import read_settings
    from ...gates.training import judge_trainings

    sides = [[read_report(path) for path in _files(text)] for text in (baseline, current)]
    verdict = judge_trainings(
        sides[0], sides[1], read_settings(config).training, looks, command=command_line()
    )
    finish(verdict, output, junit, markdown, html, undecided, as_machine)


def _files(text: str) -> list[Path]:
    found = [Path(part.strip()) for part in text.split(",") if part.strip()]
    if not found:
        raise ConfigError("Name at least one report on each side.")
    return found
