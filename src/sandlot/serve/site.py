"""The built site: static files beside the API, with one page behind every address of the site itself."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse

from .errors import Refusal

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
NOT_OURS = ("api", "ws", "health", "docs", "openapi.json")

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


def mount(app: FastAPI, folder: Path | None) -> None:
    """Serve the site at every address that the API does not have. To be called last."""
    site = (folder or BUILT).resolve()

    async def page(request: Request) -> Response:
        path = request.path_params["path"]
        if path.split("/")[0] in NOT_OURS:
            raise Refusal(
                404, "not_found", "There is nothing at this address. GET /openapi.json lists what there is."
            )
        index = site / "index.html"
        if not index.is_file():
            return HTMLResponse(ABSENT, 200 if not path else 404, {"Cache-Control": ASK})
        return _answer(site, path, index)

    app.add_route("/{path:path}", page, methods=["GET", "HEAD"], include_in_schema=False)


def _answer(site: Path, path: str, index: Path) -> Response:
    found = _file(site, path)
    if found is not None and found != index:
        kept = FOREVER if HASHED.search(found.name) and found.parent != site else ASK
        return _sent(found, kept)
    if "." in path.rsplit("/", 1)[-1]:  # a file that is not there must not turn into a page
        raise Refusal(
            404, "not_found", "The site has no such file. Load the page again: it may have been rebuilt."
        )
    return _sent(index, ASK)


def _sent(path: Path, kept: str) -> Response:
    kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return FileResponse(path, media_type=kind, headers={"Cache-Control": kept})


def _file(site: Path, path: str) -> Path | None:
    """A file of the site; nothing outside it, whatever the path says."""
    if "\x00" in path or len(path) > 1024:
        return None
    try:
        found = (site / path).resolve()
        return found if found.is_relative_to(site) and found.is_file() else None
    except OSError:
        return None
