"""Watch: the newest replay plays, is steered by hand and by keys, compared, linked to; bad news is shown."""

from __future__ import annotations

import io
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sandlot import bot
from sandlot.bridge.godot_engine import find
from sandlot.evaluate.replay_reader import open_replay
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.runs import Replay, Run, Store

from .conftest import PHONE, until

PICTURE = ".tag-canvas canvas"


def run_of(runs: Path, game: str = "tag") -> Run:
    store = Store(runs)
    return store.open(next(each.run_id for each in store.runs() if each.game == game))


def whole_match(run: Run) -> str:
    """A replay that lasts the whole ten seconds."""
    return run.index.find(tag="milestone:survival:10", limit=1)[0].replay_id


def readout(page) -> dict[str, int]:
    """Step, tick and length as the page tells them."""
    text = page.get_by_test_id("readout").inner_text()
    step, steps, tick = re.search(r"step\s+(\d+)\s+of\s+(\d+)\s+t\s+(\d+)", text).groups()
    return {"step": int(step), "steps": int(steps), "tick": int(tick)}


def wait_for_step(page, step: int) -> None:
    page.get_by_test_id("readout").get_by_text(re.compile(rf"^step {step} of")).wait_for()


def open_match(page, server, moment: str = "#t=0", extra: str = "") -> tuple[Run, str]:
    run = run_of(server.runs)
    replay = whole_match(run)
    page.goto(f"{server.url}/?run={run.run_id}&replay={replay}{extra}{moment}")
    page.locator(f"{PICTURE}[data-drawn]").first.wait_for()
    return run, replay


def picture(page, which: int = 0) -> np.ndarray:
    """The pixels of a picture as they are on screen now, without what is written over it."""
    shot = page.locator(PICTURE).nth(which).screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.int16)


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """The share of pixels that are clearly another colour."""
    return float((np.abs(before - after).max(axis=2) > 24).mean())


def contrast(page) -> float:
    """How much the colours in the middle of the picture differ; the foot is covered by what agents see."""
    pixels = picture(page)
    return float(pixels[len(pixels) // 4 : len(pixels) * 3 // 4].std(axis=(0, 1)).max())


def eventually(page, holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold while a busy machine draws."""
    late = time.monotonic() + 20
    while not (held := holds()) and time.monotonic() < late:
        page.wait_for_timeout(200)
    return held


def scrub(page, step: int) -> None:
    page.get_by_label("Moment of the replay").fill(str(step))
    wait_for_step(page, step)


# ---------------------------------------------------------------- playing


def test_the_newest_replay_of_the_newest_run_plays_by_itself(page, server):
    page.goto(server.url)
    page.locator(f"{PICTURE}[data-drawn]").wait_for()
    page.get_by_text("verified", exact=True).wait_for()
    newest = run_of(server.runs).index.find(limit=1)[0]
    assert readout(page)["steps"] == newest.steps
    assert eventually(page, lambda: readout(page)["step"] > 0)


def asked_for(page, pattern: str) -> int:
    """How often the page fetched what has such a name."""
    names = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    return sum(bool(re.search(pattern, name)) for name in names)


def test_what_the_first_picture_needs_is_fetched_early_and_once(page, server):
    page.goto(server.url)
    page.locator(f"{PICTURE}[data-drawn]").wait_for()
    for pattern in (
        "/api/newest$",
        r"/sandlot\.wasm$",
        "/file$",
        r"/three-[\w-]+\.js$",
        r"/watch-[\w-]+\.js$",
    ):
        assert asked_for(page, pattern) == 1, pattern
    begun = "performance.getEntriesByType('resource').map(each => [each.name, each.startTime])"
    starts = dict(page.evaluate(begun))
    hinted = page.locator("head link[rel=modulepreload][href*='/watch-']").get_attribute("href")
    assert starts[server.url + hinted] < starts[f"{server.url}/api/runs?limit=200"], (
        "before the page's own scripts ask for anything"
    )
    page.goto(f"{server.url}/runs")
    page.get_by_role("heading", name="Runs").wait_for()
    assert asked_for(page, r"/sandlot\.wasm$|/three-|/api/newest") == 0, "other pages do without"


def test_a_replay_that_stands_still_is_marked_once_it_is_verified(page, server):
    open_match(page, server, "#t=0")
    page.get_by_text("verified", exact=True).wait_for(
        timeout=15_000
    )  # every 20 s the page looks again anyway


@pytest.mark.parametrize("question", ["**/api/newest", "**/replays/*/file"])
def test_an_early_question_that_fails_is_asked_again(page, server, complaints, question):
    complaints.allow("Failed to load|ERR_FAILED")
    page.route(question, lambda route: route.abort(), times=1)
    page.goto(server.url)
    page.locator(f"{PICTURE}[data-drawn]").wait_for()


def settled(page):
    """The picture once it stands still: cameras ease, and software draws slowly."""
    last = picture(page)
    for _ in range(60):
        page.wait_for_timeout(500)
        now = picture(page)
        if changed(last, now) < 0.001:
            return now
        last = now
    return last


def test_the_picture_really_moves(page, server):
    open_match(page, server)
    scrub(page, 20)
    before = settled(page)
    scrub(page, 120)
    assert changed(before, settled(page)) > 0.02
    scrub(page, 20)
    assert changed(before, settled(page)) < 0.02, "the same moment looks the same again"


def test_a_picture_in_motion_looks_like_the_one_at_rest_but_for_shadows(page, server):
    open_match(page, server, "#t=90")
    page.get_by_label("Camera").select_option("top")
    page.get_by_label("Speed").select_option("0.1")
    still = settled(page)
    page.get_by_role("button", name="Play (Space)").click()
    assert eventually(page, lambda: readout(page)["step"] > 30), "it moves, and is drawn plainly by now"
    moving = picture(page)
    assert 0 < changed(still, moving) < 0.2
    assert np.abs(still.mean(axis=(0, 1)) - moving.mean(axis=(0, 1))).max() < 12, "the same light"


def test_a_linked_moment_is_drawn_though_nothing_moves(page, server):
    open_match(page, server, "#t=90")
    settled(page)
    assert contrast(page) > 10, "an empty canvas has one colour"


def test_a_scrubbed_moment_shows_what_python_sees_there(page, server):
    run, replay_id = open_match(page, server, "#t=90")
    replay = Replay.read(run.replay_path(run.index.get(replay_id)))
    for step in (77, 1, 200, 0):  # both ways
        scrub(page, step)
        with open_replay(replay) as player:
            state = player.initial_state() if step == 0 else player.page(step - 1, 1).frames[0].render_state
        assert page.get_by_role("timer").inner_text() == f"{state['time_left']:.1f} s"
        east, _, south = state["position"][1]
        place = f"hider at {east:.1f} east, {south:.1f} south"
        assert place in page.locator(PICTURE).get_attribute("aria-label")


def test_a_replay_stops_at_its_end_with_the_winner_told(page, server):
    open_match(page, server, "#t=585")
    page.keyboard.press("Space")
    wait_for_step(page, 200)
    page.get_by_text("Escaped for 10.0 s").wait_for()
    page.get_by_role("button", name="Play (Space)").wait_for()


def test_it_loops_when_asked(page, server):
    open_match(page, server, "#t=590")
    page.get_by_role("button", name="Loop (L)").click()
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play (Space)").click()
    until(page, "Number(document.querySelector('.timeline input').value) < 190")
    assert page.get_by_role("button", name="Pause (Space)").is_visible()


def test_speed_changes_how_fast_it_runs(page, server):
    open_match(page, server)
    page.get_by_label("Speed").select_option("0.1")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play (Space)").click()
    steps_a_second = page.evaluate("""async () => {
      const step = () => Number(document.querySelector('.timeline input').value);
      const [before, began] = [step(), performance.now()];
      while (step() < before + 4) await new Promise(requestAnimationFrame);
      return 4000 / (performance.now() - began);
    }""")
    assert steps_a_second < 4, "a tenth of 20, whatever part of the first step was over"


def test_keys_steer_the_player(page, server):
    open_match(page, server, "#t=90")
    wait_for_step(page, 30)
    for key, step in (
        ("ArrowRight", 31),
        ("ArrowLeft", 30),
        ("Shift+ArrowRight", 40),
        ("End", 200),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        wait_for_step(page, step)
    page.keyboard.press("]")
    assert page.get_by_label("Speed").input_value() == "2"
    page.keyboard.press("[")
    page.keyboard.press("l")
    assert page.get_by_role("button", name="Loop (L)").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause (Space)").wait_for()


def test_keys_are_left_alone_while_somebody_types(page, server):
    open_match(page, server, "#t=90")
    wait_for_step(page, 30)
    field = page.get_by_label(re.compile("Jump to step"))
    field.click()
    page.keyboard.type("15")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    page.keyboard.press("Home")
    assert readout(page)["step"] == 30
    page.keyboard.press("Enter")
    wait_for_step(page, 15)


def test_one_can_jump_to_a_tick(page, server):
    open_match(page, server)
    page.get_by_label("Jump by").select_option("tick")
    page.get_by_label(re.compile("Jump to tick")).fill("301")
    page.get_by_role("button", name="Jump").click()
    wait_for_step(page, 101)


# ---------------------------------------------------------------- links


def test_a_link_leads_to_a_moment_and_holds_it(page, server):
    open_match(page, server, "#t=150")
    wait_for_step(page, 50)
    page.wait_for_timeout(700)
    assert readout(page) == {"step": 50, "steps": 200, "tick": 150}


def test_the_link_button_puts_the_moment_into_the_address(page, server):
    run, replay = open_match(page, server)
    scrub(page, 33)
    page.get_by_role("button", name="Copy a link to this moment").click()
    page.get_by_text(re.compile("link|Link")).first.wait_for()
    assert f"run={run.run_id}&replay={replay}" in page.url
    assert page.url.endswith("#t=99")
    page.reload()
    wait_for_step(page, 33)


def test_a_wrong_moment_is_as_none(page, server):
    for moment in ("#t=", "#t=-5", "#t=1e9", "#t=99999999999999999999", "#t=<b>", "#nonsense"):
        page.goto("about:blank")  # or only the part after # would change, and nothing be loaded
        open_match(page, server, moment)
        page.get_by_role("button", name="Pause (Space)").wait_for()
        assert readout(page)["steps"] == 200, moment


def test_a_moment_after_the_end_is_the_end(page, server):
    open_match(page, server, "#t=999999")
    wait_for_step(page, 200)


# ---------------------------------------------------------------- choosing


def test_tags_filter_the_replays_and_a_click_opens_one(page, server):
    open_match(page, server)
    rows = page.get_by_role("list", name="Replays").get_by_role("button")
    run = run_of(server.runs)
    for name, tag in (
        ("Every window", "every_window"),
        ("Milestones", "milestone:*"),
        ("All", None),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        wanted = len(run.index.find(tag=tag))
        until(page, "count => document.querySelectorAll('.replays button').length === count", arg=wanted)
    entry = run.index.find()[-1]
    rows.last.click()
    page.wait_for_url(re.compile(entry.replay_id))
    page.get_by_test_id("readout").get_by_text(re.compile(rf"of {entry.steps}$")).wait_for()


def test_windows_narrow_the_list_down(page, server):
    run, _ = open_match(page, server)
    page.get_by_label("Window", exact=True).select_option("0")
    wanted = len(run.index.find(window_id=0))
    until(page, "count => document.querySelectorAll('.replays button').length === count", arg=wanted)


def test_another_run_opens_with_its_newest_replay(page, server):
    page.goto(server.url)
    page.locator(f"{PICTURE}[data-drawn]").wait_for()
    other = run_of(server.runs, "prospector")
    page.get_by_label("Run", exact=True).select_option(other.run_id)
    page.wait_for_url(re.compile(other.index.find(limit=1)[0].replay_id))
    page.get_by_test_id("readout").wait_for()
    assert page.get_by_label(re.compile("^Stride")).input_value() == "1"


def test_events_are_listed_and_lead_to_their_moment(page, server):
    run, replay_id = open_match(page, server)
    page.get_by_role("tab", name="Events").click()
    replay = Replay.read(run.replay_path(run.index.get(replay_id)))
    page.get_by_text(f"All events ({len(replay.events)})").wait_for(state="attached")
    step = next(step for step, name in replay.events if name == "timeout")
    page.locator(".events").get_by_role("button", name=re.compile("time ran out")).click()
    output = page.locator(".events").inner_text()
    assert "hider sees seeker" in output and "seeker sees hider" in output
    wait_for_step(page, step + 1)


def test_the_window_is_summed_up_with_the_numbers_of_its_row(page, server):
    run, replay_id = open_match(page, server)
    page.get_by_role("tab", name="Window").click()
    row = next(row for row in run.windows() if row.window_id == run.index.get(replay_id).window_id)
    page.get_by_text(re.compile(rf"Window {row.window_id}, after")).wait_for()
    shown = page.locator(".metrics").inner_text()
    rate = row.model_dump()["seeker_win_rate"]
    assert f"{round(rate * 100)} %" in shown
    assert page.locator(".metrics svg").count() >= 4


def test_a_finished_run_does_not_say_that_metrics_are_still_to_come(page, own_runs, start_server):
    run = run_of(own_runs)
    kept = run.paths.windows.read_bytes().splitlines(keepends=True)
    run.paths.windows.write_bytes(b"".join(kept[:-1]))
    last = next(entry for entry in run.index.find() if entry.window_id == len(kept) - 1)
    page.goto(f"{start_server(own_runs).url}/?run={run.run_id}&replay={last.replay_id}")
    page.get_by_role("tab", name="Window").click()
    page.get_by_text(f"The run ended within window {last.window_id}").wait_for()


def test_a_link_to_a_moment_leads_there_in_an_open_tab_too(page, server):
    open_match(page, server, "#t=30")
    wait_for_step(page, 10)
    page.evaluate("location.hash = '#t=300'")
    wait_for_step(page, 100)
    assert page.get_by_role("button", name="Play (Space)").is_visible(), "it stands at the moment"


def test_nothing_plays_by_itself_where_motion_is_unwelcome(open_page, server):
    page = open_page(still=True)
    open_match(page, server, "")
    assert page.get_by_role("button", name="Play (Space)").is_visible()
    wait_for_step(page, 0)


def test_a_saved_match_opens_from_its_file(page, server, tmp_path):
    run, replay_id = open_match(page, server)
    file = tmp_path / "my match.jsonl.gz"
    file.write_bytes(run.paths.replay(replay_id).read_bytes())
    page.get_by_label("Open a saved match").set_input_files(file)
    page.get_by_role("heading", name="my match.jsonl.gz").wait_for()
    page.locator(f"{PICTURE}[data-drawn]").first.wait_for()
    page.get_by_text("verified").wait_for()
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(file.read_bytes()[:-9])
    page.get_by_label("Open a saved match").set_input_files(broken)
    page.get_by_text("This file cannot be shown.").wait_for()
    page.get_by_role("button", name="Watch the newest run").click()
    page.locator(f"{PICTURE}[data-drawn]").first.wait_for()


def test_two_matches_run_side_by_side_on_one_clock(page, server):
    open_match(page, server, "#t=60")
    page.get_by_role("button", name="Beside another match").click()
    page.locator(PICTURE).nth(1).wait_for()
    until(page, "document.querySelectorAll('.tag-canvas canvas[data-drawn]').length === 2")
    page.locator("strong", has_text="Another match").wait_for()
    page.get_by_label("Moment of the replay").fill("40")
    assert eventually(page, lambda: page.get_by_role("timer").all_inner_texts() == ["8.0 s", "8.0 s"])
    settled(page)
    before = [picture(page, 0), picture(page, 1)]
    page.get_by_label("Moment of the replay").fill("110")
    for i, old in enumerate(before):
        assert eventually(page, lambda i=i, old=old: changed(old, picture(page, i)) > 0.01)
    page.get_by_role("button", name="Only one").click()
    until(page, "document.querySelectorAll('.tag-canvas canvas').length === 1")


def test_every_camera_gives_another_picture(page, server):
    open_match(page, server, "#t=90")
    seen: list[np.ndarray] = []
    camera = page.get_by_label("Camera")
    for mode in [option.get_attribute("value") for option in camera.locator("option").all()]:
        camera.select_option(mode)
        now = settled(page)
        assert all(changed(old, now) > 0.05 for old in seen), mode
        seen.append(now)
    assert len(seen) == 7


def test_dragging_turns_the_camera(page, server):
    open_match(page, server, "#t=90")
    page.get_by_label("Camera").select_option("orbit")
    before = settled(page)
    box = page.locator(PICTURE).bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 250)
    page.mouse.down()
    page.mouse.move(box["x"] + 450, box["y"] + 270, steps=5)
    page.mouse.up()
    assert eventually(page, lambda: changed(before, picture(page)) > 0.05)


def test_what_the_players_expected_is_drawn_when_asked_for(page, server):
    open_match(page, server, "#t=90")
    loaded = "performance.getEntriesByType('resource').some(each => each.name.includes('ort-wasm'))"
    assert not page.evaluate(loaded), "nobody asked yet"
    page.get_by_role("button", name="Value estimate").click()
    page.locator(".values polyline").nth(1).wait_for()
    curves = [line.get_attribute("points") for line in page.locator(".values polyline").all()]
    assert [len(curve.split()) for curve in curves] == [200, 200]
    assert curves[0] != curves[1]
    assert page.evaluate(loaded)


# ---------------------------------------------------------------- live


def test_a_new_replay_is_announced_and_interrupts_nothing(page, own_runs, start_server):
    server = start_server(own_runs)
    run, replay = open_match(page, server, "#t=30")
    rows = page.locator(".replays button").count()
    fresh = record("tag", {"seeker": bot("tag", "chase"), "hider": bot("tag", "wander")}, seed=99)
    header = fresh.header.model_copy(update={"run_id": run.run_id, "window_id": 9, "tags": ["every_window"]})
    run.add_replay(Replay(header, fresh.actions, fresh.events, fresh.hashes, fresh.end))
    page.get_by_text("New replay of window 9").wait_for(timeout=45_000)
    assert replay in page.url and readout(page)["step"] == 10
    until(page, "count => document.querySelectorAll('.replays button').length > count", arg=rows)
    page.get_by_role("button", name="Watch", exact=True).click()
    page.wait_for_url(re.compile(header.replay_id))


# ---------------------------------------------------------------- where frames come from


@pytest.mark.parametrize("way", ["http", "socket"])
def test_frames_of_the_server_show_the_same_moment(page, server, way):
    open_match(page, server, "#t=0", f"&frames={way}")
    page.get_by_text("server frames").wait_for()
    scrub(page, 77)
    shown = page.locator(PICTURE).get_attribute("aria-label")
    open_match(page, server, "#t=0")
    scrub(page, 77)
    assert page.locator(PICTURE).get_attribute("aria-label") == shown
    scrub(page, 180)


@pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")
def test_a_match_played_in_godot_is_shown_from_its_frames_and_says_so(page, own_runs, start_server):
    run = run_of(own_runs)
    players = {"seeker": bot("tag", "wander", 1), "hider": bot("tag", "evade")}
    match = record("tag", players, seed=4, origin=Origin(run.run_id, 9), engine="godot")
    run.add_replay(match)
    server = start_server(own_runs)
    page.goto(f"{server.url}/?run={run.run_id}&replay={match.header.replay_id}#t=0")
    page.locator(f"{PICTURE}[data-drawn]").first.wait_for()
    page.get_by_text("played in Godot", exact=True).wait_for()
    assert page.get_by_text("verified").count() == page.get_by_text("server frames").count() == 0
    assert eventually(page, lambda: contrast(page) > 10), "the picture is drawn like any other"
    with open_replay(match) as player:
        middle, last = (player.page(step - 1, 1).frames[0].render_state for step in (150, match.end.steps))
    for step, state in ((150, middle), (match.end.steps, last)):
        scrub(page, step)
        east, _, south = state["position"][1]
        place = f"hider at {east:.1f} east, {south:.1f} south"
        assert place in page.locator(PICTURE).get_attribute("aria-label")
        assert page.get_by_role("timer").inner_text() == f"{state['time_left']:.1f} s"


def test_the_raw_frame_and_the_file_are_a_click_away(page, server):
    _, replay = open_match(page, server, "#t=30")
    page.get_by_text("Advanced").click()
    page.get_by_role("button", name="Show the raw frame").click()
    assert '"tick": 30' in page.get_by_label("Raw frame").inner_text()
    with page.expect_download() as shown:
        page.get_by_role("link", name="download the replay").click()
    assert Replay.read(Path(shown.value.path())).header.replay_id == replay


# ---------------------------------------------------------------- bad news


def test_without_a_run_the_page_says_how_to_get_one(page, tmp_path, start_server):
    server = start_server(tmp_path)
    page.goto(server.url)
    page.get_by_text("There is no run yet").wait_for()
    page.get_by_text("sandlot train tag").wait_for()


def test_a_tampered_replay_is_refused_and_the_page_goes_on(page, own_runs, start_server, complaints):
    complaints.allow("422")
    run = run_of(own_runs)
    entry = run.index.get(whole_match(run))
    path = run.replay_path(entry)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    page.goto(f"{start_server(own_runs).url}/?run={run.run_id}&replay={entry.replay_id}")
    page.get_by_role("alert").get_by_text("This replay cannot be shown.").wait_for()
    page.locator(".replays button").last.click()
    page.locator(f"{PICTURE}[data-drawn]").wait_for()


def test_an_unknown_run_and_replay_are_reported(page, server, complaints):
    complaints.allow("404")
    alert = page.get_by_role("alert")
    page.goto(f"{server.url}/?run=nobody")
    alert.get_by_text("This run cannot be shown. There is no run 'nobody' (any more).", exact=True).wait_for()
    page.get_by_role("button", name="Watch the newest run").click()
    page.locator(f"{PICTURE}[data-drawn]").wait_for()
    page.goto(f"{server.url}/?run={run_of(server.runs).run_id}&replay=nothing")
    alert.get_by_text("This replay cannot be shown.").wait_for()
    assert "/api/" not in alert.inner_text(), "what programs may ask is no help on a page"
    page.get_by_role("button", name="Watch the newest", exact=True).click()
    page.locator(f"{PICTURE}[data-drawn]").wait_for()


def test_a_run_that_is_deleted_while_watched_plays_on(page, own_runs, start_server, complaints):
    complaints.allow("404")
    run, _ = open_match(page, start_server(own_runs))
    page.get_by_text("verified", exact=True).wait_for()
    rows = page.locator(".replays button")
    rows.last.wait_for()
    shutil.rmtree(run.paths.folder)
    page.keyboard.press("End")
    wait_for_step(page, 200)
    rows.last.click()
    page.get_by_role("alert").get_by_text("This replay cannot be shown.").wait_for()


def test_a_server_that_went_away_is_reported_and_the_replay_plays_on(
    page, own_runs, start_server, complaints
):
    complaints.allow("ERR_CONNECTION_REFUSED|Failed to load resource|502")
    server = start_server(own_runs)
    open_match(page, server)
    page.get_by_text("verified", exact=True).wait_for()
    rows = page.locator(".replays button")
    rows.last.wait_for()
    server.stop()
    page.keyboard.press("End")
    wait_for_step(page, 200)
    rows.last.click()
    page.get_by_text("The server does not answer").first.wait_for()


def test_a_page_that_was_never_visited_says_why_it_cannot_be_fetched(
    page, own_runs, start_server, complaints
):
    complaints.allow("Failed to (load|fetch)|ERR_CONNECTION|dynamically imported module|preload|could not be")
    server = start_server(own_runs)
    page.goto(server.url)
    page.locator(f"{PICTURE}[data-drawn]").first.wait_for()
    server.stop()
    page.get_by_role("link", name="Analytics").click()
    page.get_by_text("This part of the site could not be fetched: the server does not answer").wait_for()
    assert "preload CSS" not in page.locator("main").inner_text()


@pytest.mark.parametrize("path", ["/", "/play?game=tag", "/play?game=prospector", "/analytics", "/runs"])
def test_no_page_asks_for_more_than_its_security_policy_allows(path, page, server):
    page.add_init_script(
        "self.violations = []; addEventListener('securitypolicyviolation',"
        " (shown) => violations.push(`${shown.violatedDirective} ${shown.blockedURI}`))"
    )
    answer = page.goto(f"{server.url}{path}")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    page.get_by_role("heading").first.wait_for(state="attached")
    if path == "/" or "tag" in path:
        page.locator(f"{PICTURE}[data-drawn]").first.wait_for()
    assert page.evaluate("violations") == []


def test_an_unknown_page_is_reported(page, server, complaints):
    complaints.allow("404")
    page.goto(f"{server.url}/nowhere")
    page.get_by_text("There is no such page").wait_for()


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_watch_has_no_accessibility_violations(open_page, server, axe, theme):
    page = open_page(theme=theme)
    open_match(page, server, "#t=90")
    shown = {"Replays": ".replays button", "Window": ".metrics svg", "Events": ".events button"}
    for tab, content in shown.items():
        page.get_by_role("tab", name=tab).click()
        page.locator(content).first.wait_for()
        assert axe(page) == [], tab


def test_a_phone_never_scrolls_sideways(open_page, server, fits):
    page = open_page(PHONE, has_touch=True, is_mobile=True)
    open_match(page, server, "#t=90")
    assert fits(page)
    page.get_by_role("button", name="Beside another match").click()
    until(page, "document.querySelectorAll('.tag-canvas canvas[data-drawn]').length === 2")
    assert fits(page)
    for tab in ("Window", "Events"):
        page.get_by_role("tab", name=tab).click()
        assert fits(page)


def test_everything_is_reached_by_tab_and_seen_when_reached(page, server):
    open_match(page, server, "#t=90")
    page.locator(".replays button").last.wait_for()
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => { const e = document.activeElement;
                const name = e === document.body ? '' : (e.getAttribute('aria-label') ?? e.innerText ?? e.id);
                return [name, getComputedStyle(e).outlineStyle]; }"""
            )
        )
    names = " | ".join(str(name) for name, _ in reached)
    for wanted in (
        "Skip to the page",
        "Play (Space)",
        "Moment of the replay",
        "Beside another match",
        "Milestones",
    ):
        assert wanted in names, wanted
    assert [name for name, outline in reached if name and outline == "none"] == []


def test_a_match_can_be_found_and_watched_by_keyboard_alone(page, server):
    page.goto(server.url)
    page.locator(f"{PICTURE}[data-drawn]").wait_for()
    page.keyboard.press("Space")  # it played by itself
    page.get_by_role("button", name="Play (Space)").wait_for()
    tab_to(page, "Milestones")
    page.keyboard.press("Enter")
    wanted = len(run_of(server.runs).index.find(tag="milestone:*"))
    until(page, "count => document.querySelectorAll('.replays button').length === count", arg=wanted)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("replay="))
    chosen = re.search(r"replay=([^&#]+)", page.url)[1]
    page.locator(f".stage[data-replay='{chosen}']").wait_for()  # loaded; before, keys are the old one's
    tab_to(page, "To the start (Home)", "Pause (Space)", "Play (Space)")
    for key in ("ArrowRight", "Home", "ArrowRight", "ArrowRight"):  # the first one also pauses
        page.keyboard.press(key)
    wait_for_step(page, 2)


def tab_to(page, *names: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        shown = (
            "() => { const e = document.activeElement; return e.getAttribute('aria-label') ?? e.innerText; }"
        )
        if page.evaluate(shown) in names:
            return
    raise AssertionError(f"Tab never reaches {names}")


def test_the_theme_can_be_switched_and_is_remembered(page, server):
    open_match(page, server, "#t=90")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(paper)
    switch = page.get_by_role("button", name=re.compile("^Theme"))
    switch.click()
    switch.click()
    assert page.evaluate(paper) != dark
    page.reload()
    page.locator(f"{PICTURE}[data-drawn]").wait_for()
    assert page.evaluate(paper) != dark
