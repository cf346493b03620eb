"""Runs the app with uvicorn: opens the socket first, and drops connections that stall."""

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

# How long a stopping server waits for worker threads, and for all responses in progress.
WORKER_GRACE_SECONDS, SHUTDOWN_SECONDS = 1, 2
BACKLOG = 1024
SWITCH_SECONDS = 0.0005  # with Python's default of 5 ms every response waits for computing workers


class PortTaken(SandlotError):
    """Another program listens on the port."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises PortTaken when the port is in use."""
    try:
        family, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as problem:
        raise SandlotError(f"This machine has no address {host!r} ({problem.strerror or problem}).") from None
    # asyncio sets TCP_NODELAY only when the protocol is given; without it each response waits 40 ms
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
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: FastAPI, settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C. `ready` is called on another thread once requests are answered."""
    sys.setswitchinterval(SWITCH_SECONDS)
    Server(app, settings, ready).run([listener])


def _config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    http, websocket = _protocols_with_timeouts(settings.client_seconds)
    return uvicorn.Config(
        app,
        http=http,
        ws=websocket,
        ws_max_size=settings.max_message_bytes,
        ws_per_message_deflate=False,  # would compress on the event loop
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        proxy_headers=False,
    )


class Server(uvicorn.Server):
    """A server that calls `ready` once it answers, and stops quickly."""

    def __init__(self, app: FastAPI, settings: Settings, ready: Callable[[], None]):
        super().__init__(_config(app, settings))
        self._context: Context = app.state.context
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            threading.Thread(target=self._ready, name="ready", daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(WORKER_GRACE_SECONDS, self._context.stop_working)
        await super().shutdown(sockets)


def _protocols_with_timeouts(seconds: float) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """uvicorn's HTTP and WebSocket protocols with timeouts.

    When the write buffer of a connection is full, the client has `seconds` to read. A client that never reads
    would otherwise keep its frames in memory.
    """

    class WriteTimeout:
        transport: Any
        _deadline: asyncio.TimerHandle | None = None

        def pause_writing(self) -> None:
            super().pause_writing()  # type: ignore[misc]
            if self._deadline is None:
                self._deadline = asyncio.get_running_loop().call_later(seconds, self._drop)

        def resume_writing(self) -> None:
            self._cancel_deadline()
            super().resume_writing()  # type: ignore[misc]

        def connection_lost(self, problem: Exception | None) -> None:
            self._cancel_deadline()
            super().connection_lost(problem)  # type: ignore[misc]

        def _cancel_deadline(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _drop(self) -> None:
            self._deadline = None
            log.warning("A client that did not read for %.0f s was dropped.", seconds)
            self.transport.abort()

    class Http(WriteTimeout, H11Protocol):
        """Also limits the time until the request head is complete."""

        _head_deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._set_head_deadline()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._set_head_deadline()

        def connection_lost(self, problem: Exception | None) -> None:
            self._cancel_head_deadline()
            super().connection_lost(problem)

        def _set_head_deadline(self) -> None:
            upgraded = self.transport.get_protocol() is not self  # to a WebSocket
            answering = self.cycle is not None and not self.cycle.response_complete
            if upgraded or answering:
                self._cancel_head_deadline()
            elif self._head_deadline is None:
                self._head_deadline = asyncio.get_running_loop().call_later(seconds, self.transport.abort)

        def _cancel_head_deadline(self) -> None:
            if self._head_deadline is not None:
                self._head_deadline.cancel()
                self._head_deadline = None

    class Websocket(WriteTimeout, WebSocketsSansIOProtocol):
        pass

    return Http, Websocket
