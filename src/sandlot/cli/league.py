"""`sandlot league`: everyone plays everyone; ratings, a cross-play matrix, and its picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from .. import seeding
from ..clock import now, stamp
from .eval import share
from .games import config_of
from .options import RUNS, ForMachines, GameName, RunsFolder, Setting
from .progress import progress
from .show import as_json, err, out, table

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..evaluate.players import Checkpoint


def league(
    game: GameName,
    names: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="RUN…", help="Runs or .pt files; without any, all runs of the game."),
    ] = None,
    every: Annotated[
        int, typer.Option(min=0, help="Also every n-th checkpoint of each run; 0 for its best alone.")
    ] = 0,
    episodes: Annotated[int, typer.Option(min=1, max=100_000, help="Held-out episodes a pair.")] = 200,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Of engine and policies.")] = 1,
    settings: Setting = None,
    runs: RunsFolder = RUNS,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder for league.json and league.png; else RUNS/league/GAME-TIME."),
    ] = None,
    as_machine: ForMachines = False,
) -> None:
    """Let trained and scripted players of a game all play each other, and rate them.

    Examples: sandlot league tag latest --every 10 · sandlot league prospector
    """
    import torch

    from ..evaluate.examination import Stage, head_of
    from ..evaluate.league import league as play_league
    from ..evaluate.players import same_rules
    from ..games import Spec
    from ..media.league import draw
    from ..runs.atomic import write_json

    torch.set_num_threads(threads)
    spec = Spec(game, config_of(settings))
    checkpoints = _players(game, names or [], every, runs)
    if checkpoints and not settings:
        spec = checkpoints[0].spec  # its runs say under which settings a league plays
    same_rules(checkpoints, spec)
    stage = Stage(spec, seeding.held_out("eval", episodes), threads)
    with progress(f"Playing {game}") as tell:
        report = head_of(stage, checkpoints) | play_league(stage, checkpoints, tell)
    folder = output or runs / "league" / f"{game}-{stamp(now())}"
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "league.json", report)
    draw(report, folder / "league.png")
    as_json(report) if as_machine else _print(report)
    err.print(f"Wrote {folder / 'league.json'} and league.png.", markup=False)


def _players(game: str, names: list[str], every: int, root: Path) -> list[Checkpoint]:
    """The checkpoints that take part, each once."""
    from ..evaluate.players import open_checkpoint, trail
    from ..runs.store import Store, locate

    if not names:
        names = [
            record.run_id for record in Store(root).runs() if record.game == game and record.latest_checkpoint
        ]
    found: dict[str, Checkpoint] = {}
    for name in names:
        chosen = [open_checkpoint(name, root)]
        if every and not name.endswith(".pt"):
            store, run_id = locate(name, root)
            chosen = [*trail(store.open(run_id), every), *chosen]
        found |= {checkpoint.name: checkpoint for checkpoint in chosen}
    return list(found.values())


def _print(report: dict[str, Any]) -> None:
    _print_ranking(report) if "ranking" in report else _print_matrix(report)
    for name, short in report["labels"].items():
        out.print(f"{short}: {name}", markup=False)


def _print_ranking(report: dict[str, Any]) -> None:
    lines = []
    for place, c in enumerate(report["ranking"], start=1):
        low, high = c["net_profit_interval"]
        name = report["labels"].get(c["name"], c["name"])
        profit = (f"{c['net_profit_mean']:,.0f}", f"{low:,.0f} to {high:,.0f}")
        lines.append((place, name, *profit, share(c, "survival_rate"), f"{c['return_mean']:.1f}"))
    title = f"{report['game']}: {report['episodes']} episodes, the same seeds for all"
    table(title, ("place>", "player", "profit, mean>", "95 %>", "survival>", "return>"), lines)


def _print_matrix(report: dict[str, Any]) -> None:
    short, m = report["labels"], report["matrix"]
    lines = []
    for s in report["standings"]:
        low, high = s["rating_interval"]
        interval = f"{low:.0f} to {high:.0f}"
        lines.append((short.get(s["name"], s["name"]), s["role"], f"{s['rating']:.0f}", interval))
    head = ("player", "role", "rating>", "95 %>")
    table("Ratings; scripted players are fixed, 1000 is the middle", head, lines)
    half = ", a draw is half a win" if any(b["draws"] for b in report["bouts"]) else ""
    table(
        f"{m['row_role'].title()} wins in % of {report['episodes']} matches per pair{half}",
        (f"{m['row_role']} \\ {m['column_role']}", *(f"{short.get(n, n)}>" for n in m["columns"])),
        [
            (short.get(name, name), *(f"{100 * part:.0f}" for part in wins))
            for name, wins in zip(m["rows"], m["row_wins"], strict=True)
        ],
    )
