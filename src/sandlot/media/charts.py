"""Which charts a run gets. Each is a row of a table: a file name, a headline, and what it draws.

Charts of episodes come from episodes.csv, charts of windows from windows.jsonl, charts of judgements
(held-out seeds, fixed rivals) from evaluations.jsonl. A chart whose columns are empty is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from . import derived
from .history import History, Table, X, moving_average
from .paper import COLOURS, ROLE_COLOURS, Line, Panel, draw

MOST_DOTS = 600  # of a curve over episodes; with more, neighbours are drawn as one
SMOOTH = 10  # dots in a moving average


@dataclass(frozen=True)
class Told:
    """What a chart is made from."""

    history: History
    smooth: int = SMOOTH
    anchors: Mapping[str, float] | None = None  # ratings of scripted players: "seeker chase:3" → rating


@dataclass(frozen=True)
class Chart:
    file: str
    title: str
    source: str  # said below the headline
    panels: Callable[[Told], list[Panel]]


def draw_all(folder: Path, told: Told) -> Iterator[Path]:
    """Every chart for which the run has data."""
    for chart in CHARTS:
        marks = told.history.lessons
        panels = [replace(panel, marks=marks) for panel in chart.panels(told) if panel.lines]
        if panels:
            note = "  ·  ".join(
                part for part in (told.history.name, told.history.game, _source(chart, told)) if part
            )
            yield draw(folder / f"{chart.file}.png", chart.title, note, panels, _x_unit(told.history))


def _x_unit(history: History) -> str:
    known = len(history.windows) or history.episodes.has("steps")
    return "env steps, summed over worlds" if known else "episodes"


def _source(chart: Chart, told: Told) -> str:
    if chart.source != EPISODES:
        return chart.source
    size = _bin_size(len(told.history.episodes))
    dots = "a dot an episode" if size == 1 else f"a dot the mean of {size} episodes"
    return f"{dots}, the line a moving average of {told.smooth} dots"


# ---------------------------------------------------------------- curves over episodes

EPISODES = "episodes"


def _bin_size(count: int) -> int:
    return max(1, -(-count // MOST_DOTS))


def _binned(values: np.ndarray, size: int) -> np.ndarray:
    """Means of neighbours; numbers that are missing do not count."""
    padded = np.concatenate([values, np.full(-len(values) % size, np.nan)]).reshape(-1, size)
    good = np.isfinite(padded)
    sums = np.where(good, padded, 0.0).sum(axis=1)
    return np.where(good.any(axis=1), sums / np.maximum(1, good.sum(axis=1)), np.nan)


def episode_line(told: Told, name: str, values: np.ndarray, colour: str, dashed: bool = False) -> list[Line]:
    """Dots and their moving average; no line when there is no number."""
    if not np.isfinite(values).any():
        return []
    size = _bin_size(len(values))
    dots = _binned(values, size)
    return [
        Line(
            name,
            _binned(told.history.episode_steps, size),
            moving_average(dots, told.smooth),
            colour,
            dots=dots,
            dashed=dashed,
        )
    ]


def _episodes(
    unit: str, *columns: tuple[str, str, str], dash_last: bool = False
) -> Callable[[Told], list[Panel]]:
    """A panel of columns of episodes.csv: (column, name, colour). dash_last: for lines that may coincide."""

    def panels(told: Told) -> list[Panel]:
        table = told.history.episodes
        lines = [
            line
            for column, name, colour in columns
            for line in episode_line(
                told, name, table.column(column), colour, dashed=dash_last and column == columns[-1][0]
            )
        ]
        return [Panel("", unit, lines)]

    return panels


def _by_role(unit: str, column: str) -> Callable[[Told], list[Panel]]:
    """A column of episodes.csv that each role has its own of, for the episodes that its learner played; of a
    game of one pilot the plain column."""

    def panels(told: Told) -> list[Panel]:
        table, roles = told.history.episodes, told.history.rivals
        if not roles:
            return [Panel("", unit, episode_line(told, "", table.column(column), COLOURS[0]))]
        lines = [
            line
            for role in roles
            for line in episode_line(told, role, _own(told, role, f"{role}_{column}"), ROLE_COLOURS[role])
        ]
        return [Panel("", unit, lines)]

    return panels


def _own(told: Told, role: str, column: str) -> np.ndarray:
    return np.where(told.history.own(role), told.history.episodes.column(column), np.nan)


def _outcomes(told: Told) -> list[Panel]:
    """Whether the one that learns each role won, episode by episode."""
    winners = told.history.episodes.words("winner")
    lines = []
    for role in told.history.rivals:
        won = np.where(told.history.own(role), (winners == role).astype(float), np.nan)
        lines += episode_line(told, role, won, ROLE_COLOURS[role])
    return [Panel("Episodes won", "share of its own episodes won", lines, percent=True)]


OPPONENTS = (("current", "newest self", COLOURS[2]), ("past", "past selves", COLOURS[3]),
             ("scripted", "scripted", COLOURS[4]))  # fmt: skip


def _win_rates(told: Told) -> list[Panel]:
    """What each learner won, window by window, and against whom; without windows, as `_outcomes`."""
    table = told.history.settled_windows()
    if not len(table):
        return _outcomes(told)
    roles = told.history.roles
    both = [line for r in roles for line in window_line(table, f"{r}_win_rate", r, ROLE_COLOURS[r])]
    panels = [Panel("Against everybody", "episodes won", both, percent=True)]
    for role in roles:
        lines = [
            line
            for kind, name, colour in OPPONENTS
            for line in window_line(table, f"{role}_win_rate_vs_{kind}", name, colour)
        ]
        panels.append(Panel(f"{role.capitalize()} against …", "episodes won", lines, percent=True))
    return panels


# ---------------------------------------------------------------- curves over windows and judgements


def window_line(table: Table, column: str, name: str, colour: str, dashed: bool = False) -> list[Line]:
    if not table.has(column):
        return []
    return [Line(name, table.column(X), table.column(column), colour, dashed=dashed)]


@dataclass(frozen=True)
class Small:
    """One of many panels over windows: a column and how it is said."""

    column: str
    title: str
    unit: str
    percent: bool = False


def _windows(*smalls: Small) -> Callable[[Told], list[Panel]]:
    def panels(told: Told) -> list[Panel]:
        table = derived.with_derived(told.history.windows)
        return [
            Panel(
                s.title, s.unit, window_line(table, s.column, s.title, COLOURS[i % len(COLOURS)]), s.percent
            )
            for i, s in enumerate(smalls)
        ]

    return panels


def _mean_and_median(title: str, unit: str, mean: str, median: str) -> Callable[[Told], list[Panel]]:
    def panels(told: Told) -> list[Panel]:
        table = told.history.windows
        lines = window_line(table, mean, "mean", COLOURS[0]) + window_line(
            table, median, "median", COLOURS[5], True
        )
        return [Panel(title, unit, lines)]

    return panels


def _pilot_only(panels: Callable[[Told], list[Panel]]) -> Callable[[Told], list[Panel]]:
    """For games of one pilot: a return summed over rivals says nothing."""
    return lambda told: [] if told.history.roles else panels(told)


def _survival(told: Told) -> list[Panel]:
    table = told.history.windows
    if not table.has("survival_rate"):
        return []
    parts = (
        ("survival_rate", "survived", COLOURS[2]),
        ("stranded_rate", "stranded", COLOURS[3]),
        ("destroyed_rate", "destroyed", COLOURS[1]),
    )
    lines = [line for column, name, colour in parts for line in window_line(table, column, name, colour)]
    return [Panel("Survival", "share of episodes", lines, percent=True)]


def _learning(told: Told) -> list[Panel]:
    """What the optimiser sees, a line a role."""
    table = told.history.windows
    known = [name.removesuffix("_policy_loss") for name in table.names() if name.endswith("_policy_loss")]
    figures = (
        ("policy_loss", "Policy loss", "loss"),
        ("value_loss", "Value loss", "loss"),
        ("entropy", "Entropy", "nats"),
        ("kl", "Change of policy", "KL, nats"),
        ("clipped", "Clipped", "share of samples"),
        ("explained", "Explained by the critic", "share of variance"),
    )
    return [
        Panel(
            title,
            unit,
            [
                line
                for i, role in enumerate(known)
                for line in window_line(table, f"{role}_{figure}", role, ROLE_COLOURS.get(role, COLOURS[i]))
            ],
            percent=figure == "clipped",
        )
        for figure, title, unit in figures
    ]


def _ratings(told: Told) -> list[Panel]:
    """A panel a role, with the scripted players of that role as levels."""
    table = told.history.evaluations
    return [
        Panel(
            f"{role.capitalize()}",
            "rating (Elo scale)",
            window_line(table, f"{role}_rating", role, ROLE_COLOURS[role]),
            levels=_best_of_each(told.anchors or {}, role),
        )
        for role in told.history.roles
    ]


def _best_of_each(anchors: Mapping[str, float], role: str) -> list[tuple[str, float]]:
    """Each scripted player of a role at its strongest level."""
    best: dict[str, tuple[str, float]] = {}
    for name, rating in anchors.items():
        who, _, player = name.partition(" ")
        bot = player.partition(":")[0]
        if who == role and (bot not in best or player > best[bot][0]):
            best[bot] = (player, rating)
    return list(best.values())


def _against_bots(told: Told) -> list[Panel]:
    """A panel a role: how often it beats each scripted player at its strongest level."""
    table = told.history.evaluations
    panels = []
    for role in told.history.roles:
        best = {}
        for name in sorted(n for n in table.names() if n.startswith(f"{role}_beats_")):
            bot, _, level = name.removeprefix(f"{role}_beats_").rpartition("_")
            best[bot] = (name, level)  # sorted: the strongest comes last
        lines = [
            line
            for i, (bot, (name, level)) in enumerate(best.items())
            for line in window_line(table, name, f"{bot}:{level}", COLOURS[i])
        ]
        panels.append(Panel(f"{role.capitalize()} against …", "matches won", lines, percent=True))
    return panels


def _evaluated_profit(told: Told) -> list[Panel]:
    table = told.history.evaluations
    if not table.has("value_low", "value_high"):
        return []
    low, high = table.column("value_low"), table.column("value_high")
    is_profit = table.has("net_profit_mean")
    line = Line("mean", table.column(X), table.column("value"), COLOURS[0], low, high)
    title, unit = ("Profit", "credits an episode") if is_profit else ("Return", "reward an episode")
    survived = window_line(table, "survival_mean", "survived", COLOURS[2])
    return [Panel(title, unit, [line]), Panel("Survival", "share of episodes", survived, percent=True)]


WINDOWS = "each dot a window of training"
JUDGED = "each dot a checkpoint, judged on held-out seeds"
SEEKER, HIDER = ROLE_COLOURS["seeker"], ROLE_COLOURS["hider"]


def _of_episodes(column: str, title: str, unit: str, colour: str, name: str = "") -> Chart:
    """One column of episodes.csv, under its own name unless another is given."""
    return Chart(name or column, title, EPISODES, _episodes(unit, (column, "", colour)))


CHARTS = (
    Chart("reward_mean", "Reward per step", EPISODES, _by_role("mean reward per step", "reward_mean")),
    Chart("reward_sum", "Return", EPISODES, _by_role("sum of rewards per episode", "reward_sum")),
    _of_episodes("steps", "Length of episodes", "decisions", COLOURS[5]),
    _of_episodes("updates", "Optimiser steps an iteration", "steps", COLOURS[4]),
    _of_episodes("advantage_mean", "Advantage, mean", "mean advantage", COLOURS[4]),
    _of_episodes("advantage_std", "Advantage, spread", "standard deviation", COLOURS[4]),
    _of_episodes("policy_loss", "Policy loss", "loss", COLOURS[4]),
    _of_episodes("value_loss", "Value loss", "loss", COLOURS[4]),
    Chart(
        "role_rewards",
        "Who is paid",
        EPISODES,
        _episodes(
            "sum of rewards per episode, whoever plays",
            ("seeker_reward_sum", "seeker", SEEKER),
            ("hider_reward_sum", "hider", HIDER),
        ),
    ),
    Chart(
        "win_rates",
        "Matches won by the learners",
        "each dot a window; the first of a lesson is left out, as short matches end first in it",
        _win_rates,
    ),
    Chart("win_outcomes", "Who wins", EPISODES, _outcomes),
    Chart(
        "average_distance",
        "Distance between the two",
        EPISODES,
        _episodes(
            "metres, mean over the episode",
            ("seeker_avg_distance", "seeker", SEEKER),
            ("hider_avg_distance", "hider", HIDER),
            dash_last=True,
        ),
    ),
    _of_episodes("duration_sec", "How long a match lasts", "seconds", COLOURS[5], "episode_duration"),
    Chart("learning", "What the learner sees", WINDOWS, _learning),
    Chart(
        "ratings",
        "Rating against scripted players",
        f"{JUDGED}; dotted: scripted players at full strength",
        _ratings,
    ),
    Chart("against_bots", "Matches won against scripted players", JUDGED, _against_bots),
    Chart("evaluation", "On held-out seeds", f"{JUDGED}; band: 95 % interval of the mean", _evaluated_profit),
    Chart(
        "return",
        "Return",
        WINDOWS,
        _pilot_only(_mean_and_median("Return", "sum of rewards an episode", "return_mean", "return_median")),
    ),
    Chart(
        "profit",
        "Profit",
        WINDOWS,
        _mean_and_median("Profit", "credits an episode", "profit_mean", "profit_median"),
    ),
    Chart("survival", "How episodes end", WINDOWS, _survival),
    Chart(
        "risk",
        "Risk",
        WINDOWS,
        _windows(
            Small("overheat_ticks_mean", "Overheated", "ticks an episode"),
            Small("pirate_encounters_mean", "Pirates met", "encounters an episode"),
            Small("value_lost_to_pirates_mean", "Lost to pirates", "credits an episode"),
            Small("hull_damage_per_1000_ticks", "Hull damage", "hull in 1,000 ticks"),
            Small("loss_per_encounter", "Loss a pirate", "credits an encounter"),
            Small("risk_adjusted_profit", "Profit, adjusted for risk", "credits an episode"),
        ),
    ),
    Chart(
        "efficiency",
        "Efficiency",
        WINDOWS,
        _windows(
            Small("profit_per_tick_mean", "Profit a tick", "credits a tick"),
            Small("profit_per_fuel", "Profit a unit of fuel", "credits a unit"),
            Small("ore_value_per_mining_tick", "Ore a mining tick", "credits a tick"),
            Small("credits_per_scan", "Earned a scan", "credits a scan"),
            Small("arrival_load_mean", "Hold on arrival", "share of the hold", True),
            Small("slippage_mean", "Lost to slippage", "credits an episode"),
        ),
    ),
    Chart(
        "activity",
        "What the pilot does",
        WINDOWS,
        _windows(
            Small("mining_ticks_mean", "Mining", "ticks an episode"),
            Small("scan_count_mean", "Scans", "scans an episode"),
            Small("fuel_used_mean", "Fuel", "units an episode"),
            Small("tool_wear_mean", "Tool wear", "units an episode"),
            Small("cargo_utilization_avg_mean", "Hold in use", "share of the hold", True),
            Small("invalid_per_decision", "Invalid actions", "share of decisions", True),
        ),
    ),
)
