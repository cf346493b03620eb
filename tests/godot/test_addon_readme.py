"""The example of the addon's README, in a project of its own: what it writes can be drawn and played."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandlot.bridge.godot_process import GodotProcess
from sandlot.compat.trajectories import read_trajectory, states_of

LIMIT_S = 120
PROJECT = """config_version=5
[application]
config/name="Somebody else's game"
run/main_scene="res://main.tscn"
"""
SCENE = """[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://example.gd" id="1"]
[node name="Walker" type="CharacterBody3D"]
script = ExtResource("1")
"""


@pytest.fixture(scope="module")
def other(project, tmp_path_factory):
    """A new project with the addon copied into it and the README's example as its scene."""
    folder = tmp_path_factory.mktemp("other") / "game"
    addon = folder / "addons/sandlot"
    shutil.copytree(project / "addons/sandlot", addon, ignore=shutil.ignore_patterns("*.uid"))
    example = re.search(r"```gdscript\n(.*?)```", (addon / "README.md").read_text(), re.S)[1]
    (folder / "project.godot").write_text(PROJECT)
    (folder / "main.tscn").write_text(SCENE)
    (folder / "example.gd").write_text(example)
    return folder


def run(engine, other, **variables):
    arguments = ["--fixed-fps", "60", "--quit-after", "200"]
    with GodotProcess(arguments, project=other, engine=engine, environment=variables) as scene:
        ended = scene.wait(LIMIT_S)
    assert ended.code == 0 and "ERROR" not in ended.output, ended.output
    return re.search(r"^/.+/trajectories/ep_00001\.jsonl$", ended.output, re.M)[0]


def test_the_example_writes_lists_that_can_be_drawn_and_played(engine, other, tmp_path, project):
    path = run(engine, other, AI_DATA_ROOT=str(tmp_path / "data"))
    assert path == str(tmp_path / "data/trajectories/ep_00001.jsonl")
    lines = list(read_trajectory(tmp_path / "data/trajectories/ep_00001.jsonl"))
    step = next(line for line in lines if line["type"] == "step")
    assert step["pos"] == pytest.approx([2 / 60, 0, 1 / 60], abs=1e-3) and len(step["sees"]) == 36 * 4
    _, states, end = states_of(lines)
    assert len(states) > 100 and states[-1]["position"][0][0] > 4 and end["winner"] == "nobody"

    words = ["episode", "--trajectory", path, "--output", "paths.png"]
    program = [sys.executable, "-m", "sandlot.compat", *words]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0 and (tmp_path / "paths.png").stat().st_size > 5000, done.stderr

    arguments = ["--fixed-fps", "60", "res://games/tag/Replay.tscn", "--", path, "--speed=20"]
    with GodotProcess(arguments, project=project, engine=engine) as scene:
        ended = scene.wait(LIMIT_S)
    assert ended.code == 0 and "ERROR" not in ended.output, ended.output


def test_without_a_named_folder_nothing_is_written_outside_what_the_project_may_write(
    engine, other, tmp_path, monkeypatch
):
    before = sorted(other.parent.rglob("*.jsonl"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    path = run(engine, other, AI_DATA_ROOT="")
    assert path.startswith(str(tmp_path / "share")), "user://"
    assert sorted(other.parent.rglob("*.jsonl")) == before == []
    assert next(iter(read_trajectory(Path(path))))["seed"] == 7
