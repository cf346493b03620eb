"""`sandlot bots`: bots on the benchmark protocol."""

from typing import Annotated, Any

from typer import Option

from ..errors import ConfigError
from ..evaluate.bots import BotMatchup, cross_play, headline_json, rank_bots
from ..spec import parse_settings
from ..worlds import load_spec
from .eval import print_results
from .options import ForMachines, GameName, Setting, Threads
from .progress import progress
from .show import as_json, out, table


def bots(
    game: GameName,
    episodes: Annotated[int, Option(min=1, max=100_000, help="Per bot; 1000 is the full protocol.")] = 300,
    threads: Threads = 1,
    settings: Setting = None,
    rows: Annotated[bool, Option("--rows", help="With --json: also one row per episode.")] = False,
    as_machine: ForMachines = False,
) -> None:
    """Measure every bot of a game on the same fixed seeds.

    Example: sandlot bots prospector --episodes 1000
    """
    config = parse_settings(settings)
    spec = load_spec(game, config)
    if not spec.bots:
        raise ConfigError(
            f"{game} has no scripted players to measure. `sandlot eval` compares a run with random play."
        )
    measure: Any = rank_bots if spec.agents == 1 else cross_play
    with progress(f"Playing {game}") as update:
        measured = measure(game, episodes, config, threads, update)
    report: dict[str, Any] = {"game": game, "profile": spec.profile, "config": spec.config, "spec": spec.hash}
    report |= {"episodes": episodes, "headline": headline_json(spec)}
    if spec.agents == 1:
        report["results"] = [result.as_json(rows) for result in measured]
    else:
        report["matches"] = [_match(matchup) for matchup in measured]
    if as_machine:
        as_json(report)
    elif spec.agents == 1:
        print_results(report, report["results"])
    else:
        _print_matches(measured, episodes)


def _match(match: BotMatchup) -> dict[str, Any]:
    first, tally = match.roles[0], match.tally
    return {
        **dict(zip(match.roles, match.names, strict=True)),
        f"{first}_wins": tally.wins / tally.matches,
        "draws": tally.draws / tally.matches,
        f"{first}_score": tally.score.value,
        "interval": tally.score.interval,
        "mean_seconds": match.mean_seconds,
    }


def _print_matches(pairs: list[BotMatchup], episodes: int) -> None:
    firsts, seconds = (list(dict.fromkeys(m.names[i] for m in pairs)) for i in (0, 1))
    cell = {m.names: f"{100 * m.tally.score.value:.0f}" for m in pairs}
    rows = [(first, *(cell[first, second] for second in seconds)) for first in firsts]
    half = ", a draw is half a win" if any(m.tally.draws for m in pairs) else ""
    first, second = pairs[0].roles
    title = f"{first.title()} wins in %, {episodes} matches per pair, the same seeds{half}"
    table(title, (f"{first} \\ {second}", *(f"{name}>" for name in seconds)), rows)
    out.print("Levels follow the colon; the top one is the strongest.")
