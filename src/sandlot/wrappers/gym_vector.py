"""Gymnasium's vector env over one native batch: gymnasium.make_vec("sandlot/Tag-v0", num_envs=1024).

Same-step auto-reset as Gymnasium 1.x defines it: where an episode ends, `observations` already show the next
one, `infos["final_obs"]` the end of the old one and `infos["final_info"]` its sums. Seeds follow
Gymnasium too: world i plays `seed + i`, so the worlds equal as many single envs in a SyncVectorEnv, episode
by episode, also after a reset without a seed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ArrayError, MissingExtra, UnknownName
from ..games.rendering import RENDER_MODES, View, check_mode
from ..games.scripted import scripted_opponents
from ..worlds import NativeWorld

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtra("The Gymnasium wrapper", "gymnasium", "gym") from None

from .spaces import action_space, observation_space


class GameVectorEnv(VectorEnv[np.ndarray, Any, np.ndarray]):
    """A batch of worlds, one learner each; arguments as in `gym.GameEnv`.

    copy=False returns the engine's own arrays.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium declares it so)
        "render_modes": RENDER_MODES,
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    closed = True  # until __init__ has made the worlds, so that a failed one is deleted quietly

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        role: str | None = None,
        opponent: str | None = None,
        opponent_level: int | None = None,
        ally: str | None = None,
        ally_level: int | None = None,
        threads: int = 1,
        config: Mapping[str, Any] | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ):
        self.render_mode = check_mode(render_mode)
        self.world = NativeWorld(game, num_envs, threads, config=config)
        self._view = View(self.world, render_mode)
        self.metadata = self.metadata | {"render_fps": self._view.fps}
        self.closed, self.num_envs, self._copy = False, num_envs, copy
        # The seed of each world's stream of episodes, uint64 [worlds], and the number of the episode in play.
        self._roots = np.zeros(num_envs, np.uint64)
        self._episodes = np.full(num_envs, -1, np.int64)  # -1: never reset
        own = self.world.spec.for_role(role or self.world.spec.role_names[0])
        self.single_observation_space, self.single_action_space = observation_space(own), action_space(own)
        self._seen = own.observation_size
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._opponents = scripted_opponents(self.world, role, opponent, opponent_level, ally, ally_level)
        self.learner_rows = self._opponents.learner_rows

    # ------------------------------------------------------------ reset

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Reset all worlds, or those of options={"reset_mask": bool [num_envs]}.

        A world without a seed continues with the next episode of its stream, as a single env does.
        """
        which = self._which(options or {})
        fresh, seeds = self._seeds(seed)
        restarted = which[fresh[which] | (self._episodes[which] < 0)]
        continued = np.setdiff1d(which, restarted)
        if restarted.size:
            self.world.reset(seeds=seeds[restarted], worlds=restarted)
            self._roots[restarted], self._episodes[restarted] = seeds[restarted], 0
        if continued.size:
            self.world.next_episode(continued)
            self._episodes[continued] += 1
        for world in which.tolist():
            self._opponents.begin(world, self._episode_seed(world))
        self._view.show()
        return self._observations(), self._masks()

    def _which(self, options: Mapping[str, Any]) -> np.ndarray:
        for name in options:
            if name != "reset_mask":
                raise UnknownName("reset option", name, ["reset_mask"])
        mask = np.asarray(options.get("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ArrayError(f"reset_mask must be bool ({self.num_envs},) with at least one world to reset.")
        return np.flatnonzero(mask)

    def _seeds(self, seed: Any) -> tuple[np.ndarray, np.ndarray]:
        """Which worlds got a seed, bool [worlds], and a seed for every world, random where none was given."""
        if seed is None:
            seed = [None] * self.num_envs
        elif np.ndim(seed) == 0:
            first = seeding.check(seed)
            VectorEnv.reset(self, seed=first)
            seed = [(first + world) & seeding.MASK for world in range(self.num_envs)]
        if len(seed) != self.num_envs:
            text = f"{len(seed)} seeds for {self.num_envs} worlds"
            raise ArrayError(f"{text}; give one number, or one per world.")
        has_seed = np.array([one is not None for one in seed])
        seeds = np.random.SeedSequence().generate_state(self.num_envs, np.uint64)
        seeds[has_seed] = [seeding.check(one) for one in seed if one is not None]
        return has_seed, seeds

    # ------------------------------------------------------------ step

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of all worlds; where an episode ends, the observation is the first of the next one."""
        world = self.world
        world.put(actions, self.learner_rows)
        self._opponents.play()
        ended = world.step()
        self._view.show()
        infos = self._masks()
        if ended:
            infos |= self._endings()
        outputs = (world.rewards, world.terminated, world.truncated)
        rewards, terminated, truncated = (self._output(a[self.learner_rows]) for a in outputs)
        return self._observations(), rewards, terminated, truncated, infos

    def _observations(self) -> np.ndarray:
        return self._output(self.world.observations[self.learner_rows, : self._seen])

    def _endings(self) -> dict[str, Any]:
        """Infos of worlds whose episode ended: last observations, and one column per episode sum."""
        episodes = self.world.finished()
        which = episodes.heads["world"]
        ended = np.zeros(self.num_envs, bool)
        ended[which] = True
        last = np.full(self.num_envs, None, object)
        rows = self.world.final_observations[self.learner_rows, : self._seen]
        for world, number in zip(which.tolist(), episodes.heads["episode"].tolist(), strict=True):
            last[world] = rows[world].copy()
            self._episodes[world] = number + 1
            self._opponents.begin(world, self._episode_seed(world))
        sums = {}
        for name in ("seed", "episode", *(field.name for field in episodes.fields)):
            column = episodes.column(name)
            sums[name] = np.zeros((self.num_envs, *column.shape[1:]), column.dtype)
            sums[name][which] = column
            sums[f"_{name}"] = ended
        return {"final_obs": last, "_final_obs": ended, "final_info": sums, "_final_info": ended}

    def _episode_seed(self, world: int) -> int:
        return seeding.for_episode(int(self._roots[world]), int(self._episodes[world]))

    def _masks(self) -> dict[str, Any]:
        if self.world.masks is None:
            return {}
        return {"action_mask": self._output(self.world.masks), "_action_mask": np.ones(self.num_envs, bool)}

    def _output(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copy else array

    def render(self) -> tuple[Any, ...] | None:
        """One image or text per world; None in mode human, where the window shows every step."""
        return self._view.of_all() if self.render_mode in ("ansi", "rgb_array") else None

    def close_extras(self, **_: Any) -> None:
        """Close the window and free the worlds; called by VectorEnv.close()."""
        self._view.close()
        self.world.close()
