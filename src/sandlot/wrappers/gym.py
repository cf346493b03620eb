"""Gymnasium, one world at a time: a game of one agent, and sandlot/Tag-v0 against a scripted opponent.

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
    """One world, one learner. Subclasses name the game and add scripted opponents, if any."""

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium declares it so)
        "render_modes": RENDER_MODES,
        "render_fps": 20,
    }
    game: str
    learner_rows: slice = slice(0, 1)  # the learner's row

    def __init__(self, config: Mapping[str, Any] | None = None, render_mode: str | None = None):
        self.render_mode = check_mode(render_mode)
        self.episode_seed: int | None = None  # of the episode in play
        self._stream = seeding.Stream()
        self.world = NativeWorld(self.game, config=config, autoreset=False)
        self._view = View(self.world, render_mode)
        self.metadata = self.metadata | {"render_fps": self._view.fps}
        self.observation_space = observation_space(self.world.spec)
        self.action_space = action_space(self.world.spec)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode. There are no options: settings belong to make(..., config={...})."""
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
        """One step of the world, opponents included; a world that has ended must be reset first."""
        world = self.world
        world.put(np.asarray(action)[None], self.learner_rows)
        self._others_act()
        world.step()
        self._view.show()
        row = self.learner_rows.start
        ends = bool(world.terminated[row]), bool(world.truncated[row])
        return self._observation(), float(world.rewards[row]), *ends, self._info()

    def _others_act(self) -> None:
        """Write the actions of agents other than the learner; none here."""

    def _observation(self) -> np.ndarray:
        return self.world.observations[self.learner_rows.start].copy()

    def _info(self) -> dict[str, Any]:
        return info.of_world(self.world)

    def render(self) -> Any:
        """rgb_array: uint8 [height, width, 3]; ansi: text; human: nothing, as the window shows every step."""
        return self._view.of_world(0) if self.render_mode in ("ansi", "rgb_array") else None

    def close(self) -> None:
        """Close the window and free the world; using the env afterwards raises Closed."""
        self._view.close()
        self.world.close()


class ProspectorEnv(GameEnv):
    """sandlot/Prospector-v0: 260 floats in, one of 69 actions out, legal ones in `info["action_mask"]`."""

    game = "prospector"


class LandingEnv(GameEnv):
    """sandlot/Landing-v0: 14 floats in, thrust x, y, z and rcs pitch, roll out."""

    game = "landing"


class NavigationEnv(GameEnv):
    """sandlot/Navigation-v0: 48 floats in, move_horizontal, move_vertical and rotate out."""

    game = "navigation"


class TagEnv(GameEnv):
    """sandlot/Tag-v0: the learner plays one agent, bots play the others.

    role: "seeker" or "hider". opponent, opponent_level: the bot of the other role, by its name in
    sandlot.bot. ally, ally_level: the bot of the learner's own role, where it has several agents. A learner
    that is out (one of several hiders, touched) stays in the match until it ends: its rays see nothing and
    its reward is 0.
    """

    game = "tag"

    def __init__(
        self,
        role: str = "seeker",
        opponent: str | None = None,
        opponent_level: int | None = None,
        ally: str | None = None,
        ally_level: int | None = None,
        config: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ):
        super().__init__(config, render_mode)
        self._opponents = scripted_opponents(self.world, role, opponent, opponent_level, ally, ally_level)
        row = self._opponents.learner_rows.start
        self.learner_rows = slice(row, row + 1)

    def _begin(self, seed: int) -> None:
        super()._begin(seed)
        self._opponents.begin(0, seed)

    def _others_act(self) -> None:
        self._opponents.play()
