"""`sandlot gate regression`: is the current side worse than the baseline, on the same seeds?"""

from pathlib import Path
from typing import Annotated

from typer import Option

from ...spec import parse_settings
from ..options import RUNS, ForMachines, RunsFolder, Setting, Threads
from ..progress import progress
from .common import (
    BaselinesFolder,
    ConfigFile,
    HtmlFile,
    JUnitFile,
    MarkdownFile,
    Undecided,
    VerdictFile,
    command_line,
    finish,
)

SIDE = "A baseline, report, run, .pt or .onnx file, bot:NAME, or a build: a library or a checkout."


def regression(
    baseline: Annotated[str, Option(metavar="SIDE", help=SIDE)],
    current: Annotated[str, Option(metavar="SIDE", help="What is judged: the same kinds.")],
    config: ConfigFile = None,
    policy: Annotated[
        str, Option(metavar="RUN|CHECKPOINT|bot:NAME", help="Who plays on both builds; else the game's bots.")
    ] = "",
    game: Annotated[str, Option(help="The game of bots and builds; of a checkpoint, another address.")] = "",
    settings: Setting = None,
    engine: Annotated[str, Option(help="What plays: native, or godot.")] = "native",
    pairs: Annotated[
        int | None, Option(min=1, max=1_000_000, help="Pairs of episodes at most; else 2000, or gates.toml.")
    ] = None,
    tolerance: Annotated[
        float | None,
        Option(min=0.0001, max=10, help="A relative margin, such as 0.1, for metrics without their own."),
    ] = None,
    seed_key: Annotated[int, Option(min=0, help="Another number plays other seeds.")] = 0,
    minutes: Annotated[float | None, Option(min=0.01, max=10_000, help="Stop after so long.")] = None,
    greedy: Annotated[bool, Option("--greedy", help="Take the likeliest actions, sample none.")] = False,
    across_rules: Annotated[
        bool, Option("--across-rules", help="Compare although the rules or settings differ.")
    ] = False,
    replays: Annotated[
        int, Option(min=0, max=20, help="Episodes to record and shrink when the gate fails.")
    ] = 2,
    threads: Threads = 1,
    runs: RunsFolder = RUNS,
    baselines: BaselinesFolder = Path("baselines"),
    undecided: Undecided = "fail",
    output: VerdictFile = None,
    junit: JUnitFile = None,
    markdown: MarkdownFile = None,
    html: HtmlFile = None,
    as_machine: ForMachines = False,
) -> None:
    """Compare two sides on the same seeds until it is clear whether the current one is worse.

    Exit code 0 pass, 1 fail or undecided, 2 could not run.

    Examples: sandlot gate regression --baseline main --current latest ·
    sandlot gate regression --baseline old.json --current new.json --tolerance 0.1 ·
    sandlot gate regression --baseline ../main --current . --game landing --policy bot:autopilot
    """
    import torch

    from ...gates.baselines import Baselines
    from ...gates.failures import attach_failures
    from ...gates.regression import Question, compare
    from ...gates.settings import read_settings
    from ...gates.sides import PlayedSide, open_baseline, open_side
    from ...gates.worker import Request

    torch.set_num_threads(threads)
    rules = read_settings(config).regression
    if pairs is not None:
        rules = rules.model_copy(update={"pairs": pairs})
    request = Request(
        policy=policy,
        game=game,
        runs=str(runs),
        settings=parse_settings(settings),
        engine=engine,
        threads=threads,
        greedy=greedy,
    )
    known = Baselines(baselines).paths()
    question = Question(
        rules, tolerance, seed_key, minutes, across_rules, undecided == "pass", command_line()
    )
    two = open_side(current, request, known)
    try:
        one = open_baseline(baseline, two, request, known)
        try:
            with progress("Gate") as update:
                verdict = compare(one, two, question, update)
                if replays and isinstance(two, PlayedSide):
                    verdict = attach_failures(verdict, one, two, replays, runs, update)
        finally:
            one.close()
    finally:
        two.close()
    finish(verdict, output, junit, markdown, html, undecided, as_machine)
