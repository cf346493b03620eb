"""Several runs compared: one chart per metric, and a table with one row per run."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..runs.atomic import write_text
from ..spec import Spec
from ..worlds import known_spec
from .history import History, Table, X, moving_average
from .plotting import COLOURS, Line, Panel, draw

OVERVIEW = "run_overview.csv"
SHARE, RATING = "share of episodes", "rating (Elo scale)"


@dataclass(frozen=True)
class ComparedMetric:
    """One chart of a comparison."""

    file: str
    title: str
    unit: str
    column: str
    evaluated: bool = False  # a column of evaluations, not of windows
    percent: bool = False


def compared_metrics(game: str) -> list[ComparedMetric]:
    """What runs of a game are compared in: rewards, wins, the headline and good flags, ratings."""
    spec = known_spec(game)
    first, *others = spec.role_names if spec else ("",)
    unit = f"mean reward, in {game} the {first}'s" if others else "mean reward"
    found = [ComparedMetric("reward_mean", "Reward per env step", unit, "reward_mean")]
    if others:
        title = f"Matches won by the {first}"
        found.append(ComparedMetric("win_rate", title, SHARE, f"{first}_win_rate", percent=True))
    for field in spec.results if spec else ():
        name, share = field.alias or field.name, field.kind == "flag"
        title, unit = name.replace("_", " ").capitalize(), SHARE if share else f"{field.unit} per episode"
        found.append(ComparedMetric(name, title, unit, field.metric_as(name), percent=share))
        if field.headline:
            title = f"{title} on held-out seeds"
            found.append(ComparedMetric("evaluation", title, unit, field.metric, True, share))
    for role in (first, *others) if others else ():
        title = f"Rating of the {role}"
        found.append(ComparedMetric(f"{role}_rating", title, RATING, f"{role}_rating", evaluated=True))
    return found


def draw_comparison(folder: Path, histories: Sequence[History], smooth: int) -> Iterator[Path]:
    """`{game}_{metric}.png` for each game with several runs: one line per run."""
    for game in dict.fromkeys(history.game for history in histories):
        mine = [history for history in histories if history.game == game]
        for metric in compared_metrics(game) if len(mine) > 1 else ():
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
    windows, spec = history.windows, history.spec
    rewards = windows.column("reward_mean")
    rewards = rewards[np.isfinite(rewards)]
    roles = spec.role_names if spec and spec.outcome else ()
    final = [f"{role}_win_rate" for role in roles]
    final += [field.metric_as(field.alias or field.name) for field in (spec.results if spec else ())]
    return {
        "approach": history.game,
        "run_id": history.name,
        "episodes": len(history.episodes),
        "final_reward_mean": _rounded(rewards[-1:]),
        "best_reward_mean": _rounded(np.sort(rewards)[-1:]),
        **{f"final_{name}": _rounded(windows.column(name)[-1:]) for name in final},
        **(_finishes(history, spec) if spec and spec.outcome else {}),
        "average_duration_s": _rounded(_mean(history.episodes.column("duration_sec"))),
        "best_evaluation": _rounded(np.sort(history.evaluations.column("value"))[-1:]),
    }


def _finishes(history: History, spec: Spec) -> dict[str, int]:
    """How many matches ended in each way that has a name."""
    codes = (field for field in spec.episode if field.kind == "code")
    ways = [label for field in codes for label in field.labels if label != "none"]
    reasons, winners = (history.episodes.strings(name) for name in ("terminal_reason", "winner"))
    unknown = int((~np.isin(reasons, ways)).sum()) if (winners != "").any() else 0
    return {f"{way}s": int((reasons == way).sum()) for way in ways} | {"unknown_finishes": unknown}


def write_overview(path: Path, histories: Sequence[History]) -> Path:
    """The overview as a CSV file."""
    rows = overview(histories)
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
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
