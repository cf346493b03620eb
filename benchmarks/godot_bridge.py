"""The bridge beside the bare scene and beside the stock godot-rl client: agent decisions per second in Godot.

    .venv/bin/python benchmarks/godot_bridge.py --rounds 5      # --worlds 8,128 --plugin DIR --json

All of them play the same arenas: the bare scene with nobody at the other end, the stock client through a node
of our own that speaks its protocol (`godot/stock_rl`), or through the plugin itself where it is named.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import stock_client as stock
import typer

from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder
from sandlot.cli.bench import world_counts
from sandlot.cli.main import run
from sandlot.cli.options import ForMachines
from sandlot.cli.progress import progress
from sandlot.cli.show import as_json, out, table
from sandlot.errors import ConfigError, GodotFailed
from sandlot.evaluate import speed
from sandlot.evaluate.statistics import Estimate, bootstrap
from sandlot.processes import describe_exit
from sandlot.worlds import load_spec, make
from sandlot.worlds.godot import check_playable

WIDE = 1.5  # times between the ends of an interval, from which on a warning is shown
CEILING_S = 120  # a measurement without the bridge may take so much longer than it was asked to
SEED = 7
RECORDED = 16  # sets of random actions, drawn before the clock runs
USUAL_WORLDS = 8  # two agents each: the sixteen agents of a stock example scene
USUAL = stock.Pace(ticks=8, speedup=8)  # what stock users train with; a speed-up of 1 is its default


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    game: str = "tag",
    worlds: Annotated[str, typer.Option(help="Numbers of arenas, comma-separated.")] = "1,8,32,128",
    rounds: Annotated[int, typer.Option(min=2, max=1000, help="How often each case is measured.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.05, max=60, help="Length of one measurement.")] = 1.0,
    stock_python: Annotated[
        Path | None, typer.Option("--stock", help="A Python that has godot-rl; else that of `make stock`.")
    ] = None,
    plugin: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder with addons/godot_rl_agents, to measure the stock plugin itself; else a node of "
            "ours that speaks its protocol.",
        ),
    ] = None,
    as_machine: ForMachines = False,
) -> None:
    """Measure agent decisions per second in Godot, by number of arenas; medians over paired rounds."""
    check_playable(game)
    measured = measure(game, world_counts(worlds), rounds, seconds, stock_python, plugin)
    report = {"machine": speed.machine(), **measured}
    as_json(report) if as_machine else show(report)


@dataclass
class Case:
    """Something to measure: agent decisions a second, once a round."""

    # "ceiling": no bridge · "bridge" · "json" · "stock": its client, no clock · "usual": with clock
    path: str
    worlds: int
    measure: Callable[[], float]
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> Estimate:
        """Agent-steps per second."""
        return bootstrap(np.array(self.rates), np.median)

    def times(self, other: Case) -> Estimate:
        """How many times faster than the other, round by round."""
        return bootstrap(np.array(self.rates) / np.array(other.rates), np.median)


def measure(
    game: str,
    counts: list[int],
    rounds: int,
    seconds: float,
    stock_python: Path | None,
    plugin: Path | None = None,
) -> dict[str, Any]:
    """Every case once a round, forth and back, so that a machine that slows down slows all of them.

    plugin: a folder with the real Godot RL Agents plugin, to measure the stock client with."""
    with stock.project_with(plugin) as project:
        client, problem = _stock_client(game, stock_python or (stock.default_python() if plugin else None))
        if client is not None:
            client = dataclasses.replace(client, project=project)
        return _measured(game, counts, rounds, seconds, client, problem)


def _measured(
    game: str, counts: list[int], rounds: int, seconds: float, client: stock.StockClient | None, problem: str
) -> dict[str, Any]:
    cases = [case for worlds in counts for case in _cases(game, worlds, seconds, client)]
    if client is not None:
        cases += [_usual(client, worlds, seconds) for worlds in sorted({USUAL_WORLDS, max(counts)})]
    with progress(f"Measuring {game} in Godot") as tell:
        for done in range(rounds * len(cases)):
            turn, place = divmod(done, len(cases))
            case = cases[place if turn % 2 == 0 else -1 - place]
            tell(f"{case.worlds} arenas, {case.path}", done, rounds * len(cases))
            case.rates.append(case.measure())
    plugin = client is not None and client.project is not None
    about_stock = {"version": client.version if client else None, "plugin": plugin, "problem": problem}
    found = _report(cases, counts)
    head = {"game": game, "engine": "godot", "rounds": rounds, "stock": about_stock}
    return {**head, **found, "wide": _wide(found)}


def _wide(report: dict[str, Any]) -> list[str]:
    """What has an interval so wide that its number says little: the machine was busy with something else."""
    found = []
    for row in [*report["cases"], *report["usual"]]:
        for name, value in ({"usual": row} | row).items():
            low, high = value["interval"] if isinstance(value, dict) and "interval" in value else (1, 1)
            if not high <= WIDE * max(low, 1e-9):
                found.append(f"{row['worlds']} arenas, {name}")
    return found


def _stock_client(game: str, python: Path | None) -> tuple[stock.StockClient | None, str]:
    """The client to measure, or why it is not."""
    if game not in stock.GAMES:
        return None, f"{game} has no scene for the stock godot-rl client."
    try:
        return stock.find(python), ""
    except ConfigError as missing:
        if python is not None:  # somebody asked for this one
            raise
        return None, str(missing)


def _cases(game: str, worlds: int, seconds: float, client: stock.StockClient | None) -> list[Case]:
    made = [
        Case("ceiling", worlds, lambda: _ceiling(game, worlds, seconds)),
        Case("bridge", worlds, lambda: _bridge(game, worlds, seconds, "binary")),
        Case("json", worlds, lambda: _bridge(game, worlds, seconds, "json")),
    ]
    if client is not None:
        config = load_spec(game).config
        pace = stock.Pace(int(config["ticks_per_step"]), frames_per_second=int(config["tick_rate"]))
        made.append(Case("stock", worlds, lambda: client.rate(worlds, pace, seconds)))
    return made


def _usual(client: stock.StockClient, worlds: int, seconds: float) -> Case:
    return Case("usual", worlds, lambda: client.rate(worlds, USUAL, seconds))


def _bridge(game: str, worlds: int, seconds: float, encoding: str) -> float:
    """Agent decisions a second through the bridge, random play, checks and arrays included."""
    with make(game, worlds, seed=SEED, engine="godot", encoding=encoding) as world:
        world.reset()
        rng = np.random.default_rng(SEED)
        actions = rng.uniform(-1, 1, (RECORDED, *world.actions.shape)).astype(np.float32)

        def play(lasting_s: float) -> float:
            began = time.perf_counter()
            steps = 0
            while (passed := time.perf_counter() - began) < lasting_s:
                world.step(actions[steps % RECORDED])
                steps += 1
            return steps * world.rows / passed

        play(0.5 * seconds)  # as everybody else warms up
        return play(seconds)


def _ceiling(game: str, worlds: int, seconds: float) -> float:
    words = [f"--worlds={worlds}", f"--seconds={seconds}"]
    arguments = ["--fixed-fps", "60", "--script", f"res://games/{game}/ceiling.gd", "--", *words]
    with GodotProcess(arguments, project=project_folder()) as process:
        ended = process.wait(CEILING_S + 2 * seconds)
    rows = [line for line in ended.output.splitlines() if line.startswith("CEILING ")]
    if ended.code != 0 or not rows:
        last = " / ".join(ended.output.strip().splitlines()[-3:])
        raise GodotFailed(f"The scene {describe_exit(ended.code)} and could not be measured: {last}")
    row = json.loads(rows[-1].removeprefix("CEILING "))
    return row["decisions"] / row["seconds"]


def _report(cases: list[Case], counts: list[int]) -> dict[str, Any]:
    best = _case(cases, "bridge", max(counts))
    usual = [case for case in cases if case.path == "usual"]
    return {
        "cases": [_row(cases, worlds) for worlds in counts],
        "usual": [
            {"worlds": case.worlds, **_rate(case), "bridge_times": _estimate_row(best.times(case))}
            for case in usual
        ],
    }


def _case(cases: list[Case], path: str, worlds: int) -> Case:
    return next(case for case in cases if (case.path, case.worlds) == (path, worlds))


def _row(cases: list[Case], worlds: int) -> dict[str, Any]:
    """All that was measured with one number of arenas: the rates, and how they compare."""
    here = {case.path: case for case in cases if case.worlds == worlds and case.path != "usual"}
    row: dict[str, Any] = {"worlds": worlds, **{path: _rate(case) for path, case in here.items()}}
    for path in ("bridge", "json"):
        row[f"{path}_share"] = _estimate_row(here[path].times(here["ceiling"]))
        if "stock" in here:
            row[f"{path}_times_stock"] = _estimate_row(here[path].times(here["stock"]))
    return row


def _rate(case: Case) -> dict[str, Any]:
    rate = case.rate
    return {"decisions_per_second": rate.value, "interval": [rate.low, rate.high]}


def _estimate_row(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "interval": [estimate.low, estimate.high]}


def show(report: dict[str, Any]) -> None:
    """Print the table of rates and ratios."""
    stocked = report["stock"]["version"] is not None
    names = ["arenas>", "no bridge>", "bridge>", "bridge, JSON>", "share of no bridge>", "share, JSON>"]
    title = f"{report['game']} in one Godot process: agent decisions/s, median of {report['rounds']} rounds"
    more = ["stock, no clock>", "bridge : stock>"] if stocked else []
    table(title, names + more, [_cells(row, stocked) for row in report["cases"]])
    if report["wide"]:
        out.print_line(_warning(report))
    if not stocked:
        out.print_line(f"Not compared with stock godot-rl: {report['stock']['problem']}")
        return
    _show_stock(report)


def _warning(report: dict[str, Any]) -> str:
    wide = report["wide"]
    shown = ", ".join(wide[:4]) + (" …" if len(wide) > 4 else "")
    return (
        f"Do not trust these numbers: {len(wide)} intervals (95 %) span more than a factor of {WIDE:g} "
        f"({shown}). The machine was busy with something else, or {report['rounds']} rounds are too few: "
        f"stop other programs, or measure again with --rounds {4 * report['rounds']} --seconds 3."
    )


def _show_stock(report: dict[str, Any]) -> None:
    most = max(row["worlds"] for row in report["cases"])
    rows = [(row["worlds"], _number(row), _times(row["bridge_times"])) for row in report["usual"]]
    table("Stock as it is usually run", ("arenas>", "stock>", f"bridge, {most} arenas : stock>"), rows)
    version = report["stock"]["version"]
    if report["stock"]["plugin"]:
        other = "with the Sync node of the plugin that you named in Godot"
    else:
        other = (
            "talking in Godot to a node of our own that speaks its protocol (godot/stock_rl), not to the "
            "plugin; --plugin DIR measures the plugin itself"
        )
    client = f"Stock: the client of godot-rl {version} on the same arenas, {other}."
    usual = f"Usually it runs at {USUAL.speedup} x real time with {USUAL.ticks} ticks a decision;"
    others = f"everything else here without a clock, with {_ticks(report['game'])}."
    out.print_line(f"{client} {usual} {others}")


def _cells(row: dict[str, Any], stocked: bool) -> list[Any]:
    cells = [row["worlds"], *(_number(row[path]) for path in ("ceiling", "bridge", "json"))]
    cells += [_share(row["bridge_share"]), _share(row["json_share"])]
    return [*cells, _number(row["stock"]), _times(row["bridge_times_stock"])] if stocked else cells


def _ticks(game: str) -> int:
    return int(load_spec(game).config["ticks_per_step"])


def _number(rate: dict[str, Any]) -> str:
    return f"{rate['decisions_per_second']:,.0f}"


def _share(estimate: dict[str, Any]) -> str:
    low, high = estimate["interval"]
    return f"{100 * estimate['value']:.0f} % ({100 * low:.0f}-{100 * high:.0f})"


def _times(estimate: dict[str, Any]) -> str:
    low, high = estimate["interval"]
    return f"{estimate['value']:.1f} ({low:.1f}-{high:.1f})"


if __name__ == "__main__":
    run(app)
