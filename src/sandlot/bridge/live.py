"""The live server of streaming mode: many games at one port, answered while a policy learns beside them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hmac
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import BadMessage, MissingExtra, PortInUse
from . import messages
from .matches import Matches
from .streaming import Conversation, Player

try:
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request
except ImportError:
    raise MissingExtra("The bridge", "websockets", "godot") from None

MOST_GAMES = 64  # connections at once
HELLO_S = 10.0  # for a game to show its token
SILENCE_S = 60.0  # without transitions before the server wonders aloud
LAST_WORD_S = 0.3  # between a refusal and closing: some peers drop what comes together with a close
TELL_S = 10.0  # between two lines of progress

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
    ):
        """learn: does one piece of learning and says whether there was any to do; called off the loop."""
        self.player, self.welcome, self.host, self.port = player, welcome, host, port
        self.matches = Matches()
        self._token, self._learn, self._tell = token, learn, tell
        self._numbers = itertools.count(1)
        self._open: dict[int, Conversation] = {}
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
                compression=None,
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
        number = next(self._numbers)
        if len(self._open) >= MOST_GAMES:
            await self._refuse(socket, "busy", f"{MOST_GAMES} games are connected already.")
            return
        talk = self._open[number] = Conversation(number, self.player, self.welcome, self.matches)
        self._tell(f"game {number} connected")
        try:
            if self._token is None or await self._has_token(socket, talk):
                async for message in socket:
                    await self._one(socket, talk, message)
        except ConnectionClosed:
            pass
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
            reply = messages.error(problem.code, str(problem), told.get("step"))
        self.acted += talk.acted - before[0]
        self.stored += talk.stored - before[1]
        if told.get("type", "").startswith("transition"):
            self._last_transition = time.monotonic()
            self._fresh.set()
        if reply is not None:
            with contextlib.suppress(ConnectionClosed):  # it left without waiting; what it said still counts
                await socket.send(messages.write(reply))

    async def _has_token(self, socket: ServerConnection, talk: Conversation) -> bool:
        """With a token the first message is hello and shows it."""
        assert self._token is not None
        try:
            first = await asyncio.wait_for(socket.recv(), HELLO_S)
            told = messages.read(first if isinstance(first, str) else "[]")
        except (asyncio.TimeoutError, BadMessage):
            told = {}
        shown = str(told.get("token", ""))
        if told.get("type") != "hello" or not hmac.compare_digest(shown.encode(), self._token.encode()):
            await self._refuse(
                socket, "token", "This server wants a hello with its token (SANDLOT_TOKEN) first."
            )
            return False
        await self._one(socket, talk, messages.write(told))
        return True

    async def _refuse(self, socket: ServerConnection, code: str, text: str) -> None:
        with contextlib.suppress(ConnectionClosed):
            await socket.send(messages.write(messages.error(code, text)))
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
        while True:
            before, silent = (self.acted, self.stored), False
            await asyncio.sleep(TELL_S)
            acted, stored = self.acted - before[0], self.stored - before[1]
            if acted or stored:
                rate = f"{acted / TELL_S:.0f} actions/s, {stored / TELL_S:.0f} transitions/s"
                self._tell(f"{rate}, {self.stored:,} stored, policy version {self.player.version}")
            waited = time.monotonic() - self._last_transition
            if self._learn is not None and acted and waited > SILENCE_S and not silent:
                silent = True
                self._tell(f"no transitions for {waited:.0f} s: is the game in training mode?")


def _in_use(host: str, port: int, problem: OSError) -> PortInUse:
    why = "somebody listens there already" if problem.errno == errno.EADDRINUSE else str(problem.strerror)
    return PortInUse(
        f"Port {port} of {host} cannot be listened on: {why}. Stop the older server, or use --port."
    )


class _Sentences(logging.Handler):
    """The library's account of a failure as one line, without its traceback."""

    def __init__(self, tell: Tell):
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(f"socket: {record.getMessage()}")


def _quiet(tell: Tell) -> logging.Logger:
    logger = logging.Logger("sandlot.bridge.live")  # of our own: not in the tree that others configure
    logger.addHandler(_Sentences(tell))
    return logger
