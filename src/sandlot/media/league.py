"""The picture of a league: who beats whom as a heat map, or who earns what as bars. Drawn from its report."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .plotting import COLOURS, FAINT, INK, QUIET, STYLE, headline, pyplot, save
from .role_styles import role_colours

Ratings = Mapping[tuple[str, str], float]  # by role and name

CELL_INCHES = (0.78, 0.42)  # of a pair
MARGINS_INCHES = (3.4, 2.4)  # names, ratings and headline around the cells
BAR_INCHES = 0.42


def draw(report: Mapping[str, Any], path: Path) -> Path:
    """The report as a PNG."""
    plt = pyplot()
    with plt.rc_context({**STYLE, "axes.grid": False}):
        figure = _bars(plt, report) if "ranking" in report else _heat_map(plt, report)
        save(figure, path)
    return path


def _note(report: Mapping[str, Any]) -> str:
    each = "a pair" if "matrix" in report else "a player"
    return f"{report['game']}  ·  {report['episodes']} held-out episodes {each}, the same seeds for all"


# ---------------------------------------------------------------- who beats whom


def _heat_map(plt: Any, report: Mapping[str, Any]) -> Any:
    """Rows and columns by rating, the strongest first, so that a fair league fades from corner to corner."""
    m = report["matrix"]
    ratings = {(s["role"], s["name"]): s["rating"] for s in report["standings"]}
    rows = _order([ratings[m["row_role"], name] for name in m["rows"]])
    columns = _order([ratings[m["column_role"], name] for name in m["columns"]])
    wins = np.array(m["row_wins"])[np.ix_(rows, columns)]
    width = CELL_INCHES[0] * len(columns) + MARGINS_INCHES[0]
    height = CELL_INCHES[1] * len(rows) + MARGINS_INCHES[1]
    figure = plt.figure(figsize=(max(width, 7.0), height), layout="constrained")
    figure.get_layout_engine().set(rect=(0.01, 0.01, 0.98, 1 - 0.85 / height))
    headline(figure, f"Who beats whom: {m['row_role']} wins in %", _note(report))
    axes = figure.subplots()
    axes.xaxis.tick_top()
    colours = role_colours(report["game"], (m["row_role"], m["column_role"]))
    axes.imshow(
        wins,
        cmap=_colour_map(colours[m["row_role"]], colours[m["column_role"]]),
        vmin=0.0,
        vmax=1.0,
        aspect="auto",
    )
    _write_cells(axes, wins)
    short = report["labels"]
    _name_axis(axes.xaxis, m["column_role"], [m["columns"][i] for i in columns], ratings, short, colours)
    _name_axis(axes.yaxis, m["row_role"], [m["rows"][i] for i in rows], ratings, short, colours)
    _tidy(axes, m, len(rows), len(columns))
    return figure


def _order(ratings: Sequence[float]) -> list[int]:
    return sorted(range(len(ratings)), key=lambda i: -ratings[i])


def _colour_map(row_colour: str, column_colour: str) -> Any:
    """From the column's colour (its wins) through white (even) to the row's."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("wins", [column_colour, "#ffffff", row_colour])


def _write_cells(axes: Any, wins: np.ndarray) -> None:
    for (row, column), share in np.ndenumerate(wins):
        colour = "white" if abs(share - 0.5) > 0.36 else INK
        axes.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=9, color=colour)


def _name_axis(
    axis: Any,
    role: str,
    names: Sequence[str],
    ratings: Ratings,
    short: Mapping[str, str],
    colours: Mapping[str, str],
) -> None:
    """Names with ratings, trained players bold."""
    labels = [f"{short.get(name, name)}  {ratings[role, name]:.0f}" for name in names]
    axis.set_ticks(range(len(names)), labels=labels, fontsize=9)
    for name, label in zip(names, axis.get_ticklabels(), strict=True):
        label.set_color(colours[role])
        label.set_fontweight("bold" if name in short else "normal")


def _tidy(axes: Any, matrix: Mapping[str, Any], rows: int, columns: int) -> None:
    axes.tick_params(length=0)
    axes.tick_params(axis="x", rotation=40)
    for label in axes.get_xticklabels():
        label.set_ha("left")
        label.set_rotation_mode("anchor")
    axes.set_xlabel(f"{matrix['column_role']}s with their ratings, the strongest first", labelpad=8)
    axes.set_ylabel(f"{matrix['row_role']}s with their ratings", labelpad=8)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(-0.5, columns), minor=True)
    axes.set_yticks(np.arange(-0.5, rows), minor=True)
    axes.grid(visible=True, which="minor", axis="both", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)


# ---------------------------------------------------------------- who earns what


def _bars(plt: Any, report: Mapping[str, Any]) -> Any:
    ranking, short = report["ranking"][::-1], report["labels"]  # bars are drawn from the bottom
    height = BAR_INCHES * len(ranking) + 1.9
    figure = plt.figure(figsize=(9.0, height), layout="constrained")
    figure.get_layout_engine().set(rect=(0.01, 0.01, 0.98, 1 - 0.85 / height))
    shown = report["headline"]
    name = shown["name"].replace("_", " ")
    headline(figure, f"{name.capitalize()} per episode, mean with 95 % intervals", _note(report))
    axes = figure.subplots()
    means = np.array([c["value"] for c in ranking])
    low, high = np.array([c["value_interval"] for c in ranking]).T
    colours = ["#aab4c0" if c["scripted"] else COLOURS[0] for c in ranking]
    axes.barh(range(len(ranking)), means, color=colours, height=0.66)
    errors = [means - low, high - means]
    axes.errorbar(means, range(len(ranking)), xerr=errors, fmt="none", ecolor=INK, elinewidth=1.2)
    axes.set_yticks(range(len(ranking)), labels=[short.get(c["name"], c["name"]) for c in ranking])
    for c, label in zip(ranking, axes.get_yticklabels(), strict=True):
        label.set_fontweight("normal" if c["scripted"] else "bold")
    is_share = shown["kind"] == "flag"
    axes.xaxis.set_major_formatter((lambda x, _: f"{100 * x:.0f} %") if is_share else "{x:,g}")
    axes.axvline(0, color=QUIET, linewidth=0.9)
    unit = "share of episodes" if is_share else shown["unit"] or name
    axes.set_xlabel(f"{unit} (grey: scripted players)")
    span = max(high.max(), 0) - min(low.min(), 0) or 1.0
    for place, c in enumerate(ranking):
        text = f"{100 * c['value']:.0f} %" if is_share else f"{c['value']:,.{0 if span > 100 else 2}f}"
        axes.text(max(high[place], 0) + 0.015 * span, place, text, va="center", fontsize=9, color=QUIET)
    axes.set_xlim(min(low.min(), 0) - 0.02 * span, max(high.max(), 0) + 0.24 * span)
    axes.grid(visible=True, axis="x", color=FAINT)
    axes.tick_params(axis="y", length=0)
    return figure
