"""`sandlot league`: a round-robin of policies and bots; ratings, a cross-play matrix, and its chart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from .. import seeding
from ..clock import now, stamp
from ..errors import ConfigError
from ..runs.atomic import write_json
from ..runs.store import Store, open_run
from ..spec import parse_settings
from ..worlds import load_spec
from .eval import print_results
from .options import RUNS, ForMachines, GameName, RunsFolder, Setting, Threads
from .progress import progress
from .show import as_json, err, out, table

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..evaluate.players import Checkpoint


def league(
    game: GameName,
    names: Annotated[
        list[str] | None,
        Argument(metavar="RUN…", help="Runs or .pt files; without any, all runs of the game."),
    ] = None,
    every: Annotated[int, Option(min=0, help="Also every n-th checkpoint of a run; 0: only its best.")] = 0,
    episodes: Annotated[int, Option(min=1, max=100_000, help="Held-out episodes per pair.")] = 200,
    threads: Threads = 1,
    settings: Setting = None,
    runs: RunsFolder = RUNS,
    output: Annotated[
        Path | None, Option(help="Folder for league.json and league.png; else RUNS/league/GAME-TIME.")
    ] = None,
    as_machine: ForMachines = False,
) -> None:
    """Play all policies and bots of a game against each other, and rate them.

    Examples: sandlot league tag latest --every 10 · sandlot league prospector
    """
    import torch

    from ..evaluate.league import league as play_league
    from ..evaluate.players import same_rules
    from ..evaluate.report import EvalSetup, report_header
    from ..media.league import draw

    torch.set_num_threads(threads)
    spec = load_spec(game, parse_settings(settings))
    checkpoints = _players({game, spec.address}, names or [], every, runs)
    if checkpoints and not settings:
        spec = checkpoints[0].spec  # without --set the league plays under the settings of its first run
    same_rules(checkpoints, spec)
    if len(checkpoints) < 2 and not spec.bots:
        raise ConfigError(
            f"A league needs two players; {game} has {'one run' if checkpoints else 'none'} in {runs}. "
            "Train another, or name runs of another folder."
        )
    setup = EvalSetup(spec, seeding.held_out("eval", episodes), threads)
    with progress(f"Playing {game}") as update:
        report = report_header(setup, checkpoints) | play_league(setup, checkpoints, update)
    folder = output or runs / "league" / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', game)}-{stamp(now())}"
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "league.json", report)
    draw(report, folder / "league.png")
    as_json(report) if as_machine else _print(report)
    err.print_line(f"Wrote {folder / 'league.json'} and league.png.")


def _players(games: set[str], names: list[str], every: int, root: Path) -> list[Checkpoint]:
    """The checkpoints that take part, each once. games: what a run's game may be called."""
    from ..evaluate.players import checkpoint_history, open_checkpoint

    if not names:
        known = [record for record in Store(root).runs() if record.latest_checkpoint]
        names = [record.run_id for record in known if record.game in games]
    found: dict[str, Checkpoint] = {}
    for name in names:
        chosen = [open_checkpoint(name, root)]
        if every and not name.endswith(".pt"):
            chosen = [*checkpoint_history(open_run(name, root), every), *chosen]
        found |= {checkpoint.name: checkpoint for checkpoint in chosen}
    return list(found.values())


def _print(report: dict[str, Any]) -> None:
    if "ranking" in report:
        names = [report["labels"].get(c["name"], c["name"]) for c in report["ranking"]]
        rows = [c | {"name": f"{i + 1}. {names[i]}"} for i, c in enumerate(report["ranking"])]
        print_results(report, rows)
    else:
        _print_matrix(report)
    for name, short in report["labels"].items():
        out.print_line(f"{short}: {name}")


def _print_matrix(report: dict[str, Any]) -> None:
    short, m = report["labels"], report["matrix"]
    lines = []
    for s in report["standings"]:
        low, high = s["rating_interval"]
        interval = f"{low:.0f} to {high:.0f}"
        lines.append((short.get(s["name"], s["name"]), s["role"], f"{s['rating']:.0f}", interval))
    head = ("player", "role", "rating>", "95 %>")
    table("Ratings; scripted players are fixed, 1000 is the middle", head, lines)
    half = ", a draw is half a win" if any(b["draws"] for b in report["matchups"]) else ""
    title = f"{m['row_role'].title()} wins in % of {report['episodes']} matches per pair{half}"
    columns = (f"{m['row_role']} \\ {m['column_role']}", *(f"{short.get(n, n)}>" for n in m["columns"]))
    pairs = zip(m["rows"], m["row_wins"], strict=True)
    table(title, columns, [(short.get(n, n), *(f"{100 * part:.0f}" for part in wins)) for n, wins in pairs])
