"""Art and sound on real pages: drawn or from a pack, silent until asked for, and nothing left behind."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

import pytest
from media.small_packs import LICENCE, folder_of, png

from sandlot.media import assets
from sandlot.runs import Store

from .conftest import until

# Counts what is connected to the speakers: every sound source that was started and has not been let go.
COUNT_VOICES = """
window.started = 0; window.sounding = new Set();
for (const kind of [OscillatorNode, AudioBufferSourceNode]) {
  const start = kind.prototype.start;
  kind.prototype.start = function (...args) {
    window.started++; window.sounding.add(this);
    this.addEventListener('ended', () => window.sounding.delete(this));
    return start.apply(this, args);
  };
}
"""


def wav(ms: int = 40) -> bytes:
    """A real sound, short and quiet."""
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(struct.pack("<h", 200 * (i % 8)) for i in range(8 * ms)))
    return data.getvalue()


@pytest.fixture
def asset_folder(tmp_path, monkeypatch) -> Path:
    """The server of this test looks for art here."""
    monkeypatch.setenv("SANDLOT_ASSETS", str(tmp_path / "asset_folder"))
    return tmp_path / "asset_folder"


def adopt(asset_folder: Path, at: Path) -> None:
    own = b"""{"graphics": {"entity.station": "station.png", "entity.ship.agent": "ship.png"},
               "sounds": {"whoosh": ["a.wav", "b.wav"], "start": "a.wav", "jump": "a.wav"}}"""
    files = {
        "LICENSE": LICENCE, "station.png": png(9), "ship.png": png(5), "a.wav": wav(), "b.wav": wav(60),
        assets.OWN_MANIFEST: own,
    }  # fmt: skip
    assets.install(folder_of(files, at), asset_folder)


# In these tests `start_server` comes before `page`: what was made first goes last, and a page that still asks
# a server which is gone would complain.


def watch(page, server, game: str) -> None:
    store = Store(server.runs)
    run = store.open(next(each.run_id for each in store.runs() if each.game == game))
    replay = run.index.find(limit=1)[0].replay_id
    page.goto(f"{server.url}/?run={run.run_id}&replay={replay}#t=0")
    page.get_by_role("group", name="Player").wait_for()


def test_without_a_pack_of_ones_own_kenneys_art_is_shown(start_server, page, runs, asset_folder):
    watch(page, start_server(runs), "prospector")
    page.locator("image[href*='/api/assets/simple-space']").first.wait_for(state="attached")


def test_without_any_art_everything_is_drawn(start_server, page, runs, asset_folder):
    page.route("**/api/assets/manifest", lambda route: route.fulfill(json={}))
    watch(page, start_server(runs), "prospector")
    page.locator("[data-art='entity.ship.agent'][data-drawn]").first.wait_for(state="attached")
    assert page.locator("image[href*='/api/assets/']").count() == 0


def test_an_adopted_pack_replaces_what_it_has_and_nothing_else(
    start_server, page, runs, asset_folder, tmp_path
):
    adopt(asset_folder, tmp_path / "mine")
    with page.expect_response(lambda answer: answer.url.endswith("entity.ship.agent.png")) as answer:
        watch(page, start_server(runs), "prospector")
    assert answer.value.body() == png(5) and answer.value.headers["content-type"] == "image/png"
    page.locator("image[data-art='entity.ship.agent']").first.wait_for(state="attached")
    assert page.locator("image[data-art='entity.ship.agent'][data-drawn]").count() == 0


def test_sound_is_off_until_asked_for_and_remembered(start_server, page, runs, asset_folder):
    server = start_server(runs)
    page.add_init_script(COUNT_VOICES)
    watch(page, server, "prospector")
    page.get_by_role("button", name="Sound is off: turn it on").wait_for()
    play_through(page)
    assert page.evaluate("started") == 0
    page.get_by_role("button", name="Sound is off: turn it on").click()
    page.reload()
    page.get_by_role("button", name="Sound is on: turn it off").wait_for()
    play_through(page)
    until(page, "started > 0")
    page.get_by_role("button", name="Sound is on: turn it off").click()
    until(page, "sounding.size === 0")


def play_through(page) -> None:
    """The first 25 steps, and a few seconds at least."""
    page.get_by_role("button", name="To the start").click()
    play = page.get_by_role("button", name="Play (Space)")
    if play.count():
        play.click()
    page.wait_for_timeout(2500)
    until(
        page,
        """() => {
          const { value, max } = document.querySelector('.timeline input');
          return Number(value) >= Math.min(25, Number(max));
        }""",
    )
    pause = page.get_by_role("button", name="Pause (Space)")
    if pause.count():
        pause.click()


def at_rest(page) -> tuple[int, int]:
    """Elements and pictures of the page at the first step, once no effect is left on it."""
    page.keyboard.press("Home")
    count = "['*', 'image, img'].map(kind => document.querySelectorAll(kind).length)"
    until(
        page,
        f"() => {{ const [now, before] = [{count}.join(), window.counted];"
        " window.counted = now; return now === before; }",
        poll_ms=1500,
    )
    return tuple(page.evaluate(count))


def test_twenty_frames_a_second_leave_no_pictures_and_no_sounds_behind(
    start_server, page, runs, asset_folder, tmp_path
):
    adopt(asset_folder, tmp_path / "mine")
    server = start_server(runs)
    page.add_init_script(COUNT_VOICES)
    watch(page, server, "prospector")
    page.get_by_role("button", name="Sound is off: turn it on").click()
    page.get_by_label("Frames a second").fill("20")
    play_through(page)
    nodes, pictures = at_rest(page)
    for _ in range(3):
        play_through(page)
    until(page, "sounding.size === 0")
    assert page.evaluate("started") > 20
    assert at_rest(page) == pytest.approx((nodes, pictures), rel=0.1)


def test_files_of_a_pack_are_fetched_once(start_server, page, runs, asset_folder, tmp_path):
    adopt(asset_folder, tmp_path / "mine")
    server = start_server(runs)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    watch(page, server, "prospector")
    page.get_by_role("button", name="Sound is off: turn it on").click()
    for _ in range(2):
        play_through(page)
    sounds = [url for url in asked if url.endswith(".wav")]
    assert len(sounds) == len(set(sounds))


def test_less_motion_is_honoured(start_server, open_page, runs, asset_folder):
    page = open_page(still=True)
    watch(page, start_server(runs), "prospector")
    play_through(page)
    moving = (
        "document.getAnimations().filter(each => each.effect.getComputedTiming().activeDuration > 50).length"
    )
    assert page.evaluate(moving) == 0
