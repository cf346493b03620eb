"""PufferLib: any game over PufferLib's own buffers. The engine writes where the trainer reads.

    pufferlib.vector.make(GameEnv, env_kwargs={"game": "tag", "worlds": 1024})   one batch in this process
    pufferlib.vector.make(GameEnv, num_envs=4, backend="Multiprocessing", ...)   one batch per worker

Every agent is a row of the trainer, so that all roles learn at once. The sums of an episode come in `infos`
on the step in which it ended, as columns. Legal actions: `env.action_masks`, uint8 [agents, actions].
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import MissingExtra
from ..worlds import NativeWorld, load_spec
from ..worlds.arrays import MAX_WORLDS, check_count

try:
    from pufferlib import PufferEnv
except ImportError:
    raise MissingExtra("The PufferLib wrapper", "pufferlib-core", "puffer") from None

from .spaces import action_space, observation_space

# PufferLib's name of an array -> ours.
SHARED = {name: name for name in ("observations", "actions", "rewards")}
SHARED |= {"terminals": "terminated", "truncations": "truncated"}


class GameEnv(PufferEnv):
    """`worlds` worlds of one game as one PufferEnv of worlds x agents rows."""

    def __init__(
        self,
        game: str,
        worlds: int = 1024,
        threads: int = 1,
        config: Mapping[str, Any] | None = None,
        buf: Mapping[str, np.ndarray] | None = None,
        seed: int | None = 0,
    ):
        spec = load_spec(game, config)
        self.single_observation_space = observation_space(spec)
        self.single_action_space = action_space(spec)
        count = check_count("worlds", worlds, MAX_WORLDS)  # before PufferEnv allocates arrays for them
        self.num_agents = count * spec.agents
        super().__init__(buf)
        shared = {ours: getattr(self, theirs) for theirs, ours in SHARED.items()}
        self.world = NativeWorld(game, worlds, threads, seed or 0, config, buffers=shared)
        self.action_masks = self.world.masks
        self.masks[:] = True

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Reset all worlds into PufferLib's buffers; infos are empty."""
        self.world.reset(seed)
        self._update_masks()
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, list[dict[str, Any]]]:
        """Step all worlds in place; infos hold one dict if episodes ended, else nothing."""
        ended = self.world.step(None if actions is self.actions else actions)
        self._update_masks()
        infos = [self._endings()] if ended else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _update_masks(self) -> None:
        """Set PufferLib's masks to false on rows of agents that are out while their match continues."""
        spec = self.world.spec
        in_play = spec.document.in_play
        if in_play and spec.agents > 2:  # of two, one that is out ends the match
            self.masks[:] = np.concatenate([self.world.info(world)[in_play] for world in self.world])

    def _endings(self) -> dict[str, Any]:
        """One list per episode column with one entry per episode, which PufferLib's trainer averages."""
        episodes = self.world.finished()
        return {f.name: episodes.column(f.name).tolist() for f in episodes.fields if f.size == 1}

    def close(self) -> None:
        """Free the worlds; using the env afterwards raises Closed."""
        self.world.close()
