"""Streaming: the scene keeps running, requests actions and sends transitions. No sockets here.

What acts and learns is a LivePolicy. RandomPolicy and games/live_policies.py only act; the one that learns
is made by the command line, so that this package does not import the trainer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from ..errors import BadMessage
from . import limits, messages
from .matches import AgentSlot, MatchTracker, Transition
from .quarantine import Quarantine


@dataclass
class Acknowledgement:
    """What became of a batch of transitions; stale and unmatched ones are stored, but not learned from."""

    stored: int = 0
    stale: int = 0  # acted by a policy that is too old to learn from
    unmatched: int = 0  # no action of ours belongs to it
    refused: int = 0  # cannot be read
    errors: list[str] = field(default_factory=list)


class LivePolicy(Protocol):
    """What answers a game, and perhaps learns from its transitions."""

    version: int  # of the policy: goes up with every update
    observation_size: int  # the usual one
    action_size: int

    def act(
        self, agent_slots: Sequence[AgentSlot], observations: Sequence[np.ndarray], steps: Sequence[Any]
    ) -> np.ndarray:
        """Actions, float32 [agent_slots, action_size]."""

    def add_transitions(self, transitions: Sequence[Transition]) -> Acknowledgement:
        """Store them, and count those that cannot be learned from."""

    def accepts(self, length: int) -> bool:
        """Whether observations of this length can be played with."""

    def disconnected(self, connection: int) -> None:
        """A connection closed; its open episodes will never be finished."""


class ConnectionHandler:
    """One connection: messages in, replies out."""

    def __init__(
        self,
        number: int,
        policy: LivePolicy,
        welcome: Mapping[str, Any],
        matches: MatchTracker,
        quarantine: Quarantine | None = None,
        largest_reward: float = limits.LARGEST_REWARD,
    ):
        self._matches, self._quarantine = matches, quarantine or Quarantine()
        self._largest_reward = largest_reward
        self.number, self.policy, self._welcome = number, policy, dict(welcome)
        self._agents: set[str] = set()  # that this connection has named
        self.acted = self.stored = 0

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The reply to one message; None where there is none."""
        known = {
            "hello": self._hello,
            "act": self._act,
            "act_batch": self._act_batch,
            "transition": self._transition,
            "transition_batch": self._transition_batch,
        }
        handler = known.get(message["type"])
        return {"type": "echo", "recv": dict(message)} if handler is None else handler(message)

    # ------------------------------------------------------------ hello

    def _hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        problem = self._mismatch(message)
        if problem is not None:
            code, text = problem
            self._quarantine.add(self.number, code, text, message)
            return messages.error(code, text)
        return self._welcome | {"policy_version": self.policy.version}

    def _mismatch(self, message: Mapping[str, Any]) -> tuple[str, str] | None:
        """The first thing that does not fit, as code and sentence."""
        game_protocol = message.get("protocol", messages.PROTOCOL)
        if game_protocol != messages.PROTOCOL:
            game, server = messages.quoted(game_protocol), messages.PROTOCOL
            text = f"The game speaks protocol {game}, this server {server}. Use one release."
            return "protocol_mismatch", text
        mode = message.get("mode", messages.STREAMING)
        if mode != messages.STREAMING:
            return "wrong_mode", (
                f"The game wants mode {messages.quoted(mode)}; this server streams. For lock-step let "
                "Sandlot start the scene: sandlot train GAME --engine godot."
            )
        known = message.get("encodings", [messages.JSON])
        if not isinstance(known, list) or messages.JSON not in known:
            return "wrong_encoding", f"The game reads {messages.quoted(known)}; streaming is {messages.JSON}."
        for name in ("game", "game_version", "spec_hash", "action_size"):
            if name in message and name in self._welcome and message[name] != self._welcome[name]:
                game, server = messages.quoted(message[name]), self._welcome[name]
                return "spec_mismatch", f"The game says {name} = {game}, this server has {server!r}."
        length = message.get("observation_size")
        if length is not None and not self._fits(length):
            game, server = messages.quoted(length), self.policy.observation_size
            return "spec_mismatch", f"The game says observation_size = {game}, this server has {server}."
        return None

    def _fits(self, length: Any) -> bool:
        try:
            return self.policy.accepts(messages.parse_int(length, "observation_size"))
        except BadMessage:
            return False

    # ------------------------------------------------------------ acting

    def _act(self, message: Mapping[str, Any]) -> dict[str, Any]:
        reply = {"type": "action", "action": [0.0] * self.policy.action_size, "info": {}}
        reply |= self._version_and_step(message)
        try:
            seen = self._observation(message.get("obs"), "obs")
        except BadMessage as problem:
            self._quarantine.add(self.number, "invalid_obs", str(problem), message.get("obs"))
            return reply | {"info": {"error": "invalid_obs", "text": str(problem)}}
        actions = self.policy.act([(self.number, self._agent("agent"))], [seen], [_step(message)])
        self.acted += 1
        return reply | {"action": actions[0].tolist()} | self._version_and_step(message)

    def _act_batch(self, message: Mapping[str, Any]) -> dict[str, Any]:
        given, step = message.get("obs"), _step(message)
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
        made = {name: [0.0] * self.policy.action_size for name in given}
        if seen:
            agent_slots = [(self.number, name) for name in seen]
            acted = self.policy.act(agent_slots, list(seen.values()), [step] * len(agent_slots))
            made |= {name: row.tolist() for name, row in zip(seen, acted, strict=True)}
        self.acted += len(seen)
        info = {"error": "invalid_obs", "errors": errors} if errors else {}
        return {"type": "action_batch", "actions": made, "info": info} | self._version_and_step(message)

    def _version_and_step(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The policy's version, and the step of the message answered: a late action can be dropped by it."""
        fields: dict[str, Any] = {"policy_version": self.policy.version}
        step = _step(message)
        return fields if step is None else fields | {"step": step}

    def _observation(self, numbers: Any, what: str) -> np.ndarray:
        fits = isinstance(numbers, list) and numbers and self.policy.accepts(len(numbers))
        length = len(numbers) if fits else self.policy.observation_size
        return messages.floats(numbers, (length,), what, limits.LARGEST_OBSERVATION)

    def _agent(self, name: Any) -> str:
        """A name that this connection may use: policies, learners and matches remember each of them."""
        named = _text(name, "An agent's name", 1)
        if named not in self._agents and len(self._agents) >= limits.MOST_AGENTS:
            raise BadMessage(f"A connection names at most {limits.MOST_AGENTS} agents.")
        self._agents.add(named)
        return named

    # ------------------------------------------------------------ learning

    def _transition(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """No reply, unless one is asked for or the transition is refused."""
        result = self._add_transitions([message])
        if result.errors:
            return messages.error("invalid_transition", result.errors[0], message.get("step"))
        return self._ack(result, message) if message.get("ack") else None

    def _transition_batch(self, message: Mapping[str, Any]) -> dict[str, Any]:
        given, _ = message.get("transitions"), _step(message)
        if not isinstance(given, list) or len(given) > limits.MOST_TRANSITIONS:
            most = limits.MOST_TRANSITIONS
            text = f"transitions of transition_batch is a list of at most {most:,} objects."
            raise BadMessage(text, "invalid_transition")
        return self._ack(self._add_transitions(given), message)

    def _add_transitions(self, given: Sequence[Any]) -> Acknowledgement:
        good, errors = [], []
        for i, one in enumerate(given):
            try:
                good.append(self._read(one))
            except BadMessage as problem:
                self._quarantine.add(self.number, "invalid_transition", str(problem), one)
                errors.append(f"transitions[{i}]: {problem}")
        result = self.policy.add_transitions(good) if good else Acknowledgement()
        self._matches.add(good)
        result.stored = len(good)
        result.refused, result.errors = len(errors), errors[:5]
        self.stored += result.stored
        return result

    def _ack(self, result: Acknowledgement, message: Mapping[str, Any]) -> dict[str, Any]:
        counts = {name: value for name, value in asdict(result).items() if name != "errors" or value}
        return {"type": "ack", **counts} | self._version_and_step(message)

    def _read(self, row: Any) -> Transition:
        if not isinstance(row, dict):
            raise BadMessage("a transition is an object with obs, action, reward and done.")
        after, version = row.get("next_obs"), row.get("policy_version")
        terminated, truncated = _endings(row)
        info = _info(row.get("info", {}))
        step = _step(row)
        return Transition(
            (self.number, self._agent(info.get("agent", "agent"))),
            self._observation(row.get("obs"), "obs"),
            messages.floats(row.get("action"), (self.policy.action_size,), "action", limits.LARGEST_ACTION),
            self._reward(row.get("reward")),
            None if after is None else self._observation(after, "next_obs"),
            terminated,
            truncated,
            None if version is None else messages.parse_int(version, "policy_version"),
            step,
            info,
        )

    def _reward(self, value: Any) -> float:
        try:
            return messages.number(value, "reward", self._largest_reward)
        except BadMessage as problem:
            hint = " (sandlot bridge --reward-limit)" if problem.code == "not_finite" else ""
            raise BadMessage(f"{problem}{hint}", problem.code) from None


def _step(message: Mapping[str, Any]) -> int | None:
    step = message.get("step")
    return None if step is None else messages.parse_int(step, "step")


def _text(value: Any, what: str, shortest: int = 0) -> str:
    if not isinstance(value, str) or not shortest <= len(value) <= limits.MOST_NAME:
        raise BadMessage(f"{what} is text of {shortest} to {limits.MOST_NAME} characters.")
    return value


def _info(info: Any) -> dict[str, Any]:
    """What is known of a transition's info, checked; the rest is dropped, whatever its size."""
    if not isinstance(info, dict):
        raise BadMessage("info is an object.")
    texts = ("agent", "role", "terminal_reason", "winner")
    given = {name: value for name, value in info.items() if value is not None}
    made: dict[str, Any] = {name: _text(given[name], f"info.{name}") for name in texts if name in given}
    largest = {"distance_to_other": limits.LARGEST_DISTANCE, "time_elapsed": limits.LONGEST_EPISODE_S}
    for name, most in largest.items():
        if info.get(name) is not None:
            made[name] = messages.number(info[name], f"info.{name}", most)
    return made


def _endings(message: Mapping[str, Any]) -> tuple[bool, bool]:
    """Both kinds of ending; `done` alone means terminated."""
    flags = [message.get(name, False) for name in ("terminated", "truncated", "done")]
    if not all(flag in (False, True) for flag in flags):
        raise BadMessage("done, terminated and truncated are true or false.")
    terminated, truncated, done = map(bool, flags)
    return terminated or (done and not truncated), truncated and not terminated
