"""The live server of streaming mode: many games at one port, answered while a policy learns beside them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import BadMessage, MissingExtra, PortInUse
from . import limits, messages
from .matches import Matches
from .quarantine import Quarantine
from .streaming import Conversation, Player

try:
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request
except ImportError:
    raise MissingExtra("The bridge", "websockets", "godot") from None

SILENCE_S = 60.0  # without transitions before the server wonders aloud
LAST_WORD_S = 0.3  # between a refusal and closing: some peers drop what comes together with a close
TELL_S = 10.0  # between two lines of progress
CLOSE_S = 5.0  # for a peer to answer a close

Tell = Callable[[str], None]


class LiveServer:
    """Answers `act` and `act_batch`, hands transitions to its player, lets it learn in its own thread."""

    def __init__(
        self,
        player: Player,
        welcome: Mapping[str, Any],
        host: str = "127.0.0.1",
        port: int = messages.DEFAULT_PORT,
        token: str | None = None,
        learn: Callable[[], bool] | None = None,
        tell: Tell = lambda line: None,
        hello_s: float = limits.HELLO_S,
        largest_reward: float = limits.LARGEST_REWARD,
    ):
        """learn: does one piece of learning and says whether there was any to do; called off the loop.
        hello_s: for a peer to shake hands and say its first message."""
        self.player, self.welcome, self.host, self.port = player, welcome, host, port
        self.matches, self.quarantine = Matches(), Quarantine()
        self._token, self._learn, self._tell = token, learn, tell
        self._hello_s, self._largest_reward = hello_s, largest_reward
        self._numbers = itertools.count(1)
        self._open: dict[int, Conversation] = {}
        self._strangers: dict[_Peer, None] = {}  # connections that said nothing yet, oldest first
        self.acted = self.stored = 0
        self.ready = asyncio.Event()
        self._fresh = asyncio.Event()  # set when transitions came
        self._last_transition = time.monotonic()

    async def run(self, stop: asyncio.Event, seconds: float | None = None) -> None:
        """Serve until told to stop, or for so long."""
        try:
            server = await serve(
                self._talk,
                self.host,
                self.port,
                max_size=messages.LONGEST_TEXT,
                max_queue=limits.MOST_WAITING,
                compression=None,
                open_timeout=self._hello_s,
                close_timeout=CLOSE_S,
                create_connection=functools.partial(_Peer, room=self._strangers),  # type: ignore[arg-type]
                ping_interval=None,  # a scene under a debugger is not dead
                process_request=self._knock,
                logger=_quiet(self._tell),
            )
        except OSError as problem:
            raise _in_use(self.host, self.port, problem) from None
        self.port = next(iter(server.sockets)).getsockname()[1]
        self.ready.set()
        tasks = [asyncio.create_task(task) for task in (self._learning(), self._telling(), stop.wait())]
        try:
            done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # a failure of the learner is told, not swallowed
        finally:
            server.close(close_connections=True)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(server.wait_closed(), 5.0)

    def _knock(self, socket: ServerConnection, request: Request) -> None:
        """A browser is answered by the library, in HTTP; here it is only noted."""
        if "websocket" not in request.headers.get("Upgrade", "").lower():
            self._tell("something spoke plain HTTP to the port, such as a browser: refused, harmless")

    # ------------------------------------------------------------ one game

    async def _talk(self, socket: ServerConnection) -> None:
        try:
            first = await self._first_message(socket)
            if first is None:
                return
            self._strangers.pop(socket, None)  # type: ignore[call-overload]
            if len(self._open) >= limits.MOST_GAMES:
                await self._refuse(socket, "busy", f"{limits.MOST_GAMES} games are connected already.")
                return
            await self._converse(socket, first)
        except (ConnectionClosed, asyncio.TimeoutError):
            pass

    async def _first_message(self, socket: ServerConnection) -> str | bytes | None:
        """What a stranger says first, before its deadline; None where it may not come in. With a token it is
        a hello that shows it."""
        left = self._hello_s - (time.monotonic() - getattr(socket, "since", time.monotonic()))
        try:
            first: str | bytes = await asyncio.wait_for(socket.recv(), max(0.0, left))
        except asyncio.TimeoutError:
            text = f"Nothing was said within {self._hello_s:g} s. Say hello, or ask for an action."
            await self._refuse(socket, "token" if self._token else "silent", text)
            return None
        if self._token is not None and not self._shows_token(first):
            text = "This server wants a hello with its token (SANDLOT_TOKEN) first."
            self.quarantine.add(0, "token", text, "")
            await self._refuse(socket, "token", text)
            return None
        return first

    def _shows_token(self, first: str | bytes) -> bool:
        assert self._token is not None
        try:
            told = messages.read(first) if isinstance(first, str) else {}
        except BadMessage:
            return False
        return told.get("type") == "hello" and messages.same_token(told.get("token"), self._token)

    async def _converse(self, socket: ServerConnection, first: str | bytes) -> None:
        number = next(self._numbers)
        talk = self._open[number] = Conversation(
            number, self.player, self.welcome, self.matches, self.quarantine, self._largest_reward
        )
        self._tell(f"game {number} connected")
        try:
            await self._one(socket, talk, first)
            async for message in socket:
                await self._one(socket, talk, message)
        finally:
            del self._open[number]
            self.player.gone(number)
            self.matches.gone(number)
            self._tell(f"game {number} left after {talk.acted:,} actions")

    async def _one(self, socket: ServerConnection, talk: Conversation, message: str | bytes) -> None:
        told: dict[str, Any] = {}
        before = (talk.acted, talk.stored)
        try:
            if isinstance(message, bytes):
                raise BadMessage("Streaming is JSON text; binary frames are for lock-step.", "bad_frame")
            told = messages.read(message)
            reply = talk.answer(told)
        except BadMessage as problem:
            self.quarantine.add(talk.number, problem.code, str(problem), message[: limits.EXCERPT])
            reply = messages.error(problem.code, str(problem), told.get("step"))
        self.acted += talk.acted - before[0]
        self.stored += talk.stored - before[1]
        if told.get("type", "").startswith("transition"):
            self._last_transition = time.monotonic()
            self._fresh.set()
        if reply is not None:
            with contextlib.suppress(ConnectionClosed):  # it left without waiting; what it said still counts
                await asyncio.wait_for(socket.send(messages.write(reply)), limits.SEND_S)

    async def _refuse(self, socket: ServerConnection, code: str, text: str) -> None:
        with contextlib.suppress(ConnectionClosed):
            await asyncio.wait_for(socket.send(messages.write(messages.error(code, text))), CLOSE_S)
            await asyncio.sleep(LAST_WORD_S)
            await socket.close(1008, text[:120])

    # ------------------------------------------------------------ beside the games

    async def _learning(self) -> None:
        """One update after the other, off the loop: replies never wait for an update."""
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            while self._learn is not None and await self._once(self._learn):
                pass

    async def _once(self, learn: Callable[[], bool]) -> bool:
        """One piece of learning. A thread cannot be stopped: who cancels us waits until it is through, so
        that nobody learns beside it afterwards."""
        piece = asyncio.ensure_future(asyncio.to_thread(learn))
        try:
            return await asyncio.shield(piece)
        finally:
            await asyncio.wait([piece])

    async def _telling(self) -> None:
        silent = False
        while True:
            before, refused = (self.acted, self.stored), self.quarantine.total
            await asyncio.sleep(TELL_S)
            acted, stored = self.acted - before[0], self.stored - before[1]
            if acted or stored:
                rate = f"{acted / TELL_S:.0f} actions/s, {stored / TELL_S:.0f} transitions/s"
                self._tell(f"{rate}, {self.stored:,} stored, policy version {self.player.version}")
            if self.quarantine.total > refused:
                self._tell(self.quarantine.summary())
            waited = time.monotonic() - self._last_transition
            wondering = self._learn is not None and acted > 0 and waited > SILENCE_S
            if wondering and not silent:
                self._tell(f"no transitions for {waited:.0f} s: is the game in training mode?")
            silent = wondering


class _Peer(ServerConnection):
    """A connection that is a stranger until it has said something. Strangers are few: one more ends the
    oldest, so that nobody keeps a game out by being silent."""

    def __init__(self, *words: Any, room: dict[_Peer, None], **more: Any):
        super().__init__(*words, **more)
        self._room, self.since = room, time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._room[self] = None
        while len(self._room) > limits.MOST_STRANGERS:
            oldest = next(iter(self._room))
            del self._room[oldest]
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.pop(self, None)
        super().connection_lost(exc)


def _in_use(host: str, port: int, problem: OSError) -> PortInUse:
    why = "somebody listens there already" if problem.errno == errno.EADDRINUSE else str(problem.strerror)
    return PortInUse(
        f"Port {port} of {host} cannot be listened on: {why}. Stop the older server, or use --port."
    )


class _Sentences(logging.Handler):
    """The library's account of a failure as one line, without its traceback; the same one not every time."""

    def __init__(self, tell: Tell):
        super().__init__(logging.ERROR)
        self._tell = tell
        self._last: tuple[str, float] = ("", 0.0)

    def emit(self, record: logging.LogRecord) -> None:
        line, now = record.getMessage(), time.monotonic()
        if line != self._last[0] or now - self._last[1] > TELL_S:
            self._last = (line, now)
            self._tell(f"socket: {line}")


def _quiet(tell: Tell) -> logging.Logger:
    logger = logging.Logger("sandlot.bridge.live")  # of our own: not in the tree that others configure
    logger.addHandler(_Sentences(tell))
    return logger
