"""What the live server leaves behind: a run folder like any other, fed by the matches that games report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge.matches import REASONS, ROLES, Match
from ..games import Spec
from ..runs.episodes import learned, learned_columns
from ..runs.run import Run
from ..runs.store import Store
from ..runs.windows import Finished, WindowAggregator, rates_of
from ..version import __version__

WINDOW_ENV_STEPS = 7_000  # about fifty matches
METRICS = ("steps", "duration_s", "seeker_reward", "hider_reward", "seeker_distance", "hider_distance")
WINNERS = ("none", *ROLES)
Weights = Callable[[], dict[str, bytes]]


class LiveRun:
    """One sitting of the live server. weights: checkpoint and policies as bytes; none for a fixed player."""

    def __init__(self, root: Path, spec: Spec, config: Mapping[str, Any], seed: int):
        self.spec = spec
        self.run: Run = Store(root).create(
            dict(config),
            game=spec.game,
            trainer_backend="stream",
            seed=seed,
            window_env_steps=WINDOW_ENV_STEPS,
            info_metric_keys=list(METRICS),
            versions={"sandlot": __version__},
            spec_hash=spec.hash,
            facts={"engine": "streamed", "worlds": 1},
        )
        rates = rates_of("winner", WINNERS, "{}_win_rate")
        self.windows = WindowAggregator(self.run.run_id, WINDOW_ENV_STEPS, 1, METRICS, rates, ROLES)
        columns = (*METRICS, "winner", "reason", *learned_columns(ROLES))
        self.log = self.run.episode_log(columns, {"winner": WINNERS, "reason": REASONS})

    def keep(self, matches: list[Match], figures: Mapping[str, Mapping[str, float]]) -> list[int]:
        """One row a match; returns the windows that closed with them."""
        closed = []
        for match in matches:
            row = self._row(match)
            number = self.windows.episodes_total
            origin = {"episode": number, "episode_id": number, "window_id": self.windows.window_id}
            self.log.append(
                {name: [value] for name, value in (row | learned(ROLES, figures) | origin).items()}, 1
            )
            closed += self._count(match, row, figures)
        return closed

    def _row(self, match: Match) -> dict[str, float]:
        ticks = int(self.spec.config.get("ticks_per_step", 1))
        seconds = match.duration_s or match.steps * ticks / float(self.spec.config.get("tick_rate", 60))
        row = {"steps": float(match.steps), "duration_s": seconds}
        for role in ROLES:
            row[f"{role}_reward"] = match.rewards.get(role, 0.0)
            row[f"{role}_distance"] = match.distances.get(role, 0.0)
        row["winner"] = float(WINNERS.index(match.winner) if match.winner in WINNERS else 0)
        row["reason"] = float(REASONS.index(match.reason) if match.reason in REASONS else 0)
        return row

    def _count(self, match: Match, row: Mapping[str, float], figures: Mapping[str, Any]) -> list[int]:
        steps = max(1, match.steps)
        ticks = np.full((steps, 1), int(self.spec.config.get("ticks_per_step", 1)), np.int32)
        reward = np.array([row[f"{role}_reward"] for role in ROLES], np.float32)
        rewards = np.broadcast_to(reward / steps, (steps, 1, len(ROLES)))
        columns = {name: np.array([row[name]]) for name in (*METRICS, "winner")}
        end = (
            np.array([steps - 1]),
            np.array([0]),
            np.array([not match.truncated]),
            np.array([match.truncated]),
        )
        rows = self.windows.record(ticks, rewards, None, Finished(*end, columns))
        told = {f"{role}_{name}": value for role, some in figures.items() for name, value in some.items()}
        if rows:
            self.run.append_windows([one.with_figures(**told) for one in rows])
        return [one.window_id for one in rows]

    def commit(self, window: int, checkpoint: bytes, policies: Mapping[str, bytes]) -> None:
        record = {
            "env_steps_total": self.windows.env_steps_total,
            "episodes_total": self.windows.episodes_total,
        }
        self.run.commit(window, checkpoint, record=record, policies=policies)

    def close(self, status: Any, why: str | None = None) -> None:
        """The end of a sitting; one in which nothing was played leaves no run behind."""
        if self.run.is_empty():
            self.run.discard()
            return
        self.run.finish(status, why)
        self.run.close()
