"""Streaming: the scene keeps running, asks for actions, and sends what came of them. Reading and answering;
no sockets here.

What acts and learns is a Player. Two that only act are in players.py; the command line joins the one that
learns, so that this room never knows of PPO.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..errors import BadMessage
from . import messages
from .matches import Matches, Seat, Transition

MOST_AGENTS = 4096  # in one act_batch
MOST_TRANSITIONS = 16_384  # in one transition_batch
MOST_NAME = 100  # characters of an agent's name


@dataclass
class Taken:
    """What became of a batch of transitions. Those that are stored but neither stale nor unmatched teach."""

    stored: int = 0
    stale: int = 0  # acted by a policy that is too old to learn from
    unmatched: int = 0  # no action of ours belongs to it
    refused: int = 0  # cannot be read
    errors: list[str] = field(default_factory=list)


class Player(Protocol):
    """What answers, and perhaps learns."""

    version: int  # of the policy: goes up with every update
    observation_size: int  # the usual one
    action_size: int

    def act(
        self, seats: Sequence[Seat], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> np.ndarray:
        """Actions, float32 [seats, action_size]."""
        ...

    def take(self, transitions: Sequence[Transition]) -> Taken: ...

    def takes(self, length: int) -> bool:
        """Whether observations of this length can be played with."""
        ...

    def gone(self, connection: int) -> None:
        """A connection closed; what was open in it will never be finished."""
        ...


class Conversation:
    """One connection: messages in, replies out."""

    def __init__(self, number: int, player: Player, welcome: Mapping[str, Any], matches: Matches):
        self._matches = matches
        self.number, self.player, self._welcome = number, player, dict(welcome)
        self.acted = self.stored = 0

    def answer(self, told: Mapping[str, Any]) -> dict[str, Any] | None:
        """The reply to one message; None where there is none."""
        known = {
            "hello": self._hello,
            "act": self._act,
            "act_batch": self._act_batch,
            "transition": self._transition,
            "transition_batch": self._transition_batch,
        }
        handler = known.get(told["type"])
        return {"type": "echo", "recv": dict(told)} if handler is None else handler(told)

    # ------------------------------------------------------------ hello

    def _hello(self, told: Mapping[str, Any]) -> dict[str, Any]:
        speaks = told.get("protocol", messages.PROTOCOL)
        if speaks != messages.PROTOCOL:
            text = f"The game speaks protocol {speaks!r}, this server {messages.PROTOCOL}. Use one release."
            return messages.error("protocol_mismatch", text)
        if told.get("mode", messages.STREAMING) == messages.LOCKSTEP:
            text = (
                "This server streams. For lock-step let Sandlot start the scene: sandlot train tag "
                "--engine godot."
            )
            return messages.error("wrong_mode", text)
        length = told.get("observation_size")
        if length is not None and not self._fits(length):
            text = f"The game says observation_size = {length!r}, this server {self.player.observation_size}."
            return messages.error("spec_mismatch", text)
        wanted = self._welcome.get("spec_hash")
        if told.get("spec_hash") not in (None, wanted):
            text = f"The game says spec_hash = {told['spec_hash']!r}, this server has {wanted!r}."
            return messages.error("spec_mismatch", text)
        size = told.get("action_size", self.player.action_size)
        if size != self.player.action_size:
            text = f"The game says action_size = {size!r}, this server has {self.player.action_size}."
            return messages.error("spec_mismatch", text)
        return self._welcome | {"policy_version": self.player.version}

    def _fits(self, length: Any) -> bool:
        if not isinstance(length, (int, float)) or isinstance(length, bool) or length != int(length):
            return False
        return self.player.takes(int(length))

    # ------------------------------------------------------------ acting

    def _act(self, told: Mapping[str, Any]) -> dict[str, Any]:
        reply = {"type": "action", "action": [0.0] * self.player.action_size, "info": {}}
        reply |= self._marks(told)
        try:
            seen = self._observation(told.get("obs"), "obs")
        except BadMessage as problem:
            return reply | {"info": {"error": "invalid_obs", "text": str(problem)}}
        actions = self.player.act([(self.number, "agent")], [seen], [told.get("step")])
        self.acted += 1
        return reply | {"action": actions[0].tolist()} | self._marks(told)

    def _act_batch(self, told: Mapping[str, Any]) -> dict[str, Any]:
        given = told.get("obs")
        if not isinstance(given, dict) or len(given) > MOST_AGENTS:
            text = f"obs of act_batch is an object, agent name to numbers, of at most {MOST_AGENTS} agents."
            return messages.error("invalid_obs", text, told.get("step"))
        seen, errors = {}, {}
        for name, numbers in given.items():
            try:
                seen[_name(name)] = self._observation(numbers, f"obs of {name[:MOST_NAME]}")
            except BadMessage as problem:
                errors[name] = str(problem)
        made = {name: [0.0] * self.player.action_size for name in given}
        if seen:
            seats = [(self.number, name) for name in seen]
            acted = self.player.act(seats, list(seen.values()), [told.get("step")] * len(seats))
            made |= {name: row.tolist() for name, row in zip(seen, acted, strict=True)}
        self.acted += len(seen)
        info = {"error": "invalid_obs", "errors": errors} if errors else {}
        return {"type": "action_batch", "actions": made, "info": info} | self._marks(told)

    def _marks(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The policy's version, and the step of the message answered: a late action can be dropped by it."""
        marks: dict[str, Any] = {"policy_version": self.player.version}
        return marks | ({"step": told["step"]} if "step" in told else {})

    def _observation(self, numbers: Any, what: str) -> np.ndarray:
        fits = isinstance(numbers, list) and numbers and self.player.takes(len(numbers))
        return messages.floats(numbers, (len(numbers) if fits else self.player.observation_size,), what)

    # ------------------------------------------------------------ learning

    def _transition(self, told: Mapping[str, Any]) -> dict[str, Any] | None:
        """No reply, as the protocol has it, unless it is asked for or something is wrong."""
        taken = self._take([told])
        if taken.errors:
            return messages.error("invalid_transition", taken.errors[0], told.get("step"))
        return self._ack(taken, told) if told.get("ack") else None

    def _transition_batch(self, told: Mapping[str, Any]) -> dict[str, Any]:
        given = told.get("transitions")
        if not isinstance(given, list) or len(given) > MOST_TRANSITIONS:
            text = f"transitions of transition_batch is a list of at most {MOST_TRANSITIONS} objects."
            return messages.error("invalid_transition", text, told.get("step"))
        return self._ack(self._take(given), told)

    def _take(self, given: Sequence[Any]) -> Taken:
        good, wrong = [], []
        for i, one in enumerate(given):
            try:
                good.append(self._read(one))
            except BadMessage as problem:
                wrong.append(f"transitions[{i}]: {problem}")
        taken = self.player.take(good) if good else Taken()
        self._matches.add(good)
        taken.stored = len(good)
        taken.refused, taken.errors = len(wrong), wrong[:5]
        self.stored += taken.stored
        return taken

    def _ack(self, taken: Taken, told: Mapping[str, Any]) -> dict[str, Any]:
        counts = {"stored": taken.stored, "stale": taken.stale, "unmatched": taken.unmatched}
        reply = {"type": "ack", **counts, "refused": taken.refused}
        return reply | ({"errors": taken.errors} if taken.errors else {}) | self._marks(told)

    def _read(self, told: Any) -> Transition:
        if not isinstance(told, dict):
            raise BadMessage("a transition is an object with obs, action, reward and done.")
        info = told.get("info", {})
        if not isinstance(info, dict):
            raise BadMessage("info is an object.")
        after = told.get("next_obs")
        reward = messages.floats([told.get("reward")], (1,), "reward")[0]
        terminated, truncated = _endings(told)
        version, step = told.get("policy_version"), told.get("step")
        return Transition(
            (self.number, _name(info.get("agent", "agent"))),
            self._observation(told.get("obs"), "obs"),
            messages.floats(told.get("action"), (self.player.action_size,), "action"),
            float(reward),
            None if after is None else self._observation(after, "next_obs"),
            terminated,
            truncated,
            None if version is None else messages.whole(version, "policy_version"),
            None if step is None else messages.whole(step, "step"),
            info,
        )


def _name(name: Any) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= MOST_NAME:
        raise BadMessage(f"An agent's name is text of 1 to {MOST_NAME} characters.")
    return name


def _endings(told: Mapping[str, Any]) -> tuple[bool, bool]:
    """Both kinds of ending; a game that knows only `done` means that the game ended."""
    flags = [told.get(name, False) for name in ("terminated", "truncated", "done")]
    if not all(flag in (False, True) for flag in flags):
        raise BadMessage("done, terminated and truncated are true or false.")
    terminated, truncated, done = map(bool, flags)
    return terminated or (done and not truncated), truncated and not terminated
