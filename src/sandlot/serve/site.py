"""Serves the built site: static files, and index.html for every path of the single-page app."""

import functools
import gzip
import mimetypes
import re
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from starlette.routing import Match, Route
from starlette.types import Scope

from .content_security import policy_for
from .errors import ApiError
from .limits import COMPRESSIBLE, SMALL_BYTES

BUILT = Path(__file__).parent / "site"
CACHE_FOREVER, REVALIDATE = "public, max-age=31536000, immutable", "no-cache"
HASHED = re.compile(r"[-.][A-Za-z0-9_-]{8,}\.\w+$")  # index-B3kd92Xa.js: the name changes with the content
KINDS = {
    ".wasm": "application/wasm",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".map": "application/json",
    ".onnx": "application/octet-stream",
}
API_PREFIXES = (["api"], ["ws"], ["health"], ["docs"], ["openapi.json"])

ABSENT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sandlot: the API without its site</title>
<style>body{font:1.05rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;
color-scheme:light dark}code{font-size:.95em}</style>
<h1>The site is not built here</h1>
<p>This server answers, but the pages that belong to it were not built. In a checkout, build them with
<code>make web</code> (it needs Node 20 or later), then load this page again.
A wheel from a release contains them.</p>
<p>The API works without: <a href="/docs">what it offers</a>, <a href="/api/runs">runs</a>,
<a href="/api/games">games</a>.</p></html>
"""


class SiteRoute(Route):
    """Matches every path but the API's, which keep their own 404 and 405."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http" and scope["path"].split("/")[1:2] in API_PREFIXES:
            return Match.NONE, {}
        return super().matches(scope)


def mount(app: FastAPI, folder: Path | None) -> None:
    """Serve the site at every path that the API does not have. Call it last."""
    site = (folder or BUILT).resolve()

    def page(request: Request) -> Response:
        path = request.path_params["path"]
        index = site / "index.html"
        if not index.is_file():
            headers = {"Cache-Control": REVALIDATE, "Content-Security-Policy": policy_for(ABSENT)}
            return HTMLResponse(ABSENT, 200 if not path else 404, headers)
        return _respond(request, site, path, index)

    app.router.routes.append(
        SiteRoute("/{path:path}", page, methods=["GET", "HEAD"], include_in_schema=False)
    )


def _respond(request: Request, site: Path, path: str, index: Path) -> Response:
    found = _file(site, path)
    if found is not None and found != index:
        kept = CACHE_FOREVER if HASHED.search(found.name) and found.parent != site else REVALIDATE
        return _file_response(request, found, kept)
    if path.startswith("assets/") or ("." in path and "/" not in path):
        # A missing file must not become index.html; the path of a run may contain a dot.
        raise ApiError(
            404, "not_found", "The site has no such file. Load the page again: it may have been rebuilt."
        )
    return _file_response(request, index, REVALIDATE)


def _file_response(request: Request, path: Path, kept: str) -> Response:
    """A file: 304 if the client has it, gzip if the client accepts it."""
    stat = path.stat()
    tag = f'W/"{stat.st_mtime_ns:x}-{stat.st_size:x}"'
    headers = {"Cache-Control": kept, "ETag": tag, "Vary": "Accept-Encoding"}
    if path.suffix == ".html":
        headers["Content-Security-Policy"] = _policy(path, stat.st_mtime_ns)
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    use_gzip = "gzip" in request.headers.get("accept-encoding", "") and stat.st_size >= SMALL_BYTES
    if use_gzip and COMPRESSIBLE.match(kind):
        headers["Content-Encoding"] = "gzip"
        return Response(_compressed(path, stat.st_mtime_ns), media_type=kind, headers=headers)
    return Response(path.read_bytes(), media_type=kind, headers=headers)


@functools.lru_cache(maxsize=16)
def _policy(path: Path, _changed_ns: int) -> str:
    return policy_for(path.read_text("utf-8"))


@functools.lru_cache(maxsize=256)
def _compressed(path: Path, _changed_ns: int) -> bytes:
    """The file compressed; cached until it changes."""
    return gzip.compress(path.read_bytes(), 6)


def _file(site: Path, path: str) -> Path | None:
    """The file at a path; None outside the folder of the site."""
    if "\x00" in path or len(path) > 1024:
        return None
    try:
        found = (site / path).resolve()
        return found if found.is_relative_to(site) and found.is_file() else None
    except OSError:
        return None
