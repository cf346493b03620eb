"""Windows: training progress cut into equal numbers of env steps.

An env step is one `step()` of one world, however many ticks it lasts. A window closes when exactly
`window_env_steps` of them were counted over all worlds; the ticks are counted beside. An episode belongs to
the window that holds its last step. Time runs step by step, and within a step world by world.

Sums are added up one after the other in float64, never pairwise, so that one call with a thousand steps
gives the same bits as a thousand calls with one.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArrayError, ConfigError
from .records import WindowRow

# Names that the site and the briefs use for a metric's mean.
ALIASES = {
    "profit_mean": "net_profit_mean",
    "profit_median": "net_profit_median",
    "survival_rate": "survival_mean",
}


class Rate(NamedTuple):
    """The share of finished episodes whose column has that value, among those whose `where` is one of `among`."""

    column: str
    value: float
    where: str = ""  # none for all episodes
    among: tuple[float, ...] = ()


def rates_of(column: str, words: Sequence[str], name: str = "{}_rate") -> dict[str, Rate]:
    """A rate for each word that a column's numbers stand for: rates_of("ending", spec's labels of it)."""
    return {
        name.format(word): Rate(column, float(code))
        for code, word in enumerate(words)
        if word not in ("", "none")
    }


@dataclass(frozen=True)
class Finished:
    """Episodes that ended in a batch of steps, one entry each, in any order."""

    step: np.ndarray  # int [n] index into the batch's first axis
    world: np.ndarray  # int [n]
    terminated: np.ndarray  # bool [n]
    truncated: np.ndarray  # bool [n]
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)  # float [n] each, by metric

    @classmethod
    def none(cls) -> Finished:
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing.astype(bool), nothing.astype(bool))

    def __len__(self) -> int:
        return len(self.step)

    def in_order(self) -> Finished:
        order = np.lexsort((self.world, self.step))
        columns = {name: np.asarray(column)[order] for name, column in self.columns.items()}
        parts = (self.step, self.world, self.terminated, self.truncated)
        step, world, terminated, truncated = (np.asarray(part)[order] for part in parts)
        return Finished(step, world, terminated, truncated, columns)


@dataclass
class _Open:
    """The window in progress."""

    steps: int = 0
    learned: int = 0  # of those, where the first role that learns was played by its learner
    ticks: int = 0
    invalid: int = 0
    terminated: int = 0
    truncated: int = 0
    reward: float = 0.0
    episodes: int = 0  # that ended so far
    returns: list[list[float]] = field(default_factory=list)  # of those, by role; a learner's own only
    metrics: dict[str, list[float]] = field(default_factory=dict)


class WindowAggregator:
    """Steps in, closed windows out.

        windows = WindowAggregator("run", window_env_steps=2000, worlds=8, metrics=("net_profit", "survival"),
                                   rates={"stranded_rate": ("ending", 2)})
        for row in windows.record(ticks, rewards, invalid, finished): run.append_window(row)

    metrics: columns of `Finished` that get a `{metric}_mean` and `{metric}_median`.
    rates: name of a rate → Rate, or (column, value).
    roles: of a game with several. Rewards have one more axis then and are told by role, as
    `{role}_return_mean` and `{role}_return_median`, never as a sum of what opponents gain and lose; the plain
    `return_mean`, `reward_mean` and so on are those of the first role that learns.
    learners: bool [worlds, roles], where the one that learns plays that role; only its rewards count.
    """

    def __init__(
        self,
        run_id: str,
        window_env_steps: int,
        worlds: int,
        metrics: Sequence[str] = (),
        rates: Mapping[str, tuple[Any, ...]] | None = None,
        roles: Sequence[str] = (),
        learners: np.ndarray | None = None,
    ):
        if window_env_steps < 1 or worlds < 1:
            raise ConfigError(
                f"window_env_steps = {window_env_steps}, worlds = {worlds}: expected at least 1 of each."
            )
        self.run_id, self.window_env_steps, self.worlds = run_id, int(window_env_steps), int(worlds)
        self.metrics, self.rates = tuple(metrics), {name: _rate(*rate) for name, rate in (rates or {}).items()}
        self.roles = tuple(roles)
        shape = (self.worlds, max(1, len(self.roles)))
        self.learners = np.ones(shape, bool) if learners is None else np.array(learners, bool).reshape(shape)
        self.first = int(self.learners.any(axis=0).argmax())  # the first role that learns
        self.window_id = self.env_steps_total = self.ticks_total = self.episodes_total = 0
        named = [name for rate in self.rates.values() for name in (rate.column, rate.where) if name]
        self._columns = tuple(dict.fromkeys([*self.metrics, *named]))
        self._running = np.zeros(shape)  # return of each world's episode so far, by role
        self._open = self._fresh()

    # ------------------------------------------------------------ recording

    def record(
        self,
        ticks: np.ndarray,
        rewards: np.ndarray,
        invalid: np.ndarray | None = None,
        finished: Finished | None = None,
    ) -> list[WindowRow]:
        """Count a batch of steps; returns the windows that closed in it, oldest first.

        ticks int [T, worlds], rewards float [T, worlds] (or [T, worlds, roles]), invalid bool [T, worlds] or None.
        """
        ticks, rewards, invalid = self._checked(ticks, rewards, invalid)
        finished = (finished or Finished.none()).in_order()
        self._check_finished(finished, len(ticks))
        if not ticks.size:
            return []
        returns = self._returns_of(rewards, finished)
        learns = np.broadcast_to(self.learners[:, self.first], ticks.shape)
        own = np.where(learns, rewards[..., self.first], 0.0)
        flat = (ticks.reshape(-1), own.reshape(-1), learns.reshape(-1), invalid.reshape(-1))
        batch = _Batch(self.env_steps_total, *flat, finished.step * self.worlds + finished.world, returns, finished)
        self.env_steps_total += ticks.size
        return list(self._closed_by(batch))

    def window_of(self, step: np.ndarray, world: np.ndarray) -> np.ndarray:
        """The window of each (step, world) of the batch that will be recorded next."""
        return (self.env_steps_total + step * self.worlds + world) // self.window_env_steps

    def abandon(self, worlds: np.ndarray) -> None:
        """These worlds were given new episodes in mid-episode; what they had gathered is nobody's return."""
        self._running[worlds] = 0.0

    def partial(self) -> WindowRow | None:
        """The window in progress as a row marked incomplete, for the end of a run; None when empty."""
        return self._row(self._open, complete=False) if self._open.steps else None

    def _closed_by(self, batch: _Batch) -> Iterator[WindowRow]:
        """Count the batch window by window, as far as it reaches."""
        while True:
            low = self.window_id * self.window_env_steps
            high = low + self.window_env_steps
            self._add(batch.between(low, high))
            if self.env_steps_total < high:
                return
            yield self._row(self._open, complete=True)
            self.window_id += 1
            self._open = self._fresh()

    def _add(self, part: _Part) -> None:
        now = self._open
        now.steps += len(part.rewards)
        now.learned += part.learned
        now.ticks += part.ticks
        now.invalid += part.invalid
        now.reward = float(np.add.accumulate(np.concatenate(([now.reward], part.rewards)))[-1])
        now.terminated += int(part.terminated.sum())
        now.truncated += int(part.truncated.sum())
        now.episodes += len(part.returns)
        for i, returns in enumerate(now.returns):
            returns.extend(part.returns[self.learners[part.worlds, i], i].tolist())
        for name in self._columns:
            now.metrics[name].extend(part.columns[name].tolist() if len(part.returns) else ())
        self.ticks_total += part.ticks
        self.episodes_total += len(part.returns)

    def _returns_of(self, rewards: np.ndarray, finished: Finished) -> np.ndarray:
        """Returns of each finished episode, [episodes, roles]: an accumulator per world, set back at its ends."""
        returns = np.zeros((len(finished), self._running.shape[1]))
        bounds = np.searchsorted(finished.step, np.arange(len(rewards) + 1))
        for step, row in enumerate(rewards):
            self._running += row
            first, last = bounds[step], bounds[step + 1]
            if first < last:
                ended = finished.world[first:last]
                returns[first:last] = self._running[ended]
                self._running[ended] = 0.0
        return returns

    # ------------------------------------------------------------ rows

    def _fresh(self) -> _Open:
        returns: list[list[float]] = [[] for _ in range(self._running.shape[1])]
        return _Open(returns=returns, metrics={name: [] for name in self._columns})

    def _row(self, window: _Open, complete: bool) -> WindowRow:
        start = self.window_id * self.window_env_steps
        returns = window.returns[self.first]
        return WindowRow(
            run_id=self.run_id,
            window_id=self.window_id,
            window_complete=complete,
            env_steps_start=start,
            env_steps_end=start + window.steps,
            env_steps_in_window=window.steps,
            env_steps_total=start + window.steps,
            ticks_in_window=window.ticks,
            ticks_total=self.ticks_total,
            episodes_completed=window.episodes,
            episodes_total=self.episodes_total,
            terminated_episodes=window.terminated,
            truncated_episodes=window.truncated,
            reward_sum=window.reward,
            reward_mean=window.reward / max(1, window.learned),
            return_mean=_mean(returns) or 0.0,
            return_median=_median(returns),
            invalid_action_rate=window.invalid / window.steps,
            **self._returns_by_role(window),
            **self._outcomes(window),
        )

    def _returns_by_role(self, window: _Open) -> dict[str, Any]:
        out: dict[str, float | None] = {}
        for role, returns in zip(self.roles, window.returns, strict=False):
            out |= {f"{role}_return_mean": _mean(returns), f"{role}_return_median": _median(returns)}
        return out

    def _outcomes(self, window: _Open) -> dict[str, Any]:
        out: dict[str, float | None] = {}
        for name in self.metrics:
            values = window.metrics[name]
            out[f"{name}_mean"], out[f"{name}_median"] = _mean(values), _median(values)
        for name, rate in self.rates.items():
            hits = np.array(window.metrics[rate.column]) == rate.value
            if rate.where:
                hits = hits[np.isin(window.metrics[rate.where], rate.among)]
            out[name] = float(hits.mean()) if len(hits) else None
        return out | {alias: out[name] for alias, name in ALIASES.items() if name in out and alias not in out}

    # ------------------------------------------------------------ saving

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON, to the bit: kept by a commit point so that a resumed run continues exactly."""
        now = self._open
        return {
            "run_id": self.run_id,
            "window_env_steps": self.window_env_steps,
            "worlds": self.worlds,
            "metrics": list(self.metrics),
            "rates": {name: list(rate) for name, rate in self.rates.items()},
            "roles": list(self.roles),
            "learners": _to_text(self.learners.reshape(-1)),
            "window_id": self.window_id,
            "env_steps_total": self.env_steps_total,
            "ticks_total": self.ticks_total,
            "episodes_total": self.episodes_total,
            "running_returns": _to_text(self._running.reshape(-1)),
            "open": {
                "steps": now.steps,
                "learned": now.learned,
                "ticks": now.ticks,
                "invalid": now.invalid,
                "terminated": now.terminated,
                "truncated": now.truncated,
                "reward": now.reward.hex(),
                "episodes": now.episodes,
                "returns": [_to_text(returns) for returns in now.returns],
                "metrics": {name: _to_text(values) for name, values in now.metrics.items()},
            },
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> WindowAggregator:
        counted = (saved["run_id"], saved["window_env_steps"], saved["worlds"])
        learners = _from_text(saved["learners"]) > 0
        made = cls(*counted, saved["metrics"], saved["rates"], saved["roles"], learners)
        made.window_id, made.env_steps_total = saved["window_id"], saved["env_steps_total"]
        made.ticks_total, made.episodes_total = saved["ticks_total"], saved["episodes_total"]
        made._running = _from_text(saved["running_returns"]).reshape(made._running.shape)
        now = dict(saved["open"])
        now["reward"] = float.fromhex(now["reward"])
        now["returns"] = [_from_text(returns).tolist() for returns in now["returns"]]
        now["metrics"] = {name: _from_text(values).tolist() for name, values in now["metrics"].items()}
        made._open = _Open(**now)
        return made

    # ------------------------------------------------------------ checking

    def _checked(
        self, ticks: np.ndarray, rewards: np.ndarray, invalid: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ticks, rewards = np.asarray(ticks), np.asarray(rewards)
        rewards = rewards if self.roles else rewards[..., None]
        if ticks.ndim != 2 or ticks.shape[1] != self.worlds or ticks.dtype.kind not in "iu":
            raise ArrayError(
                f"ticks are {ticks.dtype} {ticks.shape}, expected whole numbers [steps, {self.worlds}]."
            )
        invalid = np.zeros(ticks.shape, bool) if invalid is None else np.asarray(invalid, bool)
        if rewards.shape != (*ticks.shape, self._running.shape[1]) or invalid.shape != ticks.shape:
            raise ArrayError(
                f"rewards {rewards.shape} and invalid {invalid.shape} must be shaped as ticks {ticks.shape}, "
                f"rewards with one more axis for roles ({', '.join(self.roles) or 'none'})."
            )
        if ticks.size and ticks.min() < 1:
            raise ArrayError("A step lasts at least one tick; ticks holds a smaller number.")
        if not np.isfinite(rewards).all():
            raise ArrayError(
                "rewards hold a number that is not finite; look for it in the game or its scene."
            )
        return ticks, rewards, invalid

    def _check_finished(self, finished: Finished, steps: int) -> None:
        for name in self._columns:
            if len(finished) and name not in finished.columns:
                raise ConfigError(
                    f"Finished episodes lack the column {name!r}; they have {', '.join(finished.columns)}."
                )
        outside = (
            (finished.step < 0)
            | (finished.step >= steps)
            | (finished.world < 0)
            | (finished.world >= self.worlds)
        )
        if outside.any():
            raise ArrayError(
                f"A finished episode lies outside this batch of {steps} steps and {self.worlds} worlds."
            )
        places = finished.step * self.worlds + finished.world
        if len(np.unique(places)) != len(places):
            raise ArrayError("Two episodes ended in one step of one world; each step can end one.")


# ---------------------------------------------------------------- cutting a batch into windows


@dataclass(frozen=True)
class _Part:
    """What a batch adds to one window."""

    ticks: int
    learned: int
    invalid: int
    rewards: np.ndarray  # float64, step by step
    returns: np.ndarray  # [episodes, roles] and the following: of the episodes whose last step lies here
    worlds: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    columns: dict[str, np.ndarray]


@dataclass(frozen=True)
class _Batch:
    """Recorded steps in time order, asked for one window at a time."""

    first: int  # env steps counted before the batch
    ticks: np.ndarray  # int [n]
    rewards: np.ndarray  # float [n] of the first role that learns
    learned: np.ndarray  # bool [n] where its learner played it
    invalid: np.ndarray  # bool [n]
    episode_places: np.ndarray  # int [episodes] the step of the batch with which each episode ended
    returns: np.ndarray  # float64 [episodes, roles]
    finished: Finished

    def between(self, low: int, high: int) -> _Part:
        """The env steps from low up to high."""
        low, high = max(0, low - self.first), max(0, high - self.first)
        episode = slice(*np.searchsorted(self.episode_places, (low, high)))
        return _Part(
            int(self.ticks[low:high].sum(dtype=np.int64)),
            int(self.learned[low:high].sum()),
            int(self.invalid[low:high].sum()),
            self.rewards[low:high].astype(np.float64),
            self.returns[episode],
            self.finished.world[episode],
            self.finished.terminated[episode],
            self.finished.truncated[episode],
            {name: column[episode] for name, column in self.finished.columns.items()},
        )


def _rate(column: str, value: float, where: str = "", among: Sequence[float] = ()) -> Rate:
    return Rate(column, value, where, tuple(among))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if len(values) else None


# ---------------------------------------------------------------- float64 as text, to the bit


def _to_text(values: Sequence[float] | np.ndarray) -> str:
    return base64.b64encode(np.asarray(values, "<f8").tobytes()).decode()


def _from_text(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f8").astype(np.float64)
