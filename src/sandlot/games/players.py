"""Who plays a batch of worlds: policies and bots, each with its rows and its recurrent state."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ..errors import ConfigError, SpecMismatch
from ..worlds import World


class Actor(Protocol):
    """Anything that acts. `state` is what it returned at the step before; None at the first."""

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[Any, Any]:
        """Actions for a batch of observations, and the new state."""


class Players:
    """One player for all agents of a batch, or one per role: `{"seeker": …, "hider": …}`."""

    def __init__(self, world: World, players: Actor | Mapping[str, Actor]):
        self.world = world
        self.rows = _rows(world, players)  # each player with the rows that it controls
        self._states: list[Any] = [None] * len(self.rows)

    def act(self) -> None:
        """Write everybody's actions into the world."""
        world = self.world
        for i, (player, rows) in enumerate(self.rows):
            masks = None if world.masks is None else world.masks[rows]
            observations = observed(player, world.observations[rows])
            actions, self._states[i] = player.act(observations, masks, self._states[i])
            world.act(rows, actions)

    def restart(self) -> None:
        """Reset the states of rows whose episode ended in the last step."""
        ended = self.world.terminated | self.world.truncated
        for (player, rows), state in zip(self.rows, self._states, strict=True):
            if state is not None:
                player.restart(state, ended[rows])


def observed(player: Any, observations: np.ndarray) -> np.ndarray:
    """What a player observes of these rows, which are as long as the longest role's."""
    spec = getattr(player, "spec", None)
    return observations if spec is None else observations[:, : spec.observation_size]


def _check_fits(world: World, player: Any) -> None:
    """A policy carries the spec of a game that is not native: the game may have changed since."""
    spec = getattr(player, "spec", None)
    if spec is not None and spec.source != "engine" and spec.interface_hash != world.spec.interface_hash:
        raise SpecMismatch(
            f"{getattr(player, 'name', 'The policy')} was trained on {spec}; what opens now is {world.spec}. "
            "Open the game as it was then, or train again."
        )


def _rows(world: World, players: Actor | Mapping[str, Actor]) -> list[tuple[Any, np.ndarray]]:
    for player in players.values() if isinstance(players, Mapping) else [players]:
        _check_fits(world, player)
    if not isinstance(players, Mapping):
        return [(players, np.arange(world.rows))]
    roles = np.tile(np.array(world.spec.roles), world.worlds)
    missing = set(world.spec.roles) - set(players)
    if missing:
        raise ConfigError(f"No policy for the role {min(missing)!r}; {world.spec.game} needs one per role.")
    played = {role: player for role, player in players.items() if role in world.spec.roles}
    return [(player, np.flatnonzero(roles == role)) for role, player in played.items()]
