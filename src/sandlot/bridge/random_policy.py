"""The policy of the live server that needs nothing but numpy: random actions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .streaming import Acknowledgement, AgentSlot, Transition

if TYPE_CHECKING:  # needs pydantic, which the server of random actions does without
    from ..spec import Spec


class RandomPolicy:
    """Moves every axis at random and presses no button; accepts observations of any length."""

    version = 0

    def __init__(self, spec: "Spec", seed: int = 0):
        self.spec, self.action_size, self.observation_size = spec, spec.action_size, spec.observation_size
        self._rng = np.random.default_rng(seed)

    def act(
        self, agent_slots: Sequence[AgentSlot], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> np.ndarray:
        """Random moves, float32 [agent_slots, action_size]."""
        made = self._rng.uniform(-1, 1, (len(agent_slots), self.action_size)).astype(np.float32)
        made[:, [i for i, action in enumerate(self.spec.actions) if action.kind == "button"]] = 0.0
        return made

    def add_transitions(self, transitions: Sequence[Transition]) -> Acknowledgement:
        """Nothing is learned."""
        return Acknowledgement()

    def accepts(self, length: int) -> bool:
        """Any length: observations are not read."""
        return True

    def disconnected(self, connection: int) -> None:
        """Nothing is remembered."""
