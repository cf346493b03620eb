"""The addon in Godot's own editor: icons, warnings, lines of sensors, settings, and no script that fails."""

import json
import re
from pathlib import Path

import pytest

from sandlot.bridge.godot_addon import PLACE, addon_folder, copy_addon
from sandlot.bridge.godot_process import GodotProcess

from .scenes import PROJECT

pytestmark = pytest.mark.slow
LIMIT_S = 120
CHECK = "addons/check"
SCENE = """[gd_scene format=3]

[ext_resource type="Script" path="res://walker.gd" id="agent"]
[ext_resource type="Script" path="res://addons/sandlot/trainer.gd" id="trainer"]
[ext_resource type="Script" path="res://addons/sandlot/ray_sensor.gd" id="rays"]
[ext_resource type="Script" path="res://addons/sandlot/sensors/grid_sensor_3d.gd" id="grid"]
[ext_resource type="Script" path="res://addons/sandlot/ray_sensor_2d.gd" id="rays_2d"]
[ext_resource type="Script" path="res://addons/sandlot/rewards/approach_reward.gd" id="reward"]

[node name="Root" type="Node3D"]

[node name="Body" type="CharacterBody3D" parent="."]

[node name="Agent" type="Node" parent="Body"]
script = ExtResource("agent")

[node name="Reward" type="Node" parent="Body/Agent"]
script = ExtResource("reward")

[node name="Eyes" type="Node3D" parent="Body"]
script = ExtResource("rays")

[node name="Grid" type="Node3D" parent="Body"]
script = ExtResource("grid")
columns = 3
rows = 3

[node name="Lost" type="Node2D" parent="."]
script = ExtResource("rays_2d")

[node name="Trainer" type="Node" parent="."]
script = ExtResource("trainer")
"""
WALKER = 'extends SandlotAgent\nfunc _init() -> void:\n\tactions = {"go": ["left", "right"]}\n'


@pytest.fixture(scope="module")
def edited(engine, tmp_path_factory):
    """What the editor printed of a project with the addon, and its whole log."""
    folder = tmp_path_factory.mktemp("edited")
    enabled = f'[editor_plugins]\nenabled=PackedStringArray("res://{PLACE}/plugin.cfg", "res://{CHECK}/plugin.cfg")\n'
    (folder / "project.godot").write_text(PROJECT + enabled)
    copy_addon(folder)
    (folder / CHECK).mkdir(parents=True)
    check = (Path(__file__).parent / "editor_check.gd").read_text()
    (folder / CHECK / "plugin.gd").write_text(check)
    (folder / CHECK / "plugin.cfg").write_text('[plugin]\nname="check"\nscript="plugin.gd"\nversion="1"\n')
    (folder / "walker.gd").write_text(WALKER)
    (folder / "editor.tscn").write_text(SCENE)
    with GodotProcess(["--editor"], project=folder, engine=engine) as editor:
        ended = editor.wait(LIMIT_S)
        log = editor.log.read_text(errors="replace")
    assert ended.code == 0, log
    found = re.search(r"^editor sees (.*)$", log, re.MULTILINE)
    assert found, log
    return json.loads(found[1]), log


def test_no_script_of_the_addon_fails_in_the_editor(edited):
    _, log = edited
    assert not re.search(r"SCRIPT ERROR|Parse Error|addons/sandlot.*ERROR", log), log


def test_every_node_of_the_addon_has_an_icon_that_loads(edited):
    shown, _ = edited
    scripts = [path.read_text() for path in addon_folder().rglob("*.gd")]
    nodes = {
        re.search(r"^class_name (\w+)", text, re.MULTILINE)[1]
        for text in scripts
        if re.search(r"^class_name ", text, re.MULTILINE)
        and re.search(r"^extends (Node\w*|CanvasLayer|Sandlot(Sensor|PotentialReward))$", text, re.MULTILINE)
    }
    assert len(nodes) >= 20 and nodes <= shown["icons"].keys(), nodes - shown["icons"].keys()
    assert set(shown["icons"].values()) == {16}


def test_sensors_draw_what_they_look_at_and_other_nodes_do_not(edited):
    shown, _ = edited
    assert (shown["Eyes"]["gizmos"], shown["Grid"]["gizmos"], shown["Body"]["gizmos"]) == (1, 1, 0)


def test_warnings_name_what_is_missing_and_what_is_large(edited):
    shown, _ = edited
    texts = {name: " ".join(about["warnings"]) for name, about in shown.items() if "warnings" in about}
    assert "144 numbers" in texts["Eyes"] and "No SandlotAgent" not in texts["Eyes"]
    assert texts["Grid"] == ""
    assert "No SandlotAgent finds this sensor" in texts["Lost"]
    assert "nothing to approach" in texts["Reward"]
    assert "What the sensors of Agent see gives 153 numbers" in texts["Trainer"]


def test_numbers_have_ranges_with_units_in_the_inspector(edited):
    shown, _ = edited
    assert shown["Eyes"]["tooltip"]["reach"] == "0.1,1000.0,0.1,suffix:m"
    assert shown["Trainer"]["tooltip"]["ticks_per_step"] == "1.0,1000.0"


def test_the_settings_of_the_project_are_listed(edited):
    shown, _ = edited
    assert shown["settings"] == ["sandlot/network/allow_in_release", "sandlot/data_root"]


def test_every_exported_property_has_a_tooltip():
    """A comment of two # right above it is what the inspector shows."""
    lacking = []
    for path in addon_folder().rglob("*.gd"):
        lines = path.read_text().splitlines()
        for i, line in enumerate(lines):
            if line.startswith("@export") and not lines[i - 1].startswith("##"):
                lacking.append(f"{path.name}:{i + 1} {line}")
    assert lacking == []
