"""The live server of streaming mode: many games at one port, answered while a policy learns."""

import asyncio
import contextlib
import errno
import functools
import itertools
import logging
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import BadMessage, MissingExtra, PortInUse
from . import limits, messages
from .matches import MatchTracker
from .quarantine import Quarantine
from .streaming import ConnectionHandler, LivePolicy

try:
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request
except ImportError:
    raise MissingExtra("The bridge", "websockets", "godot") from None

SILENCE_S = 60.0  # without transitions before a hint is logged
FLUSH_S = 0.3  # between an error and closing: some peers drop what comes together with a close
REPORT_S = 10.0  # between two lines of progress
CLOSE_S = 5.0  # for a peer to answer a close

LogLine = Callable[[str], None]


class LiveServer:
    """Answers `act` and `act_batch`, hands transitions to its policy, lets it learn in a thread."""

    def __init__(
        self,
        policy: LivePolicy,
        welcome: Mapping[str, Any],
        host: str = "127.0.0.1",
        port: int = messages.DEFAULT_PORT,
        token: str | None = None,
        learn: Callable[[], bool] | None = None,
        log: LogLine = lambda line: None,
        hello_s: float = limits.HELLO_S,
        largest_reward: float = limits.LARGEST_REWARD,
    ):
        """learn: makes one update if there is enough for it, and says whether it did; called off the loop.
        log: called with each line of progress. hello_s: for a peer's handshake and first message."""
        self.policy, self.welcome, self.host, self.port = policy, welcome, host, port
        self.matches, self.quarantine = MatchTracker(), Quarantine()
        self._token, self._learn, self._log = token, learn, log
        self._hello_s, self._largest_reward = hello_s, largest_reward
        self._numbers = itertools.count(1)
        self._open: dict[int, ConnectionHandler] = {}
        self._pending: dict[_Peer, None] = {}  # connections without a first message yet, oldest first
        self.acted = self.stored = 0
        self.ready = asyncio.Event()
        self._fresh = asyncio.Event()  # set when transitions arrive
        self._last_transition = time.monotonic()

    async def run(self, stop: asyncio.Event, seconds: float | None = None) -> None:
        """Serve until `stop` is set, or for so many seconds."""
        try:
            server = await serve(
                self._handle,
                self.host,
                self.port,
                max_size=messages.LONGEST_TEXT,
                max_queue=limits.MOST_WAITING,
                compression=None,
                open_timeout=self._hello_s,
                close_timeout=CLOSE_S,
                create_connection=functools.partial(_Peer, pending=self._pending),  # type: ignore[arg-type]
                ping_interval=None,  # a scene under a debugger is not dead
                process_request=self._note_plain_http,
                logger=_one_line_logger(self._log),
            )
        except OSError as problem:
            raise _in_use(self.host, self.port, problem) from None
        self.port = next(iter(server.sockets)).getsockname()[1]
        self.ready.set()
        work = (self._learn_from_transitions(), self._report_progress(), stop.wait())
        tasks = [asyncio.create_task(task) for task in work]
        try:
            done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # a failure of the learner is raised, not swallowed
        finally:
            server.close(close_connections=True)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(server.wait_closed(), 5.0)

    def _note_plain_http(self, socket: ServerConnection, request: Request) -> None:
        """A browser is answered by the library, in HTTP; here it is only logged."""
        if "websocket" not in request.headers.get("Upgrade", "").lower():
            self._log("something spoke plain HTTP to the port, such as a browser: refused, harmless")

    # ------------------------------------------------------------ one game

    async def _handle(self, socket: ServerConnection) -> None:
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            first = await self._first_message(socket)
            if first is None:
                return
            self._pending.pop(socket, None)  # type: ignore[call-overload]
            if len(self._open) >= limits.MOST_GAMES:
                await self._refuse(socket, "busy", f"{limits.MOST_GAMES} games are connected already.")
                return
            await self._serve_connection(socket, first)

    async def _first_message(self, socket: ServerConnection) -> str | bytes | None:
        """The first message of a new connection; None where it was refused: it came too late, or without the
        token."""
        left = self._hello_s - (time.monotonic() - getattr(socket, "since", time.monotonic()))
        try:
            first: str | bytes = await asyncio.wait_for(socket.recv(), max(0.0, left))
        except TimeoutError:
            text = f"No message within {self._hello_s:g} s. Send a hello, or ask for an action."
            await self._refuse(socket, "token" if self._token else "silent", text)
            return None
        if self._token is not None and not self._shows_token(first):
            text = "This server expects a hello with its token (SANDLOT_TOKEN) first."
            self.quarantine.add(0, "token", text, "")
            await self._refuse(socket, "token", text)
            return None
        return first

    def _shows_token(self, first: str | bytes) -> bool:
        assert self._token is not None
        try:
            message = messages.read(first) if isinstance(first, str) else {}
        except BadMessage:
            return False
        return message.get("type") == "hello" and messages.same_token(message.get("token"), self._token)

    async def _serve_connection(self, socket: ServerConnection, first: str | bytes) -> None:
        number = next(self._numbers)
        handler = self._open[number] = ConnectionHandler(
            number, self.policy, self.welcome, self.matches, self.quarantine, self._largest_reward
        )
        self._log(f"game {number} connected")
        try:
            await self._answer(socket, handler, first)
            async for message in socket:
                await self._answer(socket, handler, message)
        finally:
            del self._open[number]
            self.policy.disconnected(number)
            self.matches.drop(number)
            self._log(f"game {number} left after {handler.acted:,} actions")

    async def _answer(self, socket: ServerConnection, handler: ConnectionHandler, data: str | bytes) -> None:
        """Answer one message; one that cannot be read is quarantined and answered with an error."""
        message: dict[str, Any] = {}
        before = (handler.acted, handler.stored)
        try:
            if isinstance(data, bytes):
                raise BadMessage("Streaming is JSON text; binary frames are for lock-step.", "bad_frame")
            message = messages.read(data)
            reply = handler.answer(message)
        except BadMessage as problem:
            self.quarantine.add(handler.number, problem.code, str(problem), data[: limits.EXCERPT])
            reply = messages.error(problem.code, str(problem), message.get("step"))
        self.acted += handler.acted - before[0]
        self.stored += handler.stored - before[1]
        if message.get("type", "").startswith("transition"):
            self._last_transition = time.monotonic()
            self._fresh.set()
        if reply is not None:
            with contextlib.suppress(ConnectionClosed):  # it left without waiting; its message still counts
                await asyncio.wait_for(socket.send(messages.write(reply)), limits.SEND_S)

    async def _refuse(self, socket: ServerConnection, code: str, text: str) -> None:
        with contextlib.suppress(ConnectionClosed):
            await asyncio.wait_for(socket.send(messages.write(messages.error(code, text))), CLOSE_S)
            await asyncio.sleep(FLUSH_S)
            await socket.close(1008, text[:120])

    # ------------------------------------------------------------ beside the games

    async def _learn_from_transitions(self) -> None:
        """One update after the other, off the loop: replies never wait for an update."""
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            while self._learn is not None and await self._learn_once(self._learn):
                pass

    async def _learn_once(self, learn: Callable[[], bool]) -> bool:
        """One update in a thread. A thread cannot be stopped: a cancellation waits until it has ended, so
        that no second update runs at the same time."""
        update = asyncio.ensure_future(asyncio.to_thread(learn))
        try:
            return await asyncio.shield(update)
        finally:
            await asyncio.wait([update])

    async def _report_progress(self) -> None:
        """A line of progress now and then, and a hint where a game acts but sends no transitions."""
        hinted = False
        while True:
            before, refused = (self.acted, self.stored), self.quarantine.total
            await asyncio.sleep(REPORT_S)
            acted, stored = self.acted - before[0], self.stored - before[1]
            if acted or stored:
                rate = f"{acted / REPORT_S:.0f} actions/s, {stored / REPORT_S:.0f} transitions/s"
                self._log(f"{rate}, {self.stored:,} stored, policy version {self.policy.version}")
            if self.quarantine.total > refused:
                self._log(self.quarantine.summary())
            waited = time.monotonic() - self._last_transition
            only_acts = self._learn is not None and acted > 0 and waited > SILENCE_S
            if only_acts and not hinted:
                self._log(f"no transitions for {waited:.0f} s: is the game in training mode?")
            hinted = only_acts


async def serve_until_stopped(server: LiveServer, minutes: float, listening: Callable[[], None]) -> None:
    """Serve games until Ctrl-C, or for so many minutes (0: no limit). listening: called once it is bound."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    serving = asyncio.create_task(server.run(stop, 60 * minutes or None))
    ready = asyncio.create_task(server.ready.wait())
    await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if not serving.done():
        listening()
    await serving


class _Peer(ServerConnection):
    """A connection that is pending until its first message. Few may be pending: one more ends the oldest, so
    that silent connections keep no game out."""

    def __init__(self, *args: Any, pending: dict["_Peer", None], **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._pending, self.since = pending, time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._pending[self] = None
        while len(self._pending) > limits.MOST_PENDING:
            oldest = next(iter(self._pending))
            del self._pending[oldest]
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._pending.pop(self, None)
        super().connection_lost(exc)


def _in_use(host: str, port: int, problem: OSError) -> PortInUse:
    in_use = problem.errno == errno.EADDRINUSE
    why = "another program listens there already" if in_use else str(problem.strerror)
    text = f"Port {port} of {host} cannot be listened on: {why}"
    return PortInUse(f"{text}. Stop the older server, or use --port.")


class _OneLineHandler(logging.Handler):
    """The library's errors as one line each, without their tracebacks; a repeated one only now and then."""

    def __init__(self, log: LogLine):
        super().__init__(logging.ERROR)
        self._log = log
        self._last: tuple[str, float] = ("", 0.0)

    def emit(self, record: logging.LogRecord) -> None:
        line, now = record.getMessage(), time.monotonic()
        if line != self._last[0] or now - self._last[1] > REPORT_S:
            self._last = (line, now)
            self._log(f"socket: {line}")


def _one_line_logger(log: LogLine) -> logging.Logger:
    logger = logging.Logger("sandlot.bridge.live")  # of our own: not in the tree that others configure
    logger.addHandler(_OneLineHandler(log))
    return logger
