"""The site as a visitor meets it: built from web/, served by `sandlot serve`, opened in a real Chromium.

Fixtures: `page` (a fresh profile; what the console calls an error fails the test), `open_page` for other
sizes and themes, `server` (shared, read-only), `start_server` for tests that harm it, `runs` (shared) and
`own_runs` (a copy to harm), `axe` (accessibility violations of a page), `fits` (no sideways scrolling).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
WEB = ROOT / "web"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# WebGL by software: the tests need no graphics card. The rest keeps a fresh profile quiet.
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
START_SECONDS = 60


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


def lacking(what: str) -> None:
    """On a build machine a missing tool is a failure, at home it skips."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"needs {what}")


# ---------------------------------------------------------------- what is served


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The site as it is in web/ now, in a folder of its own."""
    if not shutil.which("npx") or not (WEB / "node_modules").is_dir():
        lacking("the site's packages: make web")
    subprocess.run([sys.executable, ROOT / "engine/wasm/build.py", "--if-stale"], check=True, timeout=300)
    out = tmp_path_factory.mktemp("site")
    command = ["npx", "vite", "build", "--outDir", str(out), "--emptyOutDir", "--logLevel", "warn"]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


# Short, and yet with more than one window each, replays, checkpoints and judgements.
TRAININGS = {
    "prospector": ("--windows", "2", "--set", "run.window_env_steps=60000", "--set", "evaluation.episodes=2"),
    "tag": ("--windows", "4", "--set", "run.window_env_steps=60000", "--set", "evaluation.episodes=8"),
}


def _library_digest() -> str:
    """Another engine plays other episodes, another preset learns others: runs of neither are kept."""
    digest = hashlib.sha256(repr(TRAININGS).encode())
    made_with = [*(ROOT / "src/sandlot/lib").iterdir(), *(ROOT / "src/sandlot/train/presets").glob("*.toml")]
    for file in sorted([*made_with, Path(__file__)]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@pytest.fixture(scope="session")
def runs() -> Path:
    """A trained run of each game; the run of tag is the newest. Made once an engine, then kept."""
    kept = ROOT / "build" / "test_runs" / _library_digest()
    if not kept.is_dir():
        making = kept.with_suffix(f".{os.getpid()}")
        for game, settings in TRAININGS.items():
            _sandlot("train", game, "--runs", str(making), "--no-tensorboard", *settings)
        _record_whole_matches(making)
        if kept.is_dir():
            shutil.rmtree(making)  # another session was quicker
        else:
            making.rename(kept)
    return kept


def _record_whole_matches(runs: Path) -> None:
    """Matches of scripted players beside the learners': these last the whole ten seconds."""
    from sandlot import bot
    from sandlot.evaluate.replays import Origin, record
    from sandlot.runs import Store

    store = Store(runs)
    run = store.open(next(record.run_id for record in store.runs() if record.game == "tag"))
    config = run.config["settings"]  # as the learners know the game, so that they can judge these too
    players = {
        "seeker": bot("tag", "chase", level=1, config=config),
        "hider": bot("tag", "evade", config=config),
    }
    for window_id, seed in ((0, 3), (run.windows()[-1].window_id, 4)):
        replay = record("tag", players, seed=seed, config=config, origin=Origin(run.run_id, window_id))
        run.add_replay(replay.with_tags(["milestone:survival:10"]))


def _sandlot(*words: str) -> None:
    command = [sys.executable, "-m", "sandlot", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def own_runs(runs: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(runs, tmp_path / "runs"))


@dataclass
class Server:
    """One `sandlot serve` on a free loopback port."""

    url: str
    runs: Path
    process: subprocess.Popen[str]

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)


def _serve(runs: Path, site: Path, port: int = 0) -> Server:
    command = [
        sys.executable,
        "-m",
        "sandlot",
        "serve",
        "--runs",
        str(runs),
        "--port",
        str(port),
        "--no-open",
    ]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ
        | {"SANDLOT_SITE": str(site), "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    for line in process.stdout:
        said.append(line)
        if address := re.search(r"http://[\w.:\[\]]+", line):
            break
    else:
        raise AssertionError(f"the server said no address within {START_SECONDS} s:\n{''.join(said)}")
    late.cancel()
    threading.Thread(
        target=process.stdout.read, daemon=True
    ).start()  # nobody reads its log, and it must not block
    return Server(address[0].rstrip("/"), runs, process)


@pytest.fixture
def start_server(site: Path) -> Iterator[Callable[..., Server]]:
    """`start_server(runs)`: a server of the test's own, to be stopped or starved."""
    started: list[Server] = []

    def start(runs: Path, port: int = 0) -> Server:
        started.append(_serve(runs, site, port))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def server(runs: Path, site: Path) -> Iterator[Server]:
    shared = _serve(runs, site)
    yield shared
    shared.stop()


@pytest.fixture(scope="session")
def rich_runs(runs: Path, tmp_path_factory) -> Path:
    """More to look at than one run of each game: see rich.py."""
    from .rich import enrich

    return enrich(runs, tmp_path_factory.mktemp("rich") / "runs")


@pytest.fixture(scope="session")
def rich_server(rich_runs: Path, site: Path) -> Iterator[Server]:
    shared = _serve(rich_runs, site)
    yield shared
    shared.stop()


# ---------------------------------------------------------------- the browser


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        lacking("Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


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
def open_page(browser, complaints: Complaints):
    """`open_page(size=PHONE, theme="light")`: a page in a fresh profile."""
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
            lambda said: (
                said.type == "error" and complaints.heard.append(f"{said.text} ({said.location['url']})")
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
