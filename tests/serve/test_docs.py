"""docs/api.md against what there is: every route, every setting, every parameter of the socket."""

import re
from pathlib import Path

import pytest

from sandlot.serve.routes.socket import StreamOptions
from sandlot.serve.settings import Settings, default_cache, variable_name

from .contract import described

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
ROUTES = [(path, method.upper()) for path, methods in described()["paths"].items() for method in methods]


def row(name):
    """A setting's line of the table."""
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=True)
    shown = ",".join(default) if isinstance(default, tuple) else str(default)
    if default == default_cache():
        shown = "~/.cache/sandlot"
    cell = "" if default in (None, "", ()) else "`" + shown.replace("|", "\\|") + "`"
    return f"| `{variable_name(name)}` | {cell} | {field.description} |"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_on_the_page_with_its_default_and_meaning(name):
    assert row(name) in PAGE


def test_no_setting_on_the_page_is_one_that_does_not_exist():
    known = {variable_name(name) for name in Settings.model_fields}
    assert set(re.findall(r"SANDLOT_[A-Z_]+", PAGE)) <= known


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_every_route_is_on_the_page(path, method):
    assert f"`{path}`" in PAGE or f"`{method} {path}`" in PAGE


def test_no_route_on_the_page_is_one_that_does_not_exist():
    body = re.findall(r"^\| `(?:[A-Z]+ )?(/[^`]*)`", PAGE, re.MULTILINE)
    assert set(body) == {path for path, _ in ROUTES}


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_every_parameter_of_a_route_is_on_its_line(path, method):
    body = next(line for line in PAGE.splitlines() if f"`{path}`" in line or f"`{method} {path}`" in line)
    asked = described()["paths"][path][method.lower()].get("parameters", [])
    missing = [p["name"] for p in asked if p["in"] == "query" and p["name"] not in body]
    assert missing == [] or "as history" in body


def test_every_parameter_of_the_socket_is_on_the_page():
    body = PAGE[PAGE.index("### Frames by socket") :]
    assert [name for name in StreamOptions.model_fields if f"{name} (" not in body] == []
