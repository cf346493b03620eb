"""One learner's agents in a batch of worlds: observations out, actions in, every other agent scripted.

This is all that another library sees of a game. Steps are recorded for the windows.
"""

import numpy as np
import torch

from ... import seeding
from ...errors import ConfigError, UnknownName
from ...games.scripted import ScriptedOpponents, scripted_opponents
from ...policies import Categorical
from ...policies.heads import head_for
from ...policies.normalize import ReturnScale
from ...runs.windows import StepRecord
from ...spec import Spec
from ...worlds import Episodes, make
from ..config import TrainConfig
from ..trainer import rewards_by_role
from .actor_critic import input_size
from .recorder import MetricsRecorder, RecordedSteps

NORMALIZER_STEPS, NORMALIZER_ROWS = 8, 256  # every so many steps, about so many rows update the normalizer
BOTH = "both"  # adapter.role: one network plays every role


def roles_of(config: TrainConfig, roles: tuple[str, ...]) -> list[str]:
    """The roles that learn: the game's only one, the one asked for, or all."""
    names = list(dict.fromkeys(roles))
    if len(names) == 1 or config.adapter.role == BOTH:
        return names
    role = config.adapter.role or names[0]
    if role not in names:
        raise UnknownName("role to learn (adapter.role)", role, [*names, BOTH])
    return [role]


def check_roles(spec: Spec, roles: list[str], trainer: str) -> None:
    """Refuse roles that the library cannot learn and nobody here can play."""
    others = [role for role in dict.fromkeys(spec.roles) if role not in roles]
    lacking = [role for role in others if role not in spec.default_bots]
    differing = len(roles) > 1 and (spec.document.role_observation or spec.document.role_actions)
    if lacking or differing:
        why = f"there is no bot for {lacking[0]}" if lacking else "they observe or do different things"
        raise ConfigError(
            f"--trainer {trainer} learns one network for {', '.join(roles)} of {spec.game}, and {why}. "
            "Use --trainer ppo, which learns every role."
        )


class AgentSlots:
    """The `rows` agents that learn in `worlds` worlds. Arrays are new at every step: libraries keep them."""

    def __init__(self, config: TrainConfig, worlds: int, seed: int):
        self.world = make(config.game, worlds, config.run.threads, seed, config.settings, config.run.engine)
        roles = roles_of(config, self.world.spec.role_names)
        self.spec = self.world.spec.for_role(roles[0])
        self.recorder = MetricsRecorder(worlds, len(set(self.spec.roles)))
        self._opponents: ScriptedOpponents | None = None
        self._slots: slice = slice(None)  # rows of the learning agents
        if len(roles) < len(set(self.spec.roles)):
            self._opponents = scripted_opponents(
                self.world, roles[0], config.adapter.opponent or None, config.adapter.opponent_level or None
            )
            self._slots = self._opponents.learner_rows
        self.rows = len(range(self.world.rows)[self._slots])
        head = head_for(self.spec, config.network.head, config.network.num_directions)
        self._head, self.num_actions = head, head.size
        self.discrete = isinstance(head, Categorical)  # else actions are `num_actions` numbers
        self.observations = np.zeros((self.rows, input_size(self.spec)), np.float32)  # with masks
        self._gamma = config.adapter.gamma
        self._return_scale = ReturnScale() if config.ppo.normalize_rewards else None
        self._running_returns = np.zeros(self.rows, np.float32)  # discounted, of the episodes in progress
        self._seeds = np.zeros(worlds, np.uint64)
        self._raw_observations: list[np.ndarray] = []
        self._episodes = np.zeros(worlds, np.int64)  # number of each world's episode
        self._held: dict[int, bytes] = {}  # snapshots of worlds whose next step is undone

    def reset(self, seed: int) -> np.ndarray:
        """Start new episodes everywhere; returns the observations."""
        self._seeds = seeding.for_worlds(seed, self.world.worlds)
        self.world.reset(seed)
        self._running_returns[:] = 0.0
        for world in range(self.world.worlds):
            self._begin(world, 0)
        return self._observe()

    def step(self, actions: np.ndarray, counts: np.ndarray | None = None) -> Episodes | None:
        """Step every world once; the episodes that ended. counts: worlds whose step is to be counted."""
        world = self.world
        sampled = torch.from_numpy(np.ascontiguousarray(actions))
        chosen = sampled.reshape(self.rows) if self.discrete else sampled.reshape(self.rows, -1)
        world.act(self._slots, self._head.to_env(chosen))
        if self._opponents is not None:
            self._opponents.play()
        ended = world.step()
        rewards = rewards_by_role(world.rewards, self.spec.roles)
        invalid = np.asarray(world.invalid.reshape(world.worlds, -1).any(axis=1))
        self.recorder.add(StepRecord(world.ticks[:: self.spec.agents], rewards, invalid), counts)
        self.rewards = self._scale_rewards(world.rewards[self._slots])
        self.terminated = world.terminated[self._slots].copy()
        self.truncated = world.truncated[self._slots].copy()
        self._observe()
        return self._end_episodes(counts) if ended else None

    def final_observations(self, rows: np.ndarray) -> np.ndarray:
        """Final observations of rows that just ended. Nobody acts on them, so nothing is masked."""
        final = np.ones((len(rows), self.observations.shape[1]), np.float32)
        width = self.spec.observation_size
        final[:, :width] = self.world.final_observations[self._slots, :width][rows]
        return final

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """The engines that run the worlds in processes of their own."""
        return self.world.engine_pids

    def hold(self, worlds: np.ndarray) -> None:
        """Save these worlds, so that `restore_held` can undo their next step."""
        self._held = {int(world): self.world.snapshot(int(world)) for world in worlds}

    def restore_held(self) -> None:
        """Undo the last step of the worlds that `hold` saved."""
        for world, snapshot in self._held.items():
            self.world.restore(world, snapshot)
            self._begin(world, int(self._episodes[world]))
        self._held = {}
        self._observe()

    def take(self, length: int | None = None) -> RecordedSteps:
        """The steps recorded since the last call."""
        return self.recorder.take(self.world.finished(), length)

    def observation_sample(self) -> np.ndarray:
        """Some of the observations since the last call, [n, D], for a normalizer."""
        sample = np.concatenate(self._raw_observations or [self._some_observations()])
        self._raw_observations = []
        return sample

    def close(self) -> None:
        """Close the worlds."""
        self.world.close()

    # ------------------------------------------------------------ parts of a step

    def _observe(self) -> np.ndarray:
        width = self.spec.observation_size
        self.observations = np.empty_like(self.observations)
        self.observations[:, :width] = self.world.observations[self._slots, :width]
        if self.world.masks is not None:
            self.observations[:, width:] = self.world.masks[self._slots]
        if self.world.steps % NORMALIZER_STEPS == 0:
            self._raw_observations.append(self._some_observations())
        return self.observations

    def _some_observations(self) -> np.ndarray:
        return self.observations[:: max(1, self.rows // NORMALIZER_ROWS), : self.spec.observation_size]

    def _scale_rewards(self, rewards: np.ndarray) -> np.ndarray:
        """Rewards divided by the running standard deviation of discounted returns."""
        if self._return_scale is None:
            return rewards.copy()
        self._running_returns = self._running_returns * np.float32(self._gamma) + rewards
        self._return_scale.update(self._running_returns)
        return rewards / np.float32(self._return_scale.std)

    def _end_episodes(self, counts: np.ndarray | None) -> Episodes:
        self._running_returns[self.terminated | self.truncated] = 0.0
        episodes = self.world.finished()
        if counts is not None:
            episodes = episodes[counts[episodes.heads["world"]]]
        self.recorder.add_episodes(episodes)
        for head in episodes.heads:
            self._begin(int(head["world"]), int(head["episode"]) + 1)
        return episodes

    def _begin(self, world: int, episode: int) -> None:
        self._episodes[world] = episode
        if self._opponents is not None:
            self._opponents.begin(world, seeding.for_episode(int(self._seeds[world]), episode))
