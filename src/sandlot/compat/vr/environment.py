"""VR navigation as one Gymnasium environment, over the native game or over a game behind HTTP.

A simulation plays raw observations and says what happened; the environment normalizes, draws the task, and
pays what the reward calculator says.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import gymnasium
import numpy as np

from ... import seeding
from ...bridge.http_client import HttpClient
from ...errors import BadMessage, ConfigError
from ...worlds import NativeWorld
from .config import GAME, STEPS_PER_SECOND, RLConfig
from .monitor import PerformanceMetrics
from .processing import ACTIONS, ActionPostProcessor, ObservationProcessor
from .rewards import ComfortBudget, RewardCalculator

FRAME_MS = 1000 / 90  # the budget of a physics frame at 90 Hz
TELEPORT = 1.5  # times the way that the speed limit allows in a step: an excessive one
METRICS_EVERY = 90  # steps between two requests for performance metrics


class Simulation(Protocol):
    """A game that plays one episode after the other."""

    def reset(self, seed: int) -> np.ndarray:
        """Begin an episode; its first raw observation."""

    def step(self, action: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """One decision: the next raw observation and what happened, `terminated` and `truncated` among it."""

    def close(self) -> None:
        """Give everything back."""


class NativeSimulation:
    """One world of the native game."""

    def __init__(self, config: RLConfig, **changes: Any):
        self._settings = config.game_settings() | changes
        self._weights = config.rewards
        self.world = NativeWorld(GAME, config=self._settings, autoreset=False)
        self._endings = next(field.labels for field in self.world.spec.info if field.name == "ending")
        self._distance = self.world.spec.field("goal_distance")
        self._budget = TELEPORT * config.actions.max_movement_speed / STEPS_PER_SECOND  # metres a step

    def reset(self, seed: int) -> np.ndarray:
        """The episode of this seed."""
        raw = self.world.reset(seed=seed)[0].copy()
        self._collisions, self._ticks, self._score_sum = 0, 0, 0.0
        self._before = raw
        return raw

    def step(self, action: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """One decision of 9 ticks, fewer at the end."""
        world, began = self.world, time.perf_counter()
        world.put(np.clip(np.nan_to_num(action), -1.0, 1.0)[None])
        world.step()
        took_ms = (time.perf_counter() - began) * 1000
        raw = world.observations[0].copy()
        info = self._describe(raw, took_ms)
        self._before = raw
        return raw, info

    def _describe(self, raw: np.ndarray, took_ms: float) -> dict[str, Any]:
        state = self.world.info(0)
        tick, collisions = int(state["tick"]), int(state["collisions"])
        ticks, collided = tick - self._ticks, collisions - self._collisions
        ending = self._endings[int(state["ending"])]
        score_sum = float(state["comfort_score"]) * tick
        score = min(max((score_sum - self._score_sum) / ticks, 0.0), 1.0)
        self._ticks, self._collisions, self._score_sum = tick, collisions, score_sum
        moved = float(np.linalg.norm(raw[:3] - self._before[:3]))
        return {
            "goal_reached": ending == "goal",
            "fell": ending == "fell",
            "timeout": ending == "timeout",
            "collision": collided,
            "collisions": collisions,
            "comfort_score": score,
            "comfort_loss": self._comfort_loss(raw, ending, collided),
            "vignette": float(state["vignette"]),
            "teleported": ending != "fell" and moved > self._budget,
            "terminated": bool(self.world.terminated[0]),
            "truncated": bool(self.world.truncated[0]),
            # measured; nothing is rendered and there are no chunks
            "performance": (took_ms / ticks / FRAME_MS, 0.0, 0.0),
        }

    def _comfort_loss(self, raw: np.ndarray, ending: str, collided: int) -> float:
        """What the game took for discomfort: its reward without every other term."""
        w, before, now = self._weights, self._before[self._distance], raw[self._distance]
        others = w.progress * float((before - now).item()) - abs(w.collision_penalty) * collided
        others += {
            "goal": w.goal_reached,
            "fell": -abs(w.fall_penalty),
            "timeout": -abs(w.timeout_penalty),
        }.get(ending, 0.0)
        return max(others - float(self.world.rewards[0]), 0.0)

    def close(self) -> None:
        """Free the world."""
        self.world.close()


class HttpSimulation:
    """A game behind its HTTP API; commands are smoothed here, and observations come by name."""

    def __init__(self, config: RLConfig, number: int = 0, client: HttpClient | None = None):
        e = config.environment
        self.client = client or HttpClient(e.host, e.port + number)
        self._observations, self._commands = ObservationProcessor(config), ActionPostProcessor(config.actions)
        self._comfort, self._limit = ComfortBudget(config), e.max_episode_steps
        self._speeds = {
            "max_movement_speed": config.actions.max_movement_speed,
            "max_rotation_speed": config.actions.max_rotation_speed,
        }
        self._steps_until_metrics, self._performance = 0, (0.0, 0.0, 0.0)

    def reset(self, seed: int) -> np.ndarray:
        """Ask for an episode of this seed; the game stands still until its steps."""
        self._commands.reset()
        self._comfort.reset()
        self._steps = self._collisions = 0
        reply = self.client.reset(seed, lockstep=True)
        return self._read(reply)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """One round trip."""
        command = dict(zip(ACTIONS, self._commands.process(action).tolist(), strict=True))
        reply = self.client.step({"type": "continuous", **command, **self._speeds})
        self._steps += 1
        return self._read(reply), self._describe(reply)

    def _read(self, reply: Mapping[str, Any]) -> np.ndarray:
        fields = reply.get("observation")
        if not isinstance(fields, Mapping) or not isinstance(reply.get("info", {}), Mapping):
            raise BadMessage(f"{self.client.url}: expected a reply with observation, done and info.")
        return self._observations.from_fields(fields)

    def _describe(self, reply: Mapping[str, Any]) -> dict[str, Any]:
        given, done = reply.get("info", {}), bool(reply.get("done"))
        collided = int(bool(given.get("collision")))
        self._collisions += collided
        score, vignette = float(given.get("comfort_score", 1.0)), float(given.get("vignette", 0.0))
        truncated = bool(reply.get("truncated")) or (self._steps >= self._limit and not done)
        return {
            "goal_reached": bool(given.get("goal_reached")),
            "fell": bool(given.get("fell")),
            "timeout": truncated,
            "collision": collided,
            "collisions": self._collisions,
            "comfort_score": score,
            "comfort_loss": self._comfort.lose(score, vignette),
            "vignette": vignette,
            "teleported": bool(given.get("teleported")),
            "terminated": done and not truncated,
            "truncated": truncated,
            "performance": self._measure(),
        }

    def _measure(self) -> tuple[float, float, float]:
        if self._steps_until_metrics == 0:
            self._performance = PerformanceMetrics.from_reply(self.client.get_performance_metrics()).ratios
            self._steps_until_metrics = METRICS_EVERY
        self._steps_until_metrics -= 1
        return self._performance

    def close(self) -> None:
        """Close the connection."""
        self.client.close()


class NavigationEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One environment. number: of several, which gives it a port and a seed of its own."""

    def __init__(
        self,
        config: RLConfig,
        reward_calculator: RewardCalculator | None = None,
        number: int = 0,
        task: str | None = None,
    ):
        self.config, self.number = config, number
        self.rewards = reward_calculator or RewardCalculator(config)
        self.processor = ObservationProcessor(config)
        self.tasks: list[str] = list(config.training.tasks)
        if task is not None and task not in self.tasks:
            raise ConfigError(f"Task {task!r}: expected one of training.tasks, {self.tasks}.")
        self._only_task = task
        self._distance: float | None = None  # of goals, where a curriculum says so
        self._simulations: dict[tuple[str | None, float | None], Simulation] = {}
        self._stream = seeding.Stream()
        size = self.processor.size + len(self.tasks)
        # a clamped observation; a raw one may be anything
        limit = 10.0 if self.processor.normalize else np.inf
        self.observation_space = gymnasium.spaces.Box(-limit, limit, (size,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(ACTIONS),), np.float32)

    def set_max_goal_distance(self, distance: float) -> None:
        """Of the episodes that begin from now on: what a stage of a curriculum changes."""
        self._distance = distance

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """The episode of this seed, else the next one of its stream; the task is drawn from the seed too."""
        super().reset(seed=None if seed is None else seed & 0xFFFFFFFF)
        episode = self._stream.next(seed)
        self.task = self._draw(episode)
        self._simulation = self._simulation_of(self.task)
        self.raw = self._simulation.reset(episode)
        return self._observe(), {"task": self.task, "episode_seed": episode}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One decision."""
        raw, info = self._simulation.step(np.asarray(action, np.float32))
        terminated, truncated = info["terminated"], info["truncated"]
        done = terminated or truncated
        reward = self.rewards.calculate_reward(self.raw, action, raw, done, info)
        self.raw = raw
        if done:
            info["is_success"] = info["goal_reached"]
        info["task"] = self.task
        return self._observe(), float(reward), terminated, truncated, info

    def _draw(self, episode: int) -> str | None:
        if self._only_task is not None or not self.tasks:
            return self._only_task
        return self.tasks[seeding.split(episode, 0) % len(self.tasks)]

    def _simulation_of(self, task: str | None) -> Simulation:
        key = task, self._distance
        if key not in self._simulations:
            for stale in [k for k in self._simulations if k[1] != self._distance]:  # of an earlier stage
                self._simulations.pop(stale).close()
            self._simulations[key] = self._open(task)
        return self._simulations[key]

    def _open(self, task: str | None) -> Simulation:
        if self.config.environment.kind == "http":
            return HttpSimulation(self.config, self.number)
        changes: dict[str, Any] = {} if task is None else {"layout": task}
        if self._distance is not None:
            changes["max_goal_distance"] = self._distance
        return NativeSimulation(self.config, **changes)

    def _observe(self) -> np.ndarray:
        """The processed observation, and a 1 at the place of the task."""
        seen = self.processor.process(self.raw)
        if not self.tasks:
            return seen
        task_id = np.array([name == self.task for name in self.tasks], np.float32)
        return np.concatenate([seen, task_id])

    def close(self) -> None:
        """Free the worlds or close the connections."""
        for simulation in self._simulations.values():
            simulation.close()
        self._simulations = {}


def make_vec_env(
    config: RLConfig, reward_calculator: RewardCalculator | None = None, seed: int | None = None
) -> Any:
    """All environments of a training as one VecEnv: in this process, or in one each. Seeds: seed + number."""
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    makers = [
        _maker(config, reward_calculator, number) for number in range(config.environment.num_environments)
    ]
    envs = SubprocVecEnv(makers) if config.training.num_workers > 1 else DummyVecEnv(makers)
    envs.seed(config.training.seed if seed is None else seed)
    return envs


def _maker(config: RLConfig, rewards: RewardCalculator | None, number: int) -> Callable[[], Any]:
    def make() -> Any:
        from stable_baselines3.common.monitor import Monitor

        if multiprocessing.parent_process() is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the trainer, which ends this process
        return Monitor(NavigationEnv(config, rewards, number))

    return make
