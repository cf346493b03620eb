"""The Recorder node of the main scene: `enabled = true` dumps frames, at the rate that lies beside them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from media.filming import need_a_camera

from sandlot.bridge.godot_process import GodotProcess, screen

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
LIMIT_S = 240
QUICK = ["--rendering-method", "gl_compatibility", "--resolution", "320x180"]


def recorded(engine, project, data, drawn_fps, **variables):
    """Frames that a recorder at 20 a second saved of a dozen pictures drawn at another rate."""
    need_a_camera()
    words = [*QUICK, "--fixed-fps", str(drawn_fps), "--script", str(HERE / "recorder_check.gd")]
    with screen() as display:
        environment = {
            **display, "AI_DATA_ROOT": str(data), "SANDLOT_URL": "ws://127.0.0.1:9", **variables
        }  # fmt: skip
        with GodotProcess(
            words, project=project, engine=engine, headless=False, environment=environment
        ) as scene:
            ended = scene.wait(LIMIT_S)
    assert ended.code == 0 and "SCRIPT ERROR" not in ended.output, ended.output
    count, place = re.search(r"^SAVED (\d+) IN (.+)$", ended.output, re.M).groups()
    assert place == str(data / "frames")
    frames = sorted((data / "frames").glob("*.png"))
    assert [path.name for path in frames] == [f"frame_{i:05d}.png" for i in range(len(frames))]
    return frames, int(count)


@pytest.mark.parametrize(("drawn_fps", "each"), [(20, 1.0), (60, 1 / 3), (10, 2.0)])
def test_frames_are_saved_at_the_set_rate_however_often_the_screen_is_drawn(
    engine, project, tmp_path, drawn_fps, each
):
    """Drawn more often some are left out, drawn less often one is kept for several moments."""
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames/frame_00099.png").touch()  # of an earlier recording
    frames, count = recorded(engine, project, tmp_path, drawn_fps)
    assert len(frames) == pytest.approx(12 * each, abs=2) and abs(count - len(frames)) <= 2
    assert json.loads((tmp_path / "frames/frames.json").read_text()) == {"fps": 20}
    image = pytest.importorskip("PIL.Image")
    first = np.asarray(image.open(frames[0]).convert("RGB"), float) / 255
    assert first.shape == (180, 320, 3) and first.std() > 0.03, "blank"
    if each == 2.0:
        assert frames[2].read_bytes() == frames[3].read_bytes()


def test_the_variables_name_rate_and_folder(engine, project, tmp_path):
    recorded(engine, project, tmp_path, 20, AI_RECORD_FPS="10")
    assert json.loads((tmp_path / "frames/frames.json").read_text()) == {"fps": 10}
