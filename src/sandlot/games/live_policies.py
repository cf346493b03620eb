"""Policies of the live server that never learn: scripted bots, or saved weights."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..bridge.streaming import Acknowledgement, AgentSlot, Transition
from ..spec import Spec
from ..worlds import load_spec
from .scripted import default_bots

LAYOUTS: tuple[dict[str, Any], ...] = (
    {"layout": "rays", "privileged": False},
    {"layout": "reference84", "privileged": False},
    {"layout": "rays", "privileged": True},
)


def specs_by_length(spec: Spec) -> dict[int, Spec]:
    """The same game with each of its layouts, by the length of an observation."""
    knobs = {knob.name for knob in spec.knobs}
    others = [
        load_spec(spec.game, {**spec.settings, **change}) for change in LAYOUTS if knobs.issuperset(change)
    ]
    return {other.observation_size: other for other in [*others, spec]}


def observed_roles(spec: Spec, observations: np.ndarray) -> list[str]:
    """The role of each row, by the role flag in its observation, whatever the agent is called."""
    if len(set(spec.roles)) == 1:
        return [spec.roles[0]] * len(observations)
    ((flagged, column),) = spec.role_flags.items()
    (other,) = set(spec.roles) - {flagged}
    return [flagged if flag >= 0.5 else other for flag in observations[:, column]]


class FixedPolicy:
    """One policy per role: scripted bots, or trained weights that stay as they are."""

    version = 0

    def __init__(self, spec: Spec, policies: Mapping[str, Any] | None = None):
        """policies: by role; None for the default bots, which know every layout of the game.

        A role without a policy is played by its default bot.
        """
        self.spec, self.action_size, self.observation_size = spec, spec.action_size, spec.observation_size
        self._specs = {spec.observation_size: spec} if policies else specs_by_length(spec)
        given = dict(policies or {})
        self._policies = {size: default_bots(one, one.roles) | given for size, one in self._specs.items()}
        self._states: dict[tuple[AgentSlot, str], Any] = {}

    def act(
        self, agent_slots: Sequence[AgentSlot], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> np.ndarray:
        """One action for each agent, float32 [agent_slots, action_size]."""
        made = np.zeros((len(agent_slots), self.action_size), np.float32)
        for i, (slot, row) in enumerate(zip(agent_slots, observations, strict=True)):
            made[i] = self._one(slot, row[None, :])
        return made

    def _one(self, slot: AgentSlot, row: np.ndarray) -> np.ndarray:
        """Row by row: each agent has a recurrent state of its own, and a scene has few."""
        size = row.shape[1]
        (role,) = observed_roles(self._specs[size], row)
        policy = self._policies[size][role]
        action, state = policy.act(row, None, self._states.get((slot, role)))
        self._states[slot, role] = state
        return np.asarray(action).ravel()

    def add_transitions(self, transitions: Sequence[Transition]) -> Acknowledgement:
        """Nothing is learned; the recurrent states of ended episodes are dropped."""
        for transition in transitions:
            if transition.ended:
                for key in [key for key in self._states if key[0] == transition.agent_slot]:
                    del self._states[key]
        return Acknowledgement()

    def accepts(self, length: int) -> bool:
        """Whether there is a policy for observations of this length."""
        return length in self._specs

    def disconnected(self, connection: int) -> None:
        """Drop the recurrent states of a connection."""
        self._states = {key: value for key, value in self._states.items() if key[0][0] != connection}
