"""A game in another process, with the interface of a batch of native worlds.

The arrays, spec, endings and episode sums are those of a native batch, so trainers, evaluators and recorders
use both alike. The process is started and stopped here; if it dies or freezes, an error says so within a
deadline.
"""

import contextlib
import hashlib
import itertools
import math
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from ..bridge import messages, wire
from ..bridge.channel import Channel, Listener
from ..errors import (
    BadMessage,
    BridgeError,
    ConfigError,
    GameLost,
    GameSilent,
    NotReset,
    Refused,
    SandlotError,
    UnknownName,
)
from ..processes import describe_exit
from ..spec import Document, Spec
from ..spec.spec_file import SpecFile
from .arrays import EpisodeLog, LoggedWorld
from .native import native_spec
from .past import Past
from .world import Capabilities

MOST_WORLDS = 4096  # arenas in one process; scenes become slow with far fewer
LONGEST_ERROR = 2000  # characters of an error that the game sent
LONGEST_WAIT_S = 86_400.0
ACTION_REPEAT = "action_repeat"  # the setting of a scene's physics ticks per decision
DEADLINES_VARIABLE = "SANDLOT_DEADLINES"  # such as start=120,step=60; for worlds that are made indirectly


@dataclass(frozen=True)
class Timeouts:
    """How many seconds each wait may last."""

    start: float = 60.0  # from the process's start to its hello
    reset: float = 60.0
    step: float = 30.0
    close: float = 5.0

    @classmethod
    def parse(cls, text: str) -> "Timeouts":
        """From a text such as "start=120,step=60"; what is not named keeps its default."""
        made = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, seconds = part.partition("=")
            if name not in cls.__dataclass_fields__:
                raise UnknownName("deadline", name, cls.__dataclass_fields__)
            try:
                made[name] = float(seconds)
            except ValueError:
                made[name] = math.nan
            if not 0.1 <= made[name] <= LONGEST_WAIT_S:
                bounds = f"0.1 to {LONGEST_WAIT_S:g}"
                raise ConfigError(f"The deadline {part}: expected seconds from {bounds}, such as step=60.")
        return cls(**made)


class Process(Protocol):
    """The interface of the game's process: subprocess.Popen or a launched Godot."""

    pid: int

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its exit code; raises after the timeout."""


# Starts the game with these environment variables added. None: somebody starts it by hand.
Launch = Callable[[Mapping[str, str]], Process]


class RemoteWorld(LoggedWorld):
    """`worlds` worlds in another process that speaks docs/ws_protocol.md."""

    capabilities = Capabilities(snapshot=False, deterministic=False, next_episode=False)

    def __init__(
        self,
        game: str | None,
        worlds: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        autoreset: bool = True,
        buffers: Mapping[str, np.ndarray] | None = None,
        launch: Launch | None = None,
        log_tail: Callable[[], str] = lambda: "",
        port: int = 0,
        encoding: str = messages.BINARY,
        token: str | None = None,
        timeouts: Timeouts | None = None,
        address: str | None = None,
        spec_file: SpecFile | None = None,
    ):
        """game: a native game that the process plays; None: the process describes its own game in its hello.

        address: what opens that game again. spec_file: is laid over what it describes. log_tail: the end of
        the game's log, for the error when it dies.

        port: 0 takes a free one, which suits a game that is launched here; for a game that is started by hand
        use 8765, which scenes try first.
        """
        self._channel: Channel | None = None
        self._process: Process | None = None
        self._listener: Listener | None = None
        if encoding not in (messages.BINARY, messages.JSON):
            raise ConfigError(f"encoding = {encoding!r}: expected binary or json.")
        self.encoding, self._config, self._address = encoding, config, address
        self._spec_file = spec_file
        self._sizes, self._buffers = (worlds, 1, seed, autoreset, MOST_WORLDS), buffers or {}
        self.timeouts = timeouts or Timeouts.parse(os.environ.get(DEADLINES_VARIABLE, ""))
        self._log_tail = log_tail
        self._numbers = itertools.count(1)  # of messages: an answer carries the number of its command
        self._native = game is not None
        if game is not None:
            self._prepare(native_spec(game, config))
        self._launching = (launch, port, token)
        self._connect(*self._launching)

    def _prepare(self, spec: Spec) -> None:
        """Arrays and counters, once the spec is known."""
        self._describe(spec, *self._sizes)
        self._make_arrays(self._buffers)
        self.shape = wire.BatchShape.of(spec, self.worlds)
        self._log = EpisodeLog(spec, self.worlds)

    # ------------------------------------------------------------ connecting and closing

    def _connect(self, launch: Launch | None, port: int, token: str | None) -> None:
        self._listener = Listener(port)
        self.url = self._listener.url
        if launch is not None and token is None:
            token = secrets.token_hex(16)  # so that no other program of this machine can connect instead
        self._token = token
        try:
            if launch is not None:
                self._process = launch({"SANDLOT_URL": self._listener.url, "SANDLOT_TOKEN": token or ""})
            accepted = self._listener.accept(self._welcome, self.timeouts.start, self._exit_text)
            self._channel, self.hello = accepted
            self._listener.refuse_others()
        except BaseException:
            self.close()
            raise

    def _welcome(self, channel: Channel, first: str | bytes) -> dict[str, Any]:
        """Check a hello and answer it; Refused or BadMessage where it does not fit."""
        hello = self._checked_hello(first)
        channel.send(messages.write(self._welcome_message(self.worlds)), self.timeouts.start)
        return hello

    def _welcome_message(self, worlds: int) -> dict[str, Any]:
        options = {} if self.autoreset else {"autoreset": False}  # so that the last frame can be looked at
        return messages.welcome(self.spec, worlds, messages.LOCKSTEP, self.encoding, **options)

    def _checked_hello(self, first: str | bytes) -> dict[str, Any]:
        if not isinstance(first, str):
            raise BadMessage("The first message is hello, as JSON text.", "no_hello")
        hello = messages.read(first)
        try:
            if hello["type"] == "error":  # the scene has found an error itself
                raise Refused(_failure_text(hello))
            messages.check_hello(hello, self._token)
            if not self._native:
                self._take_spec(self._own_spec(hello))
            messages.check_same_game(hello, self.spec)
            self.encoding = messages.encoding_for(hello, self.encoding)
        except Refused as problem:
            started_here = self._process is not None and self._token is not None
            problem.final = started_here and messages.same_token(hello.get("token"), self._token or "")
            raise
        return hello

    def _take_spec(self, spec: Spec) -> None:
        """Make the arrays on the first connection; a restarted process must describe the same game."""
        if not hasattr(self, "_log"):
            self._prepare(spec)
        elif spec.json != self.spec.json:
            raise Refused("The game described itself differently after its restart; it must not change.")

    def _own_spec(self, hello: Mapping[str, Any]) -> Spec:
        """The spec that the game declares; what is wrong with it is a final refusal."""
        if "spec" not in hello:
            raise Refused(
                "The scene's hello has no spec, so nothing is known of its game. Put a SandlotTrainer node "
                "into the scene, with addons/sandlot of the same release."
            )
        try:
            described = _paced(hello["spec"], self._config or {})
            document = Document.parse(described, "The scene's spec")
            if self._spec_file is not None and self._spec_file.content:
                described = self._spec_file.laid_over(described, "the scene")
                document = Document.parse(described, f"The scene's spec with {self._spec_file.path}")
            return Spec(document, described, self._config, self._address)
        except SandlotError as problem:
            raise Refused(str(problem)) from None

    def _exit_text(self) -> str | None:
        """How the process ended, with the end of its log; None while it runs."""
        code = None if self._process is None else self._process.poll()
        if code is None:
            return None
        tail = self._log_tail().strip()
        return f"The game {describe_exit(code)}." + (f" The end of its log:\n{tail}" if tail else "")

    @property
    def engine_pids(self) -> tuple[int, ...]:
        """The game's process, where it was started here."""
        return () if self._process is None else (self._process.pid,)

    def close(self) -> None:
        """Ask the game to quit, and end its process if it does not. The arrays stay readable."""
        channel, self._channel = getattr(self, "_channel", None), None
        if channel is not None:
            with contextlib.suppress(BridgeError):
                channel.send(messages.write({"type": "close"}), 1.0)
                channel.wait_for_close(self.timeouts.close)
        listener, self._listener = getattr(self, "_listener", None), None
        if listener is not None:
            listener.close()
        process, self._process = getattr(self, "_process", None), None
        if process is not None:
            _stop(process, self.timeouts.close if channel is not None else 0.0)
        if channel is not None:
            channel.close()

    def _open(self) -> None:
        if self._channel is None:
            self._closed()

    # ------------------------------------------------------------ commands and states

    def _exchange(self, command: wire.Step | wire.Reset, seconds: float) -> wire.State:
        """Send a command and wait for the state that answers it."""
        self._send(command, seconds)
        return self._receive(command, seconds)

    def _send(self, command: wire.Step | wire.Reset, seconds: float) -> None:
        assert self._channel is not None
        try:
            self._channel.send(self._encode(command), seconds)
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, seconds)

    def _receive(self, command: wire.Step | wire.Reset, seconds: float) -> wire.State:
        """The state that answers this command."""
        assert self._channel is not None
        try:
            while True:
                state = self._decode(self._channel.receive(seconds, self._exit_text))
                if state.step == command.step:
                    return state
                if state.step > command.step:
                    text = f"The game answers step {state.step}, {command.step} was asked."
                    raise BadMessage(text, "bad_step")
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, seconds)

    def _fail(self, problem: BaseException, seconds: float) -> NoReturn:
        """Close, and raise what happened. A game that was interrupted in an answer cannot continue."""
        ended = self._exit_text()
        if isinstance(problem, BadMessage) and self._channel is not None:
            with contextlib.suppress(BridgeError):
                self._channel.send(messages.write(messages.error(problem.code, str(problem))), 1.0)
        if isinstance(problem, GameLost) and ended is None and self._process is not None:
            with contextlib.suppress(Exception):  # its socket closes a moment before it ends
                self._process.wait(timeout=2.0)
            ended = self._exit_text()
        self.close()
        if isinstance(problem, GameSilent):
            raise GameSilent(
                f"The game did not answer within {seconds:g} s at step {self.steps} and was stopped. "
                "It is frozen, or a step takes longer: raise the deadline (--deadlines step=120, or "
                f"{DEADLINES_VARIABLE}), or use fewer worlds."
            ) from None
        if isinstance(problem, GameLost):
            raise GameLost(f"{ended or problem} (at step {self.steps})") from None
        raise problem

    def _encode(self, command: wire.Step | wire.Reset) -> str | bytes:
        binary = self.encoding == messages.BINARY
        if isinstance(command, wire.Step):
            return wire.step_to_bytes(command) if binary else messages.write(messages.step_to_json(command))
        return wire.reset_to_bytes(command) if binary else messages.write(messages.reset_to_json(command))

    def _decode(self, answer: str | bytes, shape: wire.BatchShape | None = None) -> wire.State:
        """A state. shape: of a part of the worlds."""
        shape = shape or self.shape
        if isinstance(answer, bytes):
            try:
                return wire.state_from_bytes(answer, shape)
            except wire.NotFinite as problem:
                raise BadMessage(self._naming(problem), problem.code) from None
        message = messages.read(answer)
        if message["type"] == "error":
            raise BadMessage(_failure_text(message), "game_failed")
        if message["type"] != "state":
            raise BadMessage(f"Expected a state, got {messages.quoted(message['type'])}.", "unknown_type")
        return messages.state_from_json(message, shape)

    def _naming(self, problem: wire.NotFinite) -> str:
        """What is NaN, with the agent and the field where the scene named its agents."""
        paths = self.spec.json.get("agent_paths")
        if problem.array not in ("observations", "rewards") or not isinstance(paths, list):
            return str(problem)
        world, agent = divmod(problem.place[0], self.spec.agents)
        who = f"The agent {paths[agent]} of arena {world}"
        if problem.array == "rewards":
            return f"{who} was rewarded with {problem.reason}."
        column, fields = problem.place[1], self.spec.document.observation_of(self.spec.roles[agent])
        name = next((f.name for f in fields if f.slice.start <= column < f.slice.stop), str(column))
        return f"{who} observes NaN or infinity in {name}. Divide by nothing that can be 0, and check norms."

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin new episodes in all worlds, or in some."""
        self._open()
        roots = self._roots_of(seed, seeds, worlds)
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        command = wire.Reset(next(self._numbers), which.astype(np.int32), roots[which])
        state = self._exchange(command, self.timeouts.reset)
        self._log.begin(which, roots[which])
        self._update_arrays(state, self._rows_of(which))
        return self.observations

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Not possible here: always raises."""
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        if not self._log.started(which):
            raise NotReset("A world that was never reset has no next episode. Call reset() first.")
        raise BridgeError("A world in another process goes on to its next episode by itself; use reset().")

    def step(self, actions: Any = None) -> int:
        """Play one step in every world; returns how many episodes ended."""
        if actions is not None:
            self.actions = actions
        self.send_step()
        return self.receive_step()

    def send_step(self) -> None:
        """The first half of a step: games play in parallel while others get their actions."""
        self._open()
        if not self.spec.discrete:
            self._check_range(self._actions)
        self._log.check_ready()
        self._invalid = self._mark_invalid() if self.spec.discrete else None
        self._under_way = wire.Step(next(self._numbers), self._actions)
        self._send(self._under_way, self.timeouts.step)

    def receive_step(self) -> int:
        """The second half: wait for the result; returns how many episodes ended."""
        state = self._receive(self._under_way, self.timeouts.step)
        self.steps += 1
        self._log.count(self._invalid)
        self._update_arrays(state, slice(None))
        self._close_episodes(state)
        return len(state.ended)

    def start_again(self, past: Past) -> bool:
        """Restart the process and replay the current episodes from their seeds and actions.

        Returns whether the observations are the same as before, which the engine does not guarantee. Raises
        the errors of a start.
        """
        before = self.observations.copy()
        self.close()
        self._connect(*self._launching)
        self._exchange(self._reset_command(np.arange(self.worlds), past.seeds), self.timeouts.reset)
        state = None
        for worlds, actions in past.again():
            if worlds.size:
                state = self._exchange(self._reset_command(worlds, past.seeds), self.timeouts.reset)
            if actions is not None:
                state = self._exchange(wire.Step(next(self._numbers), actions), self.timeouts.step)
        assert state is not None
        self._log.continue_as(past.seeds)
        self._arrays["observations"][:] = state.observations
        if state.masks is not None:
            self._arrays["masks"][:] = state.masks
        return bool(np.allclose(before, state.observations, atol=1e-5))

    def _reset_command(self, worlds: np.ndarray, seeds: np.ndarray) -> wire.Reset:
        return wire.Reset(next(self._numbers), worlds.astype(np.int32), seeds[worlds])

    @property
    def seeds(self) -> np.ndarray:
        """The seed of each world's present episode, uint64 [worlds]."""
        return self._log.seeds

    def _mark_invalid(self) -> np.ndarray:
        """Mark actions that do not exist or that the mask before this step forbids; counts by world."""
        actions, masks = self._actions, self._arrays.get("masks")
        invalid = (actions < 0) | (actions >= self.spec.action_count)
        if masks is not None:
            invalid |= masks[np.arange(self.rows), np.where(invalid, 0, actions)] == 0
        self._arrays["invalid"][:] = invalid
        return invalid.reshape(self.worlds, -1).sum(axis=1)

    def _update_arrays(self, state: wire.State, rows: Any) -> None:
        a = self._arrays
        a["observations"][rows] = state.observations[rows]
        if state.masks is not None:
            a["masks"][rows] = state.masks[rows]
        is_step = isinstance(rows, slice)  # a reset of some rows leaves the rewards of the others
        if is_step:
            a["rewards"][:], a["terminated"][:] = state.rewards, state.terminated
            a["truncated"][:] = state.truncated
            a["ticks"][:] = np.repeat(state.ticks, self.spec.agents)
        else:
            for name in ("rewards", "terminated", "truncated", "ticks", "invalid"):
                a[name][rows] = 0

    def _close_episodes(self, state: wire.State) -> None:
        agents = self.spec.agents
        for world, last, sums in zip(state.ended, state.final_observations, state.episodes, strict=True):
            rows = slice(world * agents, (world + 1) * agents)
            self._arrays["final_observations"][rows] = last
            how = bool(state.terminated[rows].any()), bool(state.truncated[rows].any())
            self._log.end(int(world), self.steps, *how, sums, self.autoreset)
            if not self.autoreset:
                self._arrays["observations"][rows] = last

    def _rows_of(self, worlds: np.ndarray) -> np.ndarray:
        return (worlds[:, None] * self.spec.agents + np.arange(self.spec.agents)[None, :]).reshape(-1)

    # ------------------------------------------------------------ one world

    def view(self, world: int) -> dict[str, Any]:
        """info, render and events of one world, as the game sends them."""
        self._open()
        assert self._channel is not None
        request = {"type": "look", "step": next(self._numbers), "world": self._world(world)}
        try:
            self._channel.send(messages.write(request), self.timeouts.step)
            answer = self._channel.receive(self.timeouts.step, self._exit_text)
            view = messages.read(answer if isinstance(answer, str) else "[]")
            if view["type"] != "view":
                raise BadMessage(f"Expected a view, got {messages.quoted(view['type'])}.", "unknown_type")
        except (BridgeError, KeyboardInterrupt) as problem:
            self._fail(problem, self.timeouts.step)
        return view

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """The floats of one block (info or render) of a world."""
        return messages.floats(self.view(world).get(name), (getattr(self.spec.shape, name),), name)

    def events(self, world: int = 0) -> list[dict[str, Any]]:
        """What happened in one world's last step. On the wire: [kind, value, …] each."""
        kinds = self.spec.events
        given = self.view(world).get("events", [])
        if not isinstance(given, list) or not all(isinstance(event, list) and event for event in given):
            raise BadMessage("events is a list of lists, each of a kind and its values.")
        made = []
        for kind, *values in given:
            described = kinds[messages.parse_int(kind, "event kind", 0, len(kinds) - 1)]
            numbers = [messages.number(value, "event value") for value in values]
            made.append({"name": described["name"], **dict(zip(described["values"], numbers, strict=False))})
        return made

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of what one world shows: equal play, equal numbers, on one machine."""
        view = self.view(world)
        shown = [view.get("info"), view.get("render")]
        text = messages.write({"v": shown}).encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")

    def __repr__(self) -> str:
        state = "closed" if self._channel is None else f"{self.worlds} worlds at {self.url}"
        return f"{type(self).__name__}({self.spec.game}, {state})"


def _paced(described: Any, config: Mapping[str, Any]) -> Any:
    """The spec of a scene with another number of ticks per decision; its time limit stays as long."""
    if not isinstance(described, dict) or ACTION_REPEAT not in config:
        return described
    before, now = described.get("ticks_per_step", 1), config[ACTION_REPEAT]
    if not isinstance(now, int) or now < 1:  # refused with its bounds, where settings are checked
        return described
    steps = described.get("max_steps", 0)
    return described | {
        "ticks_per_step": now,
        "max_steps": max(1, round(steps * before / now)) if steps else 0,
    }


def _failure_text(message: Mapping[str, Any]) -> str:
    return f"The game could not go on: {str(message.get('text'))[:LONGEST_ERROR]}"


def _stop(process: Process, grace_s: float) -> None:
    """Wait for it to quit by itself, then terminate it, then kill it."""
    for end, seconds in ((None, grace_s), (process.terminate, 3.0), (process.kill, 3.0)):
        with contextlib.suppress(Exception):
            if end is not None:
                end()
            process.wait(timeout=seconds)
            return
