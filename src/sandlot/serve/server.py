"""Runs the app: a socket that is ours before anything starts, and connections that do not wait for ever."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from ..errors import SandlotError
from .context import Context
from .settings import Settings

log = logging.getLogger(__name__)

# How long a stopping server waits for answers that are being worked out, and for all answers under way.
LAST_WORK_SECONDS, GOODBYE_SECONDS = 1, 2
BACKLOG = 1024
SWITCH_SECONDS = 0.0005  # Python's usual 5 ms would be added to every answer while a worker computes


class PortTaken(SandlotError):
    """Somebody else listens there."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any free one. A taken port is a sentence, not a traceback."""
    try:
        family, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as problem:
        raise SandlotError(f"There is no address {host!r} here ({problem.strerror or problem}).") from None
    # asyncio sends small packets at once only where it sees the protocol named; else each answer waits 40 ms
    made = socket.socket(family, socket.SOCK_STREAM, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as problem:
        made.close()
        if problem.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} on {host} is taken by another program (another `sandlot serve`?). "
                "Stop it, or choose another port: --port 0 takes any free one."
            ) from None
        raise SandlotError(f"{host}:{port} cannot be listened on: {problem.strerror or problem}.") from None
    return made


def address_of(listener: socket.socket) -> str:
    """What a person types into a browser."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: FastAPI, settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C. `ready` is called once requests are answered, on a thread of its own."""
    sys.setswitchinterval(SWITCH_SECONDS)
    Running(app, settings, ready).run([listener])


def _config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    http, websocket = _impatient(settings.client_seconds)
    return uvicorn.Config(
        app,
        http=http,
        ws=websocket,
        ws_max_size=settings.max_message_bytes,
        ws_per_message_deflate=False,  # it would compress on the event loop
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        proxy_headers=False,
    )


class Running(uvicorn.Server):
    """A server that says when it answers, and stops soon when it is told to."""

    def __init__(self, app: FastAPI, settings: Settings, ready: Callable[[], None]):
        super().__init__(_config(app, settings))
        self._context: Context = app.state.context
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            threading.Thread(target=self._ready, name="ready", daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(LAST_WORK_SECONDS, self._context.stop_working)
        await super().shutdown(sockets)


def _impatient(seconds: float) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """uvicorn's protocols, for HTTP and sockets, that drop a client who lets us wait.

    Once the buffers towards a client are full, it has `seconds` to read enough that we can go on. One who
    never reads would otherwise hold its frames in memory for good.
    """

    class Patience:
        transport: Any
        _deadline: asyncio.TimerHandle | None = None

        def pause_writing(self) -> None:
            super().pause_writing()  # type: ignore[misc]
            if self._deadline is None:
                self._deadline = asyncio.get_running_loop().call_later(seconds, self._drop)

        def resume_writing(self) -> None:
            self._calm()
            super().resume_writing()  # type: ignore[misc]

        def connection_lost(self, problem: Exception | None) -> None:
            self._calm()
            super().connection_lost(problem)  # type: ignore[misc]

        def _calm(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _drop(self) -> None:
            self._deadline = None
            log.warning("A client that did not read for %.0f s was dropped.", seconds)
            self.transport.abort()

    class Http(Patience, H11Protocol):
        """Nor does it wait for a request whose head never ends."""

        _head_deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._await_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._await_head()

        def connection_lost(self, problem: Exception | None) -> None:
            self._head_is_there()
            super().connection_lost(problem)

        def _await_head(self) -> None:
            upgraded = self.transport.get_protocol() is not self  # a socket now: no business of ours any more
            answering = self.cycle is not None and not self.cycle.response_complete
            if upgraded or answering:
                self._head_is_there()
            elif self._head_deadline is None:
                self._head_deadline = asyncio.get_running_loop().call_later(seconds, self.transport.abort)

        def _head_is_there(self) -> None:
            if self._head_deadline is not None:
                self._head_deadline.cancel()
                self._head_deadline = None

    class Websocket(Patience, WebSocketsSansIOProtocol):
        pass

    return Http, Websocket
