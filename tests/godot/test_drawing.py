"""The scenes draw, on a screen in memory where there is none, and it is a picture of the match."""

import json
import os
import shutil
import sys

import numpy as np
import pytest
from lacking import lacking

from sandlot.bridge.godot_process import GodotProcess, screen
from sandlot.errors import GodotFailed

pytestmark = pytest.mark.slow
LIMIT_S = 240
PICTURES = 3


@pytest.fixture(scope="module")
def drawn(engine, project, tmp_path_factory):
    """The first pictures of a match between scripts, by the recorder that a scene carries."""
    if sys.platform == "linux" and not os.environ.get("DISPLAY") and shutil.which("Xvfb") is None:
        lacking("needs Xvfb")
    folder = tmp_path_factory.mktemp("frames")
    words = ["--fixed-fps", "30", "--quit-after", str(PICTURES + 2), "res://games/tag/Main.tscn"]
    with screen() as variables:
        recording = {"AI_RECORD": "1", "AI_RECORD_FPS": "30", "AI_FRAMES_DIR": str(folder)}
        arguments = [*words, "--", "--watch", "--seed=3"]
        environment = {**variables, **recording}
        with GodotProcess(
            arguments, project=project, engine=engine, headless=False, environment=environment
        ) as process:
            ended = process.wait(LIMIT_S)
    return ended, sorted(folder.glob("frame_*.png"))


def pixels(path) -> np.ndarray:
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(path).convert("RGB"), float) / 255


def test_the_scene_draws_without_a_complaint(drawn):
    ended, pictures = drawn
    assert ended.code == 0, ended.output
    assert "SCRIPT ERROR" not in ended.output and "SHADER ERROR" not in ended.output
    assert len(pictures) >= PICTURES
    assert [path.name for path in pictures[:2]] == ["frame_00000.png", "frame_00001.png"]


def test_both_cubes_are_in_the_picture_in_their_colours(drawn):
    picture = pixels(drawn[1][-1])
    height, width, _ = picture.shape
    middle = picture[
        int(height * 0.1) : int(height * 0.97), int(width * 0.22) : int(width * 0.78)
    ]  # without panes
    red, green, blue = np.moveaxis(middle, -1, 0)
    assert ((red > 0.75) & (green < 0.45) & (blue < 0.45)).mean() > 2e-4, "no seeker"
    assert ((blue > 0.75) & (red < 0.45)).mean() > 2e-4, "no hider"
    assert picture.std() > 0.05, "blank"


def recording(box: list[float]) -> dict:
    """Two moments of a match in which the hider stands behind a box, as the replay scene reads them."""
    state = {
        "time_left": 9.0, "position": [[4.0, 0.0, 3.0], [0.0, 0.0, -1.6]], "velocity": [[0.0] * 3] * 2,
        "facing": [[-1.0, 0.0], [0.0, 1.0]], "seeker": [1.0, 0.0], "out": [0.0, 0.0], "immunity": [0.0, 0.0],
        "ray_distance": [[], []], "ray_type": [[], []], "boxes": [box],
    }  # fmt: skip
    frames = [{"render_state": state | {"tick": tick}} for tick in (0.0, 60.0)]
    return {"header": {"agents": ["seeker", "hider"], "config": {"tick_rate": 60}}, "frames": frames}


def test_a_cube_behind_a_box_shows_through_it(engine, project, tmp_path):
    if sys.platform == "linux" and not os.environ.get("DISPLAY") and shutil.which("Xvfb") is None:
        lacking("needs Xvfb")
    path = tmp_path / "recording.json"
    path.write_text(json.dumps(recording([-1.2, 0.0, -1.0, 1.2, 3.0, 1.0])))
    words = [
        "--fixed-fps",
        "30",
        "--quit-after",
        "3",
        "res://games/tag/Replay.tscn",
        "--",
        str(path),
        "--camera=wide",
    ]
    with screen() as variables:
        environment = {**variables, "AI_RECORD": "1", "AI_RECORD_FPS": "30", "AI_FRAMES_DIR": str(tmp_path)}
        with GodotProcess(
            words, project=project, engine=engine, headless=False, environment=environment
        ) as process:
            assert process.wait(LIMIT_S).code == 0
    picture = pixels(tmp_path / "frame_00001.png")
    height, width, _ = picture.shape
    box = picture[int(height * 0.42) : int(height * 0.56), int(width * 0.46) : int(width * 0.54)]
    assert ((box[..., 2] > 0.5) & (box[..., 2] > 2 * box[..., 0])).mean() > 0.05, "the hider is hidden"


def test_without_a_screen_and_without_xvfb_drawing_is_refused_in_words(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    if sys.platform != "linux":
        pytest.skip("other systems have a screen of their own")
    with pytest.raises(GodotFailed, match="Xvfb"), screen():
        pass
