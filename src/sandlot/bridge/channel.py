"""One WebSocket with a deadline on every wait, and the port that games come in by.

The trainer thread reads and writes the socket itself (websockets' protocol does the framing): a lock-step
round trip then costs two system calls, and no second thread has to be woken.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import select
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from ..errors import BadMessage, BridgeError, GameLost, GameSilent, MissingExtra, PortInUse, Refused
from . import messages

try:
    from websockets.exceptions import InvalidHandshake, ProtocolError
    from websockets.frames import Frame, Opcode
    from websockets.http11 import Request
    from websockets.protocol import State
    from websockets.server import ServerProtocol
except ImportError:
    raise MissingExtra("The bridge", "websockets", "godot") from None

CHUNK = 1 << 20  # bytes asked of the socket at once
HANDSHAKE_S = 5.0  # for a stranger to shake hands and say what it wants
HEAR_S = 0.02  # how often the door looks whether somebody said something
LOOK_S = 0.2  # how often a long wait looks whether the process is still there
PARTING_S = 1.0  # for a game that was refused to leave by itself
MOST_STRANGERS = 16  # knockers that are listened to at once
BACKLOG = 128  # knockers that wait to be listened to

log = logging.getLogger("sandlot.bridge")


class Channel:
    """One peer. Every method that waits takes a number of seconds and raises GameSilent after it."""

    def __init__(self, connection: socket.socket, longest: int = messages.LONGEST_MESSAGE):
        self.connection = connection
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.protocol = ServerProtocol(max_size=longest)
        self._parts: list[bytes] = []  # of a message that comes in several frames
        self._text = False
        self._ready: list[str | bytes] = []

    def handshake(self, seconds: float = HANDSHAKE_S) -> None:
        """Answer the opening request; a peer that speaks plain HTTP is told so, in HTTP, and refused."""
        until = time.monotonic() + seconds
        while self.protocol.state is State.CONNECTING:
            for event in self._events(until):
                if isinstance(event, Request):
                    response = self.protocol.accept(event)
                    self.protocol.send_response(response)
                    self._flush(until)
                    if response.status_code != 101:
                        raise Refused("Something spoke plain HTTP to the port; a WebSocket was expected.")
            if self.protocol.handshake_exc is not None:
                self._flush(until)
                raise Refused("Something that is no WebSocket knocked at the port.")

    def send(self, message: str | bytes, seconds: float) -> None:
        if self.protocol.state is not State.OPEN:
            raise GameLost(self._why_closed())
        if isinstance(message, str):
            self.protocol.send_text(message.encode())
        else:
            self.protocol.send_binary(message)
        self._flush(time.monotonic() + seconds)

    def receive(self, seconds: float, alive: Callable[[], str | None] = lambda: None) -> str | bytes:
        """The next message. alive: asked now and then; a sentence from it means that nobody will answer."""
        until = time.monotonic() + seconds
        while not self._ready:
            for event in self._events(until, alive):
                self._take(event)
        return self._ready.pop(0)

    def farewell(self, seconds: float) -> None:
        """Let the peer close first, so that it sees a clean end; whatever it still says is not heard."""
        until = time.monotonic() + seconds
        with contextlib.suppress(GameLost, GameSilent):
            while True:
                self._events(until)

    def hang_up(self) -> None:
        """End the connection under whoever waits for it in another thread; that one closes it."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Say goodbye if anybody listens; never waits long."""
        with contextlib.suppress(Exception):
            self.protocol.send_close(code, reason.encode()[:120].decode(errors="ignore"))
            self._flush(time.monotonic() + 0.5)
        self.connection.close()

    # ------------------------------------------------------------ the socket

    def _events(self, until: float, alive: Callable[[], str | None] = lambda: None) -> list[Any]:
        """Wait for data and return what it holds."""
        while not select.select([self.connection], [], [], max(0.0, min(LOOK_S, until - time.monotonic())))[
            0
        ]:
            gone = alive()
            if gone:
                raise GameLost(gone)
            if time.monotonic() >= until:
                raise GameSilent("The game said nothing before the deadline.")
        try:
            data = self.connection.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError as problem:
            raise GameLost(f"The connection broke: {problem.strerror}.") from None
        self.protocol.receive_data(data) if data else self.protocol.receive_eof()
        with contextlib.suppress(GameLost, GameSilent):
            self._flush(until)  # pongs, and the answer to a close
        events = self.protocol.events_received()
        if not events and (not data or self.protocol.state is State.CLOSED):
            raise GameLost(alive() or self._why_closed())
        return events

    def _why_closed(self) -> str:
        if isinstance(self.protocol.parser_exc, (ProtocolError, InvalidHandshake)):
            return f"The game broke the WebSocket protocol: {self.protocol.parser_exc}."
        if self.protocol.close_rcvd is not None:
            words = self.protocol.close_rcvd.reason
            return f"The game closed the connection{': ' + words if words else ''}."
        if self.protocol.close_sent is not None:
            return f"The connection was closed: {self.protocol.close_sent.reason or 'too large a message'}."
        return "The game is gone: its end of the connection closed without a word."

    def _take(self, frame: Frame) -> None:
        if frame.opcode is Opcode.CLOSE:
            raise GameLost(self._why_closed())
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self._text, self._parts = frame.opcode is Opcode.TEXT, [bytes(frame.data)]
        elif frame.opcode is Opcode.CONT:
            self._parts.append(bytes(frame.data))
        else:
            return
        if frame.fin:
            whole = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            try:
                self._ready.append(whole.decode() if self._text else whole)
            except UnicodeDecodeError:
                raise BadMessage("A text message is not UTF-8.", "bad_json") from None

    def _flush(self, until: float) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self._send_all(memoryview(data), until)
            else:  # the protocol's sign to close our half
                with contextlib.suppress(OSError):
                    self.connection.shutdown(socket.SHUT_WR)

    def _send_all(self, data: memoryview, until: float) -> None:
        while data:
            try:
                data = data[self.connection.send(data) :]
            except (BlockingIOError, InterruptedError):
                if not select.select([], [self.connection], [], max(0.0, until - time.monotonic()))[1]:
                    raise GameSilent("The game does not read what it is sent.") from None
            except OSError as problem:
                raise GameLost(f"The game is gone: {problem.strerror}.") from None


class Door:
    """A port on this machine. One game is let in; whoever knocks after it is told that it is taken."""

    def __init__(self, port: int = 0, host: str = "127.0.0.1"):
        self.listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.listener.bind((host, port))
        except OSError as problem:
            self.listener.close()
            raise PortInUse(
                f"Port {port} of {host} cannot be listened on ({problem.strerror}). An older server may "
                "still be there: stop it, or choose another port."
            ) from None
        self.listener.listen(BACKLOG)
        self.host, self.port = host, self.listener.getsockname()[1]
        self._taken = False

    @property
    def url(self) -> str:
        return f"ws://{self.host}:{self.port}"

    def admit(
        self,
        greet: Callable[[Channel, str | bytes], Any],
        seconds: float,
        alive: Callable[[], str | None] = lambda: None,
        longest: int = messages.LONGEST_MESSAGE,
    ) -> tuple[Channel, Any]:
        """The first peer whose first message `greet` accepts, with its result. Others are answered, and the
        wait goes on; a refusal that is final, of the game that was started for this, ends it at once.

        Each knocker is listened to in a thread of its own: one that is silent holds nobody up.
        """
        until, last = time.monotonic() + seconds, ""
        heard: queue.SimpleQueue[tuple[Channel, str | bytes | BridgeError]] = queue.SimpleQueue()
        listening: list[Channel] = []
        try:
            while True:
                gone = alive()
                if gone:
                    raise (Refused(f"{last} {gone}") if last else GameLost(gone))
                if time.monotonic() >= until:
                    raise (Refused(last) if last else self._nobody_came(seconds))
                self._let_knock(heard, listening, longest)
                while not heard.empty():
                    channel, first = heard.get()
                    listening.remove(channel)
                    try:
                        if isinstance(first, BridgeError):
                            raise first
                        return channel, greet(channel, first)
                    except (Refused, BadMessage) as problem:
                        last = str(problem)
                        _answer(channel, "refused" if isinstance(problem, Refused) else problem.code, last)
                        if isinstance(problem, Refused) and problem.final:
                            raise Refused(f"{last} {_within(PARTING_S, alive) or ''}".rstrip()) from None
                        log.warning("sandlot: a game was refused at %s: %s", self.url, last)
                    except (GameLost, GameSilent):
                        channel.close()
        finally:
            for channel in listening:
                channel.hang_up()

    def _nobody_came(self, seconds: float) -> GameSilent:
        return GameSilent(f"No game came to {self.url} within {seconds:g} s.")

    def _let_knock(self, heard: Any, listening: list[Channel], longest: int) -> None:
        """Wait a moment for one more knocker; where there are too many, the oldest has to go."""
        if not select.select([self.listener], [], [], HEAR_S)[0]:
            return
        channel = Channel(self.listener.accept()[0], longest)
        listening.append(channel)
        if len(listening) > MOST_STRANGERS:
            listening[0].hang_up()  # its thread notices, and it is taken off the list
        threading.Thread(target=_listen, args=(channel, heard), name="sandlot knocker", daemon=True).start()

    def turn_others_away(self) -> None:
        """From now on, in the background, tell whoever knocks that a game is already here."""
        self._taken = True
        threading.Thread(target=self._turn_away, name="sandlot door", daemon=True).start()

    def _turn_away(self) -> None:
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return  # closed
            channel = Channel(connection)
            with contextlib.suppress(Exception):
                channel.handshake(1.0)
                channel.receive(2.0)  # its hello: a game that has not said it yet would not hear us
                _answer(channel, "busy", "Another game is already playing on this port. Use another port.")
            connection.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that turns others away
        self.listener.close()


def _within(seconds: float, asked: Callable[[], str | None]) -> str | None:
    """What is answered by then; None where nothing is."""
    until = time.monotonic() + seconds
    while (answer := asked()) is None and time.monotonic() < until:
        time.sleep(HEAR_S)
    return answer


def _listen(channel: Channel, heard: Any) -> None:
    """The handshake and the first message of a stranger, both before one deadline."""
    until = time.monotonic() + HANDSHAKE_S
    try:
        channel.handshake(HANDSHAKE_S)
        heard.put((channel, channel.receive(max(0.0, until - time.monotonic()))))
    except BridgeError as problem:
        heard.put((channel, problem))
    except (OSError, ValueError) as problem:  # a socket that was closed under us
        heard.put((channel, GameLost(str(problem))))


def _answer(channel: Channel, code: str, text: str) -> None:
    """An error reply, then goodbye."""
    with contextlib.suppress(GameLost, GameSilent, Exception):
        channel.send(messages.write(messages.error(code, text)), 1.0)
        channel.farewell(1.0)  # a game that is refused closes; closing first could overtake the sentence
    channel.close(1008, text)
