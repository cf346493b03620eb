"""`sandlot demo`: train tag for two minutes, show what was learned, open the site."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from typer import Option

from ..errors import MissingExtra
from ..games import DEFAULT_GAME as GAME
from ..games import demo_game
from ..games.scripted import default_bots
from ..runs.evaluations import read_evaluations
from ..runs.store import Store
from ..worlds import load_spec, make
from . import plot, serve, train
from .options import RUNS, RunsFolder
from .show import out, table

SITE = "http://127.0.0.1:8000"  # the default address of `sandlot serve`


def demo(
    minutes: Annotated[float, Option(min=0, help="Of training; 0 shows scripted players only.")] = 2.0,
    seed: Annotated[int, Option(min=0, help="Which match.")] = 11,
    speed: Annotated[float, Option(min=0.1, max=100, help="1 is real time.")] = 2.0,
    runs: RunsFolder = RUNS,
    site: Annotated[bool, Option("--site/--no-site", help="In a terminal: end with the site.")] = True,
) -> None:
    """Train both roles of tag, evaluate them, draw charts, show a match, and open the site.

    Examples: sandlot demo · sandlot demo --minutes 0 --seed 4
    """
    if not minutes:
        watch(default_bots(load_spec(GAME), load_spec(GAME).role_names), seed, speed)
        commands = (f"[bold]sandlot {command} {GAME}[/]" for command in ("games", "bots", "train"))
        out.print(f"Next: {', '.join(commands)}.")
        return
    run = _trained(minutes, runs)
    _print_evaluations(run)
    _draw(run, runs)
    watch(_players(run), seed, speed)
    out.print("Next, with what was just learned:")
    for line in (
        f"sandlot eval {run.run_id}                evaluate it against every bot",
        f"sandlot train --resume {run.run_id} --minutes 10",
        f"sandlot league {GAME:<24}  rate all policies and bots",
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


def _trained(minutes: float, runs: Path) -> Any:
    out.print(
        f"Training both roles of {GAME} from nothing for {minutes:g} minutes (Ctrl-C stops and keeps it)."
    )
    try:
        train.train(GAME, minutes=minutes, runs=runs)
    except typer.Exit as end:
        if end.exit_code != 1:  # 1: windows without an evaluation, which the demo can do without
            raise
    return Store(runs).latest()


def _print_evaluations(run: Any) -> None:
    """First and last evaluation, side by side."""
    rows = read_evaluations(run.paths.evaluations)
    if not rows:
        out.print("No window was evaluated yet; train longer to see how skill grows.")
        return
    first, last = rows[0], rows[-1]
    known = [row for row in demo_game.MEASURES if row[0] in last]
    lines = [(name, form.format(first[key]), form.format(last[key])) for key, name, form in known]
    windows = (f"window {first['window_id']}>", f"window {last['window_id']}>")
    table("What was learned, on matches never trained on", ("measure", *windows), lines)


def _draw(run: Any, runs: Path) -> None:
    try:
        plot.plot(run.run_id, runs=runs)
    except MissingExtra as problem:
        out.print_line(f"No charts: {problem}")
    except typer.Exit:
        pass  # nothing to plot after so short a training; plot has printed that


def _players(run: Any) -> dict[str, Any]:
    from ..policies import load_policy

    return {role: load_policy(run.paths.folder, role) for role in load_spec(GAME).role_names}


def watch(players: Mapping[str, Any], seed: int, speed: float) -> None:
    """One match in the terminal, under the settings that the policies were trained with."""
    spec = next(iter(players.values())).spec
    with make(spec.game, seed=seed, config=spec.settings) as world:
        world.reset(seed)
        recurrent_states: dict[str, Any] = dict.fromkeys(players)
        pause = world.spec.config["ticks_per_step"] / world.spec.config["tick_rate"] / speed
        with Live(console=out, auto_refresh=False, transient=not out.is_terminal) as live:
            while True:
                for row, role in enumerate(world.spec.roles):
                    observations = world.observations[row : row + 1]
                    world.actions[row : row + 1], recurrent_states[role] = players[role].act(
                        observations, None, recurrent_states[role]
                    )
                picture = demo_game.picture(world.render())
                if world.step():
                    break
                if out.is_terminal:
                    live.update(picture, refresh=True)
                    time.sleep(pause)
        episode = world.finished()[0]
    winner = spec.winners[int(episode["winner"])]
    out.print(f"After {episode['duration_s']:.1f} s the {winner} wins.")
