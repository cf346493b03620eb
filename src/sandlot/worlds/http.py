"""Arenas in a Godot process that is called over HTTP: `make("tag", worlds=128, engine="http")`.

The same scenes, messages and arrays as `engine="godot"`, but the connection is reversed: the game listens
(its HTTP API, docs/http_api.md) and Python calls it.
"""

import contextlib
import secrets
import socket
import time
from collections.abc import Callable
from typing import Any

from ..bridge import messages
from ..bridge.http_client import BYTES, HOST, JSON, HttpClient
from ..errors import BadMessage, BridgeError, GameLost, GameSilent
from .godot import GodotWorld
from .remote import Launch

POLL_S = 0.05
LONGEST_QUOTE = 300  # characters of an answer, in an error


class HttpChannel:
    """Messages to one game and their answers, with the methods of a bridge.Channel that a world uses."""

    def __init__(self, client: HttpClient):
        self.client = client

    def hello(self, seconds: float, alive: Callable[[], str | None]) -> str:
        """What the scene says of itself, once it is there. alive: says how the process ended."""
        until = time.monotonic() + seconds
        while True:
            ended = alive()
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

    def send(self, message: str | bytes, seconds: float) -> None:
        """Send a command; `receive` waits for what it comes to."""
        del seconds
        if isinstance(message, bytes):
            self.client.send("POST", "/rl/exchange", message, BYTES)
        elif messages.read(message)["type"] == "close":
            self.client.send("DELETE", "/rl/session", None, JSON)
        else:
            self.client.send("POST", "/rl/exchange", message.encode(), JSON)

    def receive(self, seconds: float, alive: Callable[[], str | None] = lambda: None) -> str | bytes:
        """The answer to the last command."""
        del alive  # a socket whose process ended is closed
        status, kind, answer = self.client.receive(seconds)
        if kind == BYTES:
            return answer
        text = answer.decode(errors="replace")
        if status >= 400:
            raise BadMessage(f"The game refused a command ({status}): {text[:LONGEST_QUOTE]}", "game_failed")
        return text

    def wait_for_close(self, seconds: float) -> None:
        """Read the answer to the close."""
        with contextlib.suppress(BridgeError):
            self.client.receive(seconds)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """End the connection."""
        del code, reason
        self.client.close()


class HttpWorld(GodotWorld):
    """`worlds` arenas in one Godot process, in lock-step over HTTP."""

    def _connect(self, launch: Launch | None, port: int, token: str | None) -> None:
        assert launch is not None
        self._token = token or secrets.token_hex(16)  # so that no other program of this machine can call
        client = HttpClient(port=port or _free_port(), token=self._token)
        self.url = client.url
        channel: Any = HttpChannel(client)
        try:
            variables = {"SANDLOT_URL": self.url, "SANDLOT_TOKEN": self._token, "GODOT_ENV": "test"}
            self._process = launch(variables)
            self.hello = self._checked_hello(channel.hello(self.timeouts.start, self._exit_text))
            channel.open(messages.write(self._welcome_message(self.worlds)), self.timeouts.start)
            self._channel = channel
        except BaseException:
            self.close()
            raise


def _free_port() -> int:
    """One that nothing listens on."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
