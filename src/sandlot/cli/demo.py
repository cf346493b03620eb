"""`sandlot demo`: train a game for two minutes, show what was learned, open the site."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from typer import Argument, Option

from ..errors import MissingExtra
from ..games import DEFAULT_GAME
from ..games.players import Players
from ..games.scripted import default_players
from ..games.terminal import PICTURES
from ..runs.evaluations import read_evaluations
from ..runs.store import Store
from ..spec import Spec
from ..worlds import load_spec, make
from . import plot, serve, train
from .options import RUNS, RunsFolder
from .show import out, table

NOBODY = "nobody"  # label of an outcome in which no role wins
BEATS = "_beats_"  # in columns of scores against bots
USUAL_TICK_RATE = 60.0  # of a game that does not say
SITE = "http://127.0.0.1:8000"  # the default address of `sandlot serve`


def demo(
    game: Annotated[str, Argument(help="tag, landing, …, or gym:CartPole-v1.")] = DEFAULT_GAME,
    minutes: Annotated[
        float, Option(min=0, help="Minutes of training; 0 shows scripted players only.")
    ] = 2.0,
    seed: Annotated[int, Option(min=0, help="Seed of the episode that is shown.")] = 11,
    speed: Annotated[
        float, Option(min=0.1, max=100, help="Speed of the shown episode; 1 is real time.")
    ] = 2.0,
    runs: RunsFolder = RUNS,
    site: Annotated[
        bool, Option("--site/--no-site", help="Open the site at the end (in a terminal).")
    ] = True,
) -> None:
    """Train the roles of a game, evaluate them, draw charts, show an episode, and open the site.

    Examples: sandlot demo · sandlot demo landing · sandlot demo --minutes 0 --seed 4
    """
    if not minutes:
        spec = load_spec(game)
        watch(spec, default_players(spec, spec.role_names), seed, speed)
        known = ("games", "bots", "train") if spec.bots else ("games", "train")
        out.print_line(f"Next: {', '.join(f'sandlot {command} {game}' for command in known)}.")
        return
    run = _trained(game, minutes, runs)
    spec, policies = _policies(run)
    _print_evaluations(spec, run)
    _draw(run, runs)
    watch(spec, policies, seed, speed)
    out.print("Next, with what was just learned:")
    for line in (
        f"sandlot eval {run.run_id}                evaluate it against every bot",
        f"sandlot train --resume {run.run_id} --minutes 10",
        f"sandlot league {game:<24}  rate all policies and bots",
        f"sandlot replay {run.paths.folder}        list its replays",
        f"{serve_command(runs)}                    the site at {SITE}: watch replays, play against it",
    ):
        out.print_line(f"  {line.replace('sandlot', program(), 1)}")
    if site and sys.stdout.isatty():
        _open_site(runs)


def program() -> str:
    """The command to type: the path of this program when its environment is not active."""
    called = Path(sys.argv[0]).absolute()
    typed = called.stem == "sandlot" and called.is_relative_to(Path.cwd())
    return str(called.relative_to(Path.cwd())) if typed and not os.environ.get("VIRTUAL_ENV") else "sandlot"


def serve_command(runs: Path) -> str:
    """The command that serves the site of these runs."""
    return "sandlot serve" if runs == Path("runs") else f"sandlot serve --runs {runs}"


def _open_site(runs: Path) -> None:
    """Open the site, which shows the newest run, on any port: 8000 may be in use."""
    try:
        from ..serve import Settings

        serve.open_site(Settings.from_environment(runs=runs, port=0))
    except (ImportError, MissingExtra) as problem:
        out.print_line(f"No site: {problem}")


def _trained(game: str, minutes: float, runs: Path) -> Any:
    out.print_line(
        f"Training {game} from random weights for {minutes:g} minutes (Ctrl-C stops and keeps it)."
    )
    try:
        train.train(game, minutes=minutes, runs=runs)
    except typer.Exit as end:
        if end.exit_code != 1:  # 1: windows without an evaluation, which the demo can do without
            raise
    return Store(runs).latest()


def _print_evaluations(spec: Spec, run: Any) -> None:
    """First and last evaluation, side by side."""
    rows = read_evaluations(run.paths.evaluations)
    if not rows:
        out.print("No window was evaluated yet; train longer to see how skill grows.")
        return
    first, last = rows[0], rows[-1]
    lines = [
        (name, _written(key, first), _written(key, last))
        for key, name in _measures(spec, last)
        if key in first
    ]
    windows = (f"window {first['window_id']}>", f"window {last['window_id']}>")
    table("Results on held-out episodes", ("measure", *windows), lines)


def _measures(spec: Spec, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Columns of an evaluation that say how well was played, each with its name in words."""
    by_role = [
        (key, key.replace("_", " "))
        for role in spec.role_names
        for key in row
        if key in (f"{role}_rating", f"{role}_score") or key.startswith(role + BEATS)
    ]
    judged = [field for field in spec.episode if field.headline or field.better != "none"]
    return by_role + [(field.metric, field.name.replace("_", " ")) for field in judged if field.metric in row]


def _written(key: str, row: Mapping[str, Any]) -> str:
    """A share of episodes in percent, a rating as a whole number, anything else with four digits."""
    value = row[key]
    if key.endswith("_rating"):
        return f"{value:.0f}"
    return f"{value:.0%}" if key.endswith(("_rate", "_score")) or BEATS in key else f"{value:.4g}"


def _draw(run: Any, runs: Path) -> None:
    try:
        plot.plot(run.run_id, runs=runs)
    except MissingExtra as problem:
        out.print_line(f"No charts: {problem}")
    except typer.Exit:
        pass  # nothing to plot after so short a training; plot has printed that


def _policies(run: Any) -> tuple[Spec, dict[str, Any]]:
    """What a run learned, by role, and the spec that it was trained under."""
    from ..evaluate.players import open_checkpoint

    checkpoint = open_checkpoint(str(run.paths.folder))
    spec = checkpoint.spec
    others = set(spec.role_names) - set(checkpoint.policies)
    return spec, dict(checkpoint.policies) | default_players(spec, others)


def watch(spec: Spec, players: Mapping[str, Any], seed: int, speed: float) -> None:
    """One episode: in the terminal where the game has a picture of letters, else its end alone."""
    picture = PICTURES.get(spec.game) if out.is_terminal else None
    with make(spec.address, seed=seed, config=spec.settings) as world:
        world.reset(seed)
        playing = Players(world, players)
        with Live(console=out, auto_refresh=False, transient=not out.is_terminal) as live:
            while True:
                playing.act()
                shown = picture(world.render()) if picture else None
                if world.step():
                    break
                if shown is not None:
                    live.update(shown, refresh=True)
                    time.sleep(float(world.ticks[0]) / (spec.tick_rate or USUAL_TICK_RATE) / speed)
        out.print_line(ending(spec, world.finished()[0]))


def ending(spec: Spec, episode: Mapping[str, Any]) -> str:
    """How an episode ended, in a sentence."""
    lasted = f"{episode['duration_s']:.1f} s" if "duration_s" in episode else f"{episode['length']} steps"
    if spec.outcome is not None:
        winner = spec.winners[int(episode[spec.outcome.name])]
        return f"After {lasted} {winner if winner == NOBODY else f'the {winner}'} wins."
    fields = [*spec.results, *(f for f in spec.episode if f.name == "return" and f not in spec.results)]
    named = [f"{field.name.replace('_', ' ')} {episode[field.name]:.4g}" for field in fields]
    return f"After {lasted}: {', '.join(named)}."
