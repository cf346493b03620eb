"""Windows: training progress cut into equal numbers of env steps.

An env step is one `step()` of one world, however many ticks it lasts. A window closes when exactly
`window_env_steps` of them were counted over all worlds; the ticks are counted beside. An episode belongs to
the window that holds its last step. Time runs step by step, and within a step world by world.

Sums are added up one after the other in float64, never pairwise, so that one call with a thousand steps
gives the same bits as a thousand calls with one.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArrayError, ConfigError
from .records import WindowRow


class Rate(NamedTuple):
    """The share of finished episodes whose `column` has that value.

    where, among: only of episodes whose column `where` has one of the values `among`.
    """

    column: str
    value: float
    where: str = ""  # none for all episodes
    among: tuple[float, ...] = ()


def rates_of(column: str, labels: Sequence[str], name: str = "{}_rate") -> dict[str, Rate]:
    """One rate per label of a column: rates_of("ending", labels)."""
    known = [(code, label) for code, label in enumerate(labels) if label not in ("", "none")]
    return {name.format(label): Rate(column, float(code)) for code, label in known}


class StepRecord(NamedTuple):
    """What windows count of a batch of steps."""

    ticks: np.ndarray  # int32 [steps, worlds]
    rewards: np.ndarray  # float32 [steps, worlds, roles]
    invalid: np.ndarray  # bool [steps, worlds]: an agent chose an invalid action

    def map(self, change: Callable[[np.ndarray], np.ndarray]) -> "StepRecord":
        """The same change made to every array."""
        return StepRecord(*map(change, self))

    @staticmethod
    def join(parts: Iterable["StepRecord"], how: Callable[..., np.ndarray], **options: Any) -> "StepRecord":
        """Several records as one: how(arrays, **options), such as np.concatenate, array by array."""
        return StepRecord(*(how(arrays, **options) for arrays in zip(*parts, strict=True)))


@dataclass(frozen=True)
class Finished:
    """Episodes that ended in a batch of steps, one entry each, in any order."""

    step: np.ndarray  # int [n] index into the batch's first axis
    world: np.ndarray  # int [n]
    terminated: np.ndarray  # bool [n]
    truncated: np.ndarray  # bool [n]
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)  # float [n] each, by metric

    @classmethod
    def none(cls) -> "Finished":
        """No episode."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing.astype(bool), nothing.astype(bool))

    def __len__(self) -> int:
        return len(self.step)

    def __getitem__(self, index: Any) -> "Finished":
        columns = {name: np.asarray(column)[index] for name, column in self.columns.items()}
        parts = (self.step, self.world, self.terminated, self.truncated)
        step, world, terminated, truncated = (np.asarray(part)[index] for part in parts)
        return Finished(step, world, terminated, truncated, columns)

    def in_order(self) -> "Finished":
        """Sorted by step, then by world."""
        return self[np.lexsort((self.world, self.step))]


@dataclass
class _Open:
    """The window in progress."""

    steps: int = 0
    learned: int = 0  # of those, steps in which the first learning role was played by its learner
    ticks: int = 0
    invalid: int = 0
    terminated: int = 0
    truncated: int = 0
    reward: float = 0.0
    episodes: int = 0  # that ended so far
    returns: list[list[float]] = field(default_factory=list)  # of those, by role; a learner's own only
    metrics: dict[str, list[float]] = field(default_factory=dict)


class WindowAggregator:
    """Counts steps and returns closed windows.

        windows = WindowAggregator("run", window_env_steps=2000, worlds=8, metrics=("net_profit", "survival"),
                                   rates={"stranded_rate": ("ending", 2)})
        for row in windows.record(ticks, rewards, invalid, finished): run.append_window(row)

    metrics: columns of `Finished` that get a `{metric}_mean` and `{metric}_median`.
    rates: name of a rate → Rate, or (column, value).
    roles: of a game with several. Rewards have one more axis then and are reported by role, as
    `{role}_return_mean` and `{role}_return_median`, never as a sum of what opponents gain and lose; the plain
    `return_mean`, `reward_mean` and so on are those of the first role that learns.
    aliases: other names of metrics, under which their means and medians are reported too.
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
        aliases: Mapping[str, str] | None = None,
    ):
        if window_env_steps < 1 or worlds < 1:
            given = f"window_env_steps = {window_env_steps}, worlds = {worlds}"
            raise ConfigError(f"{given}: expected at least 1 of each.")
        self.run_id, self.window_env_steps, self.worlds = run_id, int(window_env_steps), int(worlds)
        self.metrics, self.aliases = tuple(metrics), dict(aliases or {})
        self.rates = {name: Rate(*rate) for name, rate in (rates or {}).items()}
        self.roles = tuple(roles)
        shape = (self.worlds, max(1, len(self.roles)))
        self.learners = np.ones(shape, bool) if learners is None else np.array(learners, bool).reshape(shape)
        self.first = int(self.learners.any(axis=0).argmax())  # the first role that learns
        self.window_id = self.env_steps_total = self.ticks_total = self.episodes_total = 0
        named = [name for rate in self.rates.values() for name in (rate.column, rate.where) if name]
        self.columns = tuple(dict.fromkeys([*self.metrics, *named]))
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

        ticks int [T, worlds], rewards float [T, worlds] or [T, worlds, roles], invalid bool [T, worlds].
        """
        ticks, rewards, invalid = self._checked(ticks, rewards, invalid)
        finished = (finished or Finished.none()).in_order()
        places = self._check_finished(finished, len(ticks))
        returns = self._returns_of(rewards, finished)
        learns = np.broadcast_to(self.learners[:, self.first], ticks.shape).reshape(-1)
        own = np.where(learns, rewards[..., self.first].reshape(-1), 0.0)
        flat_ticks, flat_invalid = ticks.reshape(-1), invalid.reshape(-1)
        self.env_steps_total += ticks.size
        closed, start = [], 0
        while start < ticks.size:
            end = min(ticks.size, start + self.window_env_steps - self._open.steps)
            steps, episodes = slice(start, end), slice(*np.searchsorted(places, (start, end)))
            self._add_steps(flat_ticks[steps], own[steps], learns[steps], flat_invalid[steps])
            self._add_episodes(finished[episodes], returns[episodes])
            if self._open.steps == self.window_env_steps:
                closed.append(self._row(self._open, complete=True))
                self.window_id += 1
                self._open = self._fresh()
            start = end
        return closed

    def window_of(self, step: np.ndarray, world: np.ndarray) -> np.ndarray:
        """The window of each (step, world) of the batch that will be recorded next."""
        return (self.env_steps_total + step * self.worlds + world) // self.window_env_steps

    def abandon(self, worlds: np.ndarray) -> None:
        """These worlds were reset within an episode: drop the returns they had accumulated."""
        self._running[worlds] = 0.0

    def partial(self) -> WindowRow | None:
        """The window in progress as an incomplete row, for the end of a run; None if it is empty."""
        return self._row(self._open, complete=False) if self._open.steps else None

    def _add_steps(
        self, ticks: np.ndarray, rewards: np.ndarray, learned: np.ndarray, invalid: np.ndarray
    ) -> None:
        """Count steps of the window in progress, [steps] each."""
        now = self._open
        now.steps += len(ticks)
        now.learned += int(learned.sum())
        now.ticks += int(ticks.sum(dtype=np.int64))
        now.invalid += int(invalid.sum())
        now.reward = float(np.add.accumulate(np.concatenate(([now.reward], rewards)))[-1])
        self.ticks_total += int(ticks.sum(dtype=np.int64))

    def _add_episodes(self, ended: Finished, returns: np.ndarray) -> None:
        """Count episodes of the window in progress, with their returns [episodes, roles]."""
        now = self._open
        now.terminated += int(ended.terminated.sum())
        now.truncated += int(ended.truncated.sum())
        now.episodes += len(ended)
        for i, kept in enumerate(now.returns):
            kept.extend(returns[self.learners[ended.world, i], i].tolist())
        for name in self.columns if len(ended) else ():
            now.metrics[name].extend(ended.columns[name].tolist())
        self.episodes_total += len(ended)

    def _returns_of(self, rewards: np.ndarray, finished: Finished) -> np.ndarray:
        """Returns of each finished episode, [episodes, roles]; each world's sum begins anew after an end."""
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
        return _Open(returns=returns, metrics={name: [] for name in self.columns})

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
            return_mean=float(np.mean(returns)) if returns else 0.0,
            return_median=float(np.median(returns)) if returns else None,
            invalid_action_rate=window.invalid / window.steps,
            **self._outcomes(window),
        )

    def _outcomes(self, window: _Open) -> dict[str, Any]:
        """Returns by role, the game's metrics and the rates."""
        out: dict[str, float | None] = {}
        returns = zip((f"{role}_return" for role in self.roles), window.returns, strict=False)
        for name, values in (*returns, *((name, window.metrics[name]) for name in self.metrics)):
            out[f"{name}_mean"] = float(np.mean(values)) if values else None
            out[f"{name}_median"] = float(np.median(values)) if values else None
        for name, rate in self.rates.items():
            hits = np.array(window.metrics[rate.column]) == rate.value
            if rate.where:
                hits = hits[np.isin(window.metrics[rate.where], rate.among)]
            out[name] = float(hits.mean()) if len(hits) else None
        for name, alias in self.aliases.items():
            out |= {
                f"{alias}_{of}": out[f"{name}_{of}"] for of in ("mean", "median") if f"{name}_{of}" in out
            }
        return out

    # ------------------------------------------------------------ saving

    def to_dict(self) -> dict[str, Any]:
        """The exact state as JSON, for a commit point."""
        now = self._open
        return {
            "run_id": self.run_id,
            "window_env_steps": self.window_env_steps,
            "worlds": self.worlds,
            "metrics": list(self.metrics),
            "aliases": self.aliases,
            "rates": {name: list(rate) for name, rate in self.rates.items()},
            "roles": list(self.roles),
            "learners": _to_text(self.learners.reshape(-1)),
            "window_id": self.window_id,
            "env_steps_total": self.env_steps_total,
            "ticks_total": self.ticks_total,
            "episodes_total": self.episodes_total,
            "running_returns": _to_text(self._running.reshape(-1)),
            "open": vars(now)
            | {
                "reward": now.reward.hex(),
                "returns": [_to_text(returns) for returns in now.returns],
                "metrics": {name: _to_text(values) for name, values in now.metrics.items()},
            },
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "WindowAggregator":
        """The aggregator that `to_dict` saved."""
        counted = (saved["run_id"], saved["window_env_steps"], saved["worlds"])
        learners = _from_text(saved["learners"]) > 0
        rates = {n: Rate(c, v, where, tuple(among)) for n, (c, v, where, among) in saved["rates"].items()}
        made = cls(*counted, saved["metrics"], rates, saved["roles"], learners, saved.get("aliases"))
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
            found = f"{ticks.dtype} {ticks.shape}"
            raise ArrayError(f"ticks are {found}, expected whole numbers [steps, {self.worlds}].")
        invalid = np.zeros(ticks.shape, bool) if invalid is None else np.asarray(invalid, bool)
        if rewards.shape != (*ticks.shape, self._running.shape[1]) or invalid.shape != ticks.shape:
            raise ArrayError(
                f"rewards {rewards.shape} and invalid {invalid.shape} must be shaped as ticks {ticks.shape}, "
                f"rewards with one more axis for roles ({', '.join(self.roles) or 'none'})."
            )
        if ticks.size and ticks.min() < 1:
            raise ArrayError("A step lasts at least one tick; ticks holds a smaller number.")
        if not np.isfinite(rewards).all():
            raise ArrayError("rewards hold a number that is not finite; look for it in the game.")
        return ticks, rewards, invalid

    def _check_finished(self, finished: Finished, steps: int) -> np.ndarray:
        """The place of each episode's last step in the batch, counted world by world."""
        for name in self.columns:
            if len(finished) and name not in finished.columns:
                found = ", ".join(finished.columns)
                raise ConfigError(f"Finished episodes lack the column {name!r}; they have {found}.")
        step, world = finished.step, finished.world
        outside = (step < 0) | (step >= steps) | (world < 0) | (world >= self.worlds)
        if outside.any():
            batch = f"{steps} steps and {self.worlds} worlds"
            raise ArrayError(f"A finished episode lies outside this batch of {batch}.")
        places = step * self.worlds + world
        if len(np.unique(places)) != len(places):
            raise ArrayError("Two episodes ended in one step of one world; each step can end one.")
        return places


# ---------------------------------------------------------------- float64 as text, to the bit


def _to_text(values: Sequence[float] | np.ndarray) -> str:
    return base64.b64encode(np.asarray(values, "<f8").tobytes()).decode()


def _from_text(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f8").astype(np.float64)
