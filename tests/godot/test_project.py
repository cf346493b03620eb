"""The project's own tests, in the real engine; and what holds for the project as a whole."""

import re
import subprocess
from pathlib import Path

import pytest

from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import scene_path
from sandlot.worlds.godot import spec_text

ROOT = Path(__file__).parent.parent.parent
LIMIT_S = 420
RUNNER = "res://tests/run.gd"


def run(engine, project, *words: str):
    with GodotProcess(
        ["--fixed-fps", "60", "--script", RUNNER, "--", *words], project=project, engine=engine
    ) as process:
        ended = process.wait(LIMIT_S)
        return ended.code, process.log.read_text(errors="replace")


@pytest.mark.slow
def test_every_test_of_the_project_passes_in_the_real_engine(engine, project):
    code, log = run(engine, project)
    failed = [line for line in log.splitlines() if line.startswith("FAIL")]
    assert (code, failed) == (0, []), log[-3000:]
    assert int(re.search(r"(\d+) passed", log)[1]) >= 74, "tests have gone missing"
    assert "SCRIPT ERROR" not in log, log[-3000:]


def test_a_failing_test_shows_in_the_exit_code(engine, project):
    planted = project / "tests" / "test_planted_by_pytest.gd"
    planted.write_text(
        "extends SandlotTestCase\nfunc test_one_is_two() -> void:\n\tequal(1, 2, 'one')\n"
        "func test_nothing() -> void:\n\tpass\n"
    )
    try:
        code, log = run(engine, project, "planted")
    finally:
        planted.unlink()
        planted.with_suffix(".gd.uid").unlink(missing_ok=True)
    assert code == 2
    assert "one is 1, expected 2" in log and "it checked nothing" in log


def test_the_spec_beside_the_scene_is_the_engines(project):
    for place in project.glob("games/*/spec.json"):
        assert place.read_text() == spec_text(place.parent.name), "write it anew with: sandlot godot sync"


def test_git_holds_nothing_that_the_engine_made(project):
    listed = subprocess.run(
        ["git", "ls-files", "godot"], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    assert [name for name in listed if ".godot/" in name or name.endswith((".import", ".uid"))] == []


def test_scenes_are_found_by_short_names(project):
    assert scene_path(project, "tag") == "res://games/tag/Main.tscn"
    assert scene_path(project, "tag/Replay") == "res://games/tag/Replay.tscn"
    assert scene_path(project, "res://games/tag/train.tscn") == "res://games/tag/train.tscn"


def test_no_scene_places_anything_with_godot_3s_property(project):
    """`translation` is silently ignored by Godot 4: walls would stand at the origin."""
    for scene in project.glob("**/*.tscn"):
        assert not re.search(r"^translation", scene.read_text(), re.M), scene


def test_the_addon_needs_nothing_of_our_games(project):
    """Studios copy the folder alone. What else it names is theirs: files that may be there, an example."""
    theirs = r'addons/"|policies"|config/scene_whitelist\.json"|tests/"|scenes/main\.tscn\.'
    own = rf"res://(?!addons/sandlot|{theirs})\w"
    for script in project.glob("addons/sandlot/*.gd"):
        code = "\n".join(line.split("##")[0] for line in script.read_text().splitlines())
        assert not re.search(own, code), script
        assert not re.search(r"\bTag[A-Z]\w+", code), script
