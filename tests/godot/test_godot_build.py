"""A project exported as a program: it plays like the project, and connects to nobody unasked."""

import json
import os
import subprocess

import numpy as np
import pytest

import sandlot
from sandlot.bridge.godot_build import Build, export, read_build
from sandlot.bridge.godot_process import ALLOW_NETWORK
from sandlot.errors import ConfigError
from sandlot.worlds.godot import address, check_playable, parse_address
from sandlot.worlds.godot_check import described_build

from .scenes import make_project

SCENE = "res://walk.tscn"
LIMIT_S = 60


@pytest.fixture(scope="module")
def project(engine, tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("exported") / "studio")


@pytest.fixture(scope="module")
def build(engine, project):
    before = {path for path in project.rglob("*") if ".godot" not in path.parts}
    described = described_build(project, SCENE, None, engine)
    program = export(project, described, engine)
    added = {path for path in project.rglob("*") if ".godot" not in path.parts} - before
    assert {path.relative_to(project).parts[0] for path in added} == {"build"}, (
        "nothing else of it is touched"
    )
    return program


@pytest.mark.slow
def test_the_program_is_where_it_is_looked_for_and_says_what_it_was_made_of(build, project, engine):
    assert build == project / "build" / "scenes_of_tests_headless.x86_64" and os.access(build, os.X_OK)
    assert read_build(build) == Build(
        build, project, SCENE, 60, read_build(build).addon, False, engine.version
    )
    assert parse_address(address(build)) == (project, SCENE)
    check_playable(address(build))
    with pytest.raises(ConfigError, match=r"plays res://walk\.tscn only"):
        address(build, "res://hunt.tscn")


@pytest.mark.slow
def test_a_build_plays_as_its_project_does(build, project):
    rng, played = np.random.default_rng(1), {}
    actions = rng.uniform(-1, 1, (20, 3, 3)).astype(np.float32)
    actions[..., 2] = 1
    for name in (address(build), address(project, SCENE)):
        with sandlot.make(name, 3, seed=2) as world:
            world.reset(seed=4)
            seen = []
            for row in actions:
                world.step(row)
                seen.append((world.observations.copy(), world.rewards.copy()))
            played[name] = seen, [episode["return"] for episode in world.finished()]
    (here, returns), (there, others) = played.values()
    assert returns == others and len(returns) == 3
    for one, other in zip(here, there, strict=True):
        assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


@pytest.mark.slow
def test_a_release_build_connects_to_nobody_unless_it_is_asked_to(build):
    variables = {**os.environ, "SANDLOT_URL": "ws://127.0.0.1:9"}
    variables.pop(ALLOW_NETWORK, None)
    command = [str(build), "--headless", "--audio-driver", "Dummy"]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=LIMIT_S)
    sentence = "This is a release build, which does not connect to a trainer unless it is asked to"
    assert ended.returncode == 2 and sentence in ended.stdout + ended.stderr
    assert f"{ALLOW_NETWORK}=1" in ended.stdout + ended.stderr
    variables[ALLOW_NETWORK] = "1"
    asked = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=LIMIT_S)
    assert "No trainer answers at ws://127.0.0.1:9" in asked.stdout + asked.stderr


def made(folder, **changes):
    """A file with that beside it which makes it a build."""
    program = folder / "game_headless.x86_64"
    program.write_text("#!/bin/sh\n")
    stored = {
        "format": "sandlot_build_v1", "project": str(folder), "scene": SCENE, "tick_rate": 60,
        "addon": "0.0.1", "stock": False, "engine": "4.6",
    }  # fmt: skip
    (folder / "game_headless.json").write_text(json.dumps(stored | changes))
    return program


def test_a_file_that_is_no_build_and_one_of_another_version_are_refused(tmp_path):
    other = tmp_path / "other.x86_64"
    other.write_text("")
    with pytest.raises(ConfigError, match=r"other\.x86_64 is not a build of ours: other\.json beside it"):
        address(other)
    for changes in ({"format": "sandlot_build_v9"}, {"surprise": 1}):
        with pytest.raises(ConfigError, match="is not a build of ours"):
            address(made(tmp_path, **changes))
    with pytest.raises(
        ConfigError, match=r"exported with version 0\.0\.1 of addons/sandlot.*Export it again"
    ):
        check_playable(address(made(tmp_path)))
    with pytest.raises(ConfigError, match=r"talks through a Sync node.*godot-rl client"):
        check_playable(address(made(tmp_path, stock=True)))
