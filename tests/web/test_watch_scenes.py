"""Watch landing and navigation: a scene is drawn, and the panel says what the engine's own frames hold."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sandlot
from sandlot.evaluate.replay_reader import open_replay
from sandlot.evaluate.replay_recorder import record
from sandlot.runs import Replay

from .conftest import PHONE
from .test_watch import eventually

EPISODES = {
    "landing": ("autopilot", {}),
    "navigation": ("pathfollower", {"layout": "maze", "pits": 0.1}),
}
SEED = 7


@pytest.fixture(scope="module", params=sorted(EPISODES))
def episode(request) -> Replay:
    bot, config = EPISODES[request.param]
    return record(request.param, sandlot.bot(request.param, bot, config=config), seed=SEED, config=config)


@pytest.fixture
def show(server, tmp_path: Path) -> Callable:
    """`show(page, replay)`: the replay from its file, standing still at its start."""

    def open_file(page, replay: Replay) -> None:
        file = tmp_path / "episode.jsonl.gz"
        replay.write(file)
        page.goto(server.url)
        page.get_by_label("Open a saved match").set_input_files(file)
        page.get_by_role("heading", name=file.name).wait_for()
        page.locator(".canvas3d canvas[data-drawn]").wait_for()
        page.get_by_text("verified", exact=True).wait_for()
        pause = page.get_by_role("button", name="Pause (Space)")
        if pause.is_visible():
            pause.click()

    return open_file


def scrub(page, step: int) -> None:
    page.get_by_label("Moment of the replay").fill(str(step))
    page.get_by_test_id("readout").get_by_text(re.compile(rf"^step {step} of")).wait_for()


def reading(page, name: str) -> float:
    return float(page.locator(f"[data-reading='{name}'] .hud-value").inner_text())


def picture(page) -> np.ndarray:
    """Pixels right of the panel and under the words, so that only the scene counts."""
    shot = page.locator(".canvas3d canvas").screenshot()
    pixels = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.int16)
    height, width = pixels.shape[:2]
    return pixels[height // 3 :, width // 4 :]


# What the panel says, by the name of the value in the engine's own frame.
READINGS: dict[str, dict[str, Callable[[dict, dict], float]]] = {
    "landing": {
        "Altitude": lambda render, info: render["position"][1],
        "Sideways": lambda render, info: np.hypot(render["velocity"][0], render["velocity"][2]),
        "To the pad": lambda render, info: info["distance_to_pad"],
        "Tilt": lambda render, info: info["tilt"],
        "Fuel": lambda render, info: 100 * render["fuel_left"],
    },
    "navigation": {
        "To the goal": lambda render, info: info["distance"],
        "Speed": lambda render, info: info["speed"],
        "Comfort": lambda render, info: info["comfort_score"],
        "Vignette": lambda render, info: info["vignette"],
        "Collisions": lambda render, info: info["collisions"],
    },
}
ENDINGS = {
    "landing": re.compile(r"^Soft landing, 0\.\d m from the centre$"),
    "navigation": re.compile(r"^At the goal after \d+\.\d s, comfort [01]\.\d\d$"),
}


def test_the_panel_says_what_the_engines_frame_holds(page, show, episode):
    show(page, episode)
    readings = READINGS[episode.header.game]
    with open_replay(episode) as player:
        for step in (1, 17, episode.end.steps // 2, episode.end.steps):
            frame = player.page(step - 1, 1, info=True).frames[0]
            scrub(page, step)
            for name, value in readings.items():
                wanted = value(frame.render_state, frame.info)
                assert reading(page, name) == pytest.approx(wanted, abs=0.51 if wanted >= 10 else 0.06), (
                    step,
                    name,
                )
            left = float(page.get_by_role("timer").inner_text().removesuffix(" s"))
            assert left == pytest.approx(frame.render_state["time_left"], abs=0.06)


def test_the_end_is_told_in_words_and_only_at_the_end(page, show, episode):
    show(page, episode)
    assert page.locator(".scene-ending").count() == 0
    scrub(page, episode.end.steps)
    assert ENDINGS[episode.header.game].match(page.locator(".scene-ending").inner_text())


def test_every_camera_shows_another_picture(page, show, episode):
    show(page, episode)
    scrub(page, episode.end.steps // 2)
    camera = page.get_by_label("Camera")
    shots = []
    for value in camera.locator("option").evaluate_all("options => options.map(each => each.value)"):
        camera.select_option(value)
        assert eventually(
            page,
            lambda: (
                picture(page).std(axis=(0, 1)).max() > 4
                and all((np.abs(picture(page) - other).max(axis=2) > 24).mean() > 0.01 for other in shots)
            ),
        ), value
        shots.append(picture(page))


def test_a_phone_shows_it_without_accessibility_violations(open_page, show, fits, axe, episode):
    page = open_page(size=PHONE, theme="light", still=True)
    show(page, episode)
    assert fits(page)
    assert axe(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_scene_is_drawn_and_moves(open_page, show, episode, theme):
    page = open_page(theme=theme)
    show(page, episode)
    steps = len(episode.actions)
    shots = []
    for step in (0, steps // 2, steps):
        scrub(page, step)
        assert eventually(page, lambda: picture(page).std(axis=(0, 1)).max() > 8), "not one colour all over"
        shots.append(picture(page))
    for before, after in itertools.pairwise(shots):
        assert (np.abs(before - after).max(axis=2) > 24).mean() > 0.02, "another moment is another picture"
