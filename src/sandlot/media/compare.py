"""Several runs beside one another: one pair of axes a figure, and a table with a row a run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..runs.atomic import write_text
from .history import History, Table, X, moving_average
from .paper import COLOURS, Line, Panel, draw

OVERVIEW = "run_overview.csv"


@dataclass(frozen=True)
class Figure:
    """A figure that runs of a game are compared by."""

    file: str
    title: str
    unit: str
    column: str
    judged: bool = False  # from evaluations, else from windows
    percent: bool = False


FIGURES = (
    Figure(
        "reward_mean", "Reward per env step", "mean reward per env step, in tag the seeker's", "reward_mean"
    ),
    Figure("win_rate", "Matches won by the seeker", "share of episodes", "seeker_win_rate", percent=True),
    Figure("profit", "Profit", "credits an episode", "profit_mean"),
    Figure("survival", "Survival", "share of episodes", "survival_rate", percent=True),
    Figure("evaluation", "Profit on held-out seeds", "credits an episode", "net_profit_mean", judged=True),
    Figure("seeker_rating", "Rating of the seeker", "rating (Elo scale)", "seeker_rating", judged=True),
    Figure("hider_rating", "Rating of the hider", "rating (Elo scale)", "hider_rating", judged=True),
)


def draw_comparison(folder: Path, histories: Sequence[History], smooth: int) -> Iterator[Path]:
    """`{game}_{figure}.png` for each game with several runs, every run a line of its own colour."""
    for game in dict.fromkeys(history.game for history in histories):
        mine = [history for history in histories if history.game == game]
        for figure in FIGURES if len(mine) > 1 else ():
            lines = [line for i, history in enumerate(mine) for line in _line(history, figure, i, smooth)]
            if lines:
                note = f"{game}  ·  {len(lines)} runs  ·  dots: single windows, lines: their moving average"
                panel = Panel(figure.title, figure.unit, lines, figure.percent)
                yield draw(folder / f"{game}_{figure.file}.png", figure.title, note, [panel])


def _line(history: History, figure: Figure, number: int, smooth: int) -> list[Line]:
    table: Table = history.evaluations if figure.judged else history.windows
    if not table.has(figure.column):
        return []
    values = table.column(figure.column)
    width = min(smooth, max(1, len(values) // 8))  # a short run smoothed over its whole length would not move
    colour = COLOURS[number % len(COLOURS)]
    return [Line(history.name, table.column(X), moving_average(values, width), colour, dots=values)]


def overview(histories: Sequence[History]) -> list[dict[str, object]]:
    """A row a run: how it ended up."""
    return [_row(history) for history in histories]


def _row(history: History) -> dict[str, object]:
    rewards = history.windows.column("reward_mean")
    rewards = rewards[np.isfinite(rewards)]
    reasons = history.episodes.words("terminal_reason")
    winners = history.episodes.words("winner")
    known = np.isin(reasons, ("tag", "timeout"))
    return {
        "approach": history.game,
        "run_id": history.name,
        "episodes": len(history.episodes),
        "final_reward_mean": _rounded(rewards[-1:]),
        "best_reward_mean": _rounded(rewards[rewards.argmax() :][:1] if len(rewards) else rewards),
        "final_seeker_win_rate": _rounded(history.windows.column("seeker_win_rate")[-1:]),
        "final_hider_win_rate": _rounded(history.windows.column("hider_win_rate")[-1:]),
        "tags": int((reasons == "tag").sum()),
        "timeouts": int((reasons == "timeout").sum()),
        "unknown_finishes": int((~known).sum()) if (winners != "").any() else 0,
        "average_duration_s": _rounded(_mean(history.episodes.column("duration_sec"))),
        "final_profit_mean": _rounded(history.windows.column("profit_mean")[-1:]),
        "final_survival_rate": _rounded(history.windows.column("survival_rate")[-1:]),
        "best_evaluation": _rounded(np.sort(history.evaluations.column("value"))[-1:]),
    }


def write_overview(path: Path, histories: Sequence[History]) -> Path:
    rows = overview(histories)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text.getvalue())
    return path


def _mean(values: np.ndarray) -> np.ndarray:
    good = values[np.isfinite(values)]
    return good.mean(keepdims=True) if len(good) else good


def _rounded(values: np.ndarray) -> float | None:
    """One value with six digits, None for none."""
    return float(f"{values[0]:.6g}") if len(values) and np.isfinite(values[0]) else None
