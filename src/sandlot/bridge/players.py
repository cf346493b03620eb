"""Players that act without learning: at random, by script, or by weights from a file. No PyTorch needed for
the first two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..games import Spec, bot
from .matches import ROLES
from .streaming import Seat, Taken, Transition

USUAL = {"seeker": "chase", "hider": "evade"}  # scripted players of tag
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"layout": "rays", "privileged": False},
    {"layout": "reference84", "privileged": False},
    {"layout": "rays", "privileged": True},
)


def specs_by_length(spec: Spec) -> dict[int, Spec]:
    """The same game with each of its layouts, by the length of an observation."""
    knobs = {knob.name for knob in spec.knobs}
    others = [
        Spec(spec.game, {"profile": spec.profile, **spec.config, **change})
        for change in LAYOUTS
        if set(change) <= knobs
    ]
    return {other.observation_size: other for other in [*others, spec]}


def roles_seen(spec: Spec, observations: np.ndarray) -> list[str]:
    """Who each row is, by its own role flag: the one in the observation, whatever the agent is called."""
    if len(set(spec.roles)) == 1:
        return [spec.roles[0]] * len(observations)
    flags = observations[:, spec.field("roles").start] >= 0.5
    return [ROLES[0] if seeker else ROLES[1] for seeker in flags]


class RandomPlayer:
    """Moves at random and never jumps; takes observations of any length."""

    version = 0

    def __init__(self, spec: Spec, seed: int = 0):
        self.spec, self.action_size, self.observation_size = spec, spec.action_size, spec.observation_size
        self._rng = np.random.default_rng(seed)

    def act(
        self, seats: Sequence[Seat], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> np.ndarray:
        made = self._rng.uniform(-1, 1, (len(seats), self.action_size)).astype(np.float32)
        made[:, [i for i, name in enumerate(self.spec.action_names) if name == "jump"]] = 0.0
        return made

    def take(self, transitions: Sequence[Transition]) -> Taken:
        return Taken()

    def takes(self, length: int) -> bool:
        return True

    def gone(self, connection: int) -> None:
        pass


class FixedPlayer:
    """One policy a role: scripted players, or trained weights that stay as they are."""

    version = 0

    def __init__(self, spec: Spec, policies: Mapping[str, Any] | None = None):
        """policies: by role; None for the usual scripted players, which know every layout of the game.

        A role without a policy is played by its usual script.
        """
        self.spec, self.action_size, self.observation_size = spec, spec.action_size, spec.observation_size
        self._specs = {spec.observation_size: spec} if policies else specs_by_length(spec)
        self._policies = {size: {**_scripts(one), **(policies or {})} for size, one in self._specs.items()}
        self._memories: dict[tuple[Seat, str], Any] = {}

    def act(
        self, seats: Sequence[Seat], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> np.ndarray:
        made = np.zeros((len(seats), self.action_size), np.float32)
        for i, (seat, row) in enumerate(zip(seats, observations, strict=True)):
            made[i] = self._one(seat, row[None, :])
        return made

    def _one(self, seat: Seat, row: np.ndarray) -> np.ndarray:
        """Row by row: each agent has a memory of its own, and a scene has few."""
        size = row.shape[1]
        (role,) = roles_seen(self._specs[size], row)
        policy = self._policies[size][role]
        action, memory = policy.act(row, None, self._memories.get((seat, role)))
        self._memories[seat, role] = memory
        return np.asarray(action).reshape(-1)

    def take(self, transitions: Sequence[Transition]) -> Taken:
        """Nothing is learned; an end is noted, so that nobody remembers the last episode."""
        for told in transitions:
            if told.ended:
                for key in [key for key in self._memories if key[0] == told.seat]:
                    del self._memories[key]
        return Taken()

    def takes(self, length: int) -> bool:
        return length in self._specs

    def gone(self, connection: int) -> None:
        self._memories = {key: value for key, value in self._memories.items() if key[0][0] != connection}


def _scripts(spec: Spec) -> dict[str, Any]:
    config = {"profile": spec.profile, **spec.config}
    return {role: bot(spec.game, USUAL[role], config=config) for role in dict.fromkeys(spec.roles)}
