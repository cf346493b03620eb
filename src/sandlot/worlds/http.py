"""Arenas in several Godot processes, called over HTTP: `make("tag", worlds=128, engine="http")`.

The same scenes, messages and arrays as of `engine="godot"`; only who calls whom differs. There the game
connects to us, here it listens (its HTTP API, docs/http_api.md) and we call. Commands go to all processes
first, then the answers are read, so the processes work at the same time.
"""

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge import messages, wire
from ..bridge.http_client import BYTES, HOST, JSON, HttpClient
from ..errors import BadMessage, BridgeError, ConfigError, GameLost, GameSilent
from ..processes import describe_exit
from .godot import LOG_VARIABLE, PREFIX, USUAL_WORLDS, TrainingScene
from .remote import Launch, RemoteWorld

PROCESSES_VARIABLE = "SANDLOT_PROCESSES"  # how many, for worlds that are made indirectly
MOST_PROCESSES = 64
POLL_S = 0.05
EXIT_S = 2.0  # for a process whose socket closed to end
LAST_LINES = 6  # of a process's log, in an error
LONGEST_QUOTE = 300  # characters of an answer, in an error


class Game:
    """One process and the worlds in it."""

    def __init__(self, place: TrainingScene, worlds: range, port: int, log: Path | None):
        self.worlds, token = worlds, secrets.token_hex(16)
        variables = {
            "SANDLOT_URL": f"http://{HOST}:{port}",
            "SANDLOT_TOKEN": token,
            "GODOT_ENV": "test",
        }
        self.process = place.start(variables, log)
        self.token, self.client = token, HttpClient(port=port, token=token)

    def hello(self, seconds: float) -> str:
        """What the scene says of itself, once it is there."""
        until = time.monotonic() + seconds
        while True:
            ended = self.ended()
            if ended:
                raise GameLost(ended)
            with contextlib.suppress(GameLost, GameSilent, BadMessage):
                return self.client.request("GET", "/rl/hello", None, JSON)[1].decode()
            if time.monotonic() > until:
                raise GameSilent(f"No game answered at {self.client.url} within {seconds:g} s.")
            time.sleep(POLL_S)

    def open(self, welcome: str, seconds: float) -> None:
        """Hand over the welcome."""
        self.client.timeout_s = seconds
        self.client.request("POST", "/rl/session", welcome.encode(), JSON)

    def send(self, command: str | bytes) -> None:
        """Send a command; `receive` waits for what it comes to."""
        kind = BYTES if isinstance(command, bytes) else JSON
        data = command if isinstance(command, bytes) else command.encode()
        self.client.send("POST", "/rl/exchange", data, kind)

    def receive(self, seconds: float) -> str | bytes:
        """The answer to the last command."""
        status, kind, answer = self.client.receive(seconds)
        if kind == BYTES:
            return answer
        text = answer.decode(errors="replace")
        if status >= 400:
            raise BadMessage(f"The game refused a command ({status}): {text[:LONGEST_QUOTE]}", "game_failed")
        return text

    def ended(self) -> str | None:
        """How the process ended, with the end of its log; None while it runs."""
        if self.process.code is None:
            return None
        lines = [line for line in self.process.log_tail().splitlines() if line.strip()]
        tail = "\n".join(lines[-LAST_LINES:])
        return f"The game {describe_exit(self.process.code)}." + (
            f" The end of its log:\n{tail}" if tail else ""
        )

    def close(self, seconds: float) -> None:
        """Ask it to quit, and end it if it does not."""
        if self.process.code is None:
            with contextlib.suppress(BridgeError):
                self.client.timeout_s = 1.0
                self.client.request("DELETE", "/rl/session", None, JSON)
                self.process.wait(seconds)
        self.client.close()
        self.process.__exit__(None, None, None)


class Games:
    """All processes, with the few methods that a RemoteWorld asks of its channel."""

    def __init__(self, games: list[Game]):
        self.games, self._asked = games, games[0]

    def send(self, message: str | bytes, seconds: float) -> None:
        """A look goes to the process of its world; others are of no meaning here."""
        del seconds
        asked = messages.read(message) if isinstance(message, str) else {}
        if asked.get("type") == "look":
            world = int(asked["world"])
            self._asked = next(game for game in self.games if world in game.worlds)
            self._asked.send(messages.write(asked | {"world": world - self._asked.worlds.start}))

    def receive(self, seconds: float, alive: Callable[[], str | None] = lambda: None) -> str | bytes:
        """The answer to a look."""
        del alive
        return self._asked.receive(seconds)

    def wait_for_close(self, seconds: float) -> None:
        """End all of them, at the same time."""
        for game in self.games:
            game.close(seconds)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Everything has been closed already."""
        del code, reason


class HttpWorld(RemoteWorld):
    """`worlds` arenas in `processes` headless Godots, in lock-step."""

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        *,
        processes: int | None = None,
        scene: str | None = None,
        project: Path | str | None = None,
        log: Path | None = None,
        **options: Any,
    ):
        """processes: else what SANDLOT_PROCESSES says, else one for each 64 worlds. log: of the first one.

        threads is accepted and has no effect.
        """
        del threads
        self._games: list[Game] = []
        self._processes = _process_count(processes, worlds)
        self._place = TrainingScene.of(game, config, scene, project)
        self._log_file = log or (Path(os.environ[LOG_VARIABLE]) if os.environ.get(LOG_VARIABLE) else None)
        native = None if game.startswith(PREFIX) else game
        super().__init__(native, worlds, seed, config, address=game, **options)

    def _connect(self, launch: Launch | None, port: int, token: str | None) -> None:
        del launch, port, token
        worlds = self._sizes[0]
        bounds = np.linspace(0, worlds, self._processes + 1).astype(int).tolist()
        try:
            for i, free in enumerate(_free_ports(self._processes)):
                own = range(bounds[i], bounds[i + 1])
                self._games.append(Game(self._place, own, free, self._log_file if i == 0 else None))
            for game in self._games:
                self._token = game.token
                self.hello = self._checked_hello(game.hello(self.timeouts.start))
                game.open(messages.write(self._welcome_message(len(game.worlds))), self.timeouts.start)
            self.url = self._games[0].client.url
            self._channel = Games(self._games)  # type: ignore[assignment]
        except BaseException:
            self.close()
            raise

    def _exit_text(self) -> str | None:
        return next((text for game in self._games if (text := game.ended())), None)

    def close(self) -> None:
        """End every game. The arrays stay readable."""
        games, self._games, self._channel = getattr(self, "_games", []), [], None
        for game in games:
            with contextlib.suppress(BridgeError):
                game.client.send("DELETE", "/rl/session", None, JSON)
        for game in games:
            game.client.close()
            with contextlib.suppress(Exception):
                game.process.process.wait(self.timeouts.close)
            game.process.__exit__(None, None, None)

    # ------------------------------------------------------------ commands and states

    def _exchange(self, command: wire.Step | wire.Reset, seconds: float) -> wire.State:
        asked = [(game, part) for game in self._games if (part := self._part(command, game)) is not None]
        try:
            for game, part in asked:
                game.send(self._encode(part))
            states = {id(game): self._state(game, command.step, seconds) for game, _ in asked}
        except (BridgeError, KeyboardInterrupt) as problem:
            if isinstance(problem, GameLost):
                self._wait_for_exit()
            self._fail(problem, seconds)
        return self._joined([states.get(id(game)) for game in self._games], command.step)

    def _wait_for_exit(self) -> None:
        """A socket closes a moment before its process ends."""
        until = time.monotonic() + EXIT_S
        while self._exit_text() is None and time.monotonic() < until:
            time.sleep(POLL_S)

    def _part(self, command: wire.Step | wire.Reset, game: Game) -> wire.Step | wire.Reset | None:
        """What of a command is for one process; None where nothing is."""
        if isinstance(command, wire.Step):
            return replace(command, actions=command.actions[self._rows(game)])
        own = (command.worlds >= game.worlds.start) & (command.worlds < game.worlds.stop)
        if not own.any():
            return None
        return replace(
            command, worlds=command.worlds[own] - np.int32(game.worlds.start), seeds=command.seeds[own]
        )

    def _rows(self, game: Game) -> slice:
        agents = self.spec.agents
        return slice(game.worlds.start * agents, game.worlds.stop * agents)

    def _state(self, game: Game, step: int, seconds: float) -> wire.State:
        answer = game.receive(seconds)
        state = self._decode(answer, replace(self.shape, worlds=len(game.worlds)))
        if state.step != step:
            raise BadMessage(f"The game answers step {state.step}, {step} was asked.", "bad_step")
        return state

    def _joined(self, states: list[wire.State | None], step: int) -> wire.State:
        """One state of all worlds. Processes that were not asked keep what the arrays have."""
        arrays, agents = self._arrays, self.spec.agents

        def rows(name: str) -> np.ndarray:
            own = [self._rows(game) for game in self._games]
            parts = [
                arrays[name][place] if state is None else getattr(state, name)
                for state, place in zip(states, own, strict=True)
            ]
            return np.concatenate(parts)

        there = [(game, state) for game, state in zip(self._games, states, strict=True) if state is not None]
        ticks = [
            arrays["ticks"][self._rows(game)][::agents] if state is None else state.ticks
            for game, state in zip(self._games, states, strict=True)
        ]
        return wire.State(
            step=step,
            observations=rows("observations"),
            rewards=rows("rewards"),
            ticks=np.concatenate(ticks),
            terminated=rows("terminated"),
            truncated=rows("truncated"),
            masks=rows("masks") if self.shape.masked else None,
            ended=np.concatenate([state.ended + np.int32(game.worlds.start) for game, state in there]),
            final_observations=np.concatenate([state.final_observations for _, state in there]),
            episodes=np.concatenate([state.episodes for _, state in there]),
        )


def _process_count(given: int | None, worlds: int) -> int:
    """How many processes, each with a world at least."""
    named = os.environ.get(PROCESSES_VARIABLE, "")
    if given is None and named:
        if not named.isdigit():
            raise ConfigError(f"{PROCESSES_VARIABLE} = {named}: expected a number of processes.")
        given = int(named)
    count = -(-worlds // USUAL_WORLDS) if given is None else given
    if not 1 <= count <= MOST_PROCESSES:
        raise ConfigError(f"{count} processes: expected 1 to {MOST_PROCESSES}.")
    return min(count, max(worlds, 1))


def _free_ports(count: int) -> list[int]:
    """Ports that nothing listens on, all different."""
    with contextlib.ExitStack() as probes:
        made = []
        for _ in range(count):
            probe = probes.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            probe.bind((HOST, 0))
            made.append(int(probe.getsockname()[1]))
        return made
