"""The charts of a run, as a table: file name, title, and what is drawn.

Charts of episodes come from episodes.csv, of windows from windows.jsonl, of evaluations (held-out seeds,
fixed opponents) from evaluations.jsonl. A chart without data is not drawn.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..spec.document import ChartLine
from . import derived
from .history import History, Table, X, moving_average
from .plotting import COLOURS, Line, Panel, draw

MAX_DOTS = 600  # of a curve over episodes; with more, neighbours are drawn as one
SMOOTH = 10  # dots in a moving average


@dataclass(frozen=True)
class ChartData:
    """The data of a run's charts, and how to smooth it."""

    history: History
    smooth: int = SMOOTH
    anchors: Mapping[str, float] | None = None  # ratings of scripted players: "seeker chase:3" → rating


Panels = Callable[[ChartData], list[Panel]]


@dataclass(frozen=True)
class Chart:
    """One row of CHARTS."""

    file: str
    title: str
    source: str  # the note below the title
    panels: Panels


def draw_all(folder: Path, data: ChartData) -> Iterator[Path]:
    """Draw every chart for which the run has data; yields the files."""
    for chart in (*CHARTS, *_own_charts(data.history)):
        panels = [_with_data(panel, data.history) for panel in chart.panels(data)]
        panels = [panel for panel in panels if panel.lines]
        if panels:
            parts = (data.history.name, data.history.game, _source(chart, data))
            note = "  ·  ".join(part for part in parts if part)
            yield draw(folder / f"{chart.file}.png", chart.title, note, panels, _x_unit(data.history))


def _with_data(panel: Panel, history: History) -> Panel:
    """The panel without lines that have no number, and with the changes of the curriculum."""
    lines = [line for line in panel.lines if np.isfinite(line.y).any()]
    return replace(panel, lines=lines, marks=history.stage_changes)


def _x_unit(history: History) -> str:
    known = len(history.windows) or history.episodes.has("steps")
    return "env steps, summed over worlds" if known else "episodes"


def _source(chart: Chart, data: ChartData) -> str:
    if chart.source != EPISODES:
        return chart.source
    size = _bin_size(len(data.history.episodes))
    dots = "one dot per episode" if size == 1 else f"each dot the mean of {size} episodes"
    return f"{dots}, the line a moving average of {data.smooth} dots"


# ---------------------------------------------------------------- curves over episodes

EPISODES = "episodes"


def _bin_size(count: int) -> int:
    return max(1, -(-count // MAX_DOTS))


def _binned(values: np.ndarray, size: int) -> np.ndarray:
    """Means of `size` neighbours, without missing numbers."""
    padded = np.concatenate([values, np.full(-len(values) % size, np.nan)]).reshape(-1, size)
    good = np.isfinite(padded)
    sums = np.where(good, padded, 0.0).sum(axis=1)
    return np.where(good.any(axis=1), sums / np.maximum(1, good.sum(axis=1)), np.nan)


def episode_line(data: ChartData, name: str, values: np.ndarray, colour: str, dashed: bool = False) -> Line:
    """Dots and their moving average."""
    size = _bin_size(len(values))
    dots = _binned(values, size)
    x = _binned(data.history.episode_steps, size)
    return Line(name, x, moving_average(dots, data.smooth), colour, dots=dots, dashed=dashed)


def _episodes(unit: str, column: str, colour: str) -> Panels:
    """A panel of one column of episodes.csv."""

    def panels(data: ChartData) -> list[Panel]:
        return [Panel("", unit, [episode_line(data, "", data.history.episodes.column(column), colour)])]

    return panels


def _of_all_players(unit: str, column: str, dash_last: bool = False) -> Panels:
    """A column of episodes.csv per role, whoever played it. dash_last: the lines may coincide."""

    def panels(data: ChartData) -> list[Panel]:
        roles, colours = data.history.match_roles, data.history.colours
        values = {role: data.history.episodes.column(f"{role}_{column}") for role in roles}
        lines = [
            episode_line(data, role, values[role], colours[role], dash_last and role == roles[-1])
            for role in roles
        ]
        return [Panel("", unit, lines)]

    return panels


def _by_role(unit: str, column: str) -> Panels:
    """A column of episodes.csv per role, over the episodes that its learner played; in a game of one role the
    plain column."""

    def panels(data: ChartData) -> list[Panel]:
        values, roles = data.history.episodes.column, data.history.match_roles
        lines = [_role_line(data, role, values(f"{role}_{column}")) for role in roles]
        return [Panel("", unit, lines or [episode_line(data, "", values(column), COLOURS[0])])]

    return panels


def _role_line(data: ChartData, role: str, values: np.ndarray) -> Line:
    own = np.where(data.history.learner_episodes(role), values, np.nan)
    return episode_line(data, role, own, data.history.colours[role])


def _outcomes(data: ChartData) -> list[Panel]:
    """Episodes won by the learner of each role."""
    winners = data.history.episodes.strings("winner")
    roles = data.history.match_roles
    lines = [_role_line(data, role, (winners == role).astype(float)) for role in roles]
    return [Panel("Episodes won", "share of its own episodes won", lines, percent=True)]


OPPONENTS = (("current", "newest self", COLOURS[2]), ("past", "past selves", COLOURS[3]),
             ("scripted", "scripted", COLOURS[4]))  # fmt: skip


def _win_rates(data: ChartData) -> list[Panel]:
    """Win rates of each learner per window and kind of opponent; without windows, as `_outcomes`."""
    table = data.history.settled_windows()
    if not len(table):
        return _outcomes(data)
    roles = data.history.roles
    both = [window_line(table, f"{role}_win_rate", role, data.history.colours[role]) for role in roles]
    panels = [Panel("Against all opponents", "episodes won", both, percent=True)]
    for role in roles:
        rates = f"{role}_win_rate_vs_"
        lines = [window_line(table, rates + kind, name, colour) for kind, name, colour in OPPONENTS]
        panels.append(Panel(f"{role.capitalize()} against …", "episodes won", lines, percent=True))
    return panels


# ---------------------------------------------------------------- curves over windows and evaluations


def window_line(table: Table, column: str, name: str, colour: str, dashed: bool = False) -> Line:
    """A column over env steps."""
    return Line(name, table.column(X), table.column(column), colour, dashed=dashed)


def _own_charts(history: History) -> list[Chart]:
    """The charts that the game's document declares."""
    declared = history.spec.document.charts if history.spec else ()
    charts = itertools.groupby(declared, lambda line: (line.chart, line.title))
    return [Chart(file, title, WINDOWS, _declared(list(lines))) for (file, title), lines in charts]


def _declared(lines: Sequence[ChartLine]) -> Panels:
    """The panels of one declared chart; a median is dashed, as it may coincide with the mean."""

    def panels(data: ChartData) -> list[Panel]:
        table = derived.with_derived(data.history.spec, data.history.windows)
        made = []
        for number, (title, group) in enumerate(itertools.groupby(lines, lambda line: line.panel)):
            mine, colour = list(group), COLOURS[number % len(COLOURS)]
            drawn = [
                window_line(table, m.column, m.line or title, m.colour or colour, m.line == "median")
                for m in mine
            ]
            made.append(Panel(title, mine[0].unit, drawn, percent=mine[0].unit.startswith("share")))
        return made

    return panels


def _return(data: ChartData) -> list[Panel]:
    """Only of games of one role: a return summed over opponents has no meaning."""
    unit = "sum of rewards per episode"
    mean = ChartLine(chart="", title="", panel="Return", unit=unit, column="return_mean", line="mean")
    median = mean.model_copy(update={"column": "return_median", "line": "median", "colour": COLOURS[5]})
    return [] if data.history.roles else _declared([mean, median])(data)


def _learning(data: ChartData) -> list[Panel]:
    """The learner's metrics, one line per role."""
    table = data.history.windows
    known = [name.removesuffix("_policy_loss") for name in table.names() if name.endswith("_policy_loss")]
    metrics = (
        ("policy_loss", "Policy loss", "loss"),
        ("value_loss", "Value loss", "loss"),
        ("entropy", "Entropy", "nats"),
        ("approx_kl", "Change of policy", "KL, nats"),
        ("clip_fraction", "Clipped", "share of samples"),
        ("explained_variance", "Explained by the critic", "share of variance"),
    )
    panels = []
    for metric, title, unit in metrics:
        lines = [
            window_line(table, f"{role}_{metric}", role, data.history.colours.get(role, COLOURS[i]))
            for i, role in enumerate(known)
        ]
        panels.append(Panel(title, unit, lines, percent=metric == "clip_fraction"))
    return panels


def _ratings(data: ChartData) -> list[Panel]:
    """One panel per role, with the scripted players of that role as levels."""
    table = data.history.evaluations
    panels = []
    for role in data.history.roles:
        line = window_line(table, f"{role}_rating", role, data.history.colours[role])
        levels = _best_of_each(data.anchors or {}, role)
        panels.append(Panel(role.capitalize(), "rating (Elo scale)", [line], levels=levels))
    return panels


def _best_of_each(anchors: Mapping[str, float], role: str) -> list[tuple[str, float]]:
    """Each scripted player of a role at its top level."""
    best: dict[str, tuple[str, float]] = {}
    for name, rating in anchors.items():
        who, _, player = name.partition(" ")
        bot = player.partition(":")[0]
        if who == role and (bot not in best or player > best[bot][0]):
            best[bot] = (player, rating)
    return list(best.values())


def _against_bots(data: ChartData) -> list[Panel]:
    """One panel per role: its win rate against each scripted player at its top level."""
    table = data.history.evaluations
    panels = []
    for role in data.history.roles:
        best = {}
        for name in sorted(n for n in table.names() if n.startswith(f"{role}_beats_")):
            bot, _, level = name.removeprefix(f"{role}_beats_").rpartition("_")
            best[bot] = (name, level)  # sorted: the strongest comes last
        lines = [
            window_line(table, name, f"{bot}:{level}", COLOURS[i])
            for i, (bot, (name, level)) in enumerate(best.items())
        ]
        panels.append(Panel(f"{role.capitalize()} against …", "matches won", lines, percent=True))
    return panels


def _evaluated_headline(data: ChartData) -> list[Panel]:
    table = data.history.evaluations
    if not table.has("value_low", "value_high"):
        return []
    low, high = table.column("value_low"), table.column("value_high")
    line = Line("mean", table.column(X), table.column("value"), COLOURS[0], low, high)
    spec = data.history.spec
    shown = spec.headline if spec else None
    title = shown.name.replace("_", " ").capitalize() if shown else "Return"
    unit = "reward" if not shown or shown.name == "return" else shown.unit or "mean"
    is_share = shown is not None and shown.kind == "flag"
    unit = "share of episodes" if is_share else f"{unit} per episode"
    flags = [name for name in (spec.flags if spec else ()) if table.has(f"{name}_rate")]
    shares = [
        window_line(table, f"{name}_rate", name.replace("_", " "), COLOURS[2 + i])
        for i, name in enumerate(flags[:4])
    ]
    panels = [Panel(title, unit, [line], percent=is_share)]
    return [*panels, Panel("Shares", "share of episodes", shares, percent=True)] if shares else panels


WINDOWS = "each dot a window of training"
EVALUATED = "each dot a checkpoint, evaluated on held-out seeds"
SETTLED = "each dot a window; the first of a stage is left out, as short matches end first in it"
BAND = "band: 95 % interval of the mean"
DOTTED = "dotted: scripted players at full strength"


def _of_episodes(column: str, title: str, unit: str, colour: str, name: str = "") -> Chart:
    """One column of episodes.csv, under its own name unless another is given."""
    return Chart(name or column, title, EPISODES, _episodes(unit, column, colour))


CHARTS = (
    Chart("reward_mean", "Reward per step", EPISODES, _by_role("mean reward per step", "reward_mean")),
    Chart("reward_sum", "Return", EPISODES, _by_role("sum of rewards per episode", "reward_sum")),
    _of_episodes("steps", "Length of episodes", "decisions", COLOURS[5]),
    _of_episodes("updates", "Optimiser steps per iteration", "steps", COLOURS[4]),
    _of_episodes("advantage_mean", "Advantage, mean", "mean advantage", COLOURS[4]),
    _of_episodes("advantage_std", "Advantage, spread", "standard deviation", COLOURS[4]),
    _of_episodes("policy_loss", "Policy loss", "loss", COLOURS[4]),
    _of_episodes("value_loss", "Value loss", "loss", COLOURS[4]),
    Chart(
        "role_rewards",
        "Rewards of both roles",
        EPISODES,
        _of_all_players("sum of rewards per episode, all players", "reward_sum"),
    ),
    Chart("win_rates", "Matches won by the learners", SETTLED, _win_rates),
    Chart("win_outcomes", "Match outcomes", EPISODES, _outcomes),
    Chart(
        "average_distance",
        "Distance between the two",
        EPISODES,
        _of_all_players("metres, mean over the episode", "avg_distance", dash_last=True),
    ),
    _of_episodes("duration_sec", "How long a match lasts", "seconds", COLOURS[5], "episode_duration"),
    Chart("learning", "Learning", WINDOWS, _learning),
    Chart("ratings", "Rating against scripted players", f"{EVALUATED}; {DOTTED}", _ratings),
    Chart("against_bots", "Matches won against scripted players", EVALUATED, _against_bots),
    Chart("evaluation", "On held-out seeds", f"{EVALUATED}; {BAND}", _evaluated_headline),
    Chart("return", "Return", WINDOWS, _return),
)
