"""How good a model is: episodes on seeds that no training plays, with the likeliest action.

Every number has a 95 % interval. Comfort is a proxy: nobody wore a headset.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ... import seeding
from ...errors import ConfigError
from ...evaluate.statistics import bootstrap, proportion
from ...rating import Estimate
from .config import RLConfig
from .environment import NavigationEnv
from .rewards import RewardCalculator

TOGETHER = 16  # native episodes that are played side by side


class Player(Protocol):
    """What plays: observations in, actions out."""

    def predict(self, observation: np.ndarray, *, deterministic: bool) -> tuple[np.ndarray, Any]:
        """Actions for a batch of observations."""


@dataclass(frozen=True)
class Episode:
    """One episode that was played."""

    seed: int
    task: str | None
    reward: float
    steps: int
    success: bool
    collisions: int
    comfort: float  # mean score
    ending: str


@dataclass(frozen=True)
class Evaluation:
    """What the episodes add up to."""

    episodes: list[Episode]

    @property
    def mean_reward(self) -> float:
        """What chooses the best model."""
        return float(np.mean([episode.reward for episode in self.episodes]))

    @property
    def success_rate(self) -> Estimate:
        """Share of episodes that reached the goal."""
        return proportion(sum(episode.success for episode in self.episodes), len(self.episodes))

    def lines(self) -> Iterable[str]:
        """For people."""
        episodes = self.episodes
        yield f"{len(episodes)} episodes on held-out seeds"
        yield f"  success        {_share(self.success_rate)}"
        for name, of in (
            ("mean reward", lambda e: e.reward),
            ("episode steps", lambda e: float(e.steps)),
            ("collisions", lambda e: float(e.collisions)),
            ("comfort score", lambda e: e.comfort),
        ):
            yield f"  {name:<14} {_number(bootstrap(np.array([of(episode) for episode in episodes])))}"
        for task in sorted({episode.task for episode in episodes if episode.task}):
            own = [episode for episode in episodes if episode.task == task]
            yield f"  task {task:<9} success {_share(proportion(sum(e.success for e in own), len(own)))}"

    def details(self) -> Iterable[str]:
        """One line per episode."""
        for number, e in enumerate(self.episodes, 1):
            task = f", {e.task}" if e.task else ""
            yield (
                f"  episode {number}{task}: {e.ending} after {e.steps} steps, reward {e.reward:.1f}, "
                f"{e.collisions} collisions, comfort {e.comfort:.2f} (seed {e.seed})"
            )


def _share(e: Estimate) -> str:
    return f"{e.value:.0%} ({e.low:.0%} to {e.high:.0%})"


def _number(e: Estimate) -> str:
    return f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f})"


def evaluate(
    player: Player,
    config: RLConfig,
    episodes: int,
    purpose: str = "eval",
    reward_calculator: RewardCalculator | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Evaluation:
    """Play so many episodes. purpose: which held-out seeds (`select` while training, `eval` afterwards).

    With several tasks they take turns. A game behind HTTP plays one episode after the other.
    """
    if episodes < 1:
        raise ConfigError(f"{episodes} episodes: expected at least 1.")
    seeds = seeding.held_out(purpose, episodes)
    tasks: list[str | None] = [*config.training.tasks] or [None]
    plan = [(seed, tasks[i % len(tasks)]) for i, seed in enumerate(seeds)]
    together = 1 if config.environment.kind == "http" else TOGETHER
    played: list[Episode] = []
    for begin in range(0, episodes, together):
        if stop():
            break
        played += _play(player, config, plan[begin : begin + together], reward_calculator)
    if not played:
        raise ConfigError("The evaluation was stopped before an episode ended.")
    return Evaluation(played)


class _Running:
    """One episode in play."""

    def __init__(self, config: RLConfig, rewards: RewardCalculator | None, seed: int, task: str | None):
        self.env, self.seed = NavigationEnv(config, rewards, task=task), seed
        self.seen, _ = self.env.reset(seed=seed)
        self.reward, self.steps, self.comfort = 0.0, 0, 0.0
        self.result: Episode | None = None

    def step(self, action: np.ndarray) -> None:
        self.seen, reward, terminated, truncated, info = self.env.step(action)
        self.reward += reward
        self.steps += 1
        self.comfort += info["comfort_score"]
        if terminated or truncated:
            names = ("goal_reached", "fell", "timeout")
            ending = next((name for name in names if info[name]), "too many collisions")
            self.result = Episode(
                self.seed, info["task"], self.reward, self.steps, bool(info["goal_reached"]),
                info["collisions"], self.comfort / self.steps, ending.replace("_", " "),
            )  # fmt: skip
            self.env.close()


def _play(
    player: Player, config: RLConfig, plan: list[tuple[int, str | None]], rewards: RewardCalculator | None
) -> list[Episode]:
    running = [_Running(config, rewards, seed, task) for seed, task in plan]
    while active := [one for one in running if one.result is None]:
        actions, _ = player.predict(np.stack([one.seen for one in active]), deterministic=True)
        for one, action in zip(active, actions, strict=True):
            one.step(action)
    return [one.result for one in running if one.result is not None]
