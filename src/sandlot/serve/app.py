"""Wires the app: limits outside, routes inside, the site last."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ..version import __version__
from . import errors, listed, site
from .context import Context
from .errors import Refusal
from .limits import Guard, Gzip, HeadersMiddleware
from .routes import ROUTERS
from .settings import Settings

HARMLESS = ("GET", "HEAD", "OPTIONS")  # methods that change nothing
ABOUT = """Runs, windows, replays, frames, play sessions and metrics of Sandlot. Read-only towards training.

Every refusal has one shape: `status_code`, `error` (a word), `detail` (a sentence). Replay frames also come
by WebSocket, which this format cannot describe: see docs/api.md."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The API and the site over one folder of runs."""
    settings = settings or Settings.from_environment()
    context = Context(settings)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        context.close()

    app = FastAPI(
        title="Sandlot",
        version=__version__,
        description=ABOUT,
        lifespan=life,
        docs_url=None,  # they would fetch their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.context = context
    errors.install(app)
    for router in ROUTERS:
        app.include_router(router)
    listed.mount(app)
    site.mount(app, settings.site)
    _wrap(app, settings)
    return app


def _wrap(app: FastAPI, settings: Settings) -> None:
    """What is added last is met first."""
    app.add_middleware(
        Guard,
        max_body_bytes=settings.max_body_bytes,
        client_seconds=settings.client_seconds,
        hosts=settings.hosts,
    )
    app.add_middleware(OriginGuard, settings=settings)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(settings.origins),
        allow_origin_regex=settings.origin_pattern or None,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Content-Type"],
        expose_headers=["Retry-After"],
        max_age=600,
    )
    app.add_middleware(Gzip)
    app.add_middleware(HeadersMiddleware)


class OriginGuard:
    """Browsers let any page send a request or open a socket anywhere. What changes something here, and every
    socket, is for our own pages and those on the list."""

    def __init__(self, app: ASGIApp, settings: Settings):
        self.app, self.origins = app, set(settings.origins)
        self.pattern = re.compile(settings.origin_pattern) if settings.origin_pattern else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = scope["type"] == "websocket" or scope.get("method", "GET") not in HARMLESS
        if not guarded or self._is_welcome(Headers(scope=scope)):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "origin"})
        else:
            await self._refusal().response()(scope, receive, send)

    def _is_welcome(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if "*" in self.origins or origin in self.origins:
            return True
        if origin is None:  # programs that are no browsers send none; a browser says what it is doing
            return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        own = origin.partition("://")[2] == headers.get("host")
        return own or bool(self.pattern and self.pattern.fullmatch(origin))

    def _refusal(self) -> Refusal:
        return Refusal(
            403, "foreign_origin",
            "Pages of another origin may not change anything here. Start the server with SANDLOT_ORIGINS to "
            "add one.", headers={"Connection": "close"},
        )  # fmt: skip


def openapi() -> dict[str, Any]:
    """The description of the API, whatever folder it serves."""
    return create_app(Settings()).openapi()
