"""What a step pays: eight terms. Subclass `RewardCalculator` for rewards of your own.

    class Fast(RewardCalculator):
        def calculate_reward(self, observation, action, next_observation, done, info):
            return super().calculate_reward(observation, action, next_observation, done, info) - 0.01

    train(config, reward_calculator=Fast(config))

Observations are raw: metres and m/s, before normalization. Comfort and smooth movement are bonuses that an
episode begins with and can only lose, so that neither standing still nor a long way pays more than arriving.
"""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from .config import STEPS_PER_SECOND, RLConfig
from .processing import slices

TERMS = (
    "goal_reached", "progress", "smooth_movement", "comfort", "collision", "fall", "timeout", "teleport"
)  # fmt: skip
ROUGH = 5.0  # m/s2 at which a step counts as rough in full; below, in proportion


class RewardCalculator:
    """The eight terms under the weights of `config.rewards`."""

    def __init__(self, config: RLConfig):
        self.config, self.weights = config, config.rewards
        where = slices(config.observations.num_ray_sensors)
        self._distance = where["goal_distance"].start
        self._velocity = where["camera_velocity"]
        # what one rough step takes of the bonus for smooth movement
        self._rough_step = self.weights.smooth_movement / config.environment.max_episode_steps

    def calculate_reward(
        self,
        observation: np.ndarray,
        action: np.ndarray,
        next_observation: np.ndarray,
        done: bool,
        info: Mapping[str, Any],
    ) -> float:
        """The reward of one step. info: goal_reached, collision, fell, timeout, teleported, comfort_loss."""
        return sum(self.terms(observation, action, next_observation, done, info).values())

    def terms(
        self,
        observation: np.ndarray,
        action: np.ndarray,
        next_observation: np.ndarray,
        done: bool,
        info: Mapping[str, Any],
    ) -> dict[str, float]:
        """What each term pays in this step."""
        w = self.weights
        nearer = float(observation[self._distance]) - float(next_observation[self._distance])
        pays = (
            w.goal_reached * bool(info.get("goal_reached")),
            w.progress * nearer,
            -self._rough_step * self.roughness(observation, next_observation),
            -float(info.get("comfort_loss", 0.0)),
            -abs(w.collision_penalty) * int(info.get("collision", 0)),
            -abs(w.fall_penalty) * bool(info.get("fell")),
            -abs(w.timeout_penalty) * bool(info.get("timeout")),
            -abs(w.teleport_penalty) * bool(info.get("teleported")),
        )
        return dict(zip(TERMS, pays, strict=True))

    def roughness(self, observation: np.ndarray, next_observation: np.ndarray) -> float:
        """0 for a constant velocity, 1 for a change of ROUGH m/s2 or more."""
        change = next_observation[self._velocity] - observation[self._velocity]
        return min(float(np.linalg.norm(change)) * STEPS_PER_SECOND / ROUGH, 1.0)


class ComfortBudget:
    """What discomfort takes of an episode's comfort bonus, as the native game counts it.

    For games that only say how comfortable a step was.
    """

    def __init__(self, config: RLConfig):
        self._bonus, self._rate = config.rewards.comfort_bonus, config.rewards.discomfort / STEPS_PER_SECOND
        self.reset()

    def reset(self) -> None:
        """An episode begins with the whole bonus."""
        self.left = self._bonus

    def lose(self, comfort_score: float, vignette: float) -> float:
        """What one step takes."""
        loss = min(((1.0 - comfort_score) + 0.3 * vignette) * self._rate, self.left)
        self.left -= loss
        return loss


def bounds(config: RLConfig) -> dict[str, tuple[float, float]]:
    """What each term can sum up to in an episode, lowest and highest; a test holds play to it."""
    w, e = config.rewards, config.environment
    # start up to 5 m from the centre, goal up to max_goal_distance, and a step cannot be longer than the
    # speed allows
    nearer, way = (
        e.max_goal_distance + 5.0 + 6.0,
        config.actions.max_movement_speed * e.max_episode_steps / STEPS_PER_SECOND,
    )
    lowest = (
        0.0, -w.progress * way, -w.smooth_movement, -w.comfort_bonus, -abs(w.collision_penalty) * 10,
        -abs(w.fall_penalty), -abs(w.timeout_penalty), -abs(w.teleport_penalty) * e.max_episode_steps,
    )  # fmt: skip
    highest = (w.goal_reached, w.progress * nearer, *itertools.repeat(0.0, 6))
    return dict(zip(TERMS, zip(lowest, highest, strict=True), strict=True))
