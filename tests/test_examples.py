"""Every program in examples/ runs as it stands, says something, and is in the list."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from sandlot.bridge.godot_engine import find
from sandlot.cli.main import app

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_runs_and_says_something(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr


def test_every_example_is_listed_and_short():
    listed = (EXAMPLES / "README.md").read_text()
    for name in PROGRAMS:
        assert f"({name})" in listed
        assert len((EXAMPLES / name).read_text().splitlines()) <= 30


@pytest.mark.slow
def test_pytest_can_call_a_gate(tmp_path):
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(EXAMPLES / "gates_in_tests")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr


# What GdUnit4's base class gives to the example, and a scene tree that runs its test.
SUITE = """class_name GdUnitTestSuite extends RefCounted
class Assert:
	var value: int
	var message := ""
	func override_failure_message(text: String) -> Assert:
		message = text
		return self
	func is_equal(wanted: int) -> void:
		print("PASSED" if value == wanted else "FAILED: " + message)
func assert_int(value: int) -> Assert:
	var made := Assert.new()
	made.value = value
	return made
"""
RUN = """extends SceneTree
func _initialize() -> void:
	load("res://gate_test.gd").new().test_the_scene_plays_as_it_did()
	quit()
"""


@pytest.mark.slow
@pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")
@pytest.mark.parametrize(("code", "said"), [(0, "PASSED"), (1, "FAILED: apples fell")])
def test_gdunit4_can_call_a_gate(tmp_path, code, said):
    """The words that it calls a gate with, and that it goes by the exit code."""
    (tmp_path / "project.godot").write_text('config_version=5\n[application]\nconfig/name="Suite"\n')
    (tmp_path / "suite.gd").write_text(SUITE)
    (tmp_path / "run.gd").write_text(RUN)
    shutil.copy(EXAMPLES / "gates_in_tests/gate_test.gd", tmp_path)
    program = tmp_path / "sandlot"
    program.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/words"\necho apples fell\nexit {code}\n')
    program.chmod(0o755)
    engine = [find().path, "--headless", "--path", tmp_path]
    subprocess.run([*engine, "--import"], capture_output=True, timeout=120)
    done = subprocess.run(
        [*engine, "--script", "res://run.gd"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "SANDLOT": str(program)},
    )
    assert said in done.stdout, done.stdout + done.stderr
    words = (tmp_path / "words").read_text().split()
    assert words[:2] == ["gate", "regression"] and f"{tmp_path}/baselines/main/policy.pt" in words
    command = typer.main.get_command(app).commands["gate"].commands["regression"]
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
