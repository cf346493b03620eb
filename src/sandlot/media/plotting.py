"""The style of all charts: one page layout, one set of colours, lines labelled at their ends."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingExtra
from ..files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, QUIET, FAINT = "#1d2733", "#6b7785", "#dfe4ea"
COLOURS = ("#2b6cb0", "#d1495b", "#2f855a", "#b7791f", "#6b46c1", "#0e7490", "#9d174d", "#4a5568")
DOTS_PER_INCH = 160
INCHES = (9.0, 5.0)  # of one panel
CELL_INCHES = (4.6, 3.1)  # of one panel among several
LABEL_GAP = 0.055  # share of the axes' height that keeps two labels at line ends apart

STYLE = {
    "font.size": 10.5,
    "text.color": INK,
    "axes.edgecolor": "#aab4c0",
    "axes.labelcolor": QUIET,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "lines.linewidth": 2.0,
    "lines.solid_capstyle": "round",
}


@dataclass(frozen=True)
class Line:
    """One curve with its name, and optionally a band and dots."""

    name: str
    x: np.ndarray
    y: np.ndarray
    colour: str
    low: np.ndarray | None = None  # lower edge of a band
    high: np.ndarray | None = None
    dots: np.ndarray | None = None  # the values that the curve smooths
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """One pair of axes. unit: what the y axis counts."""

    title: str
    unit: str
    lines: Sequence[Line]
    percent: bool = False  # y is a share from 0 to 1
    levels: Sequence[tuple[str, float]] = ()  # named horizontal lines to compare with
    marks: Sequence[tuple[str, float]] = ()  # named vertical lines: what changed there


def draw(path: Path, title: str, note: str, panels: Sequence[Panel], x_unit: str = "env steps") -> Path:
    """Draw the panels on one page with a title and a note, and save it as a PNG."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure, axes = _page(plt, title, note, len(panels))
        for place, panel in zip(axes, panels, strict=True):
            _fill(place, panel, x_unit, is_only=len(panels) == 1)
        save(figure, path)
    return path


def pyplot() -> Any:
    """matplotlib.pyplot, drawing to files only."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("Drawing charts", "matplotlib", "train") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def save(figure: Figure, path: Path, dpi: int = DOTS_PER_INCH) -> None:
    """The figure as a PNG, written whole or not at all; closed in either case."""
    import matplotlib.pyplot as plt

    data = io.BytesIO()
    try:
        figure.savefig(data, dpi=dpi, format="png", metadata={"Software": "Sandlot"})
    finally:
        plt.close(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, data.getvalue())


def headline(figure: Figure, title: str, note: str) -> None:
    """Title and note at the top left, at fixed distances whatever the figure's height."""
    height = figure.get_figheight()
    figure.text(0.02, 1 - 0.18 / height, title, fontsize=15, fontweight="bold", va="top")
    figure.text(0.02, 1 - 0.50 / height, note, fontsize=9.5, color=QUIET, va="top")


def _page(plt: Any, title: str, note: str, count: int) -> tuple[Figure, list[Axes]]:
    columns = 1 if count == 1 else 2 if count in (2, 4) else 3
    rows = -(-count // columns)
    width, height = INCHES if count == 1 else (CELL_INCHES[0] * columns, CELL_INCHES[1] * rows + 0.6)
    figure = plt.figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(rect=(0.01, 0.01, 0.98, 1 - 0.85 / height), w_pad=0.12, h_pad=0.1)
    headline(figure, title, note)
    grid = figure.subplots(rows, columns, squeeze=False)
    for spare in grid.flat[count:]:
        spare.set_axis_off()
    return figure, list(grid.flat[:count])


def _fill(axes: Axes, panel: Panel, x_unit: str, is_only: bool) -> None:
    for line in panel.lines:
        _draw_line(axes, line)
    for name, level in panel.levels:
        axes.axhline(level, color=QUIET, linewidth=0.9, linestyle=(0, (2, 3)), zorder=1)
        axes.annotate(name, (0.005, level), xycoords=("axes fraction", "data"), xytext=(0, 2),
                      textcoords="offset points", fontsize=8, color=QUIET)  # fmt: skip
    for name, place in panel.marks:
        axes.axvline(place, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        axes.annotate(name, (place, 0.99), xycoords=("data", "axes fraction"), xytext=(3, 0), va="top",
                      textcoords="offset points", fontsize=7.5, color=QUIET, rotation=90, zorder=4,
                      bbox={"fc": "white", "alpha": 0.75, "ec": "none", "pad": 0.5})  # fmt: skip
    if not is_only:
        axes.set_title(panel.title)
    axes.set_xlabel(x_unit if is_only else x_unit.partition(" (")[0])
    axes.set_ylabel(panel.unit)
    _set_ticks(axes, panel)
    if len(panel.lines) > 1:
        _name_lines(axes, panel.lines)


def _draw_line(axes: Axes, line: Line) -> None:
    good = np.isfinite(line.y)
    if line.dots is not None:
        axes.plot(line.x, line.dots, "o", color=line.colour, alpha=0.22, markersize=2.6, markeredgewidth=0)
    if line.low is not None and line.high is not None:
        axes.fill_between(line.x, line.low, line.high, color=line.colour, alpha=0.14, linewidth=0)
    few = good.sum() <= 30
    axes.plot(line.x[good], line.y[good], color=line.colour, linestyle=(0, (3, 3)) if line.dashed else "-",
              marker="o" if few and line.dots is None else None, markersize=4)  # fmt: skip


def _set_ticks(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator, PercentFormatter

    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
    axes.set_xlim(left=0)
    low, high = axes.get_ylim()
    if panel.levels:
        axes.set_ylim(low, high + 0.06 * (high - low))  # room for the name above the highest
    if panel.percent:
        axes.set_ylim(0, min(1.02, max(high, 0.1)))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        return
    if _begins_at_zero(panel):
        axes.set_ylim(0, high)
    axes.yaxis.set_major_formatter(FuncFormatter(_short))


def _begins_at_zero(panel: Panel) -> bool:
    """Counts and sizes do, unless that would press all of the curve against the top."""
    values = np.concatenate([line.y[np.isfinite(line.y)] for line in panel.lines])
    return not panel.levels and values.min() >= 0 and values.min() <= 0.8 * values.max() + 1e-12


def _short(value: float, _: int = 0) -> str:
    """A tick as people write it: 12,000 and 0.05, never 1.2e+04."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}".replace("e-0", "e-")


def _name_lines(axes: Axes, lines: Sequence[Line]) -> None:
    """Each name right of its line's end, moved apart where lines end close together."""
    low, high = axes.get_ylim()
    ends = [(_last(line.y), line) for line in lines if np.isfinite(line.y).any()]
    ends.sort(key=lambda pair: pair[0])
    is_only = len(axes.figure.axes) == 1
    gap = LABEL_GAP if is_only else 2 * LABEL_GAP
    heights = spread_labels([(end - low) / (high - low) for end, _ in ends], gap)
    for place, (_, line) in zip(heights, ends, strict=True):
        axes.annotate(line.name, (1.015, place), xycoords="axes fraction", color=line.colour, fontsize=9.5,
                      fontweight="bold", va="center", annotation_clip=False)  # fmt: skip


def _last(values: np.ndarray) -> float:
    return float(values[np.isfinite(values)][-1])


def spread_labels(places: Iterable[float], gap: float) -> list[float]:
    """Ascending positions, moved up until neighbours are at least `gap` apart, then down to stay below 1."""
    made: list[float] = []
    for place in places:
        made.append(max(place, made[-1] + gap) if made else max(place, 0.0))
    top = 1.0
    for i in reversed(range(len(made))):
        made[i] = min(made[i], top)
        top = made[i] - gap
    return made
