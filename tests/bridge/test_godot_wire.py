"""The golden messages in the real engine: the addon reads and writes exactly what Python does."""

import json
from pathlib import Path

import pytest

from sandlot.bridge.godot_engine import find
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder

HERE = Path(__file__).parent
FOLDER = HERE.parent / "golden" / "messages"
GOLDEN = sorted(path.stem for path in FOLDER.glob("*_*.json"))
LIMIT_S = 120

pytestmark = pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")


@pytest.fixture(scope="module")
def messages():
    """What the engine read and wrote, by golden file."""
    words = ["--script", str(HERE / "wire_check.gd"), "--", str(FOLDER)]
    with GodotProcess(words, project=project_folder()) as process:
        ended = process.wait(LIMIT_S)
        lines = process.log.read_text(errors="replace").splitlines()
    assert ended.code == 0, ended.output
    found = [json.loads(line.removeprefix("GOLDEN ")) for line in lines if line.startswith("GOLDEN ")]
    return {one["name"]: one["message"] for one in found}


def test_the_engine_saw_every_golden_message(messages):
    assert sorted(messages) == GOLDEN


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("state")])
def test_the_addon_writes_the_golden_state(messages, name):
    golden = json.loads((FOLDER / f"{name}.json").read_text())
    assert messages[name]["problem"] == ""
    assert messages[name]["hex"] == golden["hex"]
    assert messages[name]["json"] == golden["json"]


@pytest.mark.parametrize("name", [name for name in GOLDEN if not name.startswith("state")])
def test_the_addon_reads_the_golden_command(messages, name):
    golden = json.loads((FOLDER / f"{name}.json").read_text())["json"]
    for form in ("bytes", "json"):
        read = messages[name][form]
        assert (read["type"], read["step"]) == (golden["type"], golden["step"])
        if golden["type"] == "reset":
            assert (read["worlds"], read["seeds"]) == (golden["worlds"], golden["seeds"])
        elif "choices" in read:
            assert read["choices"] == golden["actions"]
        else:
            assert read["actions"] == [number for row in golden["actions"] for number in row]
    assert messages[name]["cut"]["type"] == "error"
