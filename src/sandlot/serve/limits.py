"""What every request passes on its way in and out: its size, its kind, its patience, and compression.

Plain ASGI, so that streams and sockets pass untouched.
"""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import re
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .content_security import NOTHING
from .errors import Refusal, refusal_of

WITH_BODY = ("POST", "PUT", "PATCH")
ANY_ADDRESS = "(any address)"  # among the hosts: also any IP address
SMALL_BYTES = 1024  # not worth compressing
LARGE_BYTES = 65_536  # compressed on a thread
COMPRESSIBLE = re.compile(r"(text/|application/(json|javascript|wasm|manifest\+json|x-ndjson)|image/svg)")


class Guard:
    """Bodies: so large at most, JSON, and there within a while. Names: those the server answers to."""

    def __init__(self, app: ASGIApp, max_body_bytes: int, client_seconds: float, hosts: Sequence[str]):
        self.app, self.max_body_bytes, self.client_seconds = app, max_body_bytes, client_seconds
        self.hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket" and self._wrong_host(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": 1008, "reason": "wrong_host"})
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            if refusal := self._wrong_host(headers):
                raise refusal
            if not scope["path"].startswith("/"):  # "GET *", a proxy's absolute address
                raise Refusal(400, "bad_request", "An address begins with a slash.")
            body = await self._body(scope, headers, receive)
        except Refusal as refusal:
            refusal.headers |= {"Connection": "close"}  # the rest of the body is not read
            await refusal.response()(scope, receive, send)
            return
        if body is not None:
            await self._answer(scope, body, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Whatever fails inside is a 500 in the one shape, unless the answer has begun already."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except Exception as problem:
            if begun:
                raise
            await refusal_of(problem).response()(scope, receive, send)

    def _wrong_host(self, headers: Headers) -> Refusal | None:
        """A page elsewhere could point its own name at this address; such names are not answered."""
        name = re.sub(r":\d+$", "", headers.get("host", "")).lower()
        if not self.hosts or name in self.hosts or (ANY_ADDRESS in self.hosts and _is_address(name)):
            return None
        return Refusal(
            400, "wrong_host",
            f"This server does not answer to the name {name[:99]!r}. Start it with SANDLOT_HOSTS to add one.",
        )  # fmt: skip

    async def _body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive | None:
        """The whole body, read ahead within its limits; None when the client has left meanwhile."""
        told = headers.get("content-length", "")
        if told.isdigit() and int(told) > self.max_body_bytes:
            raise self._too_large()
        parts: list[bytes] = []
        try:
            if not await asyncio.wait_for(self._collect(receive, parts), self.client_seconds):
                return None
        except asyncio.TimeoutError:
            raise Refusal(
                408, "too_slow", f"The body did not arrive within {self.client_seconds:.0f} s. Send it again."
            ) from None
        body = b"".join(parts)
        if body and scope["method"] in WITH_BODY:
            _check_kind(headers)
        return _replayed(body, receive)

    async def _collect(self, receive: Receive, parts: list[bytes]) -> bool:
        more, size = True, 0
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return False
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False)
            if size > self.max_body_bytes:
                raise self._too_large()
        return True

    def _too_large(self) -> Refusal:
        return Refusal(
            413, "too_large", f"The body is larger than {self.max_body_bytes} bytes; no request needs that."
        )


def _is_address(name: str) -> bool:
    """Numbers need no name server, so nobody can point them elsewhere."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _check_kind(headers: Headers) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(
            415, "wrong_kind", f"The body is {kind or 'of no stated kind'}; expected application/json."
        )


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


class Gzip:
    """Compresses whole answers that gain by it. Streams compress themselves where that pays."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "gzip" not in Headers(scope=scope).get("accept-encoding", ""):
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and _worth_a_look(message):
                held.append(message)
                return
            if held and message["type"] == "http.response.body":
                await _send_packed(held.pop(), message, send)
                return
            await send(message)

        await self.app(scope, receive, sending)


def _worth_a_look(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    size = headers.get("content-length", "0")
    return (
        start["status"] == 200
        and "content-encoding" not in headers
        and size.isdigit()
        and int(size) >= SMALL_BYTES
        and COMPRESSIBLE.match(headers.get("content-type", "")) is not None
    )


async def _send_packed(start: Message, body: Message, send: Send) -> None:
    content: bytes = body.get("body", b"")
    if not body.get("more_body", False):
        headers = MutableHeaders(raw=start["headers"])
        if len(content) >= LARGE_BYTES:
            content = await asyncio.to_thread(gzip.compress, content, 5)
        else:
            content = gzip.compress(content, 5)
        headers["Content-Encoding"] = "gzip"
        headers["Content-Length"] = str(len(content))
        headers.add_vary_header("Accept-Encoding")
        body = {**body, "body": content}
    await send(start)
    await send(body)


class HeadersMiddleware:
    """HEAD is answered like GET, without its body; and headers that every answer carries: nothing is sniffed,
    framed or run that is not ours, answers of the API are not kept without asking."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers: Any = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault("X-Frame-Options", "DENY")
                headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
                headers.setdefault("Content-Security-Policy", NOTHING)  # pages bring their own
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["method"] == "HEAD":  # the server sends no body for it, whatever the app gives
            await self.app({**scope, "method": "GET"}, receive, sending)
        else:
            await self.app(scope, receive, sending)
