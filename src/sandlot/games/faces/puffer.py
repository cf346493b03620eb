"""PufferLib: both games over PufferLib's own buffers. The engine writes where the trainer reads.

    pufferlib.vector.make(Tag, env_kwargs={"worlds": 1024})                       one batch in this process
    pufferlib.vector.make(Prospector, num_envs=4, backend="Multiprocessing", ...)  a batch a worker

Every agent is a row of the trainer's (tag trains both roles at once). What an episode summed up comes in
`infos` on the step in which it ended, as columns. Legal actions: `env.action_masks`, uint8 [agents, actions].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import MissingExtra
from ..spec import Spec
from ..vector import MAX_WORLDS, VectorGame, check_count

try:
    from pufferlib import PufferEnv
except ImportError:
    raise MissingExtra("The PufferLib face", "pufferlib-core", "puffer") from None

from .spaces import action_space, observation_space

# PufferLib's name of an array -> ours.
SHARED = {
    "observations": "observations",
    "actions": "actions",
    "rewards": "rewards",
    "terminals": "terminated",
    "truncations": "truncated",
}


class GameEnv(PufferEnv):
    """`worlds` worlds of one game as one PufferEnv of worlds x agents rows."""

    game: str

    def __init__(
        self,
        worlds: int = 1024,
        threads: int = 1,
        config: Mapping[str, Any] | None = None,
        buf: Mapping[str, np.ndarray] | None = None,
        seed: int | None = 0,
    ):
        spec = Spec(self.game, config)
        self.single_observation_space = observation_space(spec)
        self.single_action_space = action_space(spec)
        self.num_agents = (
            check_count("worlds", worlds, MAX_WORLDS) * spec.agents
        )  # before arrays are made for them
        super().__init__(buf)
        shared = {ours: getattr(self, theirs) for theirs, ours in SHARED.items()}
        self.world = VectorGame(self.game, worlds, threads, seed or 0, config, buffers=shared)
        self.action_masks = self.world.masks
        self.masks[:] = True

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, Any]]]:
        self.world.reset(seed)
        self._tell_who_plays()
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, list[dict[str, Any]]]:
        ended = self.world.step(None if actions is self.actions else actions)
        self._tell_who_plays()
        infos = [self._endings()] if ended else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _tell_who_plays(self) -> None:
        """PufferLib's masks: false on the rows of agents that are out of a match that goes on."""

    def _endings(self) -> dict[str, Any]:
        """A list a figure with an entry an episode, which PufferLib's trainer averages."""
        episodes = self.world.finished()
        return {f.name: episodes.column(f.name).tolist() for f in episodes.fields if f.size == 1}

    def close(self) -> None:
        self.world.close()


class Prospector(GameEnv):
    game = "prospector"


class Tag(GameEnv):
    game = "tag"

    def _tell_who_plays(self) -> None:
        config = self.world.spec.config
        if config["mode"] == "timed" and config["hiders"] > 1:  # a single hider's end is the end of the match
            self.masks[:] = np.concatenate([self.world.info(world)["in_play"] for world in self.world])
