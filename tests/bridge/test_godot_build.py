"""Exporting a project with a program that takes Godot's command line: what is copied, written and refused.

What a real export plays is in tests/godot/test_godot_build.py.
"""

import json
import os
import sys
from dataclasses import replace

import pytest
from leaks import nothing_left_open
from refusals import contents, refused

from sandlot.bridge import godot_build
from sandlot.bridge.godot_build import Build, export, find_template, read_build
from sandlot.bridge.godot_engine import Engine
from sandlot.errors import ConfigError, GodotFailed, GodotMissing

ENGINE = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
folder = pathlib.Path(words[words.index("--path") + 1])
with open(r"{log}", "a") as log:
    print(json.dumps(words), file=log)
if "--export-release" in words:
    program = pathlib.Path(words[-1])
    program.write_text((folder / "project.godot").read_text())
    program.with_suffix(".pck").write_text((folder / "export_presets.cfg").read_text())
    {more}
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    for name in ("project.godot", ".git/config", ".godot/old", "build/old", "scenes/main.tscn"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    (folder / "project.godot").write_text('[application]\n\nconfig/name="Game"\n')
    return folder


@pytest.fixture
def make_engine(tmp_path, monkeypatch):
    """An engine whose export ends as `more` says, and its template where the editor downloads it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    template = tmp_path / "share/godot/export_templates/4.6.3.stable/linux_release.x86_64"
    template.parent.mkdir(parents=True)
    template.write_text("template")

    def make(more=""):
        path = tmp_path / "bin" / "godot"
        path.parent.mkdir(exist_ok=True)
        path.write_text(ENGINE.format(python=sys.executable, log=tmp_path / "calls", more=more))
        path.chmod(0o755)
        return Engine(path, "4.6.3.stable.test", "PATH")

    return make


@pytest.fixture
def build(tmp_path, project):
    program = tmp_path / "out" / "game_headless.x86_64"
    return Build(program, project, "res://scenes/main.tscn", 60, "0.3.0", False, "4.6.3.stable.test")


def test_a_copy_is_exported_and_nothing_of_the_project_changes(make_engine, project, build, tmp_path):
    before, steps = contents(project), []
    with nothing_left_open():
        program = export(project, build, make_engine(), lambda *step: steps.append(step))
    assert contents(project) == before and steps == [("exporting", 0, 0)]
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert [call[3] for call in calls] == ["--import", "--export-release"]
    copy = calls[1][2]
    assert calls[1][:2] == ["--headless", "--path"] and calls[1][4] == "Linux/X11"
    assert copy != str(project) and not os.path.exists(copy), "the copy is removed"  # noqa: PTH110
    assert program == build.program and os.access(program, os.R_OK)
    assert sorted(path.name for path in program.parent.iterdir()) == [
        "game_headless.json", "game_headless.pck", "game_headless.x86_64"
    ]  # fmt: skip
    assert 'run/main_scene="res://scenes/main.tscn"' in program.read_text()
    presets = program.with_suffix(".pck").read_text()
    assert f'custom_template/release="{find_template(make_engine())}"' in presets
    assert 'name="Linux/X11"' in presets and 'custom_features="headless,training"' in presets


def test_the_file_beside_it_says_what_it_was_made_of(make_engine, project, build):
    program = export(project, build, make_engine())
    stored = json.loads(program.with_suffix(".json").read_text())
    assert stored == {
        "format": "sandlot_build_v1", "project": str(project), "scene": "res://scenes/main.tscn",
        "tick_rate": 60, "addon": "0.3.0", "stock": False, "engine": "4.6.3.stable.test",
    }  # fmt: skip
    assert read_build(program) == build


def test_histories_imports_and_older_builds_are_left_out_of_the_copy(make_engine, project, build):
    listing = "(program.parent / 'x').with_name('made.txt')"
    more = f"{listing}.write_text('') ; print('ERROR: ' + ' '.join(sorted(p.name for p in folder.iterdir())), file=sys.stderr); sys.exit(1)"  # noqa: E501
    with pytest.raises(GodotFailed) as problem:
        export(project, build, make_engine(more))
    names = str(problem.value).split("ERROR: ")[1].rstrip(".").split()
    assert {"project.godot", "scenes", "export_presets.cfg"} <= set(names)
    assert not {".git", "build"} & set(names)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("print('ERROR: no preset\\nERROR: two\\nWARNING: x'); sys.exit(1)", "no preset / ERROR: two"),
        ("sys.exit(1)", "it said nothing"),
        ("program.unlink()", "it said nothing"),
        ("program.with_suffix('.pck').unlink()", "it said nothing"),
    ],
)
def test_an_export_that_fails_leaves_an_older_build_as_it_was(make_engine, project, build, more, sentence):
    export(project, build, make_engine())
    with refused(build.program.parent, GodotFailed, f"did not export the project: .*{sentence}"):
        export(project, replace(build, tick_rate=30), make_engine(more))


def test_an_export_that_takes_too_long_is_ended(make_engine, project, build, monkeypatch, tmp_path):
    monkeypatch.setattr(godot_build, "EXPORT_S", 0.5)
    slow = make_engine("import time; time.sleep(60)")
    with nothing_left_open(), pytest.raises(GodotFailed, match=r"did not export the project within 0\.5 s"):
        export(project, build, slow)
    assert not build.program.parent.exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[application]\n\nrun/main_scene="res://a.tscn"\n',
            '[application]\n\nrun/main_scene="res://b.tscn"\n',
        ),
        ("[application]\nx=1\n", '[application]\n\nrun/main_scene="res://b.tscn"\nx=1\n'),
        ("[input]\n", '[input]\n\n[application]\n\nrun/main_scene="res://b.tscn"\n'),
    ],
)
def test_an_exported_game_plays_the_scene_that_was_asked_for(text, expected, tmp_path):
    (tmp_path / "project.godot").write_text(text)
    godot_build._set_main_scene(tmp_path / "project.godot", "res://b.tscn")
    assert (tmp_path / "project.godot").read_text() == expected


def test_templates_are_of_the_engines_version(make_engine):
    engine = make_engine()
    assert find_template(engine).parent.name == "4.6.3.stable"
    for version in ("4.6.stable", "4.5.3.stable"):
        with pytest.raises(GodotMissing, match=f"no export templates of Godot {version}.*Manage Export"):
            find_template(replace(engine, version=version))


@pytest.mark.parametrize(
    "change",
    [
        lambda stored: stored | {"format": "sandlot_build_v2"},
        lambda stored: stored | {"surprise": 1},
        lambda stored: {name: value for name, value in stored.items() if name != "scene"},
        lambda stored: stored | {"engine": "x" * godot_build.MOST_BYTES},
        lambda stored: [],
    ],
)
def test_a_file_beside_a_build_that_says_something_else_is_refused(make_engine, project, build, change):
    program = export(project, build, make_engine())
    beside = program.with_suffix(".json")
    beside.write_text(json.dumps(change(json.loads(beside.read_text()))))
    with pytest.raises(
        ConfigError, match=r"is not a build of ours: game_headless\.json .* sandlot godot export"
    ):
        read_build(program)


def test_debians_program_starts_with_its_libraries(project, build, tmp_path, monkeypatch):
    """Its template is run by the loader of its own packages, from a folder beside the program."""
    root = tmp_path / "bin" / "root"
    loader = root / godot_build.machine().loader
    loader.parent.mkdir(parents=True)
    loader.write_text("loader")
    (tmp_path / "bin" / godot_build.RECORD).write_text('{"source": "debian"}')
    engine = Engine(tmp_path / "bin" / "godot", "4.6.3.stable.debian", "cache")
    made = tmp_path / "made" / build.program.name
    made.parent.mkdir()
    made.write_text("program")
    made.with_suffix(".pck").write_text("data")
    build.program.parent.mkdir()
    for _ in range(2):  # the second replaces the first
        godot_build._install(made, build.program, engine)
    folder = build.program.parent / "game_headless"
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "game_headless": "loader", "game_headless.bin": "program", "game_headless.pck": "data",
    }  # fmt: skip
    assert {path.name for path in build.program.parent.iterdir()} == {folder.name, build.program.name}
    for path in (build.program, folder, folder / "game_headless"):
        assert path.stat().st_mode & 0o111 == 0o111
    assert f"libraries='{root / 'usr/lib' / godot_build.machine().triplet}'" in build.program.read_text()


def test_debians_template_is_fetched_once_and_a_failure_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / godot_build.RECORD).write_text('{"source": "debian"}')
    engine = Engine(tmp_path / "bin" / "godot", "4.6.3.stable.debian", "cache")
    fetched = []

    class Debian:
        def __init__(self, folder, progress):
            self.folder = folder

        def fetch_template(self):
            fetched.append(self.folder)
            if len(fetched) == 1:
                raise OSError("no network")
            (self.folder / "found").write_text("template")
            return self.folder / "found"

    monkeypatch.setattr(godot_build, "DebianEngine", Debian)
    with refused(tmp_path / "bin", GodotMissing, "template cannot be had: no network"):
        find_template(engine)
    templates = tmp_path / "cache/sandlot/godot/templates/4.6.3.stable.debian"
    assert list(templates.iterdir()) == []
    for _ in range(2):
        assert find_template(engine) == templates / "template"
    assert (templates / "template").read_text() == "template" and len(fetched) == 2
    assert [path.name for path in templates.iterdir()] == ["template"]
