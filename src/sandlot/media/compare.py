"""Several runs compared: one chart per metric, and a table with one row per run."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..runs.atomic import write_text
from .history import History, Table, X, moving_average
from .plotting import COLOURS, Line, Panel, draw

OVERVIEW = "run_overview.csv"
SHARE, CREDITS, RATING = "share of episodes", "credits per episode", "rating (Elo scale)"


@dataclass(frozen=True)
class ComparedMetric:
    """One chart of a comparison."""

    file: str
    title: str
    unit: str
    column: str
    evaluated: bool = False  # a column of evaluations, not of windows
    percent: bool = False


COMPARED_METRICS = (
    ComparedMetric("reward_mean", "Reward per env step", "mean reward, in tag the seeker's", "reward_mean"),
    ComparedMetric("win_rate", "Matches won by the seeker", SHARE, "seeker_win_rate", percent=True),
    ComparedMetric("profit", "Profit", CREDITS, "profit_mean"),
    ComparedMetric("survival", "Survival", SHARE, "survival_rate", percent=True),
    ComparedMetric("evaluation", "Profit on held-out seeds", CREDITS, "net_profit_mean", evaluated=True),
    ComparedMetric("seeker_rating", "Rating of the seeker", RATING, "seeker_rating", evaluated=True),
    ComparedMetric("hider_rating", "Rating of the hider", RATING, "hider_rating", evaluated=True),
)


def draw_comparison(folder: Path, histories: Sequence[History], smooth: int) -> Iterator[Path]:
    """`{game}_{metric}.png` for each game with several runs: one line per run."""
    for game in dict.fromkeys(history.game for history in histories):
        mine = [history for history in histories if history.game == game]
        for metric in COMPARED_METRICS if len(mine) > 1 else ():
            lines = [line for i, history in enumerate(mine) for line in _line(history, metric, i, smooth)]
            if lines:
                note = f"{game}  ·  {len(lines)} runs  ·  dots: single windows, lines: their moving average"
                panel = Panel(metric.title, metric.unit, lines, metric.percent)
                yield draw(folder / f"{game}_{metric.file}.png", metric.title, note, [panel])


def _line(history: History, metric: ComparedMetric, number: int, smooth: int) -> list[Line]:
    table: Table = history.evaluations if metric.evaluated else history.windows
    if not table.has(metric.column):
        return []
    values = table.column(metric.column)
    width = min(smooth, max(1, len(values) // 8))  # a short run smoothed over its whole length would not move
    colour = COLOURS[number % len(COLOURS)]
    return [Line(history.name, table.column(X), moving_average(values, width), colour, dots=values)]


def overview(histories: Sequence[History]) -> list[dict[str, object]]:
    """One row per run: its final and best metrics."""
    return [_row(history) for history in histories]


def _row(history: History) -> dict[str, object]:
    rewards = history.windows.column("reward_mean")
    rewards = rewards[np.isfinite(rewards)]
    reasons = history.episodes.strings("terminal_reason")
    winners = history.episodes.strings("winner")
    known = np.isin(reasons, ("tag", "timeout"))
    return {
        "approach": history.game,
        "run_id": history.name,
        "episodes": len(history.episodes),
        "final_reward_mean": _rounded(rewards[-1:]),
        "best_reward_mean": _rounded(np.sort(rewards)[-1:]),
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
    """The overview as a CSV file."""
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
