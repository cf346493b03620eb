"""Play by hand: a native world a session, kept in memory until nobody has used it for a while.

The human plays one agent; every other one is played by a scripted player or a checkpoint. What a seat plays
is decided at the start, by the role it begins with.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import seeding
from ..clock import Clock, iso, now
from ..errors import ConfigError
from ..evaluate.replays import numbers, render_state
from ..games import VectorGame
from ..games.faces.info import typed
from .errors import Refusal
from .memory import trim

TRIM_EVERY = 16  # sessions removed until the memory is given back
RIVAL_STREAM = 0x51DE  # splits a rival's luck off the episode's seed
EASY_SEED = 1 << 31  # seeds drawn for somebody are short enough to type


@dataclass
class Rival:
    """Who plays an agent that the human does not."""

    row: int
    name: str
    policy: Any  # a Bot or a Policy
    memory: Any = None

    def begin(self, seed: int) -> None:
        own = seeding.split(seed, RIVAL_STREAM + self.row)
        if hasattr(self.policy, "start"):
            self.memory = self.policy.start(1, own)
        else:
            self.memory = None
            self.policy.reseed(own)

    def act(self, world: VectorGame) -> None:
        rows = slice(self.row, self.row + 1)
        masks = None if world.masks is None else world.masks[rows]
        world.actions[rows], self.memory = self.policy.act(world.observations[rows], masks, self.memory)


@dataclass
class Session:
    """One person's game."""

    session_id: str
    world: VectorGame
    seed: int
    agent: int  # the row that the human plays
    rivals: list[Rival]
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
        self.world.reset(seed)
        for rival in self.rivals:
            rival.begin(seed)
        self.seed, self.steps, self.ticks, self.total_reward, self.ended = seed, 0, 0, 0.0, False
        self.touch()

    def step(self, action: int | list[float]) -> None:
        if self.ended:
            raise Refusal(
                409, "ended",
                f"Session {self.session_id} has ended: the episode is over. Reset it, or begin another.",
            )  # fmt: skip
        chosen = self._checked(action)
        for rival in self.rivals:
            rival.act(self.world)
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
                raise ConfigError(
                    f"action = {_short(action)}: {spec.game} takes one whole number from 0 to "
                    f"{spec.action_count - 1}."
                )
            return action
        wanted = spec.action_size
        if not isinstance(action, list) or len(action) != wanted or not all(abs(a) <= 1.0 for a in action):
            names = ", ".join(spec.action_names)
            raise ConfigError(
                f"action = {_short(action)}: {spec.game} takes {wanted} numbers from -1 to 1 ({names})."
            )
        return np.array(action, np.float32)

    def keep_alive(self) -> None:
        self.used_at = time.monotonic()

    def touch(self) -> None:
        self.keep_alive()
        self.updated_at = iso(self.clock())

    def told(self) -> dict[str, Any]:
        """Everything a page needs to draw the game and offer the next action."""
        world, row, began = self.world, self.agent, self.steps == 0
        state = render_state(world)
        del state["observation"]  # `obs` is the human's own; what rivals see stays theirs
        return {
            "session_id": self.session_id,
            "game": world.spec.game,
            "seed": self.seed,
            "env_time_max": world.spec.config.get("time_max"),
            "profile": world.spec.profile,
            "role": world.spec.roles[row],
            "agent": row,
            "rivals": {str(r.row): r.name for r in self.rivals},
            "obs": numbers(world.observations[row]),
            "mask": None if world.masks is None else world.masks[row].astype(bool).tolist(),
            "reward": 0.0 if began else numbers(world.rewards[row : row + 1])[0],
            "total_reward": self.total_reward,
            "terminated": not began and bool(world.terminated[row]),
            "truncated": not began and bool(world.truncated[row]),
            "info": _plain(typed(world.spec.info, world.info(0))),
            "events": [] if began else world.events(0),
            "render_state": state,
            "steps": self.steps,
            "ticks": self.ticks,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }


def _plain(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {k: numbers(v) if isinstance(v, np.ndarray) else v for k, v in figures.items()}


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

    def create(self, make: Callable[[], tuple[VectorGame, int, list[Rival]]], seed: int | None) -> Session:
        """A new session. make: the world, the human's row and its rivals; called when there is room."""
        session_id = secrets.token_urlsafe(12)
        with self._lock:
            self._forget_unused()
            if len(self._sessions) >= self.most:
                raise self._full()
            self._sessions[session_id] = _WAITING  # keeps the place while the world is made
        try:
            world, agent, rivals = make()
            session = Session(session_id, world, 0, agent, rivals, self._clock)
            session.begin(secrets.randbelow(EASY_SEED) if seed is None else seeding.check(seed))
        except BaseException:
            with self._lock:
                self._sessions.pop(session_id, None)
            raise
        session.created_at = session.updated_at
        with self._lock:
            self._sessions[session_id] = session
        return session

    def get(self, session_id: str) -> Session:
        with self._lock:
            self._forget_unused()
            session = self._sessions.get(session_id)
        if session is None or session is _WAITING:
            raise Refusal(
                404, "not_found",
                f"There is no play session {session_id[:40]!r} (any more): one that nobody uses for "
                f"{self.seconds:.0f} s is forgotten. Begin another with POST /api/play/session.",
            )  # fmt: skip
        return session

    def remove(self, session_id: str) -> None:
        session = self.get(session_id)
        with self._lock:
            self._sessions.pop(session_id, None)
            left = len(self._sessions)
        _close(session)
        if left % TRIM_EVERY == 0:
            trim()

    def close(self) -> None:
        with self._lock:
            old, self._sessions = list(self._sessions.values()), {}
        for session in old:
            _close(session)

    def _forget_unused(self) -> None:
        limit = time.monotonic() - self.seconds
        unused = [s for s in self._sessions.values() if s is not _WAITING and s.used_at < limit]
        for session in unused:
            del self._sessions[session.session_id]
            _close(session)
        if unused:
            trim()

    def _full(self) -> Refusal:
        oldest = min((s.used_at for s in self._sessions.values() if s is not _WAITING), default=0.0)
        wait_s = max(1, min(60, round(oldest + self.seconds - time.monotonic())))
        return Refusal(
            429, "too_many_sessions",
            f"There are {self.most} play sessions already, the most this server holds. "
            "Delete one that is done, or try again later.",
            headers={"Retry-After": str(wait_s)},
        )  # fmt: skip


def _close(session: Session) -> None:
    """Give its world back, unless somebody is just stepping it: then it goes with its last user."""
    if session is not _WAITING and session.lock.acquire(blocking=False):
        try:
            session.world.close()
        finally:
            session.lock.release()


_WAITING: Any = object()
