"""The addon's nodes in a game that runs: the overlay and its switch, demonstrations, cameras, coverage."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import sandlot
from sandlot.bridge.godot_addon import copy_addon
from sandlot.bridge.godot_process import GodotProcess, screen
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.export import export_onnx
from sandlot.worlds.godot import address

from .scenes import agent, make_project, scene

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
LIMIT_S = 90
CAMERA = """extends SandlotAgent
func _init() -> void:
	actions = {"turn": ["left", "right"]}
func act(action: Dictionary) -> void:
	get_parent().rotate_y(PI / 2 if action.turn == 0 else -PI / 2)
func begin_episode(random: SandlotRandom) -> void:
	get_parent().rotation = Vector3.ZERO
	var red: Node3D = get_parent().get_parent().get_node("Red")
	red.position = Vector3(0, 0, -8) if random.integer_in(0, 1) else Vector3(0, 0, 8)  # ahead or behind
"""
# A red wall ahead, a green one to the left, without light: colours are exact.
WALLS = """[gd_scene format=3]
[ext_resource type="Script" path="res://camera_agent.gd" id="a"]
[ext_resource type="Script" path="res://addons/sandlot/trainer.gd" id="t"]
[ext_resource type="Script" path="res://addons/sandlot/sensors/camera_sensor_3d.gd" id="c"]
[sub_resource type="StandardMaterial3D" id="red"]
shading_mode = 0
albedo_color = Color(1, 0, 0, 1)
[sub_resource type="StandardMaterial3D" id="green"]
shading_mode = 0
albedo_color = Color(0, 1, 0, 1)
[sub_resource type="BoxMesh" id="box"]
size = Vector3(9, 9, 9)
[node name="Root" type="Node3D"]
[node name="Red" type="MeshInstance3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -8)
mesh = SubResource("box")
material_override = SubResource("red")
[node name="Green" type="MeshInstance3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -8, 0, 0)
mesh = SubResource("box")
material_override = SubResource("green")
[node name="Body" type="CharacterBody3D" parent="."]
[node name="Agent" type="Node" parent="Body"]
script = ExtResource("a")
[node name="Camera" type="Node3D" parent="Body"]
script = ExtResource("c")
resolution = Vector2i(12, 8)
[node name="Trainer" type="Node" parent="."]
script = ExtResource("t")
ticks_per_step = 1
"""


@pytest.fixture
def catcher(engine, tmp_path):
    """The example game with an agent that names a policy, and recorders of demonstrations and coverage."""
    folder = shutil.copytree(ROOT / "examples/godot_minimal", tmp_path / "catcher")
    copy_addon(folder)
    with sandlot.make(address(folder)) as world:
        policy = Policy(world.spec, "agent", NetworkConfig(hidden_sizes=(8,)), seed=1)
    with torch.no_grad():
        policy.network.last.bias[:3] = torch.tensor([9.0, 0.0, -9.0])  # always to the left
    export_onnx(policy, folder / "left.onnx")
    text = (folder / "catcher.tscn").read_text()
    text = text.replace('[node name="Agent" type="Node" parent="."]\nscript = ExtResource("2")\n', """
[node name="Agent" type="Node" parent="."]
script = ExtResource("2")
policy_path = "res://left.onnx"

[node name="Recorder" type="Node" parent="Agent"]
script = ExtResource("4")

[node name="Coverage" type="Node" parent="."]
script = ExtResource("5")
cell = 100.0
expected = PackedStringArray("never")
""")  # fmt: skip
    resources = """[ext_resource type="Script" path="res://addons/sandlot/demo_recorder.gd" id="4"]
[ext_resource type="Script" path="res://addons/sandlot/coverage_recorder.gd" id="5"]

[node name="Catcher\""""
    (folder / "catcher.tscn").write_text(text.replace('[node name="Catcher"', resources, 1))
    return folder


def test_f3_shows_agents_and_a_policy_takes_over_and_gives_back(catcher, engine):
    settings = catcher / "project.godot"
    settings.write_text(settings.read_text() + '\n[autoload]\nCheck="*res://check.gd"\n')
    shutil.copy(Path(__file__).parent / "playing_check.gd", catcher / "check.gd")
    with screen() as variables:
        words = ["--rendering-driver", "opengl3", "res://catcher.tscn", "--", "--policy="]
        shown = GodotProcess(words, project=catcher, engine=engine, headless=False, environment=variables)
        with shown as running:
            ended = running.wait(LIMIT_S)
    lines = dict(line.split(": ", 1) for line in ended.output.splitlines() if ": " in line)
    assert ended.code == 0 and lines["shown at first"] == "false", ended.output
    assert "now plays left.onnx" in ended.output
    looks = {what: json.loads(lines[what]) for what in ("by hand", "by policy", "by hand again")}
    assert all(look["visible"] for look in looks.values())
    assert "steer stay" in looks["by hand"]["text"] and "steer left" in looks["by policy"]["text"]
    assert "steer stay" in looks["by hand again"]["text"]
    assert "basket" in looks["by hand"]["text"] and "episode" in looks["by hand"]["text"]


def test_what_is_recorded_as_a_demonstration_is_what_a_trainer_sees_and_does(catcher, engine, tmp_path):
    words = ["--fixed-fps", "60", "res://catcher.tscn", "--", "--seed=11", "--episodes=3"]
    variables = {"AI_DATA_ROOT": str(tmp_path / "data")}
    with GodotProcess(words, project=catcher, engine=engine, environment=variables) as running:
        ended = running.wait(LIMIT_S)
    assert ended.code == 0, ended.output
    header, *episodes = [
        json.loads(line) for line in (tmp_path / "data/demos/agent.jsonl").read_text().splitlines()
    ]
    assert (header["format"], header["game"], header["role"]) == (
        "sandlot_demos_v1",
        "apple_catcher",
        "agent",
    )
    assert [field["name"] for field in header["observation"]] == ["basket", "apple"]
    assert header["actions"] == [{"name": "steer", "kind": "choice", "options": ["left", "stay", "right"]}]
    assert len(episodes) == 3 and all(len(e["obs"]) == len(e["acts"]) + 1 for e in episodes)
    with sandlot.make(address(catcher), 1) as world:
        world.reset(seeds=[11])
        for episode in episodes:
            for seen, action in zip(episode["obs"], episode["acts"], strict=False):
                assert world.observations[0] == pytest.approx(seen, abs=1e-6)
                world.step(np.array(action, np.int32))
            assert world.final_observations[0] == pytest.approx(episode["obs"][-1], abs=1e-6)
        assert [e["return"] for e in world.finished()] == [e["return"] for e in episodes]
    coverage = json.loads((tmp_path / "data/coverage.json").read_text())
    assert coverage["cells"] == [[0, 0, 0, coverage["ticks"]]], "the scene's root stands still"
    assert coverage["states"] == {"never": 0} and coverage["ticks"] > 100


def test_a_camera_is_drawn_while_it_trains_and_shows_what_is_ahead(engine, tmp_path):
    folder = make_project(tmp_path / "cameras")
    (folder / "camera_agent.gd").write_text(CAMERA)
    (folder / "camera.tscn").write_text(WALLS)
    with sandlot.make(address(folder, "res://camera.tscn"), 2) as world:
        (field,) = world.spec.observation
        assert field.image and field.shape == (8, 12, 3) and (field.low, field.high) == (0, 255)
        red = {}
        for seed in range(8):
            world.reset(seeds=[seed, seed])
            seen = world.observations.reshape(2, 8, 12, 3)[:, 2:6, 3:9]
            red[seed] = (seen == [255, 0, 0]).all(axis=(1, 2, 3)).tolist()
        assert all(one == other for one, other in red.values()), "the same seed, the same picture"
        assert {one for one, _ in red.values()} == {True, False}, "as soon as an episode has begun"
        world.reset(seeds=[next(seed for seed, (one, _) in red.items() if one)] * 2)
        pictures = [world.observations.reshape(2, 8, 12, 3).copy()]
        world.step(np.array([0, 1], np.int32))
        pictures.append(world.observations.reshape(2, 8, 12, 3).copy())
    assert (pictures[0][:, 2:6, 3:9] == [255, 0, 0]).all(), "both see the red wall"
    assert (pictures[1][0, 2:6, 3:9] == [0, 255, 0]).all(), "one has turned to the green one"
    assert not (pictures[1][1, 2:6, 3:9, :2] > 200).any(), "and the other one to nothing"


def test_an_observation_of_more_than_50_numbers_is_warned_of(engine, tmp_path):
    folder = make_project(tmp_path / "large")
    script = 'extends SandlotAgent\nfunc _init():\n\tactions = {"go": ["a", "b"]}\nfunc observe_fields():\n'
    (folder / "large.gd").write_text(script + '\treturn {"map": range(60)}\n')
    (folder / "large.tscn").write_text(scene({"a": "large.gd"}, agent("Agent", "a")))
    log = tmp_path / "godot.log"
    with sandlot.make(address(folder, "res://large.tscn"), 1, log=log):
        pass
    assert "What the agent Agent observes gives 60 numbers. Up to about 50" in log.read_text()
