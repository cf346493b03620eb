"""`sandlot gate export`: is an exported policy as good as its checkpoint?"""

from typing import Annotated

from typer import Argument, Option

from ..options import RUNS, ForMachines, RunsFolder, Threads
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
)


def export(
    checkpoint: Annotated[str, Argument(metavar="RUN|CHECKPOINT", help="What the file was made from.")],
    file: Annotated[str, Argument(metavar="FILE.onnx", help="The exported policy.")],
    agreement: Annotated[
        float, Option(min=0, max=1, help="Share of observations with the same likeliest action.")
    ] = 0.99,
    pairs: Annotated[int | None, Option(min=1, max=1_000_000, help="Pairs of episodes at most.")] = None,
    config: ConfigFile = None,
    threads: Threads = 1,
    runs: RunsFolder = RUNS,
    undecided: Undecided = "fail",
    output: VerdictFile = None,
    junit: JUnitFile = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    as_machine: ForMachines = False,
) -> None:
    """Compare an exported policy with its checkpoint: the same actions, and no worse in play.

    Example: sandlot gate export latest runs/RUN/exports/pilot-000012-int8.onnx
    """
    import torch

    from ...gates.exported import judge_export
    from ...gates.regression import Question
    from ...gates.settings import read_settings
    from ...gates.worker import Request

    torch.set_num_threads(threads)
    rules = read_settings(config).regression
    if pairs is not None:
        rules = rules.model_copy(update={"pairs": pairs})
    question = Question(rules, accept_undecided=undecided == "pass", command=command_line())
    with progress("Gate") as update:
        request = Request(runs=str(runs), threads=threads)
        verdict = judge_export(checkpoint, file, question, agreement, request, update)
    finish(verdict, output, junit, markdown, html, undecided, as_machine)
