"""`sandlot bench`: how fast the engine is on this machine."""

import os
from typing import Annotated, Any

import numpy as np
from typer import Argument, Option

from ..errors import ConfigError
from ..evaluate import speed
from ..evaluate.statistics import bootstrap
from ..games.reference import has_twin
from ..spec import Spec
from ..worlds import games as game_names
from ..worlds import load_spec
from ..worlds.arrays import MAX_WORLDS
from ..worlds.make import CUDA, NATIVE, check_engine, engine_of
from .options import ForMachines, parse_ints
from .progress import progress
from .show import as_json, out, table

WORLDS, FEW_WORLDS, MANY_WORLDS = "256,1024,4096", "1,8,32", "4096,16384,65536"
LONGEST = 4096  # steps of a recording; 16 times as many of a good player


def bench(
    game: Annotated[str | None, Argument(help="One game; without it, all of them.")] = None,
    worlds: Annotated[
        str | None,
        Option(
            help="Numbers of worlds, comma-separated. [default: 256,1024,4096; for a Gymnasium env 1,8,32; "
            "on a GPU 4096,16384,65536]"
        ),
    ] = None,
    engine: Annotated[str, Option(help="Engine: native, or cuda to measure a GPU as well.")] = NATIVE,
    device: Annotated[
        str, Option(help="Device of --engine cuda: cuda, or cuda:1 for the second GPU.")
    ] = CUDA,
    rounds: Annotated[int, Option(min=2, max=1000, help="How often each case is measured.")] = 7,
    seconds: Annotated[float, Option(min=0.05, max=60, help="Length of one measurement.")] = 0.3,
    twin: Annotated[bool, Option(help="Also measure the Python twin, if there is one.")] = True,
    as_machine: ForMachines = False,
) -> None:
    """Measure decisions and ticks per second by worlds and threads, through Python and in C alone.

    Medians over paired rounds with 95 % bootstrap intervals. In Godot: benchmarks/godot_bridge.py.

    Examples: sandlot bench prospector --json · sandlot bench tag --engine cuda
    """
    names = [game] if game else game_names()
    gpu = device if _on_gpu(names[0], engine) else ""
    usual = MANY_WORLDS if gpu else WORLDS if engine_of(names[0]) == NATIVE else FEW_WORLDS
    counts = world_counts(worlds or usual)
    reports = [_measure(name, counts, rounds, seconds, twin, gpu) for name in names]
    if as_machine:
        as_json({"machine": speed.machine(), "copy_bytes_per_second": speed.copy_rate(), "games": reports})
        return
    for report in reports:
        _print(report)
    here = speed.machine()
    copying = f"memcpy on one core: {speed.copy_rate() / 1e9:.1f} GB/s"
    out.print_line(f"{copying} · {here['processor']}, {here['cores']} cores · {here['engine']}")


def _on_gpu(game: str, engine: str) -> bool:
    """Whether to measure a GPU too; other engines have benchmarks of their own."""
    if check_engine(game, engine) == CUDA:
        return True
    if engine != NATIVE:
        raise ConfigError(f"--engine {engine}: expected native or cuda.")
    return False


def world_counts(text: str) -> list[int]:
    """Numbers of worlds, each once."""
    return list(dict.fromkeys(parse_ints("--worlds", text, "256,1024", 1, MAX_WORLDS)))


def _measure(
    game: str, counts: list[int], rounds: int, seconds: float, twin: bool, gpu: str = ""
) -> dict[str, Any]:
    spec = load_spec(game)
    cases = _gpu_cases(game, counts, gpu) if gpu else _cases(game, counts, twin)
    with progress(f"Measuring {game}") as update:
        speed.measure(cases, rounds, seconds, lambda done, of: update("", done, of))
    reference = ("python", 1, "random", max(counts))
    base = next(c for c in cases if (c.path, c.threads, c.play, c.worlds) == reference)
    rows = [_row(c, base, spec) for c in cases]
    return {"game": game, "row_bytes": spec.observation_size * 4, "cases": rows}


def _cases(game: str, counts: list[int], twin: bool) -> list[speed.Case]:
    """Every world count through Python; the largest also without Python and with threads; and good play."""
    if engine_of(game) != NATIVE:  # stepped through its arrays only, and without bots
        return [speed.batch_case(game, n, 1, "python", "random", LONGEST // 16) for n in counts]
    most = max(counts)
    steps = {n: min(max(32, 65_536 // n), LONGEST // 16) for n in counts}
    cases = [speed.batch_case(game, n, 1, "python", "random", steps[n]) for n in counts]
    cases.append(speed.batch_case(game, most, 1, "engine", "random", steps[most]))
    for threads in range(2, (os.cpu_count() or 1) + 1):
        if threads & (threads - 1) == 0:  # 2, 4, 8, …
            cases.append(speed.batch_case(game, most, threads, "python", "random", steps[most]))
    good_player, least = next(iter(load_spec(game).default_bots.values()), None), min(counts)
    if good_player:  # neither random nor short play
        cases.append(speed.batch_case(game, least, 1, "python", good_player, 16 * steps[least]))
    return [*cases, speed.twin_case(game, 100)] if twin and has_twin(game) else cases


def _gpu_cases(game: str, counts: list[int], device: str) -> list[speed.Case]:
    """Every world count on a GPU, and the largest on one thread of the CPU."""
    steps = {n: min(max(16, 1_048_576 // n), 256) for n in counts}
    made = [speed.device_case(game, n, device, steps[n]) for n in counts]
    return [speed.batch_case(game, max(counts), 1, "python", "random", 16), *made]


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
