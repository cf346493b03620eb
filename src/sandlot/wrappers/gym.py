"""Gymnasium, one world at a time: the learner plays one agent, bots the others.

`reset(seed=7)` plays the episode of seed 7, the same one that `sandlot.make(game).reset(seed=7)` plays in its
first world. A reset without a seed goes on to the next episode of that seed's stream, as auto-reset does in a
batch; before any seed is given the stream starts at random. `env.unwrapped.episode_seed` is the seed in play.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import seeding
from ..errors import MissingExtra, UnknownName
from ..games import info
from ..games.rendering import RENDER_MODES, View, check_mode
from ..games.scripted import scripted_opponents
from ..worlds import NativeWorld

try:
    import gymnasium
except ImportError:
    raise MissingExtra("The Gymnasium wrapper", "gymnasium", "gym") from None

from .spaces import action_space, observation_space


class GameEnv(gymnasium.Env[np.ndarray, Any]):
    """One world, one learner.

    role: the learner's, else the first. opponent, opponent_level: the bot of the other roles, by its name in
    sandlot.bot. ally, ally_level: the bot of the learner's own role, where it has several agents. A learner
    that is out while its match goes on stays in it until it ends: its rewards are 0.
    Where actions may be illegal, `info["action_mask"]` has the legal ones.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium declares it so)
        "render_modes": RENDER_MODES,
        "render_fps": 20,
    }

    def __init__(
        self,
        game: str,
        role: str | None = None,
        opponent: str | None = None,
        opponent_level: int | None = None,
        ally: str | None = None,
        ally_level: int | None = None,
        config: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ):
        self.render_mode = check_mode(render_mode)
        self.episode_seed: int | None = None  # of the episode in play
        self._stream = seeding.Stream()
        self.world = NativeWorld(game, config=config, autoreset=False)
        self._view = View(self.world, render_mode)
        self.metadata = self.metadata | {"render_fps": self._view.fps}
        self._opponents = scripted_opponents(self.world, role, opponent, opponent_level, ally, ally_level)
        own = self.world.spec.for_role(role or self.world.spec.role_names[0])
        self.observation_space, self.action_space = observation_space(own), action_space(own)
        self._seen = own.observation_size
        self.row = self._opponents.learner_rows.start  # the learner's

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode. There are no options: settings belong to make(..., config={...})."""
        for name in options or {}:
            raise UnknownName("reset option", name, [])
        self.episode_seed = self._stream.next(seed)
        super().reset(seed=None if seed is None else int(seed))
        self.world.reset(seed=self.episode_seed)
        self._opponents.begin(0, self.episode_seed)
        self._view.show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step of the world, opponents included; a world that has ended must be reset first."""
        world, row = self.world, self.row
        world.put(np.asarray(action)[None], slice(row, row + 1))
        self._opponents.play()
        world.step()
        self._view.show()
        ends = bool(world.terminated[row]), bool(world.truncated[row])
        return self._observation(), float(world.rewards[row]), *ends, self._info()

    def _observation(self) -> np.ndarray:
        return self.world.observations[self.row, : self._seen].copy()

    def _info(self) -> dict[str, Any]:
        return info.of_world(self.world)

    def render(self) -> Any:
        """rgb_array: uint8 [height, width, 3]; ansi: text; human: nothing, as the window shows every step."""
        return self._view.of_world(0) if self.render_mode in ("ansi", "rgb_array") else None

    def close(self) -> None:
        """Close the window and free the world; using the env afterwards raises Closed."""
        self._view.close()
        self.world.close()
