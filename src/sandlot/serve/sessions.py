"""Play sessions: one native world per session, kept in memory until it is unused for a while.

The human plays one agent; a bot or a checkpoint plays each other agent, chosen at the start by its role.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import seeding
from ..clock import Clock, iso, now
from ..errors import ConfigError
from ..evaluate.replay_reader import numbers, render_state
from ..games.info import typed
from ..worlds import World
from .errors import ApiError
from .memory import trim

TRIM_EVERY = 16  # removed sessions between two calls of trim()
OPPONENT_STREAM = 0x51DE  # derives an opponent's seed from the episode's
MAX_DRAWN_SEED = 1 << 31  # drawn seeds are short enough to type


@dataclass
class Opponent:
    """A policy that plays one agent."""

    row: int
    name: str
    policy: Any  # a Bot or a Policy
    memory: Any = None

    def begin(self, seed: int) -> None:
        """Reset for a new episode."""
        own = seeding.split(seed, OPPONENT_STREAM + self.row)
        if hasattr(self.policy, "start"):
            self.memory = self.policy.start(1, own)
        else:
            self.memory = None
            self.policy.reseed(own)

    def act(self, world: World) -> None:
        """Write the action of its row."""
        rows = slice(self.row, self.row + 1)
        masks = None if world.masks is None else world.masks[rows]
        world.actions[rows], self.memory = self.policy.act(world.observations[rows], masks, self.memory)


@dataclass
class Session:
    """One game of one human."""

    session_id: str
    world: World
    seed: int
    agent: int  # the row that the human plays
    opponents: list[Opponent]
    clock: Clock = now
    steps: int = 0
    ticks: int = 0
    total_reward: float = 0.0
    created_at: str = ""
    updated_at: str = ""
    used_at: float = 0.0  # on the monotonic clock
    ended: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, seed: int) -> None:
        """Start an episode."""
        self.world.reset(seed)
        for opponent in self.opponents:
            opponent.begin(seed)
        self.seed, self.steps, self.ticks, self.total_reward, self.ended = seed, 0, 0, 0.0, False
        self.touch()

    def step(self, action: int | list[float]) -> None:
        """Play one action of the human, and one of each opponent."""
        if self.ended:
            text = f"Session {self.session_id} has ended: the episode is over. Reset it, or start another."
            raise ApiError(409, "ended", text)
        chosen = self._checked(action)
        for opponent in self.opponents:
            opponent.act(self.world)
        self.world.actions[self.agent] = chosen
        self.world.step()
        self.steps += 1
        self.ticks += int(self.world.ticks[self.agent])
        self.total_reward += float(self.world.rewards[self.agent])
        self.ended = bool(self.world.terminated[self.agent] or self.world.truncated[self.agent])
        self.touch()

    def _checked(self, action: int | list[float]) -> Any:
        spec = self.world.spec
        if spec.discrete:
            if not isinstance(action, int) or not 0 <= action < spec.action_count:
                expected = f"one whole number from 0 to {spec.action_count - 1}"
                raise ConfigError(f"action = {_short(action)}: {spec.game} takes {expected}.")
            return action
        wanted = spec.action_size
        if not isinstance(action, list) or len(action) != wanted or not all(abs(a) <= 1.0 for a in action):
            names = ", ".join(spec.action_names)
            expected = f"{wanted} numbers from -1 to 1 ({names})"
            raise ConfigError(f"action = {_short(action)}: {spec.game} takes {expected}.")
        return np.array(action, np.float32)

    def keep_alive(self) -> None:
        """Postpone the removal of the session."""
        self.used_at = time.monotonic()

    def touch(self) -> None:
        """Mark the session as used and changed."""
        self.keep_alive()
        self.updated_at = iso(self.clock())

    def state(self) -> dict[str, Any]:
        """Everything a page needs to draw the game and offer the next action."""
        world, row, began = self.world, self.agent, self.steps == 0
        info = typed(world.spec.info, world.info(0)).items()
        state = render_state(world)
        del state["observation"]  # `obs` is the human's own; what opponents see stays theirs
        return {
            "session_id": self.session_id,
            "game": world.spec.game,
            "seed": self.seed,
            "env_time_max": world.spec.config.get("time_max"),
            "profile": world.spec.profile,
            "role": world.spec.roles[row],
            "agent": row,
            "opponents": {str(r.row): r.name for r in self.opponents},
            "obs": numbers(world.observations[row]),
            "mask": None if world.masks is None else world.masks[row].astype(bool).tolist(),
            "reward": 0.0 if began else numbers(world.rewards[row : row + 1])[0],
            "total_reward": self.total_reward,
            "terminated": not began and bool(world.terminated[row]),
            "truncated": not began and bool(world.truncated[row]),
            "info": {k: numbers(v) if isinstance(v, np.ndarray) else v for k, v in info},
            "events": [] if began else world.events(0),
            "render_state": state,
            "steps": self.steps,
            "ticks": self.ticks,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "…"


class Sessions:
    """All play sessions of this server."""

    def __init__(self, most: int, seconds: float, clock: Clock = now):
        self.most, self.seconds, self._clock = most, seconds, clock
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._sessions)

    def create(self, make: Callable[[], tuple[World, int, list[Opponent]]], seed: int | None) -> Session:
        """Start a session. make: returns world, agent index and opponents; called when there is room."""
        session_id = secrets.token_urlsafe(12)
        with self._lock:
            self._remove_unused()
            if len(self._sessions) >= self.most:
                raise self._full()
            self._sessions[session_id] = _WAITING  # reserves the place while the world is made
        try:
            world, agent, opponents = make()
            session = Session(session_id, world, 0, agent, opponents, self._clock)
            session.begin(secrets.randbelow(MAX_DRAWN_SEED) if seed is None else seeding.check(seed))
        except BaseException:
            with self._lock:
                self._sessions.pop(session_id, None)
            raise
        session.created_at = session.updated_at
        with self._lock:
            self._sessions[session_id] = session
        return session

    def get(self, session_id: str) -> Session:
        """A session, or a 404."""
        with self._lock:
            self._remove_unused()
            session = self._sessions.get(session_id)
        if session is None or session is _WAITING:
            why = f"a session that is unused for {self.seconds:.0f} s is removed"
            text = f"There is no play session {session_id[:40]!r} (any more): {why}."
            raise ApiError(404, "not_found", f"{text} Start another with POST /api/play/session.")
        return session

    def remove(self, session_id: str) -> None:
        """End a session and free its world."""
        session = self.get(session_id)
        with self._lock:
            self._sessions.pop(session_id, None)
            left = len(self._sessions)
        _close(session)
        if left % TRIM_EVERY == 0:
            trim()

    def close(self) -> None:
        """End all sessions."""
        with self._lock:
            old, self._sessions = list(self._sessions.values()), {}
        for session in old:
            _close(session)

    def _remove_unused(self) -> None:
        limit = time.monotonic() - self.seconds
        unused = [s for s in self._sessions.values() if s is not _WAITING and s.used_at < limit]
        for session in unused:
            del self._sessions[session.session_id]
            _close(session)
        if unused:
            trim()

    def _full(self) -> ApiError:
        oldest = min((s.used_at for s in self._sessions.values() if s is not _WAITING), default=0.0)
        wait_s = max(1, min(60, round(oldest + self.seconds - time.monotonic())))
        text = f"There are {self.most} play sessions already, the limit. Delete one, or try again later."
        return ApiError(429, "too_many_sessions", text, headers={"Retry-After": str(wait_s)})


def _close(session: Session) -> None:
    """Close the world, unless a request is stepping it: then it is freed with its last reference."""
    if session is not _WAITING and session.lock.acquire(blocking=False):
        try:
            session.world.close()
        finally:
            session.lock.release()


_WAITING: Any = object()
