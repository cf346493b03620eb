"""`sandlot plot`: charts of a run as PNG files, or of several runs beside one another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..errors import Damaged, SpecMismatch
from .options import RUNS, RunsFolder
from .outputs import METRICS
from .show import as_json, err, out


def plot(
    run: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(help="A run's id or folder, or `latest`; else the newest metrics."),
    ] = None,
    output_dir: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Where the pictures go; else the run's own charts folder."),
    ] = None,
    smooth_window: Annotated[int, typer.Option(min=1, help="Dots in a moving average.")] = 10,
    compare: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="RUN", help="Draw this run in the same axes; may be given several times."),
    ] = None,
    all_runs: Annotated[
        bool, typer.Option(help="Every run of the folder, and all of them compared.")
    ] = False,
    csv: Annotated[Optional[Path], typer.Option(help="Episodes from this file instead of a run.")] = None,  # noqa: UP045
    anchors: Annotated[bool, typer.Option(help="Rate the scripted players for the rating chart.")] = True,
    runs: RunsFolder = RUNS,
    as_machine: Annotated[bool, typer.Option("--json", help="For machines: the files written.")] = False,
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
        written = _plot_csv(csv, output_dir, smooth_window)
    elif run is None and not all_runs:
        written = []
    else:
        chosen = _chosen(run, compare or [], all_runs, runs)
        written = _plot_runs(
            chosen, output_dir, smooth_window, anchors, beside=bool(compare) or all_runs, root=runs
        )
    if as_machine:
        as_json({"charts": [str(path) for path in written]})
    elif written:
        folders = sorted({str(path.parent) for path in written})
        out.print(f"{len(written)} files in {', '.join(folders)}.", markup=False)
    if not written:
        err.print("There is nothing to plot yet: no window has closed and no episode has ended.")
        raise typer.Exit(1)


def _newest_with_metrics(root: Path) -> str | None:
    """The newest run of which anything can be drawn."""
    from ..media.history import of_run
    from ..runs.store import Store

    store = Store(root)
    names = (record.run_id for record in store.runs())
    return next((name for name in names if not of_run(store.open(name)).is_empty()), None)


def _chosen(run: str | None, compare: list[str], all_runs: bool, root: Path) -> list[Any]:
    """The runs to draw, each once, in the order they were named."""
    from ..runs.store import Store, locate

    if all_runs:
        store = Store(root)
        return [store.open(record.run_id) for record in reversed(store.runs())]
    assert run is not None
    places = [locate(name, root) for name in dict.fromkeys([run, *compare])]
    return [store.open(run_id) for store, run_id in places]


def _plot_csv(csv: Path, output_dir: Path | None, smooth: int) -> list[Path]:
    from ..media.charts import Told, draw_all
    from ..media.history import of_csv

    return list(draw_all(output_dir or csv.parent / "charts", Told(of_csv(csv), smooth)))


def _plot_runs(
    chosen: list[Any], output_dir: Path | None, smooth: int, anchors: bool, beside: bool, root: Path
) -> list[Path]:
    from ..media.compare import OVERVIEW, draw_comparison, write_overview
    from ..media.history import of_run

    histories = {run.run_id: of_run(run) for run in chosen}
    histories = {name: history for name, history in histories.items() if not history.is_empty()}
    written = []
    for run in chosen:
        if run.run_id in histories:
            folder = output_dir or run.paths.charts
            written += _plot_one(
                run,
                histories[run.run_id],
                folder / run.run_id if output_dir and beside else folder,
                smooth,
                anchors,
            )
    if beside and histories:
        folder = output_dir or root / "charts"
        written += draw_comparison(folder, list(histories.values()), smooth)
        written.append(write_overview(folder / OVERVIEW, list(histories.values())))
    return written


def _plot_one(run: Any, history: Any, folder: Path, smooth: int, anchors: bool) -> list[Path]:
    from ..media.charts import Told, draw_all

    rated = _anchors(run, history) if anchors and len(history.evaluations) and len(history.roles) == 2 else {}
    written = list(draw_all(folder, Told(history, smooth, rated)))
    return written + _plot_paths(run, folder)


def _anchors(run: Any, history: Any) -> dict[str, float]:
    from ..evaluate.anchors import anchor_ratings

    return anchor_ratings(history.game, run.config.get("settings"))


def _plot_paths(run: Any, folder: Path) -> list[Path]:
    """The path map of the newest replay, where the game has places to draw."""
    from ..media.paths import draw_paths
    from ..runs import Replay

    newest = run.index.newest_id()
    if newest is None:
        return []
    try:
        replay = Replay.read(run.paths.replay(newest))
        states = _states(replay)
    except (Damaged, SpecMismatch, FileNotFoundError) as problem:  # the other charts do not need it
        err.print(f"No path map: {problem}", markup=False, soft_wrap=True)
        return []
    if not states:
        return []
    won = replay.end.episode.get("winner", "nobody")
    note = f"{run.run_id}  ·  window {replay.header.window_id}  ·  ● start  × end"
    return [draw_paths(folder / "paths.png", states, f"One match, won by the {won}", note)]


def _states(replay: Any) -> list[dict[str, Any]]:
    """What the replay shows, step by step; nothing for a game whose agents have no place in an arena."""
    from ..evaluate.replays import open_player

    with open_player(replay) as player:
        first = player.opening()
        if not {"position", "seeker", "boxes"} <= set(first):
            return []
        return [first] + [frame.render_state for frame in player.page(0, replay.end.steps).frames]
