"""Gymnasium's vector env over one native batch: gymnasium.make_vec("sandlot/Tag-v0", num_envs=1024).

Same-step auto-reset as Gymnasium 1.x defines it: where an episode ends, `observations` already show the next
one, `infos["final_obs"]` the end of the old one and `infos["final_info"]` its sums. Seeds are Gymnasium's
too: world i plays `seed + i`, so the worlds equal as many single envs in a SyncVectorEnv, episode by episode,
also after a reset without a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import seeding
from ...errors import ArrayError, MissingExtra, UnknownName
from ..rendering import RENDER_MODES, View, check_mode
from ..vector import VectorGame
from .cast import tag_cast

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtra("The Gymnasium face", "gymnasium", "gym") from None

from .spaces import action_space, observation_space


class GameVectorEnv(VectorEnv[np.ndarray, Any, np.ndarray]):
    """A batch of worlds, one learner each. copy=False returns the engine's own arrays."""

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium declares it so)
        "render_modes": RENDER_MODES,
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    game: str
    seats: slice = slice(None)  # the learners' rows

    closed = True  # until there is something to close

    def __init__(
        self,
        num_envs: int = 1,
        threads: int = 1,
        config: Mapping[str, Any] | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ):
        self.render_mode = check_mode(render_mode)
        self.world = VectorGame(self.game, num_envs, threads, config=config)
        self._view = View(self.world, render_mode)
        self.metadata = self.metadata | {"render_fps": self._view.fps}
        self.closed, self.num_envs, self._copy = False, num_envs, copy
        # Where each world's stream of episodes begins, uint64 [worlds], and the number of the one in play.
        self._roots = np.zeros(num_envs, np.uint64)
        self._episodes = np.full(num_envs, -1, np.int64)  # -1: never reset
        self.single_observation_space = observation_space(self.world.spec)
        self.single_action_space = action_space(self.world.spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    # ------------------------------------------------------------ reset

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin anew everywhere, or with options={"reset_mask": bool [num_envs]} only there.

        A world without a seed goes on to the next episode of its stream, as a single env does.
        """
        which = self._which(options or {})
        fresh, seeds = self._seeds(seed)
        begun = which[fresh[which] | (self._episodes[which] < 0)]
        going_on = np.setdiff1d(which, begun)
        if begun.size:
            self.world.reset(seeds=seeds[begun], worlds=begun)
            self._roots[begun], self._episodes[begun] = seeds[begun], 0
        if going_on.size:
            self.world.next_episode(going_on)
            self._episodes[going_on] += 1
        for world in which.tolist():
            self._begin(world, self._episode_seed(world))
        self._view.show()
        return self._given(self.world.observations[self.seats]), self._masks()

    def _which(self, options: Mapping[str, Any]) -> np.ndarray:
        for name in options:
            if name != "reset_mask":
                raise UnknownName("reset option", name, ["reset_mask"])
        mask = np.asarray(options.get("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ArrayError(f"reset_mask must be bool ({self.num_envs},) with at least one world to reset.")
        return np.flatnonzero(mask)

    def _seeds(self, seed: Any) -> tuple[np.ndarray, np.ndarray]:
        """Which worlds were given a seed, bool [worlds], and one for every world; a random one where not."""
        if seed is None:
            seed = [None] * self.num_envs
        elif np.ndim(seed) == 0:
            first = seeding.check(seed)
            VectorEnv.reset(self, seed=first)
            seed = [(first + world) & seeding.MASK for world in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ArrayError(
                f"{len(seed)} seeds for {self.num_envs} worlds; give one number, or one a world."
            )
        given = np.array([one is not None for one in seed])
        seeds = np.random.SeedSequence().generate_state(self.num_envs, np.uint64)
        seeds[given] = [seeding.check(one) for one in seed if one is not None]
        return given, seeds

    def _begin(self, world: int, seed: int) -> None:
        """An episode begins in one world."""

    # ------------------------------------------------------------ step

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        world = self.world
        world.put(actions, self.seats)
        self._others_act()
        ended = world.step()
        self._view.show()
        infos = self._masks()
        if ended:
            infos |= self._endings()
        outputs = (world.observations, world.rewards, world.terminated, world.truncated)
        observations, rewards, terminated, truncated = (self._given(array[self.seats]) for array in outputs)
        return observations, rewards, terminated, truncated, infos

    def _others_act(self) -> None:
        """Nobody else plays."""

    def _endings(self) -> dict[str, Any]:
        """What Gymnasium tells of episodes that ended: last observations, and a column a sum."""
        episodes = self.world.finished()
        which = episodes.heads["world"]
        there = np.zeros(self.num_envs, bool)
        there[which] = True
        last = np.full(self.num_envs, None, object)
        rows = self.world.final_observations[self.seats]
        for world, number in zip(which.tolist(), episodes.heads["episode"].tolist(), strict=True):
            last[world] = rows[world].copy()
            self._episodes[world] = number + 1
            self._begin(world, self._episode_seed(world))
        sums = {}
        for name in ("seed", "episode", *(field.name for field in episodes.fields)):
            column = episodes.column(name)
            sums[name] = np.zeros((self.num_envs, *column.shape[1:]), column.dtype)
            sums[name][which] = column
            sums[f"_{name}"] = there
        return {"final_obs": last, "_final_obs": there, "final_info": sums, "_final_info": there}

    def _episode_seed(self, world: int) -> int:
        return seeding.for_episode(int(self._roots[world]), int(self._episodes[world]))

    def _masks(self) -> dict[str, Any]:
        if self.world.masks is None:
            return {}
        return {"action_mask": self._given(self.world.masks), "_action_mask": np.ones(self.num_envs, bool)}

    def _given(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copy else array

    def render(self) -> tuple[Any, ...] | None:
        """A picture or a text of every world; in mode human nothing, as the window shows every step."""
        return self._view.of_all() if self.render_mode in ("ansi", "rgb_array") else None

    def close_extras(self, **_: Any) -> None:
        self._view.close()
        self.world.close()


class ProspectorVectorEnv(GameVectorEnv):
    """Many prospectors; `infos["action_mask"]` is uint8 [num_envs, 69]."""

    game = "prospector"


class TagVectorEnv(GameVectorEnv):
    """Many matches of tag, one role learning; the arguments are those of TagEnv."""

    game = "tag"

    def __init__(
        self,
        num_envs: int = 1,
        role: str = "seeker",
        rival: str | None = None,
        rival_level: int | None = None,
        ally: str | None = None,
        ally_level: int | None = None,
        threads: int = 1,
        config: Mapping[str, Any] | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ):
        super().__init__(num_envs, threads, config, copy, render_mode)
        self._cast = tag_cast(self.world, role, rival, rival_level, ally, ally_level)
        self.seats = self._cast.seats

    def _begin(self, world: int, seed: int) -> None:
        self._cast.begin(world, seed)

    def _others_act(self) -> None:
        self._cast.play()
