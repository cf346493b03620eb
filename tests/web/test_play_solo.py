"""Play landing and navigation: by keys, touch or pad to an ending of the rules."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandlot.evaluate.replay_recorder import verify
from sandlot.runs import Replay

from .conftest import PHONE, ROOT, until

PICTURE = ".canvas3d canvas[data-drawn]"
ENDED_MS = 150_000  # up to a hundred seconds of play, on a machine that may draw slowly
BEST_BOT = {"landing": "bot:autopilot:3", "navigation": "bot:pathfollower:2"}
ROLE = {"landing": "pilot", "navigation": "walker"}


@pytest.fixture
def page(open_page):
    """A small window: an episode lasts as long as it takes to draw it, here by software."""
    return open_page(size=(1000, 640))


def open_game(page, server, game: str, seed: str = "7") -> None:
    page.goto(f"{server.url}/play?game={game}")
    page.locator(PICTURE).first.wait_for()
    page.get_by_text("Advanced").click()
    page.get_by_label(re.compile("^Seed")).fill(seed)


def start(page) -> None:
    page.get_by_role("button", name=re.compile("^(Start|Restart)$")).last.click()
    page.locator(".play-count").wait_for()
    page.locator(".play-count").wait_for(state="detached")


def time_left(page) -> float:
    return float(page.get_by_role("timer").inner_text().removesuffix(" s"))


def wait_for_less(page, seconds: float) -> None:
    until(page, "most => parseFloat(document.querySelector('[role=timer]').innerText) < most", arg=seconds)


def wait_for_the_end(page) -> str:
    page.locator(".play-end").wait_for(timeout=ENDED_MS)
    return page.locator(".scene-ending").inner_text()


def saved(page, tmp_path: Path) -> tuple[Replay, Path]:
    with page.expect_download() as shown:
        page.get_by_role("button", name="Save the replay").click()
    file = tmp_path / shown.value.suggested_filename
    shown.value.save_as(file)
    return Replay.read(file), file


def column(replay: Replay, action: str) -> list[float]:
    """What was asked for of one action, step by step."""
    from sandlot import load_spec

    names = [each.name for each in load_spec(replay.header.game).document.actions]
    return replay.actions.reshape(len(replay.actions), -1)[:, names.index(action)].tolist()


def test_a_fall_ends_in_a_crash_and_the_saved_replay_is_true(page, server, tmp_path):
    open_game(page, server, "landing")
    start(page)
    page.keyboard.down("Space")
    wait_for_less(page, 99.0)
    page.keyboard.up("Space")
    page.keyboard.down("ArrowUp")
    page.keyboard.down("d")
    wait_for_less(page, 98.0)
    page.keyboard.up("ArrowUp")
    page.keyboard.up("d")
    assert re.match(r"Crash at \d+\.\d m/s, leaning \d+°$", wait_for_the_end(page))
    replay, file = saved(page, tmp_path)
    assert replay.end.episode["ending"] == "crash"
    assert (replay.header.seed, replay.header.policies) == (7, {"pilot": "you"})
    assert max(column(replay, "thrust_y")) == 1, "Space was held"
    assert max(map(abs, column(replay, "rcs_pitch"))) > 0.1, "an arrow was held"
    assert max(map(abs, column(replay, "thrust_x"))) > 0.1, "D was held"
    assert verify(replay).agrees
    command = [sys.executable, "-m", "sandlot", "replay", str(file), "--verify", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)
    page.get_by_text("You made it 0 of 1 times").wait_for()
    assert page.get_by_role("button", name="Saved", exact=True).is_disabled()
    page.get_by_role("button", name="Watch it").click()
    page.get_by_text("verified", exact=True).wait_for()


def test_a_walk_by_keys_moves_as_they_say(page, server, tmp_path):
    open_game(page, server, "navigation", seed="3")
    page.get_by_label("Edge").select_option("drop")
    page.get_by_label("Layout").select_option("open")
    start(page)
    page.keyboard.down("ArrowRight")
    wait_for_less(page, 99.4)
    page.keyboard.up("ArrowRight")
    page.keyboard.down("w")
    ending = wait_for_the_end(page)  # straight on, over the edge, or by luck to the goal
    replay, _ = saved(page, tmp_path)
    assert (
        ending.startswith("Fell into a pit")
        if replay.end.episode["ending"] == "fell"
        else ending.startswith("At the goal")
    )
    assert replay.header.config["edge"] == "drop"
    assert max(column(replay, "rotate")) == 1, "the right arrow turned right"
    assert max(column(replay, "move_vertical")) == 1, "W walked ahead"
    assert replay.end.episode["walked"] > 5
    assert verify(replay).agrees


@pytest.mark.parametrize("game", ["landing", "navigation"])
def test_a_scripted_player_succeeds_and_is_named(page, server, tmp_path, game):
    open_game(page, server, game)
    page.get_by_label("Who plays").select_option(BEST_BOT[game])
    start(page)
    page.locator(".play-player").get_by_text("(scripted)").wait_for()
    wait_for_the_end(page)
    replay, _ = saved(page, tmp_path)
    assert replay.end.episode["success"] == 1
    assert replay.header.policies[ROLE[game]].endswith("(scripted)")
    assert page.get_by_text("You made it").count() == 0, "it was not you"
    assert verify(replay).agrees


def test_somebody_takes_over_from_the_autopilot(page, server, tmp_path):
    open_game(page, server, "landing")
    page.get_by_label("Who plays").select_option("bot:idle:1")
    start(page)
    wait_for_less(page, 99.0)
    page.get_by_role("button", name="Take over").click()
    page.get_by_text("you play").wait_for()
    page.locator(".play-arena").focus()
    page.keyboard.down("Shift")
    wait_for_less(page, 97.5)
    page.keyboard.up("Shift")
    wait_for_the_end(page)
    replay, _ = saved(page, tmp_path)
    assert replay.header.policies == {"pilot": "idle (scripted), then you"}
    thrust = column(replay, "thrust_y")
    assert max(thrust[:5]) == 0, "idle fell"
    assert max(thrust) == pytest.approx(0.5, abs=0.01), "Shift was held after that"
    assert verify(replay).agrees


def test_escape_pauses_and_enter_starts_again(page, server):
    open_game(page, server, "navigation")
    start(page)
    page.keyboard.press("Escape")
    page.get_by_text("Paused").wait_for()
    left = time_left(page)
    page.wait_for_timeout(1000)
    assert time_left(page) == left
    page.get_by_role("button", name="Go on").click()
    wait_for_less(page, left)
    page.get_by_role("button", name="Restart").click()
    page.locator(".play-count").wait_for()
    assert time_left(page) == 100.0


def test_a_phone_flies_by_stick_and_button(open_page, server, fits, tmp_path):
    page = open_page(PHONE, has_touch=True, is_mobile=True)
    open_game(page, server, "landing")
    assert fits(page)
    start(page)
    button = page.locator(".touch-button").bounding_box()
    page.mouse.move(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
    page.mouse.down()
    wait_for_less(page, 99.0)
    page.mouse.up()
    stick = page.locator(".touch-stick").bounding_box()
    x, y = stick["x"] + stick["width"] / 2, stick["y"] + stick["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=4)
    wait_for_less(page, 98.0)
    page.mouse.up()
    wait_for_the_end(page)
    assert fits(page)
    replay, _ = saved(page, tmp_path)
    assert max(column(replay, "thrust_y")) == 1, "the button was held"
    assert max(map(abs, column(replay, "thrust_z"))) > 0.5, "the stick pushed the craft"


def test_a_gamepad_walks(page, server, tmp_path):
    # Chromium lets no test plug a pad in; the page asks the browser, so the browser's answer is what we give.
    page.add_init_script(
        """const pad = { connected: true, axes: [0, -1, 0.5, 0], buttons: [] };
        navigator.getGamepads = () => [null, pad];"""
    )
    open_game(page, server, "navigation")
    start(page)
    wait_for_less(page, 97.0)
    page.get_by_label("Layout").select_option("open")
    page.keyboard.press("Escape")
    page.get_by_text("Paused").wait_for()
    assert float(page.locator("[data-reading=Speed] .hud-value").inner_text()) > 1


@pytest.mark.parametrize("game", ["landing", "navigation"])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_page_has_no_accessibility_violations(open_page, server, axe, game, theme):
    page = open_page(theme=theme)
    open_game(page, server, game)
    assert axe(page) == []
    start(page)
    page.keyboard.press("Escape")
    page.get_by_text("Paused").wait_for()
    assert axe(page) == []
