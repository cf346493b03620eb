"""The engine in a real Chromium: replays verified, any step at once, policies and matches without server."""

from __future__ import annotations

import base64
import functools
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from lacking import lacking

from sandlot.evaluate.replay_recorder import verify
from sandlot.runs import Replay

from .conftest import ROOT, WEB, until

PAGE = WEB / "tests" / "browser" / "engine"
MAKE = WEB / "tests" / "unit" / "engine" / "make_fixtures.py"
ASK = "([name, words]) => window.sandlot[name](...words)"


class Quiet(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The page, built, and what Python says beside it."""
    if not shutil.which("npx") or not (WEB / "node_modules").is_dir():
        lacking("needs the site's packages: make web")
    out = tmp_path_factory.mktemp("engine")
    made = out.parent / "fixtures"
    subprocess.run([sys.executable, MAKE, made], cwd=ROOT, check=True, timeout=300)
    command = [
        "npx",
        "vite",
        "build",
        "--config",
        PAGE / "vite.config.ts",
        "--outDir",
        out,
        "--logLevel",
        "warn",
    ]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copytree(made, out / "fixtures")
    return out


@pytest.fixture(scope="module")
def shown(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "fixtures" / "python.json").read_text())


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def ask(page, address):
    """`ask("replay", "tag.jsonl.gz")`: calls a function of the page."""
    elsewhere = []
    page.on("request", lambda request: request.url.startswith(address) or elsewhere.append(request.url))
    page.set_default_timeout(60_000)
    page.goto(address)
    until(page, "window.sandlot?.ready")
    yield lambda name, *words: page.evaluate(ASK, [name, words])
    assert [
        url for url in elsewhere if not url.startswith(("data:", "blob:"))
    ] == []  # no other host is asked


@pytest.mark.parametrize(("name", "most_bytes"), [("tag", 4096), ("tag_crowd", 8192), ("prospector", 25_000)])
def test_a_replay_is_small_verified_and_any_step_is_near(ask, shown, name, most_bytes):
    found = ask("replay", f"{name}.jsonl.gz")
    print(name, {k: round(v, 2) for k, v in found.items() if isinstance(v, (int, float))})
    assert found["verdict"] == "yes"
    assert found["bytes"] <= most_bytes
    assert [found[key] for key in ("steps", "ticks", "events")] == [
        shown["frames"][name][key] for key in ("steps", "ticks", "events")
    ]
    assert found["seek95"] < 50


def test_a_policy_answers_in_the_page_as_in_pytorch(ask, shown):
    for case in shown["policies"]:
        step = case["steps"][0]
        found = ask("policy", case["file"], step["observations"], step["masks"])
        print(case["file"], round(found["milliseconds"], 3), "ms a decision")
        assert found["actions"] == pytest.approx(step["actions"], abs=1e-4), case["file"]
        assert found["values"] == pytest.approx(step["values"], rel=1e-3, abs=1e-3), case["file"]


def test_what_cannot_be_shown_or_played_is_said_in_a_sentence(ask, complaints):
    complaints.allow("404")
    changed, missing, other = ask("refusals")
    assert changed == (
        "match.jsonl.gz was changed or cut off after it was written: its digest differs. Use another copy."
    )
    assert missing.startswith("The policy could not be fetched (404)")
    assert "not an ONNX file" in other or "no policy of ours" in other


def test_an_engine_that_cannot_be_fetched_is_said_and_the_next_try_may_succeed(page, ask, complaints):
    complaints.allow("503|Failed to load")
    page.route("**/sandlot.wasm", lambda route: route.fulfill(status=503))
    with pytest.raises(Exception, match=r"The engine could not be fetched \(/sandlot.wasm, 503\)"):
        ask("replay", "tag.jsonl.gz")
    page.unroute("**/sandlot.wasm")
    assert ask("replay", "tag.jsonl.gz")["verdict"] == "yes"


def test_a_match_against_a_policy_runs_by_the_clock_and_is_a_replay_that_python_verifies(ask):
    found = ask("match", "tag_table_12.onnx", 4)
    assert found["verdict"] == "yes"
    assert found["simulated"] == pytest.approx(found["played"], abs=0.6)
    replay = Replay.from_bytes(base64.b64decode(found["file"]))
    assert replay.header.policies["hider"] == "a person" and verify(replay).agrees
