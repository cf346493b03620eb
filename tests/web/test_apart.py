"""Pages on one host and the API on another, as on a static host: everything still finds its way."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .conftest import WEB, Server
from .rich import run_of

VERCEL = json.loads((WEB / "vercel.json").read_text())


class StaticHost(SimpleHTTPRequestHandler):
    """Files of a folder, and the rewrites of vercel.json."""

    def send_head(self):
        for rule in VERCEL["rewrites"]:
            if re.fullmatch(rule["source"], self.path.partition("?")[0]):
                self.path = rule["destination"]
        return super().send_head()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def pages(site: Path, free_port: int, tmp_path_factory) -> Iterator[str]:
    """The site built for an API at that port, on a host of its own. (`site` sees to what a build needs.)"""
    out = tmp_path_factory.mktemp("pages")
    command = ["npx", "vite", "build", "--outDir", str(out), "--emptyOutDir", "--logLevel", "warn"]
    shown = os.environ | {"VITE_API_BASE": f"http://127.0.0.1:{free_port}/"}
    done = subprocess.run(command, cwd=WEB, env=shown, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    host = ThreadingHTTPServer(("127.0.0.1", 0), partial(StaticHost, directory=str(out)))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{host.server_address[1]}"
    host.shutdown()


@pytest.fixture
def api(start_server, runs: Path, free_port: int) -> Server:
    return start_server(runs, free_port)


def test_analytics_charts_a_run_from_elsewhere(api, page, pages):
    run = run_of(api.runs, "tag")
    page.goto(f"{pages}/analytics?run={run.run_id}")
    page.locator("figure.chart canvas").first.wait_for()
    page.get_by_role("tab", name="Windows").click()
    page.get_by_role("heading", name=f"Latest window: {run.windows()[-1].window_id}").wait_for()


def test_a_page_of_the_site_can_be_reloaded_and_downloads_come_from_the_api(api, page, pages):
    run = run_of(api.runs, "tag")
    page.goto(f"{pages}/runs/{run.run_id}?tab=downloads")
    link = page.get_by_role("link", name="config.json", exact=True)
    link.wait_for()
    address = link.get_attribute("href")
    assert address.startswith(api.url)
    assert page.request.get(address).body() == run.paths.config.read_bytes()


def test_watch_plays_a_replay_from_elsewhere_and_verifies_it(api, page, pages):
    page.goto(pages)
    page.get_by_text("verified").first.wait_for()


def test_without_an_api_the_page_says_so(page, pages, complaints):
    complaints.allow("ERR_CONNECTION_REFUSED|Failed to load")
    page.goto(f"{pages}/runs")
    page.get_by_role("alert").get_by_text("The server does not answer").wait_for()
