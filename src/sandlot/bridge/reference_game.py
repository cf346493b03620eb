"""The other end of the wire in Python: native worlds that speak the protocol as a scene does.

    SANDLOT_URL=ws://127.0.0.1:8765 python -m sandlot.bridge.reference_game

Whoever writes a client in another language can read this one; tests play a native batch through it and
compare every bit with the same batch played directly.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import BadMessage, BridgeError, GameLost, MissingExtra, Refused
from ..games import VectorGame
from ..version import __version__
from . import messages, wire

try:
    from websockets.exceptions import ConnectionClosed, WebSocketException
    from websockets.sync.client import ClientConnection, connect
except ImportError:
    raise MissingExtra("The bridge", "websockets", "godot") from None

PATIENCE_S = 600.0  # a trainer may be learning
CONNECT_S = 20.0
# No pings: a trainer that is learning for a minute is not dead. No proxy: this is for one machine.
OPTIONS: Any = {"open_timeout": CONNECT_S, "ping_interval": None, "compression": None, "proxy": None}


def hello(**changes: Any) -> dict[str, Any]:
    """How a game introduces itself."""
    told = {
        "type": "hello",
        "protocol": messages.PROTOCOL,
        "addon": __version__,
        "engine": "sandlot reference game",
        "mode": messages.LOCKSTEP,
        "encodings": [messages.BINARY, messages.JSON],
    }
    token = os.environ.get("SANDLOT_TOKEN")
    return told | ({"token": token} if token else {}) | changes


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
        self.socket.send(messages.write(hello(**changes)))
        answer = messages.read(self._text(self._receive(CONNECT_S)))
        if answer["type"] != "welcome":
            raise Refused(f"The trainer refused: {answer.get('text', answer)}")
        self.welcome = answer
        config = {"profile": answer["profile"], **answer["config"]}
        anew = bool(answer.get("autoreset", True))
        self.world = VectorGame(answer["game"], answer["worlds"], config=config, autoreset=anew)
        self.shape = wire.Shape.of(self.world.spec, self.world.worlds)
        self.binary = answer["encoding"] == messages.BINARY

    def play(self) -> None:
        """Answer commands until the trainer says close."""
        while True:
            message = self._receive(PATIENCE_S)
            if isinstance(message, bytes):
                self._answer(wire.command_from_bytes(message, self.shape))
                continue
            told = messages.read(message)
            if told["type"] == "close":
                self.close()
                return
            if told["type"] == "error":
                raise BadMessage(f"The trainer cannot go on: {told.get('text')}")
            if told["type"] == "look":
                self.socket.send(messages.write(self._view(told)))
            else:
                self._answer(messages.command_from_json(told, self.shape))

    def _answer(self, command: wire.Step | wire.Reset) -> None:
        if isinstance(command, wire.Step):
            self.world.step(command.actions)
        else:
            self.world.reset(seeds=[int(s) for s in command.seeds], worlds=command.worlds)
        state = self._state(command.step)
        self.socket.send(
            wire.state_to_bytes(state) if self.binary else messages.write(messages.state_to_json(state))
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

    def _view(self, told: Mapping[str, Any]) -> dict[str, Any]:
        world = int(told.get("world", 0))
        spec, events = self.world.spec, []
        names = [event["name"] for event in spec.events]
        for event in self.world.events(world):
            events.append([names.index(event["name"]), *(v for k, v in event.items() if k != "name")])
        blocks = {name: self.world.block(name, world).tolist() for name in ("info", "render")}
        return {"type": "view", "world": world, "events": events, **blocks}

    def _receive(self, seconds: float) -> str | bytes:
        try:
            return self.socket.recv(timeout=seconds)
        except TimeoutError:
            raise GameLost(f"The trainer said nothing for {seconds:g} s.") from None
        except ConnectionClosed as problem:
            raise GameLost(f"The trainer is gone: {problem}.") from None

    @staticmethod
    def _text(message: str | bytes) -> str:
        if isinstance(message, bytes):
            raise BadMessage("The trainer's first message is JSON text.")
        return message

    def close(self) -> None:
        self._open.close()


def main() -> int:
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
