"""A game in Python that speaks the protocol as a scene does, with native worlds.

    SANDLOT_URL=ws://127.0.0.1:8765 python examples/bridge_game/reference_game.py

To be read by who writes a client in another language. Tests play a native batch through it and compare every
bit with the same batch played directly.
"""

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import game_messages
import numpy as np
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from sandlot.bridge import messages, wire
from sandlot.errors import BadMessage, BridgeError, GameLost, Refused
from sandlot.version import __version__
from sandlot.worlds import NativeWorld

COMMAND_S = 600.0  # for the next command: a trainer may be learning
CONNECT_S = 20.0
# No pings: a trainer that is learning for a minute is not dead. No proxy: this is for one machine.
OPTIONS: Any = {"open_timeout": CONNECT_S, "ping_interval": None, "compression": None, "proxy": None}


def hello(**changes: Any) -> dict[str, Any]:
    """How a game introduces itself."""
    message = {
        "type": "hello",
        "protocol": messages.PROTOCOL,
        "addon": __version__,
        "engine": "sandlot reference game",
        "mode": messages.LOCKSTEP,
        "encodings": [messages.BINARY, messages.JSON],
    }
    token = os.environ.get("SANDLOT_TOKEN")
    return message | ({"token": token} if token else {}) | changes


class ReferenceGame:
    """One connection to a trainer, and the worlds it was asked for."""

    def __init__(self, url: str, **changes: Any):
        self._open = contextlib.ExitStack()
        try:
            self.socket: ClientConnection = self._open.enter_context(
                connect(url, max_size=messages.LONGEST_MESSAGE, **OPTIONS)
            )
        except (OSError, WebSocketException) as problem:
            raise GameLost(f"No trainer answers at {url}: {problem}.") from None
        self._send(messages.write(hello(**changes)))
        answer = messages.read(self._text(self._receive(CONNECT_S)))
        if answer["type"] != "welcome":
            raise Refused(f"The trainer refused: {answer.get('text', answer)}")
        self.welcome = answer
        config = {"profile": answer["profile"], **answer["config"]}
        autoreset = bool(answer.get("autoreset", True))
        self.world = NativeWorld(answer["game"], answer["worlds"], config=config, autoreset=autoreset)
        self.shape = wire.BatchShape.of(self.world.spec, self.world.worlds)
        self.binary = answer["encoding"] == messages.BINARY

    def play(self) -> None:
        """Answer commands until the trainer sends close."""
        while True:
            message = self._receive(COMMAND_S)
            if isinstance(message, bytes):
                self._answer(game_messages.command_from_bytes(message, self.shape))
                continue
            command = messages.read(message)
            if command["type"] == "close":
                self.close()
                return
            if command["type"] == "error":
                raise BadMessage(f"The trainer cannot go on: {command.get('text')}")
            if command["type"] == "look":
                self._send(messages.write(self._view(command)))
            else:
                self._answer(game_messages.command_from_json(command, self.shape))

    def _answer(self, command: wire.Step | wire.Reset) -> None:
        if isinstance(command, wire.Step):
            self.world.step(command.actions)
        else:
            self.world.reset(seeds=[int(s) for s in command.seeds], worlds=command.worlds)
        state = self._state(command.step)
        self._send(
            game_messages.state_to_bytes(state)
            if self.binary
            else messages.write(game_messages.state_to_json(state))
        )

    def _state(self, step: int) -> wire.State:
        world, agents = self.world, self.shape.agents
        episodes = world.finished()
        ended = episodes.heads["world"].astype(np.int32)
        finals = world.final_observations.reshape(world.worlds, agents, -1)[ended]
        return wire.State(
            step,
            world.observations,
            world.rewards,
            world.ticks[::agents],
            world.terminated,
            world.truncated,
            world.masks,
            ended,
            finals,
            episodes.values,
        )

    def _view(self, request: Mapping[str, Any]) -> dict[str, Any]:
        world = int(request.get("world", 0))
        spec, events = self.world.spec, []
        names = [event["name"] for event in spec.events]
        for event in self.world.events(world):
            events.append([names.index(event["name"]), *(v for k, v in event.items() if k != "name")])
        blocks = {name: self.world.block(name, world).tolist() for name in ("info", "render")}
        return {"type": "view", "world": world, "events": events, **blocks}

    def _send(self, message: str | bytes) -> None:
        try:
            self.socket.send(message)
        except ConnectionClosed as problem:
            raise GameLost(f"The trainer is gone: {problem}.") from None

    def _receive(self, seconds: float) -> str | bytes:
        try:
            return self.socket.recv(timeout=seconds)
        except TimeoutError:
            raise GameLost(f"The trainer sent nothing for {seconds:g} s.") from None
        except ConnectionClosed as problem:
            raise GameLost(f"The trainer is gone: {problem}.") from None

    @staticmethod
    def _text(message: str | bytes) -> str:
        if isinstance(message, bytes):
            raise BadMessage("The trainer's first message is JSON text.")
        return message

    def close(self) -> None:
        """End the connection."""
        self._open.close()


def main() -> int:
    """Play at SANDLOT_URL; returns the exit code."""
    url = os.environ.get("SANDLOT_URL", f"ws://127.0.0.1:{messages.DEFAULT_PORT}")
    try:
        game = ReferenceGame(url)
        game.play()
    except BridgeError as problem:
        print(f"sandlot: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
