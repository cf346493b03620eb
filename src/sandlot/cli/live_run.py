"""The run folder of the live server, written from the matches that games report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge.matches import MatchResult
from ..runs.episodes import role_update_columns, update_columns
from ..runs.run import Run
from ..runs.store import Store
from ..runs.windows import Finished, WindowAggregator, rates_of
from ..spec import Spec
from ..version import __version__

WINDOW_ENV_STEPS = 7_000  # about fifty matches


class LiveRun:
    """The run of one session of the live server."""

    def __init__(self, root: Path, spec: Spec, config: Mapping[str, Any], seed: int):
        self.spec, self.roles = spec, list(dict.fromkeys(spec.roles))
        by_role = [f"{role}_{name}" for name in ("reward", "distance") for role in self.roles]
        self.metrics = ("steps", "duration_s", *by_role)
        self.winners = ("none", *self.roles)
        codes = (field.labels for field in spec.episode if field.kind == "code")
        self.reasons = next(codes, ("none",))
        self.run: Run = Store(root).create(
            dict(config),
            game=spec.game,
            trainer_backend="stream",
            seed=seed,
            window_env_steps=WINDOW_ENV_STEPS,
            info_metric_keys=list(self.metrics),
            versions={"sandlot": __version__},
            spec_hash=spec.hash,
            trainer_info={"engine": "streamed", "worlds": 1},
        )
        rates = rates_of("winner", self.winners, "{}_win_rate")
        about = (self.run.run_id, WINDOW_ENV_STEPS, 1)
        self.windows = WindowAggregator(*about, self.metrics, rates, self.roles)
        columns = (*self.metrics, "winner", "reason", *role_update_columns(self.roles))
        codes_by_name = {"winner": self.winners, "reason": self.reasons}
        self.log = self.run.episode_log(columns, codes_by_name, self.roles)

    def keep(self, matches: list[MatchResult], metrics: Mapping[str, Mapping[str, float]]) -> list[int]:
        """One row per match; returns the windows that closed with them."""
        closed = []
        for match in matches:
            row = self._row(match)
            number = self.windows.episodes_total
            origin = {"episode": number, "episode_id": number, "window_id": self.windows.window_id}
            columns = row | update_columns(self.roles, metrics) | origin
            self.log.append({name: [value] for name, value in columns.items()}, 1)
            closed += self._count(match, row, metrics)
        return closed

    def _row(self, match: MatchResult) -> dict[str, float]:
        ticks = int(self.spec.config.get("ticks_per_step", 1))
        seconds = match.duration_s or match.steps * ticks / float(self.spec.config.get("tick_rate", 60))
        row = {"steps": float(match.steps), "duration_s": seconds}
        for role in self.roles:
            row[f"{role}_reward"] = match.rewards.get(role, 0.0)
            row[f"{role}_distance"] = match.distances.get(role, 0.0)
        for name, label, labels in (
            ("winner", match.winner, self.winners),
            ("reason", match.reason, self.reasons),
        ):
            row[name] = float(labels.index(label) if label in labels else 0)
        return row

    def _count(self, match: MatchResult, row: Mapping[str, float], metrics: Mapping[str, Any]) -> list[int]:
        steps = max(1, match.steps)
        ticks = np.full((steps, 1), int(self.spec.config.get("ticks_per_step", 1)), np.int32)
        reward = np.array([row[f"{role}_reward"] for role in self.roles], np.float32)
        rewards = np.broadcast_to(reward / steps, (steps, 1, len(self.roles)))
        columns = {name: np.array([row[name]]) for name in (*self.metrics, "winner")}
        last, world = np.array([steps - 1]), np.array([0])
        ends = Finished(last, world, np.array([not match.truncated]), np.array([match.truncated]), columns)
        rows = self.windows.record(ticks, rewards, None, ends)
        flat = {f"{role}_{name}": value for role, some in metrics.items() for name, value in some.items()}
        if rows:
            self.run.append_windows([one.with_metrics(**flat) for one in rows])
        return [one.window_id for one in rows]

    def commit(self, window: int, checkpoint: bytes, policies: Mapping[str, bytes]) -> None:
        """Write a window with its checkpoint."""
        record = {name: getattr(self.windows, name) for name in ("env_steps_total", "episodes_total")}
        self.run.commit(window, checkpoint, record=record, policies=policies)

    def close(self, status: Any, why: str | None = None) -> None:
        """The end of a session; one in which nothing was played leaves no run behind."""
        if self.run.is_empty():
            self.run.discard()
            return
        self.run.finish(status, why)
        self.run.close()
