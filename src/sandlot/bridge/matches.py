"""Transitions, and the matches they add up to: one result per match, whichever connection sent its parts."""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MOST_WAITING = 10_000  # finished matches that nobody fetched


AgentSlot = tuple[int, str]  # number of the connection, name of its agent


@dataclass(frozen=True)
class Transition:
    """One agent's step: what it saw, did and got."""

    agent_slot: AgentSlot
    observation: np.ndarray  # float32 [D]
    action: np.ndarray  # float32 [action_size]
    reward: float
    next_observation: np.ndarray | None
    terminated: bool
    truncated: bool
    version: int | None  # of the policy that acted, where the game reports it
    step: int | None
    info: Mapping[str, Any] = field(default_factory=dict)  # agent, role, distance_to_other, …: all checked

    @property
    def ended(self) -> bool:
        """Whether the episode ended with it, in either way."""
        return self.terminated or self.truncated


@dataclass
class _AgentTotals:
    """What one agent did in the match so far."""

    role: str = ""
    steps: int = 0
    reward: float = 0.0
    distance: float = 0.0  # sum over the steps that reported one
    distance_steps: int = 0
    over: bool = False


@dataclass(frozen=True)
class MatchResult:
    """One finished match. What the game did not report is empty or 0."""

    steps: int
    duration_s: float
    winner: str
    reason: str
    truncated: bool
    rewards: Mapping[str, float]  # sum by role
    distances: Mapping[str, float]  # mean by role


class MatchTracker:
    """Collects transitions by game; a match is over when all agents that took part in it are."""

    def __init__(self) -> None:
        self._open: dict[int, dict[str, _AgentTotals]] = {}
        self._done: deque[MatchResult] = deque(maxlen=MOST_WAITING)
        self._lock = threading.Lock()  # a learner's thread fetches what the server's adds
        self.total = 0

    def add(self, transitions: Sequence[Transition]) -> None:
        """Count transitions; the last one of a match closes it."""
        for transition in transitions:
            game, agent = transition.agent_slot
            parts = self._open.setdefault(game, {})
            part = parts.setdefault(agent, _AgentTotals())
            part.role = str(transition.info.get("role") or part.role)
            part.steps += 1
            part.reward += transition.reward
            distance = transition.info.get("distance_to_other")
            if distance is not None:
                part.distance, part.distance_steps = part.distance + distance, part.distance_steps + 1
            part.over = part.over or transition.ended
            if all(one.over for one in parts.values()):
                self._close(game, transition)

    def _close(self, game: int, last: Transition) -> None:
        parts = list(self._open.pop(game).values())
        steps = max(part.steps for part in parts)
        by_role: dict[str, list[_AgentTotals]] = {}
        for part in parts:
            by_role.setdefault(part.role, []).append(part)
        match = MatchResult(
            steps,
            last.info.get("time_elapsed", 0.0),
            str(last.info.get("winner", "")),
            str(last.info.get("terminal_reason", "")),
            last.truncated,
            {role: sum(p.reward for p in some) for role, some in by_role.items()},
            {role: _mean_distance(some) for role, some in by_role.items()},
        )
        with self._lock:
            self.total += 1
            self._done.append(match)

    def finished(self) -> list[MatchResult]:
        """Matches that ended since the last call."""
        with self._lock:
            done = list(self._done)
            self._done.clear()
        return done

    def drop(self, game: int) -> None:
        """A match whose game left is dropped: nobody knows how it would have ended."""
        self._open.pop(game, None)


def _mean_distance(parts: Sequence[_AgentTotals]) -> float:
    steps = sum(part.distance_steps for part in parts)
    return sum(part.distance for part in parts) / steps if steps else 0.0
