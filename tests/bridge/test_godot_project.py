"""The project's folder, its scenes and its import, with an engine that only notes that it was asked."""

import json
import os
import subprocess
import sys

import pytest
from leaks import nothing_left_open

from sandlot.bridge import godot_project
from sandlot.bridge.godot_engine import Engine
from sandlot.bridge.godot_project import ensure_imported, project_folder, scene_path
from sandlot.errors import ConfigError, GodotFailed
from sandlot.worlds import load_spec
from sandlot.worlds.godot import spec_text, write_specs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")


@pytest.fixture
def engine(tmp_path):
    """An engine that appends its arguments to `calls`."""
    program = tmp_path / "engine"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    program.chmod(0o755)
    return Engine(program, "4.6.stable", "PATH")


def calls(tmp_path):
    file = tmp_path / "calls"
    return file.read_text().splitlines() if file.exists() else []


def set_time(path, seconds):
    os.utime(path, (seconds, seconds))


def test_an_import_is_made_once_and_again_when_a_file_is_newer(project, engine, tmp_path):
    with nothing_left_open():
        ensure_imported(engine, project)
    assert calls(tmp_path) == [f"--headless --path {project} --import"]
    ensure_imported(engine, project)
    assert len(calls(tmp_path)) == 1
    mark = (project / godot_project.MARK).stat().st_mtime
    set_time(project / "project.godot", mark + 10)
    ensure_imported(engine, project)
    assert len(calls(tmp_path)) == 2
    assert (project / godot_project.MARK).stat().st_mtime == mark + 10


@pytest.mark.parametrize("name", ["a.uid", "b.import", ".godot/cache"])
def test_what_an_import_makes_asks_for_no_other(project, engine, tmp_path, name):
    ensure_imported(engine, project)
    later = (project / godot_project.MARK).stat().st_mtime + 10
    (project / name).write_text("made by the engine")
    set_time(project / name, later)
    ensure_imported(engine, project)
    assert len(calls(tmp_path)) == 1


def test_a_file_in_a_folder_counts_too(project, engine, tmp_path):
    ensure_imported(engine, project)
    later = (project / godot_project.MARK).stat().st_mtime + 10
    (project / "scripts").mkdir()
    (project / "scripts/play.gd").write_text("extends Node\n")
    set_time(project / "scripts/play.gd", later)
    ensure_imported(engine, project)
    assert len(calls(tmp_path)) == 2


def test_a_failed_import_says_why_and_is_tried_again(project, engine, tmp_path):
    engine.path.write_text("#!/bin/sh\nfor i in 1 2 3 4; do echo line $i; done\nexit 1\n")
    with pytest.raises(GodotFailed, match="line 2 / line 3 / line 4"):
        ensure_imported(engine, project)
    assert not (project / godot_project.MARK).exists()
    engine.path.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(GodotFailed, match="it printed nothing"):
        ensure_imported(engine, project)
    engine.path.write_text("#!/bin/sh\n")
    ensure_imported(engine, project)
    assert (project / godot_project.MARK).is_file()


def test_an_import_that_hangs_is_ended_at_its_limit(project, engine, monkeypatch):
    monkeypatch.setattr(godot_project, "IMPORT_S", 0.3)
    engine.path.write_text("#!/bin/sh\nexec sleep 60\n")
    with nothing_left_open(), pytest.raises(GodotFailed, match=r"within 0\.3 s"):
        ensure_imported(engine, project)
    assert not (project / godot_project.MARK).exists()


def test_an_engine_that_cannot_be_started_is_named(project, engine):
    engine.path.unlink()
    with nothing_left_open(), pytest.raises(GodotFailed, match="could not be started"):
        ensure_imported(engine, project)


def test_two_imports_at_once_are_one(project, engine, tmp_path):
    """The second waits for the first and finds that nothing is left to do."""
    script = (
        "import sys; from pathlib import Path; from sandlot.bridge.godot_engine import Engine\n"
        "from sandlot.bridge.godot_project import ensure_imported\n"
        f"ensure_imported(Engine(Path({str(engine.path)!r}), '4.6', 'PATH'), Path({str(project)!r}))\n"
    )
    engine.path.write_text(f'#!/bin/sh\nsleep 1\necho "$@" >> {tmp_path}/calls\n')
    both = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert len(calls(tmp_path)) == 1


# ---------------------------------------------------------------- folders and scenes


def test_the_folder_that_is_given_is_used_as_a_whole_path(project, monkeypatch):
    monkeypatch.chdir(project.parent)
    assert project_folder(project.relative_to(project.parent)) == project


def test_a_given_folder_is_never_replaced_by_the_packaged_one(tmp_path, project, monkeypatch):
    monkeypatch.setattr(godot_project, "PACKAGED", project)
    with pytest.raises(ConfigError, match=r"no project\.godot"):
        project_folder(tmp_path)


def test_a_package_without_a_project_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(godot_project, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setattr(godot_project, "PACKAGED", tmp_path / "nothing")
    with pytest.raises(ConfigError, match="nowhere"):
        project_folder()


def test_a_copy_that_cannot_be_made_leaves_nothing(tmp_path, project, monkeypatch):
    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(godot_project, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setattr(godot_project, "PACKAGED", project)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(godot_project.shutil, "copytree", full)
    with pytest.raises(OSError, match="No space"):
        project_folder()
    assert list((tmp_path / "cache/sandlot").iterdir()) == []


def test_who_was_quicker_with_the_copy_wins(tmp_path, project, monkeypatch):
    """Two processes copy at once: the later one finds the place taken and uses what is there."""
    monkeypatch.setattr(godot_project, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setattr(godot_project, "PACKAGED", project)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    copytree = godot_project.shutil.copytree

    def slower(source, new, **options):
        place = tmp_path / "cache/sandlot" / godot_project._copied.__name__
        made = copytree(source, new, **options)
        name = f"project-{godot_project.__version__}-{(project / 'project.godot').stat().st_mtime_ns:x}"
        place = place.with_name(name)
        place.mkdir()
        (place / "first").touch()
        return made

    monkeypatch.setattr(godot_project.shutil, "copytree", slower)
    copy = project_folder()
    assert (copy / "first").exists()
    assert [path.name for path in copy.parent.iterdir()] == [copy.name]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("tag", "res://games/tag/Main.tscn"),
        ("tag/train", "res://games/tag/train.tscn"),
        ("tag/nothing", "res://games/tag/Main.tscn"),
        ("res://other/Own.tscn", "res://other/Own.tscn"),
        ("other/Own.tscn", "res://other/Own.tscn"),
    ],
)
def test_a_scene_is_named_by_its_game_its_title_or_its_path(project, name, path):
    for file in ("games/tag/Main.tscn", "games/tag/train.tscn", "other/Own.tscn"):
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).touch()
    assert scene_path(project, name) == path


def test_a_file_that_is_no_scene_is_refused_with_what_there_is(project):
    (project / "own.gd").touch()
    with pytest.raises(ConfigError, match="There are: none"):
        scene_path(project, "own.gd")


def test_specs_are_written_only_where_they_changed(project):
    file = project / "games/tag/spec.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    assert write_specs(project) == [file] and file.read_text() == spec_text("tag")
    assert write_specs(project) == []
    assert spec_text("tag").endswith("}\n") and json.loads(spec_text("tag")) == load_spec("tag").json
