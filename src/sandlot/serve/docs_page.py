"""/docs: the routes as an HTML page made from the OpenAPI document, without scripts."""

from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from .content_security import policy_for

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sandlot: the API</title><link rel="icon" href="/icon.svg">
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color-scheme:light dark}}code{{font-size:.95em;overflow-wrap:anywhere}}dt{{margin-top:1rem}}
dd{{margin:0 0 0 1.5rem}}small{{opacity:.75}}</style>
<h1>The API</h1>
<p>For programs: <a href="/openapi.json">/openapi.json</a>. Replay frames are also streamed by WebSocket,
<code>/ws/runs/{{run_id}}/replays/{{replay_id}}/frames</code>.</p>
<dl>{rows}</dl></html>
"""


def mount(app: FastAPI) -> None:
    """Add the page to an app."""

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        paths = app.openapi()["paths"].items()
        rows = [_row(path, *operation) for path, methods in paths for operation in methods.items()]
        page = PAGE.format(rows="".join(rows))
        return HTMLResponse(page, headers={"Content-Security-Policy": policy_for(page)})


def _row(path: str, method: str, operation: dict[str, Any]) -> str:
    shown = f"<code>{method.upper()} {escape(path)}</code>"
    if method == "get" and "{" not in path:
        shown = f'<a href="{escape(path)}">{shown}</a>'
    asked = ", ".join(_parameter(p) for p in operation.get("parameters", []) if p["in"] == "query")
    more = f"<br><small>{asked}</small>" if asked else ""
    return f"<dt>{shown}</dt><dd>{escape(operation.get('description', ''))}{more}</dd>"


def _parameter(parameter: dict[str, Any]) -> str:
    default = parameter["schema"].get("default")
    shown = "" if default is None else f" ({escape(str(default))})"
    return f"<code>{escape(parameter['name'])}</code>{shown}"
