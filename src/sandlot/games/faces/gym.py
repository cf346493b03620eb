"""Gymnasium, one world at a time: sandlot/Prospector-v0, and sandlot/Tag-v0 against a scripted rival.

`reset(seed=7)` plays the episode of seed 7, the same one that `sandlot.make(game).reset(seed=7)` plays in its
first world. A reset without a seed goes on to the next episode of that seed's stream, as auto-reset does in a
batch; before any seed was given the stream begins at random. `env.unwrapped.episode_seed` tells which it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import seeding
from ...errors import MissingExtra, UnknownName
from ..rendering import RENDER_MODES, View, check_mode
from ..vector import VectorGame
from . import info
from .cast import tag_cast

try:
    import gymnasium
except ImportError:
    raise MissingExtra("The Gymnasium face", "gymnasium", "gym") from None

from .spaces import action_space, observation_space


class GameEnv(gymnasium.Env[np.ndarray, Any]):
    """One world, one learner. Subclasses name the game and fill the other seats, if there are any."""

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium declares it so)
        "render_modes": RENDER_MODES,
        "render_fps": 20,
    }
    game: str
    seats: slice = slice(0, 1)  # the learner's row

    def __init__(self, config: Mapping[str, Any] | None = None, render_mode: str | None = None):
        self.render_mode = check_mode(render_mode)
        self.episode_seed: int | None = None  # of the episode in play
        self._stream = seeding.Stream()
        self.world = VectorGame(self.game, config=config, autoreset=False)
        self._view = View(self.world, render_mode)
        self.metadata = self.metadata | {"render_fps": self._view.fps}
        self.observation_space = observation_space(self.world.spec)
        self.action_space = action_space(self.world.spec)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode. There are no options: settings belong to make(..., config={...})."""
        for name in options or {}:
            raise UnknownName("reset option", name, [])
        self.episode_seed = self._stream.next(seed)
        super().reset(seed=None if seed is None else int(seed))
        self._begin(self.episode_seed)
        self._view.show()
        return self._observation(), self._info()

    def _begin(self, seed: int) -> None:
        self.world.reset(seed=seed)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        world = self.world
        world.put(np.asarray(action)[None], self.seats)
        self._others_act()
        world.step()
        self._view.show()
        row = self.seats.start
        ends = bool(world.terminated[row]), bool(world.truncated[row])
        return self._observation(), float(world.rewards[row]), *ends, self._info()

    def _others_act(self) -> None:
        """Nobody else plays."""

    def _observation(self) -> np.ndarray:
        return self.world.observations[self.seats.start].copy()

    def _info(self) -> dict[str, Any]:
        return info.of_world(self.world)

    def render(self) -> Any:
        """rgb_array: uint8 [height, width, 3]; ansi: text; human: nothing, as the window shows every step."""
        return self._view.of_world(0) if self.render_mode in ("ansi", "rgb_array") else None

    def close(self) -> None:
        self._view.close()
        self.world.close()


class ProspectorEnv(GameEnv):
    """sandlot/Prospector-v0: 260 numbers in, one of 69 actions out; `info["action_mask"]` says which."""

    game = "prospector"


class TagEnv(GameEnv):
    """sandlot/Tag-v0: play one role, scripted players the others.

    role: "seeker" or "hider". rival, rival_level: who plays the other role, and how well, as sandlot.bot
    knows them. ally, ally_level: who plays your own role when there are several. A learner that is out (one
    of several hiders, touched) watches the rest of the match: blind, and with reward 0.
    """

    game = "tag"

    def __init__(
        self,
        role: str = "seeker",
        rival: str | None = None,
        rival_level: int | None = None,
        ally: str | None = None,
        ally_level: int | None = None,
        config: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ):
        super().__init__(config, render_mode)
        self._cast = tag_cast(self.world, role, rival, rival_level, ally, ally_level)
        seat = self._cast.seats.start
        self.seats = slice(seat, seat + 1)

    def _begin(self, seed: int) -> None:
        super()._begin(seed)
        self._cast.begin(0, seed)

    def _others_act(self) -> None:
        self._cast.play()
