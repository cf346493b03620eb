"""Evaluates a model of the guide into a report that gates read: one row per episode, each with its seed."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from ... import seeding
from ...errors import ConfigError, SpecMismatch
from ...evaluate.play import play
from ...evaluate.report_file import EvalReport, group_of, make_report, metrics_of, rows_of
from ...runs.run import sha256
from ...worlds import load_spec
from ...worlds.make import NATIVE
from . import models

MOST_EPISODES = 100_000


class Sb3Actor:
    """A Stable-Baselines3 model as whoever acts in a match, with its likeliest action."""

    def __init__(self, model: Any, spec: Any):
        from ...wrappers.sb3 import ActionColumns

        self.name = "Stable-Baselines3"
        self._model, self._columns = model, ActionColumns(spec)

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[np.ndarray, Any]:
        """Actions for these rows."""
        actions, _ = self._model.predict(np.asarray(observations), deterministic=True)
        return self._columns.of(actions), state


def evaluate(path: Path, episodes: int, engine: str = "") -> EvalReport:
    """Play so many episodes, on the seeds of `sandlot gate`: fewer of them are the first ones of more.

    engine: else the one in which the model was trained.
    """
    if not 1 <= episodes <= MOST_EPISODES:
        raise ConfigError(f"--episodes {episodes}: expected 1 to {MOST_EPISODES:,}.")
    saved = models.find(path)
    game, engine = saved.task.address(engine or saved.engine)
    spec, model = load_spec(game), models.load(saved, None, device="cpu")
    expected = model.observation_space.shape[0]
    if expected != spec.observation_size:
        raise SpecMismatch(
            f"{path} was trained on {expected} observations; {spec.game} has {spec.observation_size}. "
            "Train it again with this version."
        )
    role, started = spec.role_names[0], time.monotonic()
    seeds = seeding.held_out("gate", episodes)
    played = play(game, Sb3Actor(model, spec), seeds, engine=engine)
    metrics, seconds = metrics_of(spec, role), round(time.monotonic() - started, 3)
    group = group_of(metrics, role, None, path.stem, rows_of(spec, role, played, seeds))
    report = make_report(spec, engine, path.stem, [group], metrics, sha256(path.read_bytes()), seconds)
    # the scene, not where this checkout lies
    return report.model_copy(update={"scenario": saved.task.scene}) if engine != NATIVE else report
