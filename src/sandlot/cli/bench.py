"""`sandlot bench`: how fast the engine is on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Optional

import numpy as np
import typer

from ..errors import ConfigError, UnknownName
from ..evaluate import speed
from ..evaluate.statistics import bootstrap
from ..games import Spec
from ..games import games as game_names
from ..games.vector import MAX_WORLDS
from .options import ForMachines
from .progress import progress
from .show import as_json, out, table

LONGEST = 4096  # steps of a recording; a good player's is 16 times as long as the others
# Play that is neither random nor dying at once, for games that have such a bot.
RECORDED = {"prospector": "tour", "tag": "chase"}


def bench(
    game: Annotated[Optional[str], typer.Argument(help="One game; without it, all of them.")] = None,  # noqa: UP045
    worlds: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="World counts, separated by commas; else 256,1024,4096, in Godot 1,8,32,128."),
    ] = None,
    engine: Annotated[
        str, typer.Option(help="native, or godot: the bridge beside the bare scene and stock godot-rl.")
    ] = "native",
    rounds: Annotated[int, typer.Option(min=2, max=1000, help="How often each case is measured.")] = 7,
    seconds: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=0.05, max=60, help="Length of one measurement; else 0.3, in Godot 1."),
    ] = None,
    twin: Annotated[bool, typer.Option(help="Also measure the Python twin.")] = True,
    stock: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="In Godot: a Python that has godot-rl, to compare with; else that of `make stock`."
        ),
    ] = None,
    plugin: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="DIR",
            help="In Godot: a folder with addons/godot_rl_agents, to measure the stock plugin itself; else a "
            "node of ours that speaks its protocol.",
        ),
    ] = None,
    as_machine: ForMachines = False,
) -> None:
    """Measure decisions and ticks a second, by worlds and threads, with and without Python, beside the twin.

    Medians over paired rounds with 95 % bootstrap intervals.

    Examples: sandlot bench prospector --json · sandlot bench tag --engine godot --worlds 8,128 --rounds 3
    """
    if engine == "godot":
        counts = world_counts(worlds or "1,8,32,128")
        _in_godot(game or "tag", counts, rounds, seconds or 1.0, stock, plugin, as_machine)
        return
    if engine != "native":
        raise UnknownName("engine to measure", engine, ("native", "godot"))
    counts = world_counts(worlds or "256,1024,4096")
    names = [game] if game else game_names()
    reports = [_measure(name, counts, rounds, seconds or 0.3, twin) for name in names]
    if as_machine:
        as_json({"machine": speed.machine(), "copy_bytes_per_second": speed.copy_rate(), "games": reports})
        return
    for report in reports:
        _print(report)
    here = speed.machine()
    copying = f"memcpy on one core: {speed.copy_rate() / 1e9:.1f} GB/s"
    out.print(f"{copying} · {here['processor']}, {here['cores']} cores · {here['engine']}", markup=False)


def _in_godot(
    game: str,
    counts: list[int],
    rounds: int,
    seconds: float,
    stock: Path | None,
    plugin: Path | None,
    as_machine: bool,
) -> None:
    from ..bridge.godot_game import check_playable
    from .bench_godot import measure, show

    check_playable(game)
    report = {"machine": speed.machine(), **measure(game, counts, rounds, seconds, stock, plugin)}
    as_json(report) if as_machine else show(report)


def world_counts(words: str) -> list[int]:
    """ "256,1024" as numbers."""
    counts = [int(word) if word.strip().isdecimal() else 0 for word in words.split(",")]
    if not all(1 <= count <= MAX_WORLDS for count in counts):
        expected = f"whole numbers from 1 to {MAX_WORLDS} with commas between, such as 256,1024"
        raise ConfigError(f"--worlds {words}: expected {expected}.")
    return list(dict.fromkeys(counts))  # each once


def _measure(game: str, counts: list[int], rounds: int, seconds: float, twin: bool) -> dict[str, Any]:
    spec = Spec(game)
    cases = _cases(game, counts, twin)
    with progress(f"Measuring {game}") as tell:
        speed.measure(cases, rounds, seconds, lambda done, of: tell("", done, of))
    base = next(
        c
        for c in cases
        if c.path == "python" and c.threads == 1 and c.play == "random" and c.worlds == max(counts)
    )
    return {
        "game": game,
        "row_bytes": spec.observation_size * 4,
        "cases": [_row(c, base, spec) for c in cases],
    }


def _cases(game: str, counts: list[int], twin: bool) -> list[speed.Case]:
    """Every world count through Python; the largest also without Python and with threads; and good play."""
    most = max(counts)
    steps = {n: min(max(32, 65_536 // n), LONGEST // 16) for n in counts}
    cases = [speed.native_case(game, n, 1, "python", "random", steps[n]) for n in counts]
    cases.append(speed.native_case(game, most, 1, "engine", "random", steps[most]))
    for threads in range(2, (os.cpu_count() or 1) + 1):
        if threads & (threads - 1) == 0:  # 2, 4, 8, …
            cases.append(speed.native_case(game, most, threads, "python", "random", steps[most]))
    if game in RECORDED:
        cases.append(
            speed.native_case(game, min(counts), 1, "python", RECORDED[game], 16 * steps[min(counts)])
        )
    return [*cases, speed.twin_case(game, 100)] if twin else cases


def _row(case: speed.Case, base: speed.Case, spec: Spec) -> dict[str, Any]:
    rate, ticks = bootstrap(np.array(case.rates), np.median), bootstrap(np.array(case.tick_rates), np.median)
    times = speed.ratio(case, base)
    return {
        "path": case.path,
        "play": case.play,
        "worlds": case.worlds,
        "threads": case.threads,
        "decisions_per_second": rate.value,
        "decisions_interval": [rate.low, rate.high],
        "ticks_per_second": ticks.value,
        "observation_bytes_per_second": rate.value * spec.observation_size * 4,
        "times_base": times.value,
        "times_base_interval": [times.low, times.high],
    }


RATES = ("M decisions/s>", "95 %>", "M ticks/s>", "GB/s of obs>", "x base>", "95 %>")
COLUMNS = ("path", "play", "worlds>", "threads>", *RATES)


def _print(report: dict[str, Any]) -> None:
    rows = [_cells(case) for case in report["cases"]]
    table(f"{report['game']}: base is one thread through Python, random play, most worlds", COLUMNS, rows)


def _cells(case: dict[str, Any]) -> tuple[Any, ...]:
    return (
        case["path"],
        case["play"],
        case["worlds"],
        case["threads"],
        f"{case['decisions_per_second'] / 1e6:.3f}",
        "{:.3f} to {:.3f}".format(*(rate / 1e6 for rate in case["decisions_interval"])),
        f"{case['ticks_per_second'] / 1e6:.3f}",
        f"{case['observation_bytes_per_second'] / 1e9:.2f}",
        f"{case['times_base']:.4g}",
        "{:.4g} to {:.4g}".format(*case["times_base_interval"]),
    )
