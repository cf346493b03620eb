"""The metrics of a run as columns: windows, evaluations and episodes over env steps."""

import csv
import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Damaged
from ..runs import Run
from ..runs.episodes import read_episodes
from ..runs.evaluations import read_evaluations
from ..runs.records import WindowRow
from ..spec import Spec
from ..worlds import known_spec
from .role_styles import role_colours

X = "env_steps_total"  # the x axis of everything: steps, summed over worlds


class Table:
    """Rows of a file by column. Missing values and text are nan."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]):
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> np.ndarray:
        """Numbers, float64 [rows]."""
        return np.array([_number(row.get(name)) for row in self.rows], float)

    def strings(self, name: str) -> np.ndarray:
        """Text, object [rows]; empty where missing."""
        return np.array([str(row.get(name) or "") for row in self.rows], object)

    def has(self, *names: str) -> bool:
        """Whether each column holds at least one number."""
        return bool(self.rows) and all(np.isfinite(self.column(name)).any() for name in names)

    def names(self) -> list[str]:
        """Columns, in the order in which they first appear."""
        return list(dict.fromkeys(name for row in self.rows for name in row))


@dataclass(frozen=True)
class History:
    """The metrics of one run."""

    name: str
    game: str
    windows: Table
    evaluations: Table
    episodes: Table
    episode_steps: np.ndarray = field(repr=False)  # env steps at which each episode is drawn
    # label of each later curriculum stage, and the env steps where it began
    stage_changes: tuple[tuple[str, float], ...] = ()

    @functools.cached_property
    def spec(self) -> Spec | None:
        """What the game says about itself; None where this machine does not know it."""
        return known_spec(self.game)

    @functools.cached_property
    def colours(self) -> dict[str, str]:
        """Of the roles."""
        return role_colours(self.game, self.named_roles)

    @functools.cached_property
    def named_roles(self) -> tuple[str, ...]:
        """The roles of a game of several: as the game names them, else those that columns are named after."""
        if self.spec:
            return self.spec.role_names if len(self.spec.role_names) > 1 else ()
        names = [*self.windows.names(), *self.episodes.names()]
        ends = [(name, end) for name in names for end in ("_win_rate", "_reward_sum") if name.endswith(end)]
        return tuple(dict.fromkeys(name.removesuffix(end) for name, end in ends))

    @functools.cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles that learned; none for a game of one role."""
        rated = (name.removesuffix("_win_rate") for name in self.windows.names())
        won = {*self.episodes.strings("winner"), *rated}
        return tuple(role for role in self.named_roles if role in won)

    @property
    def match_roles(self) -> tuple[str, ...]:
        """All roles of a match, also one that never won; none for a game of one role."""
        return self.named_roles if self.roles else ()

    def learner_episodes(self, role: str) -> np.ndarray:
        """Which episodes the learner of a role played, bool; all if the file does not say."""
        column = f"{role}_opponent"
        known = column in self.episodes.names()
        return self.episodes.strings(column) != "" if known else np.ones(len(self.episodes), bool)

    def settled_windows(self) -> Table:
        """Windows without the first of each curriculum stage, where all matches began together and only the
        short ones are over by its end. All windows if there are no others."""
        stages = np.nan_to_num(self.windows.column("stage"), nan=-1.0)
        old = np.concatenate([[np.nan][: len(stages)], stages[:-1]])
        settled = [row for row, new in zip(self.windows.rows, stages != old, strict=True) if not new]
        return Table(settled) if settled else self.windows

    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not (len(self.windows) or len(self.episodes))


def run_history(run: Run) -> History:
    """The history of a run, up to its last closed window."""
    record, windows = run.record, run.windows()
    closed = len(windows)
    played = read_episodes(run.paths.episodes)
    episodes = Table(_shuffled([row for row in played if _number(row.get("window_id")) < closed]))
    return History(
        run.run_id,
        record.game,
        Table([row.to_json() for row in windows]),
        Table(read_evaluations(run.paths.evaluations)),
        episodes,
        _places(episodes, windows),
        _stage_changes(windows, run.config),
    )


def csv_history(path: Path) -> History:
    """Episodes alone, from a file with the columns of episodes.csv; without steps, x counts episodes."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            episodes = Table(list(csv.DictReader(file)))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        text = f"{path} cannot be read as a table of episodes ({problem}). Give a CSV file with a header."
        raise Damaged(text) from None
    lengths = episodes.column("steps")
    steps = np.cumsum(np.where(np.isfinite(lengths), lengths, 1.0))
    nothing = Table([])
    return History(path.stem, "", nothing, nothing, episodes, steps)


class EvaluationFollower:
    """New evaluations of a file that another process writes. seen: rows to leave out."""

    def __init__(self, path: Path, seen: Iterable[Mapping[str, Any]] = ()):
        self._path, self._seen, self._size = path, {_identity(row) for row in seen}, -1

    def new(self) -> list[dict[str, Any]]:
        """Rows that are new since the last call. Only the file's size is read if it has not grown."""
        size = self._path.stat().st_size if self._path.exists() else 0
        if size == self._size:
            return []
        self._size = size
        found = [row for row in read_evaluations(self._path) if _identity(row) not in self._seen]
        self._seen |= {_identity(row) for row in found}
        return found


def _identity(row: Mapping[str, Any]) -> tuple[int, str]:
    """The checkpoint of an evaluation: a window that was continued after a resume has another one."""
    return row["window_id"], row.get("checkpoint_sha256", "")


def moving_average(values: np.ndarray, width: int) -> np.ndarray:
    """The mean of the numbers among the last `width` values; nan before the first number."""
    good = np.isfinite(values)
    sums, counts = np.cumsum(np.where(good, values, 0.0)), np.cumsum(good)
    sums[width:], counts[width:] = sums[width:] - sums[:-width], counts[width:] - counts[:-width]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, np.nan)


def _shuffled(episodes: list[dict[str, str]]) -> list[dict[str, str]]:
    """Episodes in a random order within their window. Worlds that began together end in waves, short episodes
    first: in the order of their ends a curve would swing with each of them."""
    order = np.random.default_rng(0).permutation(len(episodes))
    mixed = [episodes[i] for i in order]
    return sorted(mixed, key=lambda row: _number(row.get("window_id")))


def _stage_changes(windows: Sequence[WindowRow], config: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """Label and start of each later curriculum stage: `2: the arena (arena_half 10 to 14)`."""
    stages, settings = config.get("curriculum") or [], config.get("settings") or {}
    marks = []
    for before, row in itertools.pairwise(windows):
        old, new = before.metrics.get("stage"), row.metrics.get("stage")
        if old == new or not isinstance(new, int) or not isinstance(old, int) or new >= len(stages):
            continue
        then, now = ({**settings, **(stages[stage].get("settings") or {})} for stage in (old, new))
        changed = [
            f"{name} {_value(then.get(name))} to {_value(now.get(name))}"
            for name in {**then, **now}
            if then.get(name) != now.get(name)
        ]
        detail = f" ({', '.join(changed[:2])}{', …' if len(changed) > 2 else ''})" if changed else ""
        marks.append((f"{new + 1}: {stages[new].get('name', '')}{detail}", float(row.env_steps_start)))
    return tuple(marks)


def _value(value: Any) -> str:
    return "default" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _places(episodes: Table, rows: Sequence[WindowRow]) -> np.ndarray:
    """Episodes spread evenly over the window of their last step; the file has only the window."""
    windows = episodes.column("window_id")
    places = np.zeros(len(windows))
    for row in rows:
        mine = np.flatnonzero(windows == row.window_id)
        share = (np.arange(len(mine)) + 0.5) / max(1, len(mine))
        places[mine] = row.env_steps_start + share * row.env_steps_in_window
    return places


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")
