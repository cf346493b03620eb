"""Scripted players on every seat of a game but the learner's, so that a game for several becomes one for one.

A scripted agent plays the bot of the role it holds at the moment: where roles pass from one to another
(tag's `switch`) it starts chasing when it becomes the seeker. All of a bot's randomness comes from the
episode's seed, so an episode is repeated, rivals included, by its seed alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import seeding
from ...errors import ConfigError, UnknownName
from ..scripted import Bot
from ..vector import VectorGame

# Whom a role meets, and how, when nobody says otherwise.
USUAL_BOT = {"seeker": "chase", "hider": "evade"}
BOT_STREAM = 0xB075  # splits a bot's seed off the episode's, so that world and bot never share draws


class Cast:
    """The scripted players of a batch of tag worlds."""

    def __init__(self, world: VectorGame, role: str, bots: Mapping[str, Bot]):
        spec = world.spec
        self._world, self._bots = world, dict(bots)
        self._flag = spec.entry("roles").start  # 1 where the row is a seeker now
        seat = spec.roles.index(role)
        self.seats = slice(seat, None, spec.agents)  # the learner's row of every world
        everyone = np.arange(world.rows).reshape(world.worlds, spec.agents)
        self._others = np.delete(everyone, seat, axis=1)  # [worlds, agents - 1]
        self._rows = self._others.reshape(-1)
        self._memory = {name: bot.start(len(self._rows)) for name, bot in self._bots.items()}

    def begin(self, world: int, seed: int) -> None:
        """Fresh memories for one world, whose episode has this seed."""
        width = self._others.shape[1]
        mine = slice(world * width, (world + 1) * width)
        for name, bot in self._bots.items():
            self._memory[name][mine] = bot.start(width, seeding.split(seed, BOT_STREAM))

    def play(self) -> None:
        """Write the actions of every scripted row."""
        seen = self._world.observations[self._rows]
        seeks = seen[:, self._flag] > 0.5
        for role, bot in self._bots.items():
            mine = seeks if role == "seeker" else ~seeks
            if not mine.any():
                continue
            which: Any = slice(None) if mine.all() else mine  # mostly all of them: then nothing is copied
            memory = self._memory[role]
            actions, memory[which] = bot.act(seen[which], state=memory[which])
            self._world.actions[self._rows[which]] = actions


def tag_cast(world: VectorGame, role: str, rival: Any, rival_level: Any, ally: Any, ally_level: Any) -> Cast:
    """Rivals play the other role, allies its own; None means the usual bot, or its top level."""
    if role not in USUAL_BOT:
        raise UnknownName("role of tag", role, USUAL_BOT)
    other = "hider" if role == "seeker" else "seeker"
    config = world.spec.config
    if config["layout"] != "rays":
        raise ConfigError(
            f"Scripted players see layout = 'rays', not {config['layout']!r}; choose 'rays' for this env."
        )
    bots = {
        other: Bot("tag", rival or USUAL_BOT[other], rival_level, config, threads=world.threads),
        role: Bot("tag", ally or USUAL_BOT[role], ally_level, config, threads=world.threads),
    }
    return Cast(world, role, bots)
