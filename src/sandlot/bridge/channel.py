"""One WebSocket connection with a deadline on every wait, and the port that games connect to.

The trainer thread reads and writes the socket itself (websockets' protocol does the framing): a lock-step
round trip then costs two system calls, and no second thread has to be woken.
"""

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
HANDSHAKE_S = 5.0  # for the handshake and the first message of a new connection
POLL_S = 0.02  # between two looks for new connections and first messages
ALIVE_S = 0.2  # between two looks whether the process still runs, in a long wait
EXIT_S = 1.0  # for a game that was refused to exit by itself
MOST_PENDING = 16  # connections that are waited for at once; one more ends the oldest
BACKLOG = 128  # connections that the system keeps until they are accepted

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
        """Answer the opening request; a peer that speaks plain HTTP is answered in HTTP and refused."""
        until = time.monotonic() + seconds
        while self.protocol.state is State.CONNECTING:
            for event in self._events(until):
                if isinstance(event, Request):
                    self.protocol.send_response(self.protocol.accept(event))
                    self._flush(until)
            if self.protocol.handshake_exc is not None:
                self._flush(until)
                raise Refused("Something that is no WebSocket connected to the port, such as a browser.")

    def send(self, message: str | bytes, seconds: float) -> None:
        """Send one message; GameSilent where the peer does not read it in time."""
        if self.protocol.state is not State.OPEN:
            raise GameLost(self._close_text())
        if isinstance(message, str):
            self.protocol.send_text(message.encode())
        else:
            self.protocol.send_binary(message)
        self._flush(time.monotonic() + seconds)

    def receive(self, seconds: float, alive: Callable[[], str | None] = lambda: None) -> str | bytes:
        """The next message. alive: called now and then; a text from it says why no message will come."""
        until = time.monotonic() + seconds
        while not self._ready:
            for event in self._events(until, alive):
                if event.opcode is Opcode.CLOSE and self._ready:
                    break  # what was sent before the close is read first; the next wait ends with the close
                self._add_frame(event)
        return self._ready.pop(0)

    def wait_for_close(self, seconds: float) -> None:
        """Let the peer close first, so that it sees a clean end; messages that still come are dropped."""
        until = time.monotonic() + seconds
        with contextlib.suppress(GameLost, GameSilent):
            while True:
                self._events(until)

    def shut_down(self) -> None:
        """End the connection while another thread waits for it; that thread closes it."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Send a close frame if the peer still reads; never waits long."""
        with contextlib.suppress(Exception):
            self.protocol.send_close(code, reason.encode()[:120].decode(errors="ignore"))
            self._flush(time.monotonic() + 0.5)
        self.connection.close()

    # ------------------------------------------------------------ the socket

    def _events(self, until: float, alive: Callable[[], str | None] = lambda: None) -> list[Any]:
        """Wait for data and return the events in it."""
        while not self._readable(min(ALIVE_S, until - time.monotonic())):
            ended = alive()
            if ended:
                raise GameLost(ended)
            if time.monotonic() >= until:
                raise GameSilent("The game sent nothing before the deadline.")
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
            raise GameLost(alive() or self._close_text())
        return events

    def _readable(self, seconds: float) -> bool:
        return bool(select.select([self.connection], [], [], max(0.0, seconds))[0])

    def _close_text(self) -> str:
        if isinstance(self.protocol.parser_exc, (ProtocolError, InvalidHandshake)):
            return f"The game broke the WebSocket protocol: {self.protocol.parser_exc}."
        if self.protocol.close_rcvd is not None:
            reason = self.protocol.close_rcvd.reason
            return f"The game closed the connection{': ' + reason if reason else ''}."
        if self.protocol.close_sent is not None:
            return f"The connection was closed: {self.protocol.close_sent.reason or 'too large a message'}."
        return "The game is gone: its end of the connection closed without a close frame."

    def _add_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.CLOSE:
            raise GameLost(self._close_text())
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self._text, self._parts = frame.opcode is Opcode.TEXT, [bytes(frame.data)]
        elif frame.opcode is Opcode.CONT:
            self._parts.append(bytes(frame.data))
        else:
            return
        if frame.fin:
            data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            try:
                self._ready.append(data.decode() if self._text else data)
            except UnicodeDecodeError:
                raise BadMessage("A text message is not UTF-8.", "bad_json") from None

    def _flush(self, until: float) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self._send_all(memoryview(data), until)
            else:  # how the protocol asks to close our half
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


class Listener:
    """A port of this machine. One game is accepted; those that connect later get the error `busy`."""

    def __init__(self, port: int = 0, host: str = "127.0.0.1"):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((host, port))
        except OSError as problem:
            self.socket.close()
            raise PortInUse(
                f"Port {port} of {host} cannot be listened on ({problem.strerror}). An older server may "
                "still be there: stop it, or choose another port."
            ) from None
        self.socket.listen(BACKLOG)
        self.host, self.port = host, self.socket.getsockname()[1]

    @property
    def url(self) -> str:
        """The address to connect to."""
        return f"ws://{self.host}:{self.port}"

    def accept(
        self,
        on_first_message: Callable[[Channel, str | bytes], Any],
        seconds: float,
        alive: Callable[[], str | None] = lambda: None,
        longest: int = messages.LONGEST_MESSAGE,
    ) -> tuple[Channel, Any]:
        """The first peer whose first message `on_first_message` does not refuse, with its result.

        Others get an error, and the wait goes on; a final refusal (of the game that was started for this)
        ends it at once.

        Each connection is read in a thread of its own: a silent one delays no other.
        """
        until, last = time.monotonic() + seconds, ""
        first_messages: queue.SimpleQueue[tuple[Channel, str | bytes | BridgeError]] = queue.SimpleQueue()
        pending: list[Channel] = []
        try:
            while True:
                ended = alive()
                if ended:
                    raise (Refused(f"{last} {ended}") if last else GameLost(ended))
                if time.monotonic() >= until:
                    raise (
                        Refused(last)
                        if last
                        else GameSilent(f"No game connected to {self.url} within {seconds:g} s.")
                    )
                self._accept_one(first_messages, pending, longest)
                while not first_messages.empty():
                    channel, first = first_messages.get()
                    pending.remove(channel)
                    try:
                        if isinstance(first, BridgeError):
                            raise first
                        return channel, on_first_message(channel, first)
                    except (Refused, BadMessage) as problem:
                        last = str(problem)
                        _refuse(channel, "refused" if isinstance(problem, Refused) else problem.code, last)
                        if isinstance(problem, Refused) and problem.final:
                            ended = _within(EXIT_S, alive) or ""
                            # the log of a game that printed the refusal itself says nothing more
                            raise Refused(last if last in ended else f"{last} {ended}".rstrip()) from None
                        log.warning("sandlot: a game was refused at %s: %s", self.url, last)
                    except (GameLost, GameSilent):
                        channel.close()
        finally:
            for channel in pending:
                channel.shut_down()

    def _accept_one(self, first_messages: Any, pending: list[Channel], longest: int) -> None:
        """Wait a moment for one more connection; where there are too many, the oldest is ended."""
        if not select.select([self.socket], [], [], POLL_S)[0]:
            return
        channel = Channel(self.socket.accept()[0], longest)
        pending.append(channel)
        if len(pending) > MOST_PENDING:
            pending[0].shut_down()  # its thread notices, and it is taken off the list
        reader = threading.Thread(target=_read_first, args=(channel, first_messages), daemon=True)
        reader.start()

    def refuse_others(self) -> None:
        """From now on, in the background, answer every new connection with the error `busy`."""
        threading.Thread(target=self._refuse_connections, name="sandlot listener", daemon=True).start()

    def _refuse_connections(self) -> None:
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return  # closed
            channel = Channel(connection)
            with contextlib.suppress(Exception):
                channel.handshake(1.0)
                channel.receive(2.0)  # its hello: a game that has not sent it yet would not read the error
                _refuse(channel, "busy", "Another game is already playing on this port. Use another port.")
            connection.close()

    def close(self) -> None:
        """Free the port."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that refuses others
        self.socket.close()


def _within(seconds: float, call: Callable[[], str | None]) -> str | None:
    """The first result that is not None, within so many seconds; else None."""
    until = time.monotonic() + seconds
    while (answer := call()) is None and time.monotonic() < until:
        time.sleep(POLL_S)
    return answer


def _read_first(channel: Channel, first_messages: Any) -> None:
    """The handshake and the first message of a new connection, both before one deadline."""
    until = time.monotonic() + HANDSHAKE_S
    try:
        channel.handshake(HANDSHAKE_S)
        first_messages.put((channel, channel.receive(max(0.0, until - time.monotonic()))))
    except BridgeError as problem:
        first_messages.put((channel, problem))
    except (OSError, ValueError) as problem:  # a socket that was closed under us
        first_messages.put((channel, GameLost(str(problem))))


def _refuse(channel: Channel, code: str, text: str) -> None:
    """An error reply, then a close."""
    with contextlib.suppress(GameLost, GameSilent, Exception):
        channel.send(messages.write(messages.error(code, text)), 1.0)
        channel.wait_for_close(1.0)  # closing first could overtake the error
    channel.close(1008, text)
