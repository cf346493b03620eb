"""`sandlot bots`: bots on the benchmark protocol."""

from typing import Annotated, Any

from typer import Option

from ..errors import ConfigError
from ..evaluate.bots import BotMatchup, BotResult, cross_play, headline_json, rank_bots, seed_list
from ..evaluate.report import EvalSetup
from ..evaluate.sides import measure, measured_by, scripted_entrants
from ..spec import Spec, parse_settings
from ..worlds import load_spec
from .eval import print_results
from .options import ForMachines, GameName, Setting, Threads
from .progress import ProgressCallback, progress
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
    report: dict[str, Any] = {"game": game, "profile": spec.profile, "config": spec.config, "spec": spec.hash}
    report["episodes"] = episodes
    pairs: list[BotMatchup] = []
    with progress(f"Playing {game}") as update:
        if spec.rates_roles:
            pairs = cross_play(game, episodes, config, threads, update)
            report |= {"headline": headline_json(spec), "matches": [_match(pair) for pair in pairs]}
        else:
            shown, results = _ranked(spec, episodes, config, threads, update)
            report |= {"headline": shown, "results": [result.as_json(rows) for result in results]}
    if as_machine:
        as_json(report)
    elif pairs:
        _print_matches(pairs, episodes)
    else:
        print_results(report, report["results"])


def _ranked(
    spec: Spec, episodes: int, config: dict[str, Any], threads: int, update: ProgressCallback
) -> tuple[dict[str, Any] | None, list[BotResult]]:
    """Bots of one role by the headline; of several, each beside the default players of the others."""
    if len(spec.role_names) == 1:
        return headline_json(spec), rank_bots(spec.game, episodes, config, threads, update)
    setup = EvalSetup(spec, seed_list(episodes), threads)
    found = measure(setup, scripted_entrants(spec, "all", threads), update)
    return measured_by(spec), [result for _, result in found]


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
    out.print("The number after the colon is the level; the highest is the strongest.")
