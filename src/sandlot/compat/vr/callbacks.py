"""What happens between the steps of a training: checkpoints, evaluations, stages, reloads.

`PerformanceMetricsCallback` and `SceneReloadCallback` are for anybody's Stable-Baselines3; the others belong
to `training`.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import safe_mean

from ...bridge.http_client import HttpClient
from ...train.adapters.callbacks import PerformanceMetricsCallback, PeriodicCallback, TotalTimestepsCallback
from . import models
from .config import RLConfig
from .evaluation import evaluate
from .monitor import TrainingMonitor, memory_mb
from .rewards import RewardCalculator

__all__ = ["PerformanceMetricsCallback", "SceneReloadCallback", "TotalTimestepsCallback"]

RELOAD_WAIT_S = 2.0
BEST = "best_mean_reward"  # attribute of a model


class SceneReloadCallback(PeriodicCallback):
    """Reloads the scene whenever a multiple of `reload_interval` steps is passed.

    client: of the game; by default the one at 127.0.0.1:8080. A reload that is refused or not answered ends
    the training with its sentence.
    """

    def __init__(
        self,
        reload_interval: int = 10_000,
        client: HttpClient | None = None,
        wait_s: float = RELOAD_WAIT_S,
        verbose: int = 0,
    ):
        super().__init__(reload_interval, verbose)
        self._client, self._wait_s = client or HttpClient(), wait_s
        self.reloads = 0

    def fire(self) -> bool:
        """Ask for it and wait until it is there."""
        self._client.reload_scene()
        time.sleep(self._wait_s)
        self.reloads += 1
        self.logger.record("scene/reloads", self.reloads)
        return True


class CheckpointCallback(PeriodicCallback):
    """Saves `vr_nav_model_<steps>_steps.zip`."""

    def __init__(self, config: RLConfig, folder: Path, monitor: TrainingMonitor):
        super().__init__(config.training.save_freq)
        self._config, self._folder, self._monitor = config, folder, monitor

    def fire(self) -> bool:
        """Save the model as it is."""
        path = self.save(self.model)
        self._monitor.line(f"checkpoint {path}")
        return True

    def save(self, model: Any) -> Path:
        """A checkpoint with the count of steps in its name."""
        return models.save(
            model, self._folder / f"vr_nav_model_{model.num_timesteps}_steps.zip", self._config
        )


class EvaluationCallback(PeriodicCallback):
    """Evaluates on held-out seeds, goals as far as ever, and keeps the model with the highest mean reward."""

    def __init__(
        self,
        config: RLConfig,
        best: Path,
        monitor: TrainingMonitor,
        rewards: RewardCalculator | None,
        best_reward: float | None,
        stop: Callable[[], bool],
    ):
        super().__init__(config.training.eval_freq)
        self._config, self._best, self._monitor, self._rewards, self._stop = (
            config,
            best,
            monitor,
            rewards,
            stop,
        )
        self.best_reward = best_reward

    def fire(self) -> bool:
        """Evaluate, log, and save what is better than before."""
        episodes = self._config.training.eval_episodes
        found = evaluate(self.model, self._config, episodes, "select", self._rewards, self._stop)
        if len(found.episodes) < episodes:  # stopped meanwhile
            return True
        reward, success = found.mean_reward, found.success_rate.value
        self.logger.record("eval/mean_reward", reward)
        self.logger.record("eval/success_rate", success)
        better = self.best_reward is None or reward > self.best_reward
        if better:
            self.best_reward = reward
            setattr(self.model, BEST, reward)  # saved with the model, for a resumed training
            models.save(self.model, self._best, self._config)
        note = f", the best so far: {self._best}" if better else ""
        self._monitor.line(
            f"evaluation at {self.num_timesteps:,} steps: mean reward {reward:.1f}, "
            f"success {success:.0%}{note}"
        )
        return True


class CurriculumCallback(BaseCallback):
    """Moves on to the next stage when the steps of this one are over."""

    def __init__(self, config: RLConfig, monitor: TrainingMonitor):
        super().__init__()
        self._stages, self._monitor = config.stages, monitor
        self.stage = self._stages[0].name
        self._now = -1

    def _on_training_start(self) -> None:
        self._enter(self._at(self.model.num_timesteps))

    def _on_step(self) -> bool:
        number = self._at(self.num_timesteps)
        if number != self._now:
            self._enter(number)
        return True

    def _at(self, timesteps: int) -> int:
        end = 0
        for number, stage in enumerate(self._stages):
            end += stage.timesteps
            if timesteps < end:
                return number
        return len(self._stages) - 1

    def _enter(self, number: int) -> None:
        self._now, stage = number, self._stages[number]
        self.stage = stage.name
        self.training_env.env_method("set_max_goal_distance", stage.max_goal_distance)
        if len(self._stages) > 1:
            self.logger.record("curriculum/stage", number)
            self._monitor.line(
                f"stage {stage.name}: goals up to {stage.max_goal_distance:g} m away, "
                f"from step {self.model.num_timesteps:,}"
            )


class MonitorCallback(BaseCallback):
    """A line per rollout, the scalars that Stable-Baselines3 leaves out, and whether to stop."""

    def __init__(self, monitor: TrainingMonitor, curriculum: CurriculumCallback, stop: Callable[[], bool]):
        super().__init__()
        self._monitor, self._curriculum, self._stop = monitor, curriculum, stop

    def _on_training_start(self) -> None:
        self._monitor.begin(self.model.num_timesteps)

    def _on_step(self) -> bool:
        return not self._stop()

    def _on_rollout_end(self) -> None:
        memory = memory_mb()
        if memory is not None:
            self.logger.record("performance/memory_mb", memory)
        episodes, successes = self.model.ep_info_buffer or (), self.model.ep_success_buffer or ()
        reward = safe_mean([episode["r"] for episode in episodes]) if episodes else None
        success = safe_mean(list(successes)) if successes else None
        self._monitor.rollout(self.num_timesteps, self._curriculum.stage, reward, success)
