"""The API's contract: its OpenAPI description as it was last agreed on, beside what the server describes.

A route that changes its path, parameters, defaults, bounds, fields or statuses differs from the file. If that
is meant: python -m sandlot.serve.openapi > tests/serve/openapi.json, and `npm run types` in web/.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

from sandlot.serve.app import openapi

AGREED = Path(__file__).with_name("openapi.json")
REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')


@functools.cache
def described() -> dict[str, Any]:
    """What the server describes; making it takes half a second."""
    return openapi()


def part(document: dict[str, Any], tag: str) -> dict[str, Any]:
    """The routes with a tag, and every schema that they refer to."""
    paths = {
        path: methods
        for path, methods in document["paths"].items()
        if any(tag in method["tags"] for method in methods.values())
    }
    schemas, waiting = {}, set(REFERENCE.findall(json.dumps(paths)))
    while waiting:
        name = waiting.pop()
        schemas[name] = document["components"]["schemas"][name]
        waiting |= set(REFERENCE.findall(json.dumps(schemas[name]))) - schemas.keys()
    return {"paths": paths, "schemas": schemas}


def without_texts(value: Any) -> Any:
    """The same without titles and descriptions, which may be reworded."""
    if isinstance(value, list):
        return [without_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    texts = {name for name in ("title", "description", "summary") if isinstance(value.get(name), str)}
    return {name: without_texts(each) for name, each in value.items() if name not in texts}


def assert_as_agreed(tag: str) -> None:
    agreed = part(json.loads(AGREED.read_text("utf-8")), tag)
    assert agreed["paths"], f"no route is tagged {tag}"
    assert without_texts(part(described(), tag)) == without_texts(agreed)
