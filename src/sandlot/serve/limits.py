"""ASGI middleware: size, type and timeout of request bodies, allowed hosts, compression, headers.

Plain ASGI, so that streaming responses and WebSockets pass unchanged.
"""

import asyncio
import gzip
import ipaddress
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .content_security import NOTHING
from .errors import ApiError, to_api_error

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": NOTHING,  # HTML pages set their own
}
WITH_BODY = ("POST", "PUT", "PATCH")
ANY_ADDRESS = "(any address)"  # in the list of hosts: accept any IP address too
SMALL_BYTES = 1024  # smaller bodies are not compressed
LARGE_BYTES = 65_536  # larger bodies are compressed on a thread
COMPRESSIBLE = re.compile(r"(text/|application/(json|javascript|wasm|manifest\+json|x-ndjson)|image/svg)")


class RequestLimitsMiddleware:
    """Limits request bodies (size, JSON only, timeout) and the host names that are answered."""

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
            if error := self._wrong_host(headers):
                raise error
            if not scope["path"].startswith("/"):  # "GET *", or the absolute URL of a proxy request
                raise ApiError(400, "bad_request", "A path begins with a slash.")
            body = await self._body(scope, headers, receive)
        except ApiError as error:
            error.headers |= {"Connection": "close"}  # the rest of the body is not read
            await error.response()(scope, receive, send)
            return
        if body is not None:
            await self._answer(scope, body, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app; an exception becomes an error response, unless the response has begun already."""
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
            await to_api_error(problem).response()(scope, receive, send)

    def _wrong_host(self, headers: Headers) -> ApiError | None:
        """Prevents DNS rebinding: a foreign host name that resolves to this address is refused."""
        name = re.sub(r":\d+$", "", headers.get("host", "")).lower()
        if not self.hosts or name in self.hosts or (ANY_ADDRESS in self.hosts and _is_address(name)):
            return None
        text = f"This server does not answer to the host {name[:99]!r}. Add it to SANDLOT_HOSTS to allow it."
        return ApiError(400, "wrong_host", text)

    async def _body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive | None:
        """Read the whole body within the limits; None when the client disconnected meanwhile."""
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self.max_body_bytes:
            raise self._too_large()
        try:
            body = await asyncio.wait_for(self._collect(Request(scope, receive)), self.client_seconds)
        except ClientDisconnect:
            return None
        except TimeoutError:
            text = f"The body did not arrive within {self.client_seconds:.0f} s. Send it again."
            raise ApiError(408, "too_slow", text) from None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and scope["method"] in WITH_BODY and kind != "application/json":
            text = f"The body is {kind or 'of no stated type'}; expected application/json."
            raise ApiError(415, "wrong_kind", text)
        return _replay_body(body, receive)

    async def _collect(self, request: Request) -> bytes:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > self.max_body_bytes:
                raise self._too_large()
        return bytes(body)

    def _too_large(self) -> ApiError:
        return ApiError(413, "too_large", f"The body is larger than {self.max_body_bytes} bytes.")


def _is_address(name: str) -> bool:
    """Whether a host is an IP address; DNS rebinding needs a name."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _replay_body(body: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


class GzipMiddleware:
    """Compresses complete responses; streaming responses compress themselves."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "gzip" not in Headers(scope=scope).get("accept-encoding", ""):
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_compressible(message):
                held.append(message)
                return
            if held and message["type"] == "http.response.body":
                await _send_compressed(held.pop(), message, send)
                return
            await send(message)

        await self.app(scope, receive, sending)


def _is_compressible(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    size = headers.get("content-length", "0")
    return (
        start["status"] == 200
        and "content-encoding" not in headers
        and size.isdigit()
        and int(size) >= SMALL_BYTES
        and COMPRESSIBLE.match(headers.get("content-type", "")) is not None
    )


async def _send_compressed(start: Message, body: Message, send: Send) -> None:
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
    """Adds security headers to every response, `no-cache` to the API's, and answers HEAD like GET."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["method"] == "HEAD":  # uvicorn drops the body
            await self.app({**scope, "method": "GET"}, receive, sending)
        else:
            await self.app(scope, receive, sending)
