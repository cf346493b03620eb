"""A game that runs in another process, presented as one more batch of worlds.

Trainers, evaluators and recorders cannot tell: the same arrays, spec, endings and episode sums as a native
batch. The process is started and stopped here; if it dies or freezes, that is said within a deadline.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import os
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from .. import seeding
from ..errors import (
    BadMessage,
    BridgeError,
    ConfigError,
    GameLost,
    GameSilent,
    NotReset,
    Refused,
    SnapshotError,
    UnknownName,
)
from ..games.library import load
from ..games.spec import Spec
from ..games.vector import HEAD, Episodes, VectorGame, check_count
from . import messages, wire
from .channel import Channel, Door
from .endings import how_it_ended

MOST_WORLDS = 4096  # arenas in one process; a scene is slow long before
MOST_FINISHED = 65_536  # episodes that wait for somebody to fetch them
MOST_WORDS = 2000  # of a game's own account of its failure
LONGEST_WAIT_S = 86_400.0
DEADLINES_VARIABLE = "SANDLOT_DEADLINES"  # such as start=120,step=60: for whoever makes worlds indirectly


@dataclass(frozen=True)
class Patience:
    """How many seconds each wait may last."""

    start: float = 60.0  # from the process's start to its hello
    reset: float = 60.0
    step: float = 30.0
    close: float = 5.0

    @classmethod
    def of(cls, words: str) -> Patience:
        """From words such as "start=120,step=60"; what is not named stays as it is usually."""
        made = {}
        for word in filter(None, (part.strip() for part in words.split(","))):
            name, _, text = word.partition("=")
            if name not in cls.__dataclass_fields__:
                raise UnknownName("deadline", name, cls.__dataclass_fields__)
            try:
                made[name] = float(text)
            except ValueError:
                made[name] = math.nan
            if not 0.1 <= made[name] <= LONGEST_WAIT_S:
                raise ConfigError(
                    f"The deadline {word}: expected seconds from 0.1 to {LONGEST_WAIT_S:g}, such as step=60."
                )
        return cls(**made)


class Process(Protocol):
    """What is needed of the game's process: subprocess.Popen has it, and so has a launched Godot."""

    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


# Starts the game with these environment variables added. None: somebody starts it by hand.
Launch = Callable[[Mapping[str, str]], Process]


class RemoteGame(VectorGame):
    """`worlds` worlds in another process that speaks docs/ws_protocol.md."""

    restorable = False

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        autoreset: bool = True,
        buffers: Mapping[str, np.ndarray] | None = None,
        launch: Launch | None = None,
        last_words: Callable[[], str] = lambda: "",
        port: int = 0,
        encoding: str = messages.BINARY,
        token: str | None = None,
        patience: Patience | None = None,
    ):
        """last_words: the end of the game's log, for a sentence about its death.

        port: 0 takes a free one, which suits a game that is launched here; one that is started by hand has
        to know it, and 8765 is what scenes try first.
        """
        self._handle = None
        self._channel: Channel | None = None
        self._process: Process | None = None
        self._door: Door | None = None
        self.spec = Spec(game, config)
        self.worlds = check_count("worlds", worlds, MOST_WORLDS)
        self.threads = 1
        self.rows = self.worlds * self.spec.agents
        self.autoreset = bool(autoreset)
        self._seed, self._resets = seeding.check(seed), 0
        self.steps = 0
        self._library = load()
        self._make_arrays(buffers or {})
        if encoding not in (messages.BINARY, messages.JSON):
            raise ConfigError(f"encoding = {encoding!r}: expected binary or json.")
        self.shape, self.encoding = wire.Shape.of(self.spec, self.worlds), encoding
        self.patience = patience or Patience.of(os.environ.get(DEADLINES_VARIABLE, ""))
        self._last_words = last_words
        self._numbers = itertools.count(1)  # of messages: an answer carries that of its question
        self._roots = np.zeros(self.worlds, np.uint64)
        self._episode = np.full(self.worlds, -1, np.int64)  # -1: never reset; counts from 0
        self._over = np.zeros(self.worlds, bool)  # ended, and autoreset is off
        self._finished: deque[tuple[tuple[Any, ...], np.ndarray]] = deque()
        self._dropped = 0
        self._connect(launch, port, token)

    # ------------------------------------------------------------ coming and going

    def _connect(self, launch: Launch | None, port: int, token: str | None) -> None:
        self._door = Door(port)
        self.url = self._door.url
        if launch is not None and token is None:
            token = secrets.token_hex(16)  # so that no other program of this machine can slip in
        self._token = token
        try:
            if launch is not None:
                self._process = launch({"SANDLOT_URL": self._door.url, "SANDLOT_TOKEN": token or ""})
            self._channel, self.hello = self._door.admit(self._greet, self.patience.start, self._gone)
            self._door.turn_others_away()
        except BaseException:
            self.close()
            raise

    def _greet(self, channel: Channel, first: str | bytes) -> dict[str, Any]:
        if not isinstance(first, str):
            raise BadMessage("The first message is hello, as JSON text.", "no_hello")
        hello = messages.read(first)
        try:
            messages.check_hello(hello, self.spec, self._token)
            self.encoding = messages.encoding_for(hello, self.encoding)
        except Refused as problem:
            started_here = self._process is not None and self._token is not None
            problem.final = started_here and messages.same_token(hello.get("token"), self._token or "")
            raise
        still = {} if self.autoreset else {"autoreset": False}  # so that a last picture can be looked at
        told = messages.welcome(self.spec, self.worlds, messages.LOCKSTEP, self.encoding, **still)
        channel.send(messages.write(told), self.patience.start)
        return hello

    def _gone(self) -> str | None:
        """A sentence if the process has ended, else None."""
        code = None if self._process is None else self._process.poll()
        if code is None:
            return None
        words = self._last_words().strip()
        return f"The game {how_it_ended(code)}." + (f" Its last words:\n{words}" if words else "")

    def close(self) -> None:
        """Ask the game to quit, and see to it that it does. The arrays stay readable."""
        channel, self._channel = getattr(self, "_channel", None), None
        if channel is not None:
            with contextlib.suppress(BridgeError):
                channel.send(messages.write({"type": "close"}), 1.0)
                channel.farewell(self.patience.close)
        door, self._door = getattr(self, "_door", None), None
        if door is not None:
            door.close()
        process, self._process = getattr(self, "_process", None), None
        if process is not None:
            _stop(process, self.patience.close if channel is not None else 0.0)
        if channel is not None:
            channel.close()

    def __del__(self) -> None:
        self.close()

    def _open(self) -> None:
        if self._channel is None:
            self._closed()

    # ------------------------------------------------------------ question and answer

    def _ask(self, told: wire.Step | wire.Reset, seconds: float) -> wire.State:
        """Send a command and wait for the state that answers it."""
        assert self._channel is not None
        try:
            self._channel.send(self._written(told), seconds)
            while True:
                state = self._read(self._channel.receive(seconds, self._gone))
                if state.step == told.step:
                    return state
                if state.step > told.step:
                    raise BadMessage(
                        f"The game answers step {state.step}, {told.step} was asked.", "bad_step"
                    )
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, seconds)

    def _fail(self, problem: BaseException, seconds: float) -> NoReturn:
        """Close, and say what happened. A game that was interrupted in mid-answer cannot be gone on with."""
        gone = self._gone()
        if isinstance(problem, BadMessage) and self._channel is not None:
            with contextlib.suppress(BridgeError):
                self._channel.send(messages.write(messages.error(problem.code, str(problem))), 1.0)
        if isinstance(problem, GameLost) and gone is None and self._process is not None:
            with contextlib.suppress(Exception):  # its socket closes a moment before it ends
                self._process.wait(timeout=2.0)
            gone = self._gone()
        self.close()
        if isinstance(problem, GameSilent):
            raise GameSilent(
                f"The game did not answer within {seconds:g} s at step {self.steps} and was stopped. "
                "It is frozen, or a step takes longer: raise the deadline (--deadlines step=120, or "
                f"{DEADLINES_VARIABLE}), or use fewer worlds."
            ) from None
        if isinstance(problem, GameLost):
            raise GameLost(f"{gone or problem} (at step {self.steps})") from None
        raise problem

    def _written(self, told: wire.Step | wire.Reset) -> str | bytes:
        binary = self.encoding == messages.BINARY
        if isinstance(told, wire.Step):
            return wire.step_to_bytes(told) if binary else messages.write(messages.step_to_json(told))
        return wire.reset_to_bytes(told) if binary else messages.write(messages.reset_to_json(told))

    def _read(self, answer: str | bytes) -> wire.State:
        if isinstance(answer, bytes):
            return wire.state_from_bytes(answer, self.shape)
        told = messages.read(answer)
        if told["type"] == "error":
            raise BadMessage(f"The game could not go on: {str(told.get('text'))[:MOST_WORDS]}", "game_failed")
        if told["type"] != "state":
            raise BadMessage(f"Expected a state, got {messages.quoted(told['type'])}.", "unknown_type")
        return messages.state_from_json(told, self.shape)

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        self._open()
        roots = self._roots_of(seed, seeds, worlds)
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        command = wire.Reset(next(self._numbers), which.astype(np.int32), roots[which])
        state = self._ask(command, self.patience.reset)
        self._roots[which], self._episode[which], self._over[which] = roots[which], 0, False
        self._show(state, self._rows_of(which))
        return self.observations

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        if (self._episode[which] < 0).any():
            raise NotReset("A world that was never reset has no next episode. Call reset() first.")
        raise BridgeError("A world in another process goes on to its next episode by itself; use reset().")

    def step(self, actions: Any = None) -> int:
        if actions is not None:
            self.actions = actions
        self._open()
        if not self.spec.discrete:
            self._check_range(self._actions)
        self._check_ready()
        state = self._ask(wire.Step(next(self._numbers), self._actions), self.patience.step)
        self.steps += 1
        self._show(state, slice(None))
        self._close_episodes(state)
        return len(state.ended)

    def _check_ready(self) -> None:
        for wrong, why in ((self._episode < 0, "was never reset"), (self._over, "has ended")):
            if wrong.any():
                raise NotReset(f"World {int(np.argmax(wrong))} {why}. Call reset() first.")

    def _show(self, state: wire.State, rows: Any) -> None:
        a = self._arrays
        a["observations"][rows] = state.observations[rows]
        if state.masks is not None:
            a["masks"][rows] = state.masks[rows]
        fresh = isinstance(rows, slice)  # a step; a reset of some rows leaves what the last step paid
        if fresh:
            a["rewards"][:], a["terminated"][:] = state.rewards, state.terminated
            a["truncated"][:] = state.truncated
            a["ticks"][:] = np.repeat(state.ticks, self.spec.agents)
        else:
            for name in ("rewards", "terminated", "truncated", "ticks"):
                a[name][rows] = 0

    def _close_episodes(self, state: wire.State) -> None:
        agents = self.spec.agents
        for world, last, sums in zip(state.ended, state.final_observations, state.episodes, strict=True):
            rows = slice(world * agents, (world + 1) * agents)
            self._arrays["final_observations"][rows] = last
            episode = int(self._episode[world])
            root = int(self._roots[world])
            head = (seeding.for_episode(root, episode), self.steps, int(world), episode)
            self._finished.append((head, sums.copy()))
            if len(self._finished) > MOST_FINISHED:
                self._finished.popleft()
                self._dropped += 1
            self._episode[world] += 1
            if not self.autoreset:
                self._over[world] = True
                self._arrays["observations"][rows] = last

    def _rows_of(self, worlds: np.ndarray) -> np.ndarray:
        return (worlds[:, None] * self.spec.agents + np.arange(self.spec.agents)[None, :]).reshape(-1)

    def run(self, actions: np.ndarray) -> int:
        self._open()
        self._check_recorded(actions)
        return sum(self.step(one) for one in actions)

    def finished(self) -> Episodes:
        heads = np.zeros(len(self._finished), HEAD)
        values = np.zeros((len(self._finished), self.shape.episode_size), np.float32)
        for i, (head, sums) in enumerate(self._finished):
            heads[i], values[i] = head, sums
        self._finished.clear()
        return Episodes(self.spec.episode, heads, values)

    @property
    def finished_dropped(self) -> int:
        return self._dropped

    # ------------------------------------------------------------ one world

    def view(self, world: int) -> dict[str, Any]:
        """info, render and events of one world, as the game tells them."""
        self._open()
        assert self._channel is not None
        question = {"type": "look", "step": next(self._numbers), "world": self._world(world)}
        try:
            self._channel.send(messages.write(question), self.patience.step)
            answer = self._channel.receive(self.patience.step, self._gone)
            told = messages.read(answer if isinstance(answer, str) else "[]")
            if told["type"] != "view":
                raise BadMessage(f"Expected a view, got {messages.quoted(told['type'])}.", "unknown_type")
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, self.patience.step)
        return told

    def block(self, name: str, world: int = 0) -> np.ndarray:
        return messages.floats(self.view(world).get(name), (self.spec.json["shape"][name],), name)

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step. On the wire: [kind, value, …] each."""
        kinds = self.spec.events
        given = self.view(world).get("events", [])
        if not isinstance(given, list) or not all(isinstance(event, list) and event for event in given):
            raise BadMessage("events is a list of lists, each of a kind and its values.")
        made = []
        for kind, *values in given:
            told = kinds[messages.whole(kind, "event kind", 0, len(kinds) - 1)]
            numbers = [messages.number(value, "event value") for value in values]
            made.append({"name": told["name"], **dict(zip(told["values"], numbers, strict=False))})
        return made

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of what one world shows: equal play, equal numbers, on one machine."""
        seen = self.view(world)
        told = [seen.get("info"), seen.get("render")]
        return int.from_bytes(
            hashlib.blake2b(messages.write({"v": told}).encode(), digest_size=8).digest(), "big"
        )

    def snapshot(self, world: int) -> bytes:
        self._cannot_save()

    def restore(self, world: int, state: bytes) -> None:
        self._cannot_save()

    def _cannot_save(self) -> NoReturn:
        raise SnapshotError(
            "A world in another process cannot be saved or put back: its physics belong to that engine. "
            'Use engine="native" for snapshots, or reset(seed) to begin an episode again.'
        )

    def __repr__(self) -> str:
        state = "closed" if self._channel is None else f"{self.worlds} worlds at {self.url}"
        return f"RemoteGame({self.spec.game}, {state})"


def _stop(process: Process, patience: float) -> None:
    """Wait for it to quit by itself, then ask, then insist."""
    for urge, seconds in ((None, patience), (process.terminate, 3.0), (process.kill, 3.0)):
        with contextlib.suppress(Exception):
            if urge is not None:
                urge()
            process.wait(timeout=seconds)
            return
