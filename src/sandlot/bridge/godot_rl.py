"""The stock godot-rl protocol, Python's end: we listen, one game connects, lock-step JSON.

A message is a 32-bit little-endian count of bytes and that many bytes of UTF-8 JSON. Every wait has a
deadline, every size a bound, and a game that closes its socket is noticed at once.
"""

import contextlib
import json
import re
import select
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import BadMessage, GameLost, GameSilent, PortInUse

HOST = "127.0.0.1"  # a game dials this address and no other
MOST_BYTES = 64 << 20  # of one message: pictures are hex in JSON
CHUNK = 1 << 20  # bytes asked of the socket at once
ALIVE_S = 0.2  # between two looks whether the process still runs
HANDSHAKE = {"type": "handshake", "major_version": "0", "minor_version": "7"}
NOT_A_NUMBER = re.compile(
    rb"(?<=[\[,:\s])-?(?:nan|inf)(?=[\],}\s])"
)  # as Godot writes them, which no JSON is

Ended = Callable[[], str | None]  # why the game's process is gone; None while it runs


class GodotRLListener:
    """A free port of this machine, at which one game is waited for."""

    def __init__(self, port: int = 0):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((HOST, port))
        except OSError as problem:
            self.socket.close()
            raise PortInUse(f"Port {port} of {HOST} cannot be listened on ({problem.strerror}).") from None
        self.socket.listen(1)
        self.port = self.socket.getsockname()[1]

    def accept(self, seconds: float, ended: Ended) -> "GodotRLChannel":
        """The game that connects; GameLost where its process ends first."""
        until = time.monotonic() + seconds
        while not select.select([self.socket], [], [], ALIVE_S)[0]:
            why = ended()
            if why:
                raise GameLost(why)
            if time.monotonic() >= until:
                raise GameSilent(f"No game connected to {HOST}:{self.port} within {seconds:g} s.")
        return GodotRLChannel(self.socket.accept()[0], ended)

    def close(self) -> None:
        """Free the port."""
        self.socket.close()


class GodotRLChannel:
    """The connection to one game."""

    def __init__(self, connection: socket.socket, ended: Ended):
        self.connection, self._ended = connection, ended
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()

    def send(self, message: Mapping[str, Any], seconds: float) -> None:
        """Send one message; GameSilent where the game does not read it in time."""
        body = json.dumps(message).encode()
        data, until = memoryview(len(body).to_bytes(4, "little") + body), time.monotonic() + seconds
        while data:
            try:
                data = data[self.connection.send(data) :]
            except (BlockingIOError, InterruptedError):
                if not select.select([], [self.connection], [], max(0.0, until - time.monotonic()))[1]:
                    raise GameSilent("The game does not read what it is sent.") from None
            except OSError as problem:
                raise GameLost(self._ended() or f"The game is gone: {problem.strerror}.") from None

    def receive(self, expected: str, seconds: float) -> dict[str, Any]:
        """The next message, which must be of this type."""
        until = time.monotonic() + seconds
        size = int.from_bytes(self._read(4, until), "little")
        if not 2 <= size <= MOST_BYTES:
            raise BadMessage(
                f"A message of {size} bytes was announced, expected 2 to {MOST_BYTES}. Does something other "
                "than a godot-rl game connect to this port?"
            )
        message = parse(self._read(size, until))
        if message.get("type") != expected:
            raise BadMessage(f"The game answered {str(message.get('type'))[:40]!r}, expected {expected!r}.")
        return message

    def check_quiet(self) -> None:
        """BadMessage where the game sent more than it was asked: every later answer would be an old one."""
        if self._received or select.select([self.connection], [], [], 0)[0]:
            with contextlib.suppress(BlockingIOError, InterruptedError):
                if not self._received and not self.connection.recv(1, socket.MSG_PEEK):
                    raise GameLost(self._ended() or "The game closed its connection.")
            raise BadMessage(
                "The game answered twice. One Sync node alone may talk to the trainer, and it answers each "
                "message once."
            )

    def _read(self, count: int, until: float) -> bytes:
        """So many bytes, before the deadline."""
        while len(self._received) < count:
            wait = max(0.0, min(ALIVE_S, until - time.monotonic()))
            if select.select([self.connection], [], [], wait)[0]:
                self._receive_some()
            elif why := self._ended():
                raise GameLost(why)
            elif time.monotonic() >= until:
                raise GameSilent("The game sent nothing before the deadline.")
        data = bytes(self._received[:count])
        del self._received[:count]
        return data

    def _receive_some(self) -> None:
        try:
            data = self.connection.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as problem:
            raise GameLost(self._ended() or f"The connection broke: {problem.strerror}.") from None
        if not data:
            raise GameLost(self._ended() or "The game closed its connection.")
        self._received += data

    def close(self) -> None:
        """Ask the game to quit, and close."""
        with contextlib.suppress(GameSilent, GameLost, OSError):
            self.send({"type": "close"}, 1.0)
        self.connection.close()


def parse(body: bytes) -> dict[str, Any]:
    """A message as a mapping; BadMessage where it is none. NaN passes: who reads it names the field."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        try:
            message = json.loads(NOT_A_NUMBER.sub(b"NaN", body))
        except (ValueError, RecursionError):
            start = body[:60].decode(errors="replace")
            raise BadMessage(f"The game sent something that is no JSON: {start!r}…") from None
    if not isinstance(message, dict):
        raise BadMessage(f"The game sent a JSON {type(message).__name__}, expected an object.")
    return message
