"""PettingZoo: a learner for every agent. parallel_env() steps all at once, aec_env() by turns.

Agents are named after the role they start with: seeker_0, hider_0, hider_1, ... Where an agent can be out
before the others (a touched hider of tag's mode `timed`), it is terminated in that step and leaves `agents`;
the others play on.
"""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ActionError, MissingExtra, NotReset, UnknownName
from ..games import info
from ..games.rendering import RENDER_MODES, View, check_mode
from ..worlds import NativeWorld

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import parallel_to_aec
except ImportError:
    raise MissingExtra("The PettingZoo wrapper", "pettingzoo", "gym") from None

from .spaces import action_space, observation_space


class GameParallelEnv(ParallelEnv[str, np.ndarray, np.ndarray]):
    """One world, a learner for each of its agents."""

    metadata: dict[str, Any] = {  # noqa: RUF012  (PettingZoo declares it so)
        "render_modes": RENDER_MODES,
        "render_fps": 20,
        "is_parallelizable": True,
    }

    def __init__(self, game: str, config: Mapping[str, Any] | None = None, render_mode: str | None = None):
        self.render_mode = check_mode(render_mode)
        self.world = NativeWorld(game, config=config, autoreset=False)
        self._view = View(self.world, render_mode)
        self.metadata = self.metadata | {"name": f"sandlot_{game}_v0", "render_fps": self._view.fps}
        spec = self.world.spec
        shapes = {field.name: field.shape for field in spec.info}
        self._own_info = [name for name, shape in shapes.items() if shape == (spec.agents,) != (1,)]
        self.possible_agents = _agent_names(spec.roles)
        self.agents: list[str] = []
        self._row = {name: row for row, name in enumerate(self.possible_agents)}
        # one space per agent: seeding one must not affect another
        own = {name: spec.for_role(role) for name, role in zip(self._row, spec.roles, strict=True)}
        self.observation_spaces = {name: observation_space(of_role) for name, of_role in own.items()}
        self.action_spaces = {name: action_space(of_role) for name, of_role in own.items()}
        self._seen = {name: of_role.observation_size for name, of_role in own.items()}
        self._stream = seeding.Stream()

    def observation_space(self, agent: str) -> Any:
        """The agent's own space; agents of one role have equal ones, seeded separately."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The agent's own space; agents of one role have equal ones, seeded separately."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        """Start a match; without a seed the next one of the stream, as in gym.py. Options are ignored."""
        self.world.reset(seed=self._stream.next(seed))
        self.agents = list(self.possible_agents)
        self._view.show()
        return self._observations(self.agents), self._infos(self.agents)

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Step everybody in play; returns their observations, rewards, terminations, truncations, infos."""
        self._write(actions)
        world, played = self.world, self.agents
        world.step()
        self._view.show()
        in_play = world.info().get(world.spec.document.in_play, np.ones(len(self._row)))
        rewards = {name: float(world.rewards[self._row[name]]) for name in played}
        ended = {name: bool(world.terminated[self._row[name]]) for name in played}
        out = {name: ended[name] or not in_play[self._row[name]] for name in played}
        cut = {name: bool(world.truncated[self._row[name]]) for name in played}
        self.agents = [name for name in played if not (out[name] or cut[name])]
        return self._observations(played), rewards, out, cut, self._infos(played)

    def _write(self, actions: Mapping[str, Any]) -> None:
        if not self.agents:
            raise NotReset("Nobody is in play: the match has not begun or is over. Call reset().")
        for name in actions:
            if name not in self.agents:
                raise UnknownName("agent in play", name, self.agents)
        self.world.actions[...] = 0.0  # rows of agents that are out
        for name in self.agents:
            if name not in actions:
                names = ", ".join(self.agents)
                raise ActionError(f"{name} is in play and has no action; give one to each of {names}.")
            row = self._row[name]
            self.world.put(np.asarray(actions[name])[None], slice(row, row + 1))

    def _observations(self, names: list[str]) -> dict[str, np.ndarray]:
        rows = self.world.observations
        return {name: rows[self._row[name], : self._seen[name]].copy() for name in names}

    def _infos(self, names: list[str]) -> dict[str, dict[str, Any]]:
        """The world's info for each agent, with its own value of the entries that have one per agent."""
        shared = info.of_world(self.world)
        own = {key: shared.pop(key) for key in self._own_info}
        return {name: shared | {key: float(v[self._row[name]]) for key, v in own.items()} for name in names}

    def render(self) -> Any:
        """rgb_array: uint8 [height, width, 3]; ansi: text; human: nothing, as the window shows every step."""
        return self._view.of_world(0) if self.render_mode in ("ansi", "rgb_array") else None

    def close(self) -> None:
        """Close the window and free the world; using the env afterwards raises Closed."""
        self._view.close()
        self.world.close()


def _agent_names(roles: tuple[str, ...]) -> list[str]:
    """Role and index within it, in row order: seeker_0, hider_0, hider_1."""
    return [f"{role}_{roles[:row].count(role)}" for row, role in enumerate(roles)]


def parallel_env(
    game: str, config: Mapping[str, Any] | None = None, render_mode: str | None = None
) -> GameParallelEnv:
    """A game as a ParallelEnv: all agents act at once.

    >>> from sandlot.wrappers.zoo import parallel_env
    >>> parallel_env("tag", {"hiders": 2}).possible_agents
    ['seeker_0', 'hider_0', 'hider_1']
    """
    return GameParallelEnv(game, config, render_mode)


def aec_env(game: str, config: Mapping[str, Any] | None = None, render_mode: str | None = None) -> AECEnv:
    """A game as an AECEnv: agents act by turns within a step."""
    return parallel_to_aec(parallel_env(game, config, render_mode))


tag_parallel_env = functools.partial(parallel_env, "tag")
tag_env = functools.partial(aec_env, "tag")
