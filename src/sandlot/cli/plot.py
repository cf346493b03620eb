"""`sandlot plot`: charts of a run, or of several runs compared, as PNG files."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from ..errors import Damaged, SpecMismatch
from ..evaluate.anchors import anchor_ratings
from ..evaluate.replay_reader import open_replay
from ..media.charts import ChartData, draw_all
from ..media.compare import OVERVIEW, draw_comparison, write_overview
from ..media.history import History, csv_history, run_history
from ..media.paths import draw_paths, has_paths
from ..runs import Replay, Run
from ..runs.store import Store, open_run
from .options import RUNS, RunsFolder
from .show import as_json, err, out

METRICS = Path("trainer/logs/metrics.csv")  # one row per match of all sessions of scripts/train.sh


def plot(
    run: Annotated[str | None, Argument(help="A run's id or folder, `latest`; else the newest.")] = None,
    output_dir: Annotated[
        Path | None, Option(help="Folder for the charts; default: the run's charts/.")
    ] = None,
    smooth_window: Annotated[int, Option(min=1, help="Length of the moving average.")] = 10,
    compare: Annotated[
        list[str] | None,
        Option(metavar="RUN", help="Draw this run in the same axes; may be given several times."),
    ] = None,
    all_runs: Annotated[bool, Option(help="Draw every run of the folder, and all of them compared.")] = False,
    csv: Annotated[Path | None, Option(help="Read episodes from this file instead of a run.")] = None,
    anchors: Annotated[bool, Option(help="Rate the scripted players for the rating chart.")] = True,
    runs: RunsFolder = RUNS,
    as_machine: Annotated[bool, Option("--json", help="For machines: the files written.")] = False,
) -> None:
    """Draw learning curves, outcomes, ratings and paths. Exit code 1 when there is nothing to plot yet.

    Without a name the newest run that has anything to show is drawn; where there is none, the matches of
    trainer/logs/metrics.csv, into charts/.

    Examples: sandlot plot · sandlot plot latest · sandlot plot RUN --compare OTHER · sandlot plot --all-runs
    """
    if run is None and csv is None and not all_runs:
        run = _newest_with_metrics(runs)
        csv = METRICS if run is None and METRICS.is_file() else None
        output_dir = output_dir or (Path("charts") if csv else None)
    if csv is not None:
        data = ChartData(csv_history(csv), smooth_window)
        written = list(draw_all(output_dir or csv.parent / "charts", data))
    else:
        chosen = _chosen(run, compare or [], all_runs, runs)
        comparison = bool(compare) or all_runs
        written = _plot_runs(chosen, output_dir, smooth_window, anchors, comparison, runs)
    if as_machine:
        as_json({"charts": [str(path) for path in written]})
    elif written:
        folders = sorted({str(path.parent) for path in written})
        out.print_line(f"{len(written)} files in {', '.join(folders)}.")
    if not written:
        err.print("There is nothing to plot yet: no window has closed and no episode has ended.")
        raise typer.Exit(1)


def _newest_with_metrics(root: Path) -> str | None:
    """The newest run of which anything can be drawn."""
    store = Store(root)
    names = (record.run_id for record in store.runs())
    return next((name for name in names if not run_history(store.open(name)).is_empty()), None)


def _chosen(run: str | None, compare: list[str], all_runs: bool, root: Path) -> list[Run]:
    """The runs to draw, each once, in the order they were named."""
    if all_runs:
        store = Store(root)
        return [store.open(record.run_id) for record in reversed(store.runs())]
    return [open_run(name, root) for name in dict.fromkeys([run, *compare])] if run else []


def _plot_runs(
    chosen: list[Run], output_dir: Path | None, smooth: int, anchors: bool, comparison: bool, root: Path
) -> list[Path]:
    histories: list[History] = []
    written: list[Path] = []
    for run in chosen:
        history = run_history(run)
        if history.is_empty():
            continue
        histories.append(history)
        rated = anchors and len(history.evaluations) and len(history.roles) == 2
        ratings = anchor_ratings(history.game, run.config.get("settings")) if rated else {}
        folder = output_dir or run.paths.charts
        if output_dir and comparison:
            folder = folder / run.run_id
        written += [*draw_all(folder, ChartData(history, smooth, ratings)), *_plot_paths(run, folder)]
    if comparison and histories:
        folder = output_dir or root / "charts"
        written += draw_comparison(folder, histories, smooth)
        written.append(write_overview(folder / OVERVIEW, histories))
    return written


def _plot_paths(run: Run, folder: Path) -> list[Path]:
    """The path map of the newest replay, where the game has places to draw."""
    newest = run.index.newest_id()
    if newest is None:
        return []
    try:
        replay = Replay.read(run.paths.replay(newest))
        states = _states(replay)
    except (Damaged, SpecMismatch, FileNotFoundError) as problem:  # the other charts do not need it
        err.print_line(f"No path map: {problem}")
        return []
    if not states:
        return []
    won = replay.end.episode.get("winner", "nobody")
    note = f"{run.run_id}  ·  window {replay.header.window_id}  ·  ● start  × end"
    title = f"One match, won by the {won}"
    return [draw_paths(folder / "paths.png", replay.header.game, states, title, note)]


def _states(replay: Replay) -> list[dict[str, Any]]:
    """What the replay shows, step by step; nothing for a game whose agents have no place in an arena."""
    with open_replay(replay) as reader:
        first = reader.initial_state()
        if not has_paths(replay.header.game, first):
            return []
        return [first] + [frame.render_state for frame in reader.page(0, replay.end.steps).frames]
