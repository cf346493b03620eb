"""The site in a real Chromium that draws by software: how soon, how smoothly, how large, for how many.

    python benchmarks/site.py [--visits 7] [--seconds 6] [--load-seconds 20]

Prints one table. Needs the site (make web) and Chromium; takes two to three minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "web" / "tools"))
from api_load import load, make_runs
from visitor import DESKTOP, chromium, serving

import sandlot
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.runs import Store

# A whole match, and a whole episode: what the table calls tag and prospector.
EPISODES = {
    "prospector": (sandlot.bot("prospector", "tour"), 7),
    "tag": ({"seeker": sandlot.bot("tag", "chase", level=1), "hider": sandlot.bot("tag", "evade")}, 4),
}
SIZES = ((640, 360), (1280, 720))
WINDOWS = (DESKTOP, (640, 400))  # in which the first picture is waited for
SEEKS = 200
PAGES = {
    "Watch, tag": "/",
    "Watch, prospector": "/?run={prospector}",
    "Play, tag": "/play?game=tag",
    "Play, prospector": "/play?game=prospector",
    "Analytics": "/analytics",
    "Runs": "/runs",
}
PICTURE = {"tag": ".tag-canvas canvas[data-drawn]", "prospector": ".sector"}

# Runs in the page before its own scripts. An animation frame after the picture was found in the document it
# was shown: a browser without a graphics card begins no frame before the last one is finished. The first
# image of a screencast that holds the picture came within 21 ms of that in each of seven visits.
STOPWATCH = """selector => {
  const look = () => {
    if (!document.querySelector(selector)) return requestAnimationFrame(look);
    window.drawnAfter = performance.getEntriesByName('first picture')[0]?.startTime ?? performance.now();
    requestAnimationFrame(() => { window.seenAfter = performance.now(); });
  };
  look();
}"""

WAITED = """() => {
  const [{ loadEventStart }] = performance.getEntriesByType('navigation');
  return [loadEventStart, window.drawnAfter, window.seenAfter];
}"""

# From the slider's event to the readout's step: React draws such a change before the next animation frame.
SEEK = """async ([steps, seeks]) => {
  const slider = document.querySelector('.timeline input');
  const readout = document.querySelector('[data-testid=readout]');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const took = [];
  let chosen = 7;
  for (let i = 0; i < seeks; i++) {
    chosen = (chosen * 7919 + 104729) % (steps + 1);
    const began = performance.now();
    set.call(slider, String(chosen));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    while (!readout.innerText.startsWith(`step ${chosen} of`)) await new Promise(requestAnimationFrame);
    took.push(performance.now() - began);
    await new Promise(requestAnimationFrame);
  }
  return took;
}"""

# Pictures that the page really drew: the canvas counts its own, a drawn page has one an animation frame.
DRAWN = """async seconds => {
  const canvas = document.querySelector('.tag-canvas canvas');
  let frames = 0;
  const count = () => canvas ? Number(canvas.dataset.drawn) : frames;
  const tick = () => { frames++; requestAnimationFrame(tick); };
  tick();
  await new Promise(done => setTimeout(done, 1000));
  const [before, began] = [count(), performance.now()];
  await new Promise(done => setTimeout(done, seconds * 1000));
  return (count() - before) / (performance.now() - began) * 1000;
}"""

FETCHED = """() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
  .filter(each => !each.name.includes('/api/')).reduce((sum, each) => sum + each.encodedBodySize, 0)"""


@dataclass
class Runs:
    """A folder with a run of each game, one whole episode in each."""

    folder: Path
    ids: dict[str, str] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)


def make_episodes(folder: Path) -> Runs:
    """Tag last: the newest is what Watch opens with."""
    made = Runs(folder)
    for game, (players, seed) in EPISODES.items():
        about = {"game": game, "trainer_backend": "bots", "window_env_steps": 1000}
        with Store(folder).create({}, **about) as run:
            replay = record(game, players, seed, origin=Origin(run.run_id, 0))
            run.add_replay(replay)
            made.ids[game] = run.run_id
            made.bytes[game] = run.replay_path(run.index.find(limit=1)[0]).stat().st_size
            made.steps[game] = replay.end.steps
        time.sleep(1.1)  # runs are told apart by the second
    return made


@contextmanager
def visit(browser, address: str, size: tuple[int, int] = DESKTOP, seen: str | None = None) -> Iterator:
    """A page in a fresh profile: nothing is in its cache."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    failed: list[str] = []  # a picture that is not drawn is quick
    try:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: message.text.startswith("WebGL: ") and failed.append(message.text))
        if seen:
            page.add_init_script(f"({STOPWATCH})({seen!r})")
        page.goto(address, wait_until="commit")
        yield page
        if failed:
            raise RuntimeError(f"The browser could not draw {address}: {failed[0]}")
    finally:
        context.close()


# ---------------------------------------------------------------- what is measured


@dataclass
class FirstPicture:
    """Milliseconds after the page was asked for."""

    loaded: float  # the page's load event
    drawn: float
    seen: float


def first_pictures(
    browser, address: str, game: str, window: tuple[int, int], visits: int
) -> list[FirstPicture]:
    took = []
    for _ in range(visits):
        with visit(browser, address, window, seen=PICTURE[game]) as page:
            page.wait_for_function("window.seenAfter && document.readyState === 'complete'")
            took.append(FirstPicture(*page.evaluate(WAITED)))
    return took


def pictures_a_second(browser, address: str, game: str, size: tuple[int, int], seconds: float) -> float:
    """While a replay plays, its picture alone filling a window of that size."""
    with visit(browser, address, size) as page:
        page.locator(PICTURE[game]).first.wait_for()
        page.add_style_tag(content=_alone(game))
        page.keyboard.press("l")
        for _ in range(8):
            page.keyboard.press("]")  # as fast as it goes: every animation frame has something new
        return page.evaluate(DRAWN, seconds)


def _alone(game: str) -> str:
    picture = ".tag-canvas" if game == "tag" else ".prospector-window"
    everything = "position: fixed; inset: 0; width: 100vw; height: 100vh; z-index: 99"
    return f"{picture} {{ {everything.replace(';', ' !important;')} }}"


def seeks(browser, address: str, game: str, steps: int) -> list[float]:
    """Milliseconds from the slider to the moment that it chose, anywhere in the replay."""
    with visit(browser, f"{address}#t=0") as page:
        page.locator(PICTURE[game]).first.wait_for()
        page.get_by_text("verified", exact=True).wait_for()
        return page.evaluate(SEEK, [steps, SEEKS])


def fetched_bytes(browser, address: str) -> int:
    """What a first visit downloads, as it is sent."""
    with visit(browser, address) as page:
        page.wait_for_load_state("networkidle")
        return page.evaluate(FETCHED)


# ---------------------------------------------------------------- the table


class Table:
    def __init__(self) -> None:
        print("| what | measured |\n|---|---|")

    def row(self, what: str, measured: str) -> None:
        print(f"| {what} | {measured} |", flush=True)


def spread(took: Sequence[float], unit: str = "ms") -> str:
    """Median, and the worst of all."""
    return f"{statistics.median(took):,.0f} {unit} (worst of {len(took)}: {max(took):,.0f})"


def measure_pages(table: Table, runs: Runs, visits: int, seconds: float) -> None:
    with serving(runs.folder) as server, chromium() as browser:
        pages = {name: server.url + path.format(**runs.ids) for name, path in PAGES.items()}
        watch = {"tag": pages["Watch, tag"], "prospector": pages["Watch, prospector"]}
        with visit(browser, pages["Runs"]) as page:
            page.wait_for_load_state("networkidle")  # the server is awake, the browser has started
        for game, address in watch.items():
            for window in WINDOWS:
                took = first_pictures(browser, address, game, window, visits)
                what = f"first picture of {game}, {window[0]}×{window[1]}"
                waits = {
                    "drawn, after the page was asked for": [each.drawn for each in took],
                    "on screen, after the page was asked for": [each.seen for each in took],
                    "on screen, after the page's load event": [each.seen - each.loaded for each in took],
                }
                for when, waited in waits.items():
                    table.row(f"{what}: {when}", spread(waited))
        for game, address in watch.items():
            for size in SIZES:
                rate = pictures_a_second(browser, address, game, size, seconds)
                table.row(f"pictures a second, {game}, {size[0]}×{size[1]}", f"{rate:.0f}")
        for game, address in watch.items():
            took = seeks(browser, address, game, runs.steps[game])
            table.row(f"seek in the page, {game}, {runs.steps[game]:,} steps", spread(took))
        for game, size in runs.bytes.items():
            table.row(f"replay of {game}, {runs.steps[game]:,} steps", f"{size:,} bytes")
        for name, address in pages.items():
            table.row(
                f"fetched by a first visit, {name}",
                f"{fetched_bytes(browser, address) / 1000:,.0f} kB packed",
            )


def measure_load(table: Table, seconds: float) -> bool:
    """50 who play and 200 who watch; whether every answer was right."""
    with tempfile.TemporaryDirectory() as folder:
        replays = make_runs(Path(folder))
        with serving(Path(folder)) as server:
            tally = asyncio.run(load(server.url, replays, 50, 200, seconds))
    for kind in ("play: step", "replay: page of 64 frames", "replay: stream of 200 frames"):
        took = sorted(1000 * each for each in tally.seconds[kind]) or [0.0]
        p95 = took[int(0.95 * (len(took) - 1))]
        table.row(
            f"50 players, 200 readers: {kind}",
            f"{statistics.median(took):,.0f} ms, 95 % within {p95:,.0f} ms ({len(took):,} answers)",
        )
    wrong = sum(map(len, tally.errors.values()))
    table.row(
        "50 players, 200 readers: errors",
        f"{wrong} of {sum(map(len, tally.seconds.values())) + wrong:,} answers",
    )
    return wrong == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=6.0, help="how long pictures are counted, each time")
    parser.add_argument("--load-seconds", type=float, default=20.0)
    chosen = parser.parse_args()
    began = time.monotonic()
    print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} at the start\n")
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        measure_pages(table, make_episodes(Path(folder)), chosen.visits, chosen.seconds)
    good = measure_load(table, chosen.load_seconds)
    print(f"\nIn {time.monotonic() - began:.0f} s; load average at the end {os.getloadavg()[0]:.1f}.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
