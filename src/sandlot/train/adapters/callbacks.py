"""Callbacks for plain Stable-Baselines3: `PPO(...).learn(n, callback=[...])`.

An interval fires when a multiple of it is *passed*: with several environments the step count jumps and may
never equal an exact multiple.
"""

from collections.abc import Sequence

from ...errors import ConfigError, MissingExtra

try:
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import TensorBoardOutputFormat
except ImportError:
    raise MissingExtra("Callbacks of Stable-Baselines3", "stable-baselines3", "sb3") from None

# Entries of `info["performance"]`, each a share of its budget: 11.11 ms, 11.11 ms, 512 chunks.
PERFORMANCE_TAGS = (
    "performance/physics_frame_time_ratio",
    "performance/render_frame_time_ratio",
    "performance/chunk_count_ratio",
)


class PeriodicCallback(BaseCallback):
    """Calls `fire` whenever the count of steps passes a multiple of `interval`."""

    def __init__(self, interval: int, verbose: int = 0):
        super().__init__(verbose)
        if interval < 1:
            raise ConfigError(f"An interval of {interval} steps: expected at least 1.")
        self.interval = interval
        self._passed = 0  # multiples

    def _on_training_start(self) -> None:
        self._passed = self.model.num_timesteps // self.interval  # of a resumed training: not 0

    def _on_step(self) -> bool:
        passed = self.num_timesteps // self.interval
        if passed > self._passed:
            self._passed = passed
            return self.fire()
        return True

    def fire(self) -> bool:
        """The action at each interval; False ends the training."""
        raise NotImplementedError


class PerformanceMetricsCallback(BaseCallback):
    """Logs the performance triple that infos carry: `info["performance"]`, as in `PERFORMANCE_TAGS`.

    A logged value is the mean over the steps and environments of a rollout; `…_max` is the largest.
    """

    def __init__(self, key: str = "performance", verbose: int = 0):
        super().__init__(verbose)
        self._key = key
        self._largest: dict[str, float] = {}

    def _on_step(self) -> bool:
        for info in self.locals.get("infos", ()):
            if (values := info.get(self._key)) is not None:
                self._record(values)
        return True

    def _record(self, values: Sequence[float]) -> None:
        for tag, value in zip(PERFORMANCE_TAGS, values, strict=True):
            self.logger.record_mean(tag, float(value))
            self._largest[tag] = max(float(value), self._largest.get(tag, 0.0))

    def _on_rollout_end(self) -> None:
        for tag, value in self._largest.items():
            self.logger.record(f"{tag}_max", value)
        self._largest = {}


class TotalTimestepsCallback(BaseCallback):
    """Writes `time/total_timesteps` to TensorBoard, which Stable-Baselines3 only prints."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        for output in self.logger.output_formats:
            if isinstance(output, TensorBoardOutputFormat):
                output.writer.add_scalar("time/total_timesteps", self.num_timesteps, self.num_timesteps)
