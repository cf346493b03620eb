"""Play tag: whole matches by keys, touch and pad, against scripts and trained players, saved and verified."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandlot.evaluate.replay_recorder import verify
from sandlot.runs import Replay

from .conftest import PHONE, until

PICTURE = ".tag-canvas canvas[data-drawn]"
ENDED = re.compile("You (win|lose)")
MATCH_MS = 120_000  # ten seconds of play, on a machine that may draw slowly


@pytest.fixture
def page(open_page):
    """A small window: a match lasts as long as it takes to draw it, here by software."""
    return open_page(size=(1000, 640))


def open_table(page, server, seed: str = "") -> None:
    page.goto(f"{server.url}/play?game=tag")
    page.locator(PICTURE).first.wait_for()
    if seed:
        page.get_by_text("Advanced").click()
        page.get_by_label(re.compile("^Seed")).fill(seed)


def start(page) -> None:
    page.get_by_role("button", name=re.compile("^(Start|New match)$")).last.click()
    page.get_by_role("timer").wait_for()


def wait_for_go(page) -> None:
    """Of the page's first match: its clock comes with the countdown, whose end may be all we see of it."""
    page.get_by_role("timer").wait_for()
    page.locator(".play-count").wait_for(state="detached")


def time_left(page) -> float:
    return float(page.get_by_role("timer").inner_text().removesuffix(" s"))


def wait_for_less(page, seconds: float) -> None:
    """Until the clock shows less than that."""
    until(page, "most => parseFloat(document.querySelector('[role=timer]').innerText) < most", arg=seconds)


def wait_for_less_or_the_end(page, seconds: float) -> None:
    """Until the clock shows less than that, or the match is over and it stands still."""
    until(
        page,
        "most => /You (win|lose)/.test(document.body.innerText)"
        " || parseFloat(document.querySelector('[role=timer]').innerText) < most",
        arg=seconds,
    )


def plays_on(page) -> bool:
    """Whether the clock goes on; in a new match if this one ends before it was seen to."""
    for _ in range(3):
        before = time_left(page)
        wait_for_less_or_the_end(page, before)
        if time_left(page) < before:
            return True
        start(page)
        page.get_by_text(ENDED).wait_for(state="detached")
    return False


HIDER = 1  # the row of its actions
MOVE_Z, JUMP = 1, 2


def saved_match(page) -> Replay:
    with page.expect_download() as shown:
        page.get_by_role("button", name="Save the match").click()
    assert shown.value.suggested_filename.endswith(".jsonl.gz")
    return Replay.read(Path(shown.value.path()))


def test_a_match_is_played_to_its_end_and_the_saved_replay_is_true(page, server):
    open_table(page, server, seed="7")
    start(page)
    wait_for_go(page)
    page.keyboard.down("w")
    wait_for_less(page, 9.6)
    page.keyboard.press("Space")
    page.keyboard.up("w")
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    replay = saved_match(page)
    assert verify(replay).agrees
    assert (replay.header.seed, replay.header.policies["hider"]) == (7, "you")
    assert replay.actions[:, HIDER, MOVE_Z].min() == -1, "W was held: forward"
    assert replay.actions[:, HIDER, JUMP].max() == 1, "Space was pressed"
    assert "jump" in [name for _, name in replay.events]
    won = replay.end.episode["winner"] == "hider"
    page.get_by_text("You win" if won else "You lose").wait_for()
    score = page.locator(".play-score").inner_text()
    assert score.startswith("You 1 : 0" if won else "You 0 : 1")
    assert page.get_by_role("button", name="Saved", exact=True).is_disabled(), "Enter would save it again"
    page.get_by_role("button", name="Watch it").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text(ENDED).wait_for(state="detached")


def test_taps_shorter_than_a_picture_count_and_those_before_go_do_not(page, server):
    tap = """code => {
      for (const kind of ["keydown", "keyup"])
        document.activeElement.dispatchEvent(new KeyboardEvent(kind, { code, bubbles: true }));
    }"""
    open_table(page, server, seed="7")
    start(page)
    page.locator(".play-count").wait_for()
    page.evaluate(tap, "KeyS")
    wait_for_go(page)
    wait_for_less(page, 9.8)
    page.evaluate(tap, "Space")
    page.evaluate(tap, "KeyW")
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    replay = saved_match(page)
    asked = replay.actions[:, HIDER, JUMP] == 1
    assert asked.sum() == 1, "the floor was there: one decision, one jump"
    assert (asked.argmax(), "jump") in replay.events
    moved = replay.actions[:, HIDER, MOVE_Z]
    assert moved[moved != 0].tolist() == [-1], "W once, and no S"


def test_nothing_moves_before_go(page, server):
    open_table(page, server)
    start(page)
    page.locator(".play-count").wait_for()
    assert time_left(page) == 10.0
    wait_for_go(page)
    wait_for_less(page, 10.0)


def test_a_seeker_who_runs_wins_or_loses_by_the_rules(page, server):
    open_table(page, server, seed="3")
    page.get_by_role("button", name="Seek").click()
    page.get_by_label("The hider").select_option("bot:wander:1")
    start(page)
    page.get_by_text("you seek").wait_for()
    wait_for_go(page)
    page.keyboard.down("ArrowUp")
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    page.keyboard.up("ArrowUp")
    replay = saved_match(page)
    assert replay.header.policies == {"seeker": "you", "hider": "wander:1 (scripted)"}
    assert verify(replay).agrees


def test_a_trained_policy_plays_against_one(page, server):
    open_table(page, server, seed="5")
    opponents = page.get_by_label("The seeker")
    trained = opponents.locator("optgroup[label^='Run'] option")
    trained.first.wait_for(state="attached")
    assert "newest" in trained.first.inner_text()
    opponents.select_option(trained.first.get_attribute("value"))
    start(page)
    wait_for_go(page)
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    replay = saved_match(page)
    assert re.fullmatch(r"seeker of window \d+", replay.header.policies["seeker"])
    assert verify(replay).agrees
    assert abs(replay.actions[:, 0]).max() > 0.5, "the policy moved"


def test_every_camera_plays(page, server):
    open_table(page, server)
    start(page)
    wait_for_go(page)
    for view in ("eyes", "both", "top", "chase"):
        page.get_by_label("Camera").select_option(view)
        page.keyboard.down("d")
        assert plays_on(page), view
        page.keyboard.up("d")
    assert page.locator(".tag-canvas canvas").is_visible()


def test_escape_pauses_and_goes_on(page, server):
    open_table(page, server)
    start(page)
    wait_for_go(page)
    page.keyboard.press("Escape")
    page.get_by_text("Paused").wait_for()
    left = time_left(page)
    page.wait_for_timeout(1200)
    assert time_left(page) == left
    page.get_by_role("button", name="Go on").click()
    wait_for_less(page, left)


def test_a_rematch_keeps_the_score_and_another_opponent_does_not(page, server):
    open_table(page, server, seed="7")
    start(page)
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    before = page.locator(".play-score").inner_text()
    page.locator("body").press("Enter")
    page.locator(".play-count").wait_for()
    assert page.locator(".play-score").inner_text() == before
    page.get_by_label("The seeker").select_option("bot:wander:1")
    assert page.locator(".play-score").inner_text().startswith("You 0 : 0")


def test_a_phone_plays_by_stick_and_button(open_page, server, fits):
    page = open_page(PHONE, has_touch=True, is_mobile=True)
    open_table(page, server)
    assert fits(page)
    start(page)
    wait_for_go(page)
    stick = page.locator(".touch-stick").bounding_box()
    x, y = stick["x"] + stick["width"] / 2, stick["y"] + stick["height"] / 2
    before = page.locator(".touch-stick i").get_attribute("style")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=4)
    wait_for_less(page, 9.5)
    assert page.locator(".touch-stick i").get_attribute("style") != before
    page.mouse.up()
    page.locator(".touch-button").tap()
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    assert fits(page)
    replay = saved_match(page)
    assert abs(replay.actions[:, HIDER, :JUMP]).max() > 0.5, "the stick moved the hider"
    assert replay.actions[:, HIDER, JUMP].max() == 1, "the button was tapped"


def test_a_gamepad_plays(page, server):
    # Chromium lets no test plug a pad in; the page asks the browser, so the browser's answer is what we give.
    page.add_init_script(
        """const pad = { connected: true, axes: [0, -1], buttons: [{ pressed: true }] };
        navigator.getGamepads = () => [null, pad];"""
    )
    open_table(page, server, seed="7")
    start(page)
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    replay = saved_match(page)
    assert replay.actions[:, HIDER, MOVE_Z].min() == -1
    assert replay.actions[:, HIDER, JUMP].max() == 1


def test_a_match_needs_no_server_once_the_page_is_there(page, own_runs, start_server, complaints):
    complaints.allow("ERR_CONNECTION_REFUSED|Failed to load resource")
    server = start_server(own_runs)
    open_table(page, server)
    page.locator("optgroup[label^='Run']").first.wait_for(state="attached")
    server.stop()
    start(page)
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)


def test_a_game_that_is_not_there_is_reported(page, server):
    page.goto(f"{server.url}/play?game=chess")
    page.get_by_text("There is no game called chess to play here").wait_for()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_play_has_no_accessibility_violations(open_page, server, axe, theme):
    page = open_page(theme=theme)
    open_table(page, server)
    assert axe(page) == []
    start(page)
    wait_for_go(page)
    page.keyboard.press("Escape")
    page.get_by_text("Paused").wait_for()
    assert axe(page) == []


def test_a_match_can_be_played_by_keyboard_alone(page, server):
    open_table(page, server)
    page.locator("body").press("Enter")
    wait_for_go(page)
    page.keyboard.down("s")
    wait_for_less(page, 9.7)
    page.keyboard.up("s")
    page.get_by_text(re.compile("You (win|lose)")).wait_for(timeout=MATCH_MS)
    page.locator("body").press("Enter")
    page.locator(".play-count").wait_for()
