"""A visitor of the site: a real `sandlot serve`, and a real Chromium to look at it.

What the browser tests, the benchmarks and the pictures of the README have in common. Needs playwright only
when a browser is started.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent.parent
WEB = ROOT / "web"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# WebGL by software: no graphics card is needed. The rest keeps a fresh profile quiet.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE = (1280, 800), (390, 844)
START_SECONDS, STOP_SECONDS = 60, 10


@dataclass
class Server:
    """One `sandlot serve` on a loopback port."""

    url: str
    runs: Path
    process: subprocess.Popen[str]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(STOP_SECONDS)


def serve(runs: Path, site: Path | None = None, port: int = 0) -> Server:
    """Start it and wait for its address. `site`: a folder instead of the site inside the package."""
    words = ["serve", "--runs", str(runs), "--port", str(port), "--no-open"]
    quiet = {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "200"}
    process = subprocess.Popen(
        [sys.executable, "-m", "sandlot", *words],
        cwd=ROOT, env=os.environ | quiet | ({"SANDLOT_SITE": str(site)} if site else {}),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return Server(_address(process), runs, process)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said: list[str] = []
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    try:
        for line in process.stdout:
            said.append(line)
            if address := re.search(r"http://[\w.:\[\]]+", line):
                # Nobody reads its log from now on, and it must not block.
                threading.Thread(target=process.stdout.read, daemon=True).start()
                return address[0].rstrip("/")
    finally:
        late.cancel()
    raise RuntimeError(f"sandlot serve said no address within {START_SECONDS} s:\n{''.join(said)}")


@contextmanager
def serving(runs: Path, site: Path | None = None) -> Iterator[Server]:
    server = serve(runs, site)
    try:
        yield server
    finally:
        server.stop()


def browser_program() -> str | None:
    """Where a Chromium is, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium that draws by software."""
    from playwright.sync_api import sync_playwright

    program = browser_program()
    if not program:
        raise RuntimeError("There is no Chromium here. On Debian or Ubuntu: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def until(page: Any, expression: str, arg: Any = None, seconds: float = 20.0, poll_ms: int = 25) -> None:
    """Wait until a page's expression is true. Playwright's own way evaluates text in the page, which its
    Content-Security-Policy forbids."""
    stop = time.monotonic() + seconds
    while not page.evaluate(expression, arg):
        if time.monotonic() > stop:
            raise TimeoutError(f"not true within {seconds:.0f} s: {expression}")
        page.wait_for_timeout(poll_ms)
