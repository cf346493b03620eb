"""The built site: static files beside the API, with one page behind every address of the site itself."""

from __future__ import annotations

import functools
import gzip
import mimetypes
import re
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from starlette.routing import Match, Route
from starlette.types import Scope

from .content_security import policy_of
from .errors import Refusal
from .limits import COMPRESSIBLE, SMALL_BYTES

BUILT = Path(__file__).parent / "site"
FOREVER, ASK = "public, max-age=31536000, immutable", "no-cache"
HASHED = re.compile(r"[-.][A-Za-z0-9_-]{8,}\.\w+$")  # index-B3kd92Xa.js: other content has another name
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
NOT_OURS = (["api"], ["ws"], ["health"], ["docs"], ["openapi.json"])

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
    """Every address but the API's, which keeps its own 404 and 405."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "http" and scope["path"].split("/")[1:2] in NOT_OURS:
            return Match.NONE, {}
        return super().matches(scope)


def mount(app: FastAPI, folder: Path | None) -> None:
    """Serve the site at every address that the API does not have. To be called last."""
    site = (folder or BUILT).resolve()

    def page(request: Request) -> Response:
        path = request.path_params["path"]
        index = site / "index.html"
        if not index.is_file():
            headers = {"Cache-Control": ASK, "Content-Security-Policy": policy_of(ABSENT)}
            return HTMLResponse(ABSENT, 200 if not path else 404, headers)
        return _answer(request, site, path, index)

    app.router.routes.append(
        SiteRoute("/{path:path}", page, methods=["GET", "HEAD"], include_in_schema=False)
    )


def _answer(request: Request, site: Path, path: str, index: Path) -> Response:
    found = _file(site, path)
    if found is not None and found != index:
        kept = FOREVER if HASHED.search(found.name) and found.parent != site else ASK
        return _sent(request, found, kept)
    if path.startswith("assets/") or ("." in path and "/" not in path):
        # A file that is not there must not turn into a page; a run may well have a dot in its name.
        raise Refusal(
            404, "not_found", "The site has no such file. Load the page again: it may have been rebuilt."
        )
    return _sent(request, index, ASK)


def _sent(request: Request, path: Path, kept: str) -> Response:
    """A file as the client takes it: not at all if it has it already, packed if it can unpack it."""
    told = path.stat()
    tag = f'W/"{told.st_mtime_ns:x}-{told.st_size:x}"'
    headers = {"Cache-Control": kept, "ETag": tag, "Vary": "Accept-Encoding"}
    if path.suffix == ".html":
        headers["Content-Security-Policy"] = _policy(path, told.st_mtime_ns)
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packs = "gzip" in request.headers.get("accept-encoding", "") and told.st_size >= SMALL_BYTES
    if packs and COMPRESSIBLE.match(kind):
        headers["Content-Encoding"] = "gzip"
        return Response(_packed(path, told.st_mtime_ns), media_type=kind, headers=headers)
    return Response(path.read_bytes(), media_type=kind, headers=headers)


@functools.lru_cache(maxsize=16)
def _policy(path: Path, _changed_ns: int) -> str:
    return policy_of(path.read_text("utf-8"))


@functools.lru_cache(maxsize=256)
def _packed(path: Path, _changed_ns: int) -> bytes:
    """Packed once for all readers, and anew when the file has changed."""
    return gzip.compress(path.read_bytes(), 6)


def _file(site: Path, path: str) -> Path | None:
    """A file of the site; nothing outside it, whatever the path says."""
    if "\x00" in path or len(path) > 1024:
        return None
    try:
        found = (site / path).resolve()
        return found if found.is_relative_to(site) and found.is_file() else None
    except OSError:
        return None
