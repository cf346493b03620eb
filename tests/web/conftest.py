"""The site as a visitor meets it: built from web/, served by `sandlot serve`, opened in a real Chromium.

Fixtures: `page` (a fresh profile; what the console calls an error fails the test), `open_page` for other
sizes and themes, `server` (shared, read-only), `start_server` for tests that harm it, `runs` (shared) and
`own_runs` (a copy to harm), `axe` (accessibility violations of a page), `fits` (no sideways scrolling).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lacking import lacking

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "web" / "tools"))
from visitor import DESKTOP, PHONE, ROOT, WEB, Server, browser_program, chromium, serve, serving, until

from .trained import trained_runs

__all__ = ["DESKTOP", "PHONE", "ROOT", "WEB", "Server", "until"]  # what tests take from here


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


# ---------------------------------------------------------------- what is served


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The site as it is in web/ now, in a folder of its own."""
    if not shutil.which("npx") or not (WEB / "node_modules").is_dir():
        lacking("needs the site's packages: make web")
    subprocess.run([sys.executable, ROOT / "engine/wasm/build.py", "--if-stale"], check=True, timeout=300)
    out = tmp_path_factory.mktemp("site")
    command = ["npx", "vite", "build", "--outDir", str(out), "--emptyOutDir", "--logLevel", "warn"]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="session")
def runs() -> Path:
    """A trained run of each game; the run of tag is the newest."""
    return trained_runs()


@pytest.fixture
def own_runs(runs: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(runs, tmp_path / "runs"))


@pytest.fixture
def start_server(site: Path) -> Iterator[Callable[..., Server]]:
    """`start_server(runs)`: a server of the test's own, to be stopped or starved."""
    started: list[Server] = []

    def start(runs: Path, port: int = 0) -> Server:
        started.append(serve(runs, site, port))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def server(runs: Path, site: Path) -> Iterator[Server]:
    with serving(runs, site) as shared:
        yield shared


@pytest.fixture(scope="session")
def rich_runs() -> Path:
    """More to look at than one run of each game: see rich.py."""
    from .rich import rich_runs

    return rich_runs()


@pytest.fixture(scope="session")
def rich_server(rich_runs: Path, site: Path) -> Iterator[Server]:
    with serving(rich_runs, site) as shared:
        yield shared


# ---------------------------------------------------------------- the browser


@pytest.fixture(scope="package")
def browser():
    """Closed after the last browser test: until then playwright keeps an event loop running in this thread,
    and asyncio.run() in a test of another folder would refuse to start a second one."""
    if not browser_program():
        lacking("needs Chromium: apt-get install chromium")
    with chromium() as shared:
        yield shared


@dataclass
class Complaints:
    """What pages called an error. `allow` says which a test provokes on purpose."""

    heard: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        self.allowed.append(pattern)

    def unexpected(self) -> list[str]:
        return [each for each in self.heard if not any(re.search(pattern, each) for pattern in self.allowed)]


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def open_page(browser, complaints: Complaints, start_server):
    """`open_page(size=PHONE, theme="light")`: a page in a fresh profile. Servers outlive it: what was made
    first goes last, and a page that still asks a server which is gone would complain."""
    contexts = []

    def open_one(size=DESKTOP, theme="dark", still=False, **options):
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,
            reduced_motion="reduce" if still else "no-preference",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on(
            "console",
            lambda message: (
                # a shader that failed is a warning
                (message.type == "error" or message.text.startswith("WebGL: "))
                and complaints.heard.append(f"{message.text} ({message.location['url']})")
            ),
        )
        page.on("pageerror", lambda error: complaints.heard.append(str(error)))
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints.unexpected() == []


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """`axe(page)`: a sentence for each accessibility violation on it."""
    source = (WEB / "node_modules/axe-core/axe.min.js").read_text()

    def judge(page, leave_out: tuple[str, ...] = ()) -> list[str]:
        page.evaluate(source)
        options = {"rules": {rule: {"enabled": False} for rule in leave_out}}
        found = page.evaluate("options => axe.run(document, options)", options)["violations"]
        return [
            f"{each['id']}: {each['help']} at {node['target']}" for each in found for node in each["nodes"]
        ]

    return judge


@pytest.fixture(scope="session")
def fits():
    """`fits(page)`: the page does not scroll sideways."""

    def judge(page) -> bool:
        return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    return judge
