"""`sandlot baseline save`: a report and the policy that played it, for later builds to be compared with."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ... import seeding
from ...spec import parse_settings
from ..options import RUNS, ForMachines, RunsFolder, Setting, Threads
from ..show import as_json, out
from .common import BaselineName, Folder


def save(
    name: BaselineName,
    source: Annotated[
        str,
        Argument(
            metavar="REPORT|RUN|CHECKPOINT|bot:NAME", help="A report as it is; what plays is played now."
        ),
    ],
    episodes: Annotated[
        int, Option(min=1, max=100_000, help="Episodes to play, unless a report is given.")
    ] = 1000,
    game: Annotated[str, Option(help="The game of a bot.")] = "",
    settings: Setting = None,
    engine: Annotated[str, Option(help="Engine to play in: native, or godot.")] = "native",
    greedy: Annotated[
        bool, Option("--greedy", help="Take the likeliest actions instead of sampling.")
    ] = False,
    replace: Annotated[
        bool, Option("--replace", help="Overwrite an existing baseline of this name.")
    ] = False,
    threads: Threads = 1,
    runs: RunsFolder = RUNS,
    folder: Folder = Path("baselines"),
    as_machine: ForMachines = False,
) -> None:
    """Save a baseline: a folder with a report and the policy, to commit or to keep beside git.

    Examples: sandlot baseline save main latest · sandlot baseline save main report.json
    """
    from ...evaluate.players import open_checkpoint
    from ...evaluate.report_file import read_report
    from ...gates.baselines import Baselines, played_report
    from ...gates.regression import SEEDS
    from ...gates.sides import PlayedSide
    from ...gates.worker import BOT, Request

    policy = None
    if Path(source).suffix == ".json":
        report = read_report(Path(source))
    else:
        import torch

        torch.set_num_threads(threads)
        request = Request(
            source, game, str(runs), parse_settings(settings), engine, threads=threads, greedy=greedy
        )
        with PlayedSide(request) as side:
            report = played_report(side, seeding.held_out(SEEDS, episodes))
        if not source.startswith(BOT):
            policy = open_checkpoint(source, runs).path
    place = Baselines(folder).save(name, report, policy, source, replace)
    found = {
        "name": name,
        "folder": str(place),
        "episodes": report.episodes,
        "success_rate": report.success_rate,
    }
    if as_machine:
        as_json(found)
    else:
        out.print_line(f"{place}: {report.model}, {report.episodes} episodes of {report.scenario}.")
