"""`sandlot bots`: scripted players on the benchmark protocol."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..evaluate import bots as measure
from ..games import Spec
from .eval import share
from .games import config_of
from .options import ForMachines, GameName, Setting
from .progress import progress
from .show import as_json, out, table


def bots(
    game: GameName,
    episodes: Annotated[
        int, typer.Option(min=1, max=100_000, help="Episodes a player; 1000 is the full protocol.")
    ] = 300,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads of the engine.")] = 1,
    settings: Setting = None,
    rows: Annotated[bool, typer.Option("--rows", help="With --json: also one row an episode.")] = False,
    as_machine: ForMachines = False,
) -> None:
    """Measure every scripted player of a game on the same fixed seeds.

    Example: sandlot bots prospector --episodes 1000
    """
    config = config_of(settings)
    spec = Spec(game, config)
    head = {
        "game": game,
        "profile": spec.profile,
        "config": spec.config,
        "spec": spec.hash,
        "episodes": episodes,
    }
    with progress(f"Playing {game}") as tell:
        if spec.agents == 1:
            pilots = measure.pilots(game, episodes, config, threads, tell)
        else:
            pairs = measure.matches(game, episodes, config, threads, tell)
    if spec.agents == 1:
        as_json(head | {"contenders": [p.as_json(rows) for p in pilots]}) if as_machine else _print_pilots(
            game, pilots
        )
    else:
        as_json(head | {"matches": [_match(m) for m in pairs]}) if as_machine else _print_matches(
            pairs, episodes
        )


def _print_pilots(game: str, pilots: list[measure.Contender]) -> None:
    columns = (
        "bot",
        "profit, mean>",
        "95 %>",
        "median>",
        "return>",
        "survival>",
        "destroyed>",
        "stranded>",
        "ticks>",
        "pirates>",
        "invalid>",
    )
    lines = []
    for p in pilots:
        f = p.figures
        lines.append(
            (
                p.name, f"{f['net_profit_mean']:,.0f}", f"{p.profit.low:,.0f} to {p.profit.high:,.0f}",
                f"{f['net_profit_median']:,.0f}", f"{f['return_mean']:.1f}",
                share(p.as_json(rows=False), "survival_rate"),
                f"{f['destroyed_rate']:.2f}", f"{f['stranded_rate']:.2f}", f"{f['ticks_mean']:,.0f}",
                f"{f['pirate_encounters_mean']:.1f}", f"{f['invalid_rate']:.3f}",
            )
        )  # fmt: skip
    table(f"{game}: {len(pilots[0].episodes)} episodes a bot, the same seeds", columns, lines)


def _match(match: measure.Match) -> dict[str, Any]:
    return {
        "seeker": match.seeker,
        "hider": match.hider,
        "seeker_wins": (match.points - match.draws / 2) / match.matches,
        "draws": match.draws / match.matches,
        "seeker_score": match.score.value,
        "interval": match.score.interval,
        "mean_seconds": match.mean_seconds,
    }


def _print_matches(pairs: list[measure.Match], episodes: int) -> None:
    hiders = list(dict.fromkeys(m.hider for m in pairs))
    seekers = list(dict.fromkeys(m.seeker for m in pairs))
    cell = {(m.seeker, m.hider): f"{100 * m.score.value:.0f}" for m in pairs}
    rows = [(s, *(cell[s, h] for h in hiders)) for s in seekers]
    table(
        f"Seeker wins in %, {episodes} matches per pair, the same seeds"
        + (", a draw is half a win" if any(m.draws for m in pairs) else ""),
        ("seeker \\ hider", *(f"{h}>" for h in hiders)),
        rows,
    )
    out.print("Levels follow the colon; the top one is the strongest.")
