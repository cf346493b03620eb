"""Transitions, and the matches they add up to: one row a match, whoever sent the pieces."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROLES = ("seeker", "hider")
REASONS = ("none", "tag", "timeout")
MOST_WAITING = 10_000  # finished matches that nobody fetched


Seat = tuple[int, str]  # which connection, which agent of it


@dataclass(frozen=True)
class Transition:
    """One agent's step: what it saw, did and got."""

    seat: Seat
    observation: np.ndarray  # float32 [D]
    action: np.ndarray  # float32 [action_size]
    reward: float
    next_observation: np.ndarray | None
    terminated: bool
    truncated: bool
    version: int | None  # of the policy that acted, where the game says it
    step: int | None
    info: Mapping[str, Any] = field(default_factory=dict)  # agent, role, distance_to_other, …: all checked

    @property
    def ended(self) -> bool:
        return self.terminated or self.truncated


@dataclass
class _Part:
    """What one agent did in the match so far."""

    role: str = ""
    steps: int = 0
    reward: float = 0.0
    distance: float = 0.0  # summed, to be divided by the steps that told one
    told_distance: int = 0
    over: bool = False


@dataclass(frozen=True)
class Match:
    """One finished match. Words that the game did not say are empty or none."""

    steps: int
    duration_s: float
    winner: str
    reason: str
    truncated: bool
    rewards: Mapping[str, float]  # sum by role
    distances: Mapping[str, float]  # mean by role


class Matches:
    """Collects transitions by game; a match is over when all agents that took part in it are."""

    def __init__(self) -> None:
        self._open: dict[int, dict[str, _Part]] = {}
        self._done: deque[Match] = deque(maxlen=MOST_WAITING)
        self._lock = threading.Lock()  # a learner's thread fetches what the server's adds
        self.total = 0

    def add(self, transitions: Sequence[Transition]) -> None:
        for told in transitions:
            game, agent = told.seat
            parts = self._open.setdefault(game, {})
            part = parts.setdefault(agent, _Part())
            part.role = str(told.info.get("role") or part.role)
            part.steps += 1
            part.reward += told.reward
            distance = told.info.get("distance_to_other")
            if distance is not None:
                part.distance, part.told_distance = part.distance + distance, part.told_distance + 1
            part.over = part.over or told.ended
            if all(one.over for one in parts.values()):
                self._close(game, told)

    def _close(self, game: int, last: Transition) -> None:
        parts = list(self._open.pop(game).values())
        steps = max(part.steps for part in parts)
        by_role = {role: [p for p in parts if p.role == role] for role in ROLES}
        match = Match(
            steps,
            last.info.get("time_elapsed", 0.0),
            str(last.info.get("winner", "")),
            str(last.info.get("terminal_reason", "")),
            last.truncated,
            {role: sum(p.reward for p in some) for role, some in by_role.items() if some},
            {role: _mean_distance(some) for role, some in by_role.items() if some},
        )
        with self._lock:
            self.total += 1
            self._done.append(match)

    def finished(self) -> list[Match]:
        """Those that ended since the last call."""
        with self._lock:
            done = list(self._done)
            self._done.clear()
        return done

    def gone(self, game: int) -> None:
        """A match whose game left is dropped: nobody knows how it would have ended."""
        self._open.pop(game, None)


def _mean_distance(parts: Sequence[_Part]) -> float:
    told = sum(part.told_distance for part in parts)
    return sum(part.distance for part in parts) / told if told else 0.0
