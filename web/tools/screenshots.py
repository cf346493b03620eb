"""Takes the pictures of the site that the README shows: a real Chromium on a real `sandlot serve`.

python web/tools/screenshots.py --runs runs [--out docs/pictures]

Needs a run of tag with some windows, and the site built (make web).
"""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page
from visitor import DESKTOP, ROOT, chromium, serving, until

MOST_BYTES = 300_000
SETTLE_MS = 3000  # for cameras to arrive, on a machine without a graphics card


def watch(page: Page, url: str) -> None:
    page.goto(url)
    page.locator("canvas[data-drawn]").wait_for()
    page.get_by_text("verified", exact=True).wait_for()
    page.locator(".replays button", has_text="200 steps").first.click()
    page.get_by_text("of 200").first.wait_for()
    page.get_by_label("Moment of the replay").fill("70")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def compare(page: Page, url: str) -> None:
    page.goto(f"{url}/learn")
    until(page, "document.querySelectorAll('.learn-pane canvas[data-drawn]').length === 3")
    page.get_by_label("Moment of the round").fill("60")


def play_tag(page: Page, url: str) -> None:
    page.goto(f"{url}/play?game=tag")
    page.get_by_role("button", name="Start").last.click()
    page.locator(".play-count").wait_for()
    page.locator(".play-count").wait_for(state="detached")
    page.keyboard.down("w")
    page.wait_for_timeout(1500)
    page.keyboard.press("Escape")
    page.keyboard.up("w")
    # through the DOM: the site's Content-Security-Policy forbids inline styles
    hide = "document.querySelectorAll('.play-sheet').forEach((sheet) => (sheet.style.display = 'none'))"
    page.evaluate(hide)


def play_prospector(page: Page, url: str) -> None:
    page.goto(f"{url}/play?game=prospector")
    page.get_by_role("button", name=re.compile("Skip|Close|No, thanks|Later")).first.click(timeout=8000)


def analytics(page: Page, url: str) -> None:
    page.goto(f"{url}/analytics")
    page.locator(".chart canvas").first.wait_for()


PICTURES: dict[str, tuple[Callable[[Page, str], None], dict[str, Any]]] = {
    "site_watch": (watch, {}),
    "site_compare": (compare, {"color_scheme": "light"}),
    "site_play": (play_tag, {}),
    "site_prospector": (play_prospector, {}),
    "site_analytics": (analytics, {}),
}


def small(shot: bytes, path: Path) -> None:
    """A PNG of few colours: the pages have few, and a repository keeps every version of a picture."""
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    for colours in (256, 128, 64):
        picture.quantize(colours, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--only", nargs="*", choices=PICTURES, default=list(PICTURES))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with serving(arguments.runs.resolve()) as server, chromium() as browser:
        for name in arguments.only:
            visit, options = PICTURES[name]
            size = {"width": DESKTOP[0], "height": DESKTOP[1]}
            page = browser.new_context(**{"viewport": size, "color_scheme": "dark"} | options).new_page()
            page.set_default_timeout(60_000)
            visit(page, server.url)
            page.wait_for_timeout(SETTLE_MS)
            small(page.screenshot(), arguments.out / f"{name}.png")
            print(f"{arguments.out / name}.png")
            page.context.close()


if __name__ == "__main__":
    main()
