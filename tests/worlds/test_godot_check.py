"""What is found wrong with a project by reading its files alone; what needs an engine is in tests/godot."""

from pathlib import Path

import pytest
from refusals import refused

from sandlot.bridge.godot_addon import addon_version
from sandlot.bridge.godot_engine import Engine
from sandlot.errors import ConfigError
from sandlot.worlds import godot_check
from sandlot.worlds.godot_check import Finding, described_build

ENGINE = Engine(Path("/nowhere/godot"), "4.6.3.stable.test", "PATH")
SCENE = """[gd_scene format=3]
[ext_resource type="Script" path="res://addons/sandlot/trainer.gd" id="1"]
[node name="Main" type="Node2D"]
[node name="SandlotTrainer" type="Node" parent="."]
script = ExtResource("1")
"""


@pytest.fixture
def project(tmp_path):
    from sandlot.bridge.godot_addon import copy_addon

    folder = tmp_path / "my game"
    folder.mkdir()
    (folder / "project.godot").write_text(
        '[application]\n\nconfig/name="My Game!"\nrun/main_scene="res://main.tscn"\n\n'
        "[physics]\n\ncommon/physics_ticks_per_second=30\n"
    )
    (folder / "main.tscn").write_text(SCENE)
    copy_addon(folder)
    return folder


def test_a_build_is_described_by_the_projects_name_scene_rate_and_addon(project):
    build = described_build(project, None, None, ENGINE)
    assert build.program == project / "build" / "my_game_headless.x86_64"
    assert (build.project, build.scene, build.tick_rate) == (project, "res://main.tscn", 30)
    version = addon_version(project / "addons" / "sandlot")
    assert version and build.addon == version
    assert (build.stock, build.engine) == (False, "4.6.3.stable.test")


def test_a_program_lies_where_it_is_wanted_under_a_name_of_its_kind(project, tmp_path):
    wanted = tmp_path / "out" / "game.x86_64"
    assert described_build(project, None, wanted, ENGINE).program == wanted
    for name in ("game.exe", "game", "game.x86_64.zip"):
        with refused(tmp_path, ConfigError, rf"{name}: expected a name that ends in \.x86_64\.$"):
            described_build(project, None, tmp_path / name, ENGINE)


def test_a_problem_of_the_files_keeps_a_build_from_being_described_and_a_note_does_not(project, monkeypatch):
    findings = [Finding("note", "a note"), Finding("problem", "the first"), Finding("problem", "the second")]
    monkeypatch.setattr(godot_check, "_files", lambda project, scene: iter(findings))
    with pytest.raises(ConfigError, match=r"^the first$"):
        described_build(project, None, None, ENGINE)
    monkeypatch.setattr(godot_check, "_files", lambda project, scene: iter(findings[:1]))
    assert described_build(project, None, None, ENGINE).project == project


def test_a_scene_without_a_trainer_is_a_problem(project):
    (project / "main.tscn").write_text('[gd_scene format=3]\n[node name="Main" type="Node2D"]\n')
    texts = [finding.text for finding in godot_check._files(project, None) if finding.kind == "problem"]
    assert texts
    with pytest.raises(ConfigError) as problem:
        described_build(project, None, None, ENGINE)
    assert str(problem.value) == texts[0]
