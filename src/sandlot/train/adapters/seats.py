"""The seats of one learner in a batch of worlds: wide observations out, choices in, everybody else scripted.

This is the whole of a game as another library sees it. What happened is kept in a ledger for the windows.
"""

from __future__ import annotations

import numpy as np
import torch

from ... import seeding
from ...errors import UnknownName
from ...games import Episodes, VectorGame
from ...games.faces.cast import tag_cast
from ...policies import Categorical
from ...policies.heads import head_for
from ...policies.normalise import ReturnScale
from ..config import TrainConfig
from ..trainer import rewards_by_role
from .ledger import Ledger, Page
from .outputs import wide_size

GLIMPSE_STEPS, GLIMPSE_ROWS = 8, 256  # how often, and how many rows, the normaliser is shown
BOTH = "both"  # roles: one network on every seat


def roles_of(config: TrainConfig, roles: tuple[str, ...]) -> list[str]:
    """The roles that learn: the game's only one, the one asked for, or all."""
    names = list(dict.fromkeys(roles))
    if len(names) == 1 or config.adapter.role == BOTH:
        return names
    if config.adapter.role not in names:
        raise UnknownName("role to learn (adapter.role)", config.adapter.role, [*names, BOTH])
    return [config.adapter.role]


class Seats:
    """`worlds` worlds, `rows` learner's rows. Arrays are new at every step: libraries keep what they get."""

    def __init__(self, config: TrainConfig, worlds: int, seed: int):
        self.world = VectorGame(config.game, worlds, config.run.threads, seed, config.settings)
        self.spec = self.world.spec
        self.ledger = Ledger(worlds, len(set(self.spec.roles)))
        roles = roles_of(config, self.spec.roles)
        self._cast = None
        self._places: slice = slice(None)
        if len(roles) < len(set(self.spec.roles)):
            a = config.adapter
            self._cast = tag_cast(self.world, roles[0], a.rival or None, a.rival_level or None, None, None)
            self._places = self._cast.seats
        self.rows = len(range(self.world.rows)[self._places])
        head = head_for(self.spec, config.network.head, config.network.directions)
        assert isinstance(head, Categorical)
        self._head, self.actions = head, head.size
        self.observations = np.zeros((self.rows, wide_size(self.spec)), np.float32)  # wide, of now
        self._discount = config.adapter.discount
        self._scale = ReturnScale() if config.ppo.scale_rewards else None
        self._running = np.zeros(self.rows, np.float32)  # discounted return of each row, for the scale
        self._roots = np.zeros(worlds, np.uint64)
        self._glimpses: list[np.ndarray] = []
        self._episodes = np.zeros(worlds, np.int64)  # the number of each world's episode
        self._held: dict[int, bytes] = {}  # worlds that stand at the start of an episode until put back

    def reset(self, seed: int) -> np.ndarray:
        self._roots = seeding.for_worlds(seed, self.world.worlds)
        self.world.reset(seed)
        self._running[:] = 0.0
        for world in range(self.world.worlds):
            self._begin(world, 0)
        return self._look()

    def step(self, choices: np.ndarray, counts: np.ndarray | None = None) -> Episodes | None:
        """Everybody acts once; the episodes that ended. counts: worlds whose step is to be counted."""
        world = self.world
        drawn = torch.from_numpy(np.ascontiguousarray(choices).reshape(self.rows))
        world.actions[self._places] = self._head.actions(drawn)
        if self._cast is not None:
            self._cast.play()
        ended = world.step()
        self.ledger.add(
            rewards_by_role(world.rewards, self.spec.roles), world.ticks[:: self.spec.agents], counts
        )
        self.rewards = self._scaled(world.rewards[self._places])
        self.terminated = world.terminated[self._places].copy()
        self.truncated = world.truncated[self._places].copy()
        self._look()
        return self._endings(counts) if ended else None

    def final(self, rows: np.ndarray) -> np.ndarray:
        """The last wide observations of rows that just ended. Nobody acts on them, so nothing is masked."""
        last = np.ones((len(rows), self.observations.shape[1]), np.float32)
        last[:, : self.spec.observation_size] = self.world.final_observations[self._places][rows]
        return last

    def hold(self, worlds: np.ndarray) -> None:
        """Remember these worlds as they are, so that the next step can be made none for them."""
        self._held = {int(world): self.world.snapshot(int(world)) for world in worlds}

    def put_back(self) -> None:
        """Undo the last step where worlds were held."""
        for world, snapshot in self._held.items():
            self.world.restore(world, snapshot)
            self._begin(world, int(self._episodes[world]))
        self._held = {}
        self._look()

    def take(self, length: int | None = None) -> Page:
        return self.ledger.take(self.world.finished(), length)

    def glimpses(self) -> np.ndarray:
        """Some of the observations since the last call, [n, D], for a normaliser."""
        seen = np.concatenate(self._glimpses or [self._seen_now()])
        self._glimpses = []
        return seen

    def close(self) -> None:
        self.world.close()

    # ------------------------------------------------------------ parts of a step

    def _look(self) -> np.ndarray:
        width = self.spec.observation_size
        self.observations = np.empty_like(self.observations)
        self.observations[:, :width] = self.world.observations[self._places]
        if self.world.masks is not None:
            self.observations[:, width:] = self.world.masks[self._places]
        if self.world.steps % GLIMPSE_STEPS == 0:
            self._glimpses.append(self._seen_now())
        return self.observations

    def _seen_now(self) -> np.ndarray:
        return self.observations[:: max(1, self.rows // GLIMPSE_ROWS), : self.spec.observation_size]

    def _scaled(self, rewards: np.ndarray) -> np.ndarray:
        """Rewards by the running spread of returns, as a value likes to learn them."""
        if self._scale is None:
            return rewards.copy()
        self._running = self._running * np.float32(self._discount) + rewards
        self._scale.update(self._running)
        return rewards / np.float32(self._scale.spread)

    def _endings(self, counts: np.ndarray | None) -> Episodes:
        self._running[self.terminated | self.truncated] = 0.0
        episodes = self.world.finished()
        if counts is not None:
            keep = counts[episodes.heads["world"]]
            episodes = Episodes(episodes.fields, episodes.heads[keep], episodes.values[keep])
        self.ledger.end(episodes)
        for world, number in zip(
            episodes.heads["world"].tolist(), episodes.heads["episode"].tolist(), strict=True
        ):
            self._begin(world, number + 1)
        return episodes

    def _begin(self, world: int, episode: int) -> None:
        self._episodes[world] = episode
        if self._cast is not None:
            self._cast.begin(world, seeding.for_episode(int(self._roots[world]), episode))
