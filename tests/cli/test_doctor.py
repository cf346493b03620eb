"""cli/doctor.py: what is there, what is missing, and where it was looked for."""

import json
import sys

import pytest

from sandlot.bridge import godot_engine
from sandlot.cli import doctor as module
from sandlot.errors import GodotMissing

from .documented import assert_documented


def test_a_godot_that_is_there_is_named_and_one_that_is_not_is_no_failure(sandlot, monkeypatch):
    def absent():
        raise GodotMissing("There is no Godot.")

    monkeypatch.setattr(godot_engine, "require", absent)
    done = sandlot("doctor", "--json")
    assert done.code == 0 and json.loads(done.out)["godot"] == {
        "found": False,
        "problem": "There is no Godot.",
    }
    assert "Godot: There is no Godot." in sandlot("doctor").out


def test_a_program_is_found_beside_this_python_too(monkeypatch, tmp_path):
    python = tmp_path / "python"
    for path in (python, tmp_path / "node"):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", "/nowhere")
    assert module._tool("node") == str(tmp_path / "node") and module._tool("no-such-tool") is None


@pytest.mark.parametrize(("package", "found"), [("numpy", True), ("no-such-package", False)])
def test_a_package_has_a_version_or_none(package, found):
    assert bool(module._version(package)) is found


def test_the_report_has_every_package_and_tool_in_its_table(sandlot):
    text = sandlot("doctor").out
    for name, *_ in (*module.PACKAGES, *module.TOOLS):
        assert f" {name} " in text
    assert f"{module.collect()['processors']} processors" in text


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("doctor")
