"""The addon in other people's projects: found, compared by version, copied."""

import re

import pytest
from refusals import refused

from sandlot.bridge.godot_addon import (
    GODOT_RL,
    PLACE,
    STOCK_PLUGIN,
    addon_folder,
    addon_version,
    check_addon,
    check_trainer_node,
    copy_addon,
)
from sandlot.bridge.godot_project import project_folder
from sandlot.errors import ConfigError


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_project_without_the_addon_is_told_how_to_get_it(project):
    with refused(project, ConfigError, f"has no addons/sandlot.*sandlot godot addon {project}"):
        check_addon(project)
    assert copy_addon(project) == ""
    check_addon(project)
    ours = {name for name in names(addon_folder()) if not name.endswith((".uid", ".import"))}
    assert names(project / PLACE) == ours and "trainer.gd" in ours


def test_another_version_is_named_beside_ours_and_replaced(project):
    copy_addon(project)
    config = project / PLACE / "plugin.cfg"
    ours = addon_version(addon_folder())
    config.write_text(config.read_text().replace(ours, "0.0.9"))
    (project / PLACE / "dropped.gd").write_text("extends Node\n")
    (project / PLACE / "trainer.gd.uid").write_text("uid://of_this_project\n")
    with refused(
        project, ConfigError, f"version 0.0.9 of addons/sandlot, this Sandlot has {re.escape(ours)}"
    ):
        check_addon(project)
    assert copy_addon(project) == "0.0.9"
    check_addon(project)
    left = names(project / PLACE)
    assert "dropped.gd" not in left and "trainer.gd.uid" in left


def test_our_own_addon_is_not_copied_onto_itself(project):
    (project / "addons").mkdir()
    (project / PLACE).symlink_to(addon_folder())
    for place in (project, project_folder()):
        with pytest.raises(ConfigError, match="nothing to copy"):
            copy_addon(place)


def test_a_project_in_which_no_scene_has_the_node_is_refused(project):
    copy_addon(project)
    (project / "main.tscn").write_text('[gd_scene format=3]\n[node name="Main" type="Node2D"]\n')
    with refused(project, ConfigError, "No scene of .* has a SandlotTrainer node"):
        check_trainer_node(project)
    (project / "main.gd").write_text("func _ready():\n\tadd_child(SandlotTrainer.new())\n")
    check_trainer_node(project)
    (project / "main.gd").unlink()
    (project / "main.scn").write_bytes(b"RSRC")
    check_trainer_node(project)


def test_the_addon_says_its_version_in_both_places():
    link = (addon_folder() / "link.gd").read_text()
    assert f'const ADDON_VERSION := "{addon_version(addon_folder())}"' in link


def test_beside_the_real_plugin_the_second_addon_is_refused(project):
    (project / STOCK_PLUGIN).mkdir(parents=True)
    with refused(project, ConfigError, "has the Godot RL Agents plugin .*same names"):
        copy_addon(project, GODOT_RL)
