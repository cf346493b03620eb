"""Bots for every agent of a game but the learner's, so that a multi-agent game becomes a single-agent one.

A scripted agent plays the bot of the role it holds at the moment: where roles pass from one agent to another
(tag's `switch`) it starts chasing when it becomes the seeker. All of a bot's randomness comes from the
episode's seed, so the seed alone repeats an episode, opponents included.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ... import seeding
from ...errors import ConfigError, UnknownName
from ...spec import Spec
from ...worlds import World
from ..random_policy import RandomPolicy
from .bot import Bot

BOT_STREAM = 0xB075  # splits a bot's seed off the episode's, so that world and bot never share draws


def default_bots(spec: Spec, roles: Iterable[str]) -> dict[str, Bot]:
    """The default bot of each of these roles."""
    return {role: Bot(spec.game, spec.default_bots[role], config=spec.settings) for role in roles}


def default_players(spec: Spec, roles: Iterable[str]) -> dict[str, Any]:
    """What plays these roles where nobody else does: the default bot, or random actions without one."""
    named = {role for role in roles if role in spec.default_bots}
    random = {role: RandomPolicy(spec.for_role(role)) for role in set(roles) - named}
    return random | default_bots(spec, named)


class ScriptedOpponents:
    """The bots of a batch of worlds in which the learner controls one agent per world."""

    def __init__(self, world: World, role: str, bots: Mapping[str, Bot]):
        spec = world.spec
        self._world, self._bots = world, dict(bots)
        agent = spec.roles.index(role)
        self.learner_rows = slice(agent, None, spec.agents)
        rows = np.arange(world.rows).reshape(world.worlds, spec.agents)
        self._others = np.delete(rows, agent, axis=1)  # [worlds, agents - 1]
        self._rows = self._others.reshape(-1)
        self._fixed_roles = np.array(spec.roles)[self._rows % spec.agents]
        self._states = {name: bot.start(len(self._rows)) for name, bot in self._bots.items()}

    def begin(self, world: int, seed: int) -> None:
        """Reset the bots of one world, whose episode has this seed."""
        width = self._others.shape[1]
        own = slice(world * width, (world + 1) * width)
        for name, bot in self._bots.items():
            self._states[name][own] = bot.start(width, seeding.split(seed, BOT_STREAM))

    def play(self) -> None:
        """Write the actions of every scripted row."""
        observations, masks = self._world.observations[self._rows], self._world.masks
        masks = None if masks is None else masks[self._rows]
        for role, bot in self._bots.items():
            own = self._holds(role, observations)
            if not own.any():
                continue
            which = slice(None) if own.all() else own  # usually all rows: then nothing is copied
            states = self._states[role]
            legal = None if masks is None else masks[which]
            actions, states[which] = bot.act(observations[which], legal, states[which])
            self._world.actions[self._rows[which]] = actions

    def _holds(self, role: str, observations: np.ndarray) -> np.ndarray:
        """Which scripted rows have this role now, by the role flags that they observe if there are any."""
        flags = self._world.spec.role_flags
        if not flags:
            return self._fixed_roles == role
        if role in flags:
            return observations[:, flags[role]] > 0.5
        return np.asarray((observations[:, list(flags.values())] <= 0.5).all(axis=1))


def scripted_opponents(
    world: World,
    role: str | None = None,
    opponent: str | None = None,
    opponent_level: int | None = None,
    ally: str | None = None,
    ally_level: int | None = None,
) -> ScriptedOpponents:
    """Opponents play the other roles, allies the learner's own; None: the default bot, the top level.

    role: the learner's, else the first. In a game of one agent there is nobody to play.
    """
    spec, config = world.spec, world.spec.config
    role = role or spec.role_names[0]
    if role not in spec.roles:
        raise UnknownName(f"role of {spec.game}", role, spec.role_names)
    if spec.agents == 1:
        if opponent or ally:
            raise ConfigError(f"{spec.game} has one agent: it takes neither opponent nor ally.")
        return ScriptedOpponents(world, role, {})
    if config.get("layout", "rays") != "rays":
        raise ConfigError(f"Scripted players see layout = 'rays', not {config['layout']!r}; choose 'rays'.")
    chosen = dict.fromkeys(spec.default_bots, (opponent, opponent_level)) | {role: (ally, ally_level)}
    bots = {
        each: Bot(spec.game, name or spec.default_bots[each], level, config, threads=world.threads)
        for each, (name, level) in chosen.items()
    }
    return ScriptedOpponents(world, role, bots)
