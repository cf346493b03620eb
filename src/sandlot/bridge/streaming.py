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
from . import limits, messages
from .matches import Matches, Seat, Transition
from .quarantine import Quarantine


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

    def __init__(
        self,
        number: int,
        player: Player,
        welcome: Mapping[str, Any],
        matches: Matches,
        quarantine: Quarantine | None = None,
        largest_reward: float = limits.LARGEST_REWARD,
    ):
        self._matches, self._quarantine = matches, quarantine or Quarantine()
        self._largest_reward = largest_reward
        self.number, self.player, self._welcome = number, player, dict(welcome)
        self._agents: set[str] = set()  # that this connection has named
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
        problem = self._mismatch(told)
        if problem is not None:
            code, text = problem
            self._quarantine.add(self.number, code, text, told)
            return messages.error(code, text)
        return self._welcome | {"policy_version": self.player.version}

    def _mismatch(self, told: Mapping[str, Any]) -> tuple[str, str] | None:
        """The first thing that does not fit, as code and sentence."""
        speaks = told.get("protocol", messages.PROTOCOL)
        if speaks != messages.PROTOCOL:
            game, server = messages.quoted(speaks), messages.PROTOCOL
            return (
                "protocol_mismatch",
                f"The game speaks protocol {game}, this server {server}. Use one release.",
            )
        mode = told.get("mode", messages.STREAMING)
        if mode != messages.STREAMING:
            return "wrong_mode", (
                f"The game wants mode {messages.quoted(mode)}; this server streams. For lock-step let "
                "Sandlot start the scene: sandlot train tag --engine godot."
            )
        known = told.get("encodings", [messages.JSON])
        if not isinstance(known, list) or messages.JSON not in known:
            return "wrong_encoding", f"The game reads {messages.quoted(known)}; streaming is {messages.JSON}."
        for name in ("game", "game_version", "spec_hash", "action_size"):
            if name in told and name in self._welcome and told[name] != self._welcome[name]:
                game, server = messages.quoted(told[name]), self._welcome[name]
                return "spec_mismatch", f"The game says {name} = {game}, this server has {server!r}."
        length = told.get("observation_size")
        if length is not None and not self._fits(length):
            game, server = messages.quoted(length), self.player.observation_size
            return "spec_mismatch", f"The game says observation_size = {game}, this server has {server}."
        return None

    def _fits(self, length: Any) -> bool:
        try:
            return self.player.takes(messages.whole(length, "observation_size"))
        except BadMessage:
            return False

    # ------------------------------------------------------------ acting

    def _act(self, told: Mapping[str, Any]) -> dict[str, Any]:
        reply = {"type": "action", "action": [0.0] * self.player.action_size, "info": {}}
        reply |= self._marks(told)
        try:
            seen = self._observation(told.get("obs"), "obs")
        except BadMessage as problem:
            self._quarantine.add(self.number, "invalid_obs", str(problem), told.get("obs"))
            return reply | {"info": {"error": "invalid_obs", "text": str(problem)}}
        actions = self.player.act([(self.number, self._agent("agent"))], [seen], [_step(told)])
        self.acted += 1
        return reply | {"action": actions[0].tolist()} | self._marks(told)

    def _act_batch(self, told: Mapping[str, Any]) -> dict[str, Any]:
        given, step = told.get("obs"), _step(told)
        if not isinstance(given, dict) or len(given) > limits.MOST_AGENTS:
            most = limits.MOST_AGENTS
            text = f"obs of act_batch is an object, agent name to numbers, of at most {most} agents."
            raise BadMessage(text, "invalid_obs")
        seen, errors = {}, {}
        for name, numbers in given.items():
            try:
                what = f"obs of {messages.quoted(name)}"
                seen[self._agent(name)] = self._observation(numbers, what)
            except BadMessage as problem:
                self._quarantine.add(self.number, "invalid_obs", str(problem), {name: numbers})
                errors[name] = str(problem)
        made = {name: [0.0] * self.player.action_size for name in given}
        if seen:
            seats = [(self.number, name) for name in seen]
            acted = self.player.act(seats, list(seen.values()), [step] * len(seats))
            made |= {name: row.tolist() for name, row in zip(seen, acted, strict=True)}
        self.acted += len(seen)
        info = {"error": "invalid_obs", "errors": errors} if errors else {}
        return {"type": "action_batch", "actions": made, "info": info} | self._marks(told)

    def _marks(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The policy's version, and the step of the message answered: a late action can be dropped by it."""
        marks: dict[str, Any] = {"policy_version": self.player.version}
        step = _step(told)
        return marks if step is None else marks | {"step": step}

    def _observation(self, numbers: Any, what: str) -> np.ndarray:
        fits = isinstance(numbers, list) and numbers and self.player.takes(len(numbers))
        length = len(numbers) if fits else self.player.observation_size
        return messages.floats(numbers, (length,), what, limits.LARGEST_OBSERVATION)

    def _agent(self, name: Any) -> str:
        """A name that this connection may use: each one is remembered by players, learners and matches."""
        named = _text(name, "An agent's name", 1)
        if named not in self._agents and len(self._agents) >= limits.MOST_AGENTS:
            raise BadMessage(f"A connection names at most {limits.MOST_AGENTS} agents.")
        self._agents.add(named)
        return named

    # ------------------------------------------------------------ learning

    def _transition(self, told: Mapping[str, Any]) -> dict[str, Any] | None:
        """No reply, as the protocol has it, unless it is asked for or something is wrong."""
        taken = self._take([told])
        if taken.errors:
            return messages.error("invalid_transition", taken.errors[0], told.get("step"))
        return self._ack(taken, told) if told.get("ack") else None

    def _transition_batch(self, told: Mapping[str, Any]) -> dict[str, Any]:
        given, _ = told.get("transitions"), _step(told)
        if not isinstance(given, list) or len(given) > limits.MOST_TRANSITIONS:
            most = limits.MOST_TRANSITIONS
            text = f"transitions of transition_batch is a list of at most {most:,} objects."
            raise BadMessage(text, "invalid_transition")
        return self._ack(self._take(given), told)

    def _take(self, given: Sequence[Any]) -> Taken:
        good, wrong = [], []
        for i, one in enumerate(given):
            try:
                good.append(self._read(one))
            except BadMessage as problem:
                self._quarantine.add(self.number, "invalid_transition", str(problem), one)
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
        after, version = told.get("next_obs"), told.get("policy_version")
        terminated, truncated = _endings(told)
        info = _info(told.get("info", {}))
        step = _step(told)
        return Transition(
            (self.number, self._agent(info.get("agent", "agent"))),
            self._observation(told.get("obs"), "obs"),
            messages.floats(told.get("action"), (self.player.action_size,), "action", limits.LARGEST_ACTION),
            self._reward(told.get("reward")),
            None if after is None else self._observation(after, "next_obs"),
            terminated,
            truncated,
            None if version is None else messages.whole(version, "policy_version"),
            step,
            info,
        )

    def _reward(self, value: Any) -> float:
        try:
            return messages.number(value, "reward", self._largest_reward)
        except BadMessage as problem:
            hint = " (sandlot bridge --reward-limit)" if problem.code == "not_finite" else ""
            raise BadMessage(f"{problem}{hint}", problem.code) from None


def _step(told: Mapping[str, Any]) -> int | None:
    step = told.get("step")
    return None if step is None else messages.whole(step, "step")


def _text(value: Any, what: str, shortest: int = 0) -> str:
    if not isinstance(value, str) or not shortest <= len(value) <= limits.MOST_NAME:
        raise BadMessage(f"{what} is text of {shortest} to {limits.MOST_NAME} characters.")
    return value


def _info(told: Any) -> dict[str, Any]:
    """What is known of a transition's info, checked; the rest is dropped, whatever its size."""
    if not isinstance(told, dict):
        raise BadMessage("info is an object.")
    texts = ("agent", "role", "terminal_reason", "winner")
    made: dict[str, Any] = {
        name: _text(told[name], f"info.{name}") for name in texts if told.get(name) is not None
    }
    largest = {"distance_to_other": limits.LARGEST_DISTANCE, "time_elapsed": limits.LONGEST_EPISODE_S}
    for name, most in largest.items():
        if told.get(name) is not None:
            made[name] = messages.number(told[name], f"info.{name}", most)
    return made


def _endings(told: Mapping[str, Any]) -> tuple[bool, bool]:
    """Both kinds of ending; a game that knows only `done` means that the game ended."""
    flags = [told.get(name, False) for name in ("terminated", "truncated", "done")]
    if not all(flag in (False, True) for flag in flags):
        raise BadMessage("done, terminated and truncated are true or false.")
    terminated, truncated, done = map(bool, flags)
    return terminated or (done and not truncated), truncated and not terminated
