"""Builds the FastAPI app: middleware, then the API routes, then the static site."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ..version import __version__
from . import docs_page, errors, site
from .context import Context
from .errors import ApiError
from .limits import GzipMiddleware, HeadersMiddleware, RequestLimitsMiddleware
from .routes import ROUTERS
from .settings import Settings

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")  # methods that change nothing
DESCRIPTION = """Runs, windows, replays, frames, play sessions and metrics of Sandlot. Never writes to runs.

Every error has the same fields: `status_code`, `error` (a code), `detail` (a sentence). Replay frames are
also streamed by WebSocket, which OpenAPI cannot describe: see docs/api.md."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The API and the site over one folder of runs."""
    settings = settings or Settings.from_environment()
    context = Context(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        context.close()

    app = FastAPI(
        title="Sandlot",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # both load scripts from a CDN; docs_page.py serves our own
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.context = context
    errors.install(app)
    for router in ROUTERS:
        app.include_router(router)
    docs_page.mount(app)
    site.mount(app, settings.site)
    _add_middleware(app, settings)
    return app


def _add_middleware(app: FastAPI, settings: Settings) -> None:
    """Adds the middleware. Starlette calls the one added last first."""
    app.add_middleware(
        RequestLimitsMiddleware,
        max_body_bytes=settings.max_body_bytes,
        client_seconds=settings.client_seconds,
        hosts=settings.hosts,
    )
    app.add_middleware(OriginMiddleware, settings=settings)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(settings.origins),
        allow_origin_regex=settings.origin_pattern or None,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Content-Type"],
        expose_headers=["Retry-After"],
        max_age=600,
    )
    app.add_middleware(GzipMiddleware)
    app.add_middleware(HeadersMiddleware)


class OriginMiddleware:
    """Refuses state-changing requests and WebSockets from pages of other origins.

    A browser lets any page send a request or open a WebSocket anywhere; CORS only hides the response.
    """

    def __init__(self, app: ASGIApp, settings: Settings):
        self.app, self.origins = app, set(settings.origins)
        self.pattern = re.compile(settings.origin_pattern) if settings.origin_pattern else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = scope["type"] == "websocket" or scope.get("method", "GET") not in SAFE_METHODS
        if not guarded or self._is_allowed(Headers(scope=scope)):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "origin"})
        else:
            text = (
                "Pages of another origin may not change anything here. Add it to SANDLOT_ORIGINS to allow it."
            )
            error = ApiError(403, "foreign_origin", text, headers={"Connection": "close"})
            await error.response()(scope, receive, send)

    def _is_allowed(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if "*" in self.origins or origin in self.origins:
            return True
        if origin is None:  # not sent by programs other than browsers; browsers send sec-fetch-site
            return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        own = origin.partition("://")[2] == headers.get("host")
        return own or bool(self.pattern and self.pattern.fullmatch(origin))


def openapi() -> dict[str, Any]:
    """The OpenAPI document; the same for every folder of runs."""
    return create_app(Settings()).openapi()
