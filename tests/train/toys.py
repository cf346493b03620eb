"""Tiny worlds whose best play is known, with the arrays and the spec of a real batch (worlds/native.py).

A learner cannot tell them from a game, so what holds of it here holds of it there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.spec import Document, Spec
from sandlot.train.config import PPOConfig
from sandlot.train.learner import Learner


class Toy:
    """`rows` worlds of one agent each; an ended row begins anew within the step, as in the engine."""

    observation_size = 1
    action_count = 0  # of a discrete toy
    groups: tuple[str, ...] = ()  # of a continuous toy: what each number of an action is
    masked = False

    def __init__(self, rows: int, seed: int = 0):
        self.rows = self.worlds = rows
        self.rng = np.random.default_rng(seed)
        self.spec: Any = self._spec()
        self.observations = np.zeros((rows, self.observation_size), np.float32)
        self.final_observations = np.zeros_like(self.observations)
        self.masks = np.ones((rows, self.action_count), np.uint8) if self.masked else None
        self.actions = (
            np.zeros(rows, np.int32) if self.action_count else np.zeros((rows, len(self.groups)), np.float32)
        )
        self.rewards = np.zeros(rows, np.float32)
        self.ticks = np.ones(rows, np.int32)
        self.terminated, self.truncated = np.zeros((2, rows), bool)
        self.finished: list[float] = []  # return of each episode that ended
        self._returns = np.zeros(rows)
        self.begin(np.ones(rows, bool))
        self.look()

    def _spec(self) -> Spec:
        actions: list[dict[str, Any]] = [
            {"name": f"{group}{i}", "group": group, "kind": "button" if group == "jump" else "axis"}
            for i, group in enumerate(self.groups)
        ]
        if self.action_count:
            options = [f"option {i}" for i in range(self.action_count)]
            actions = [{"name": "choice", "kind": "choice", "options": options}]
        described = {
            "source": "file",
            "name": type(self).__name__.lower(),
            "observation": [{"name": "seen", "shape": [self.observation_size]}],
            "actions": actions,
            "masked": self.masked,
        }
        return Spec(Document.parse(described), described)

    def shared(self, name: str) -> np.ndarray:
        return getattr(self, name)

    def act(self, rows: Any, actions: np.ndarray) -> None:
        self.actions[rows] = actions

    def step(self) -> int:
        self.play()
        self._returns += self.rewards
        ended = self.terminated | self.truncated
        self.finished += self._returns[ended].tolist()
        self._returns[ended] = 0.0
        self.look()
        self.final_observations[ended] = self.observations[ended]
        self.begin(ended)
        self.look()
        return int(ended.sum())

    def begin(self, rows: np.ndarray) -> None:
        """Start an episode on these rows."""

    def play(self) -> None:
        """Take the actions: write rewards and endings."""
        raise NotImplementedError

    def look(self) -> None:
        """Write observations and masks."""
        raise NotImplementedError


class Corridor(Toy):
    """Six places in a row; only the right end pays (1), the left end pays a little (0.1), time is short.

    Best: walk right, five steps, return 1. Greed for the near end gives 0.1.
    """

    observation_size, action_count = 6, 2
    BEST = 1.0
    patience = 20

    def begin(self, rows: np.ndarray) -> None:
        self.place = np.where(rows, 1, getattr(self, "place", 0))
        self.age = np.where(rows, 0, getattr(self, "age", 0))

    def play(self) -> None:
        self.place = self.place + np.where(self.actions == 1, 1, -1)
        self.age = self.age + 1
        self.rewards[:] = np.select([self.place == 5, self.place == 0], [1.0, 0.1], 0.0)
        self.terminated[:] = (self.place == 5) | (self.place == 0)
        self.truncated[:] = ~self.terminated & (self.age >= self.patience)

    def look(self) -> None:
        self.observations[:] = np.eye(6, dtype=np.float32)[self.place]


class Cue(Toy):
    """A light shows left or right at the first step only; three steps later the same side must be named.

    Best: remember it, return 1. Without memory nothing beats a guess: 0 on average.
    """

    observation_size, action_count = 3, 2
    BEST, GUESS = 1.0, 0.0
    delay = 3

    def begin(self, rows: np.ndarray) -> None:
        self.side = np.where(rows, self.rng.integers(0, 2, self.rows), getattr(self, "side", 0))
        self.age = np.where(rows, 0, getattr(self, "age", 0))

    def play(self) -> None:
        asked = self.age == self.delay
        self.rewards[:] = np.where(asked, np.where(self.actions == self.side, 1.0, -1.0), 0.0)
        self.terminated[:] = asked
        self.age = self.age + 1

    def look(self) -> None:
        self.observations[:, 0] = np.where(self.age == 0, self.side * 2.0 - 1.0, 0.0)
        self.observations[:, 1] = self.age == self.delay
        self.observations[:, 2] = 1.0


class Target(Toy):
    """Two numbers must hit a point that is shown; the farther off, the less it pays. Best: 0."""

    observation_size, groups = 2, ("aim", "aim")
    BEST = 0.0

    def begin(self, rows: np.ndarray) -> None:
        drawn = self.rng.uniform(-0.8, 0.8, (self.rows, 2)).astype(np.float32)
        self.point = np.where(rows[:, None], drawn, getattr(self, "point", 0.0))

    def play(self) -> None:
        self.rewards[:] = -np.square(self.actions[:, :2] - self.point).sum(axis=1)
        self.terminated[:] = True

    def look(self) -> None:
        self.observations[:] = self.point


class Button(Target):
    """As Target, with a button to press exactly when the point lies to the right; a mistake costs 1."""

    groups = ("move", "move", "jump")

    def play(self) -> None:
        super().play()
        wrong = (self.actions[:, 2] > 0) != (self.point[:, 0] > 0)
        self.rewards[:] -= wrong


class Bandit(Toy):
    """Five arms; of each state two are legal. Illegal arms would pay most, and must never be pulled."""

    observation_size, action_count, masked = 3, 5, True
    BEST = 1.0
    LEGAL = np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 0]], np.uint8)
    PAYS = np.array([[0.2, 1.0, 9, 9, 9], [9, 0.3, 1.0, 9, 9], [9, 9, 1.0, 0.1, 9]], np.float32)

    def begin(self, rows: np.ndarray) -> None:
        self.state = np.where(rows, self.rng.integers(0, 3, self.rows), getattr(self, "state", 0))

    def play(self) -> None:
        assert self.LEGAL[self.state, self.actions].all(), "an arm was pulled that the mask forbids"
        self.rewards[:] = self.PAYS[self.state, self.actions]
        self.terminated[:] = True

    def look(self) -> None:
        self.observations[:] = np.eye(3, dtype=np.float32)[self.state]
        assert self.masks is not None
        self.masks[:] = self.LEGAL[self.state]


# ---------------------------------------------------------------- learning

DENSE = NetworkConfig(hidden_sizes=(32,))
SMALL = PPOConfig(
    num_steps=16, update_epochs=2, num_minibatches=4, learning_rate=5e-3, learning_rate_end=1e-3,
    gamma=0.97, gae_lambda=0.9, ent_coef=0.01, ent_coef_end=0.0, target_kl=0.2,
)  # fmt: skip


@dataclass
class Trained:
    learner: Learner
    metrics: list[dict[str, float]] = field(default_factory=list)  # of each update


def learner_of(
    toy: Toy, shape: NetworkConfig = DENSE, config: PPOConfig = SMALL, seed: int = 1, device: str = "cpu"
) -> Learner:
    world: Any = toy  # it has what a learner asks of a batch
    policy = Policy(toy.spec, "all", shape, seed).to(device)
    return Learner(policy, world, np.arange(toy.rows), config, seed)


def collect(learner: Learner, toy: Any) -> None:
    """Fill the learner's rollout, as the trainer does."""
    for t in range(learner.config.num_steps):
        learner.observe(t)
        learner.act(toy, t)
        toy.step()
        learner.record(toy, t)
    learner.observe(learner.config.num_steps)
    learner.finish_rollout()


def train(
    toy: Toy,
    updates: int,
    shape: NetworkConfig = DENSE,
    config: PPOConfig = SMALL,
    seed: int = 1,
    device: str = "cpu",
) -> Trained:
    trained = Trained(learner_of(toy, shape, config, seed, device))
    for i in range(updates):
        collect(trained.learner, toy)
        trained.metrics.append(trained.learner.learn(i / updates))
    return trained


def score(policy: Policy, toy: Toy, steps: int = 100) -> float:
    """Mean return of the likeliest play in a fresh toy."""
    policy.greedy, memory = True, None
    for _ in range(steps):
        toy.actions[:], memory = policy.act(toy.observations, toy.masks, memory)
        toy.step()
        policy.restart(memory, toy.terminated | toy.truncated)
    return float(np.mean(toy.finished))
