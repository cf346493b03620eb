"""Scenes of other Godot projects on the command line: what is refused, before anything is written."""

from pathlib import Path

import pytest
from refusals import contents

from sandlot.bridge.godot_addon import PLACE, copy_addon

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path):
    """The example as it lies in git: without the addon."""
    folder = tmp_path / "catcher"
    folder.mkdir()
    for path in (ROOT / "examples/godot_minimal").iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--project", "nowhere"], "There is no Godot project (no project.godot) in nowhere"),
        (["--scene", "res://a.tscn"], "name its project too, with --project DIR"),
        (["tag", "--project", "catcher"], "tag and --project catcher: give one of them"),
        (
            ["--project", "catcher", "--scene", "res://b.tscn"],
            "no scene res://b.tscn. There are: catcher",
        ),
        (["--project", "catcher"], "has no addons/sandlot. Copy it there: sandlot godot addon"),
        (["--resume", "latest", "--project", "catcher"], "--project has no effect with --resume"),
        (["--resume", "latest", "--arenas", "4"], "--arenas has no effect with --resume"),
        (["--resume", "latest", "--processes", "4"], "--processes has no effect with --resume"),
        (["tag", "--processes", "2"], "--processes is for scenes: name a --project"),
    ],
)
def test_what_cannot_be_trained_is_exit_code_2_and_leaves_nothing(
    sandlot, project, pretender, words, sentence
):
    pretender("exit 3")
    before = contents(project.parent)
    done = sandlot("train", *words)
    assert done.code == 2 and sentence in done.err.replace("\n", " "), done.err
    assert contents(project.parent) == before


def test_a_project_without_a_main_scene_or_a_trainer_node_says_so(sandlot, project, pretender):
    pretender("exit 3")
    copy_addon(project)
    scene = project / "catcher.tscn"
    text = scene.read_text()
    scene.write_text(
        text[: text.index('[node name="SandlotTrainer"')].replace("addons/sandlot/trainer.gd", "x")
    )
    done = sandlot("train", "--project", "catcher")
    assert done.code == 2 and "has a SandlotTrainer node" in done.err
    settings = project / "project.godot"
    settings.write_text(settings.read_text().replace("run/main_scene", "; run/main_scene"))
    done = sandlot("train", "--project", "catcher")
    assert done.code == 2 and "has no main scene. Name one: --scene" in done.err


def test_the_addon_is_copied_and_says_what_it_replaced(sandlot, project):
    done = sandlot("godot", "addon", "catcher")
    assert done.code == 0 and "version" in done.out and "in the place of" not in done.out
    config = project / PLACE / "plugin.cfg"
    config.write_text(config.read_text().replace('version="', 'version="0.0.'))
    done = sandlot("godot", "addon", "catcher")
    assert done.code == 0 and "in the place of 0.0." in done.out
    assert sandlot("godot", "addon").code == 2
    assert sandlot("godot", "addon", "nowhere").code == 2


def test_play_refuses_what_is_neither_a_game_nor_a_run_of_a_scene(sandlot, project, pretender):
    pretender("exit 3")
    for words, sentence in (
        ([], "Name a game, a run, or a project"),
        (["chess"], "There is no game called 'chess'"),
        (["gym:CartPole-v1"], "runs in gym, not in a browser"),
        (["--project", "catcher"], "has no addons/sandlot"),
    ):
        done = sandlot("play", *words)
        assert done.code == 2 and sentence in done.err, done.err
