"""metrics/episodes.csv: one row per finished episode, for charts and spreadsheets.

Of a window with very many episodes an even sample is written, when the window closes.

The first columns are what it earned, by role in a game of several, and how it ended; then where the episode
came from, then the game's own metrics. A file with other columns is moved aside to `.legacy`, so that
no row is ever read under the wrong heading.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ArrayError, Damaged, UnknownName
from .atomic import Lines, read_lines

LEARNING_COLUMNS = (
    "episode", "episode_id", "reward_mean", "reward_sum", "steps", "updates",
    "advantage_mean", "advantage_std", "policy_loss", "value_loss",
)  # fmt: skip
ROLE_COLUMNS = ("reward_sum", "reward_mean", "steps", "avg_distance")  # of each role of a game of several
END_COLUMNS = ("winner", "terminal_reason", "duration_sec")
UPDATE_METRICS = ("updates", "advantage_mean", "advantage_std", "policy_loss", "value_loss")
ORIGIN_COLUMNS = ("window_id", "world", "seed", "ticks", "invalid", "terminated", "truncated")

# What a game calls a sum → the column that holds it.
RENAMED = {
    "duration_s": "duration_sec",
    "reason": "terminal_reason",
    "decisions": "steps",
    "return": "reward_sum",
}


def match_columns(roles: Sequence[str]) -> tuple[str, ...]:
    """The first columns of every file."""
    distinct = tuple(dict.fromkeys(roles)) if len(set(roles)) > 1 else ()
    by_role = [f"{role}_{name}" for role in distinct for name in ROLE_COLUMNS]
    return (*LEARNING_COLUMNS, *by_role, *END_COLUMNS)


def role_update_columns(roles: Sequence[str]) -> tuple[str, ...]:
    """Columns for what each role learned; where there is one role, the plain columns are its own."""
    distinct = dict.fromkeys(roles)
    return (
        tuple(f"{role}_{name}" for role in distinct for name in UPDATE_METRICS) if len(distinct) > 1 else ()
    )


def update_columns(roles: Sequence[str], metrics: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The columns of the last update before an episode, from each learner's metrics by role.

    The plain columns are over all learners: the sum of their optimiser steps, the mean of the rest.
    """
    plain: dict[str, float] = {}
    learners = {id(own): own for own in metrics.values()}.values()  # roles that share a network count once
    for name in UPDATE_METRICS:
        values = [own[name] for own in learners if name in own]
        if values:
            plain[name] = sum(values) / (1 if name == "updates" else len(values))
    own = {f"{role}_{name}": value for role, some in metrics.items() for name, value in some.items()}
    return plain | {column: own[column] for column in role_update_columns(roles) if column in own}


def legacy_of(path: Path) -> Path:
    """Where a table with other columns is moved."""
    return path.with_name(path.name + ".legacy")


class EpisodeLog:
    """The growing table. metrics: the game's own columns; codes: words for columns of numbers.

    log.append({"winner": episodes.column("winner"), "seed": …, "window_id": 3}, count=len(episodes))
    """

    def __init__(
        self,
        path: Path,
        metrics: Sequence[str] = (),
        codes: Mapping[str, Sequence[str]] | None = None,
        roles: Sequence[str] = (),
    ):
        self._roles = tuple(dict.fromkeys(roles))
        self._renamed = RENAMED | {f"{role}_reward": f"{role}_reward_sum" for role in self._roles}
        self._renamed |= {f"{role}_distance": f"{role}_avg_distance" for role in self._roles}
        own = map(self._column, metrics)
        self.columns = tuple(dict.fromkeys([*match_columns(roles), *ORIGIN_COLUMNS, *own]))
        self._codes = {self._column(name): tuple(words) for name, words in (codes or {}).items()}
        header = ",".join(self.columns)
        _move_aside_if_other(path, header)
        self.lines = Lines(path)
        if self.lines.size == 0:
            self.lines.append(header)

    def _column(self, name: str) -> str:
        return self._renamed.get(name, name)

    def append(self, columns: Mapping[str, Any], count: int) -> None:
        """`count` episodes: each column an array of that length, or one for all; absent ones stay empty."""
        given = {self._column(name): _as_column(name, values, count) for name, values in columns.items()}
        for name in given:
            if name not in self.columns:
                raise UnknownName("episode column", name, self.columns)
        _derive(given, self._roles)
        for name, words in self._codes.items():
            if name in given:
                given[name] = np.array(words, object)[given[name].astype(int)]
        empty = [""] * count
        cells = [_cells(given[name]) if name in given else empty for name in self.columns]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(zip(*cells, strict=True))
        self.lines.append(*text.getvalue().splitlines())


Columns = dict[str, np.ndarray]


class EpisodeSample:
    """An even sample of each window's episodes: at most `size`, those with the smallest hash of their number.

    The hash knows nothing of an episode but its number, so short and long, early and late, won and lost ones
    are as likely to be in it; and it is the same however the episodes are handed over.
    """

    def __init__(self, size: int, seed: int):
        self.size, self.seed = size, seed
        self.windows: dict[int, Columns] = {}  # the episodes kept so far, in the order in which they ended

    def add(self, windows: np.ndarray, episodes: Mapping[str, np.ndarray]) -> None:
        """Episodes that ended: the window of each, and their columns, `episode` (its number) among them."""
        for window in np.unique(windows).tolist():
            mine = {name: column[windows == window] for name, column in episodes.items()}
            kept = self.windows.get(window)
            joined = mine if kept is None else _joined(kept, mine)
            hashes = seeding.split_many(self.seed, joined["episode"])
            chosen = np.sort(np.argsort(hashes, kind="stable")[: self.size])
            self.windows[window] = {name: column[chosen] for name, column in joined.items()}


def _joined(first: Columns, second: Columns) -> Columns:
    """One after the other. A library may report a metric with some updates only: the rest is nan."""

    def part(columns: Columns, name: str) -> np.ndarray:
        return columns[name] if name in columns else np.full(len(columns["episode"]), np.nan)

    return {name: np.concatenate([part(first, name), part(second, name)]) for name in {**first, **second}}


def read_episodes(path: Path) -> list[dict[str, str]]:
    """Every whole row by column name, as text; none when there is no file."""
    try:
        return list(csv.DictReader(read_lines(path)))
    except csv.Error as problem:
        raise Damaged(f"{path} cannot be read as a table of episodes ({problem}).") from None


def _derive(given: dict[str, np.ndarray], roles: Sequence[str]) -> None:
    """Means and counts that follow from the rest.

    Of several roles, `reward_sum` and `reward_mean` are the first one's: what opponents gain and lose adds up
    to little more than the length of their match.
    """
    if "steps" not in given:
        return
    steps = np.maximum(1, given["steps"])
    for role in roles:
        if f"{role}_reward_sum" in given:
            given.setdefault(f"{role}_reward_mean", given[f"{role}_reward_sum"] / steps)
            given.setdefault(f"{role}_steps", given["steps"])
    if roles and f"{roles[0]}_reward_sum" in given:
        given["reward_sum"] = given[f"{roles[0]}_reward_sum"]
    if "reward_sum" in given:
        given.setdefault("reward_mean", given["reward_sum"] / steps)


def _as_column(name: str, values: Any, count: int) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim == 0:
        return np.full(count, array[()])
    if array.shape != (count,):
        raise ArrayError(f"Column {name} has shape {array.shape}, expected one value or ({count},).")
    return array


def _cells(values: np.ndarray) -> list[Any]:
    """Whole numbers whole, others with seven digits: as many as a float32 has for people; nan is empty."""
    if values.dtype.kind == "f":
        return [_cell(value) for value in values.tolist()]
    return [int(v) if isinstance(v, bool) else v for v in values.tolist()]


def _cell(value: float) -> int | str:
    if math.isnan(value):
        return ""
    return int(value) if value.is_integer() and abs(value) < 1e15 else f"{value:.7g}"


def _move_aside_if_other(path: Path, header: str) -> None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found = file.readline()
    except FileNotFoundError:
        return
    # a header without its newline was cut off by a kill before any row: nothing to keep
    if found in ("", header + "\n") or not found.endswith("\n"):
        return
    target, number = legacy_of(path), 1
    while target.exists():
        number += 1
        target = legacy_of(path).with_suffix(f".legacy{number}")
    path.rename(target)
