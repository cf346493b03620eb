"""`sandlot godot check`: every fault of a project is a sentence, and a good project has none."""

import shutil

import pytest
from PIL import Image

from sandlot.bridge.godot_addon import PLACE
from sandlot.worlds.godot_check import check_project

from .scenes import agent, make_project, scene

pytestmark = pytest.mark.slow
GOOD = """extends SandlotAgent
var place := 0.0
var walked := 0
func _init() -> void:
	actions = {"walk": ["left", "right"]}
	reward_terms = ["step"]
	reports = {"success": "flag"}
func observe_fields() -> Dictionary:
	return {"place": place, "walked": walked / 10.0}
func act(action: Dictionary) -> void:
	place += 0.1 * (2 * action.walk - 1)
	walked += 1
	reward("step", 0.1)
	if walked == 8:
		report("success", place > 0)
		end_episode()
func begin_episode(random: SandlotRandom) -> void:
	place = random.uniform_in(-1.0, 1.0)
	walked = 0
"""
# By the scene's name: what is changed of the good agent's script, and a part of the sentence.
SIXTY = '"map": range(60).map(func(_i: int) -> float: return 0.5), "place": place,'
FASTER = "func _ready() -> void:\n\tEngine.physics_ticks_per_second = 120\nfunc _init"
ALL_SEEN = '"place": place, "walked": walked / 10.0'
CHANGES: dict[str, tuple[dict[str, str], str]] = {
    "unrepeatable": ({"random.uniform_in(-1.0, 1.0)": "randf()"}, "Two episodes from one seed begin"),
    "large": ({'"place": place,': '"place": 400.0 * place, '}, "Divide it so that it is about -1 to 1"),
    "wide": ({'"place": place,': SIXTY}, "observes 62 numbers (60 of them map)"),
    "silent": ({'\treward("step", 0.1)\n': ""}, "Nothing is rewarded in 30 decisions"),
    "frozen": ({ALL_SEEN: '"one": 1.0'}, "Nothing that is observed changes"),
    "faster": (
        {"func _init": FASTER},
        "The game runs at 120 physics ticks per second and project.godot says 60",
    ),
    "no_flag": (
        {'\treports = {"success": "flag"}\n': "", '\t\treport("success", place > 0)\n': ""},
        "No flag called success",
    ),
    "no_parse": ({"walked += 1": "walked +"}, "Godot cannot load a part of it"),
}


def changed(changes: dict[str, str]) -> str:
    text = GOOD
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


FAULTS = {name: (changed(changes), sentence) for name, (changes, sentence) in CHANGES.items()}
NOTES = ("large", "wide", "silent", "no_flag")


@pytest.fixture(scope="module")
def studio(engine, tmp_path_factory):
    """A good project, and one scene for every fault that needs the engine to be seen."""
    folder = make_project(tmp_path_factory.mktemp("check") / "studio")
    for name, (script, _) in {"good": (GOOD, ""), **FAULTS}.items():
        if name != "no_parse":
            (folder / f"{name}.gd").write_text(script)
            (folder / f"{name}.tscn").write_text(scene({"a": f"{name}.gd"}, agent("Agent", "a")))
    return folder


def texts(found, kind):
    return [finding.text for finding in found if finding.kind == kind]


def test_a_good_project_has_nothing_to_be_found(studio):
    assert check_project(studio, "res://good.tscn") == []


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "no_parse"])
def test_what_is_seen_in_play_has_a_sentence(studio, name):
    found = check_project(studio, f"res://{name}.tscn")
    kind = "note" if name in NOTES else "problem"
    assert any(FAULTS[name][1] in text for text in texts(found, kind)), found
    assert len(found) == 1, found


def test_a_game_in_which_roles_win_needs_no_flag(studio):
    assert not any("success" in text for text in texts(check_project(studio, "res://hunt.tscn"), "note"))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("empty", "has no SandlotAgent below it"),
        ("unequal", "observes 5 numbers"),
        ("sees_nan", "NaN or infinity in"),
    ],
)
def test_what_training_would_refuse_is_found_before(studio, name, sentence):
    found = check_project(studio, f"res://{name}.tscn")
    assert len(texts(found, "problem")) == 1 and sentence in found[0].text


def test_faults_of_files_are_found_without_the_engine(studio, tmp_path, monkeypatch):
    monkeypatch.setenv("GODOT_BIN", str(tmp_path / "nothing"))
    folder = shutil.copytree(studio, tmp_path / "copy", ignore=shutil.ignore_patterns(".godot"))
    assert "no scene res://nowhere.tscn" in texts(check_project(folder, "res://nowhere.tscn"), "problem")[0]
    assert "has no main scene" in texts(check_project(folder), "problem")[0]
    (folder / "walker.gd").unlink()
    (found,) = texts(check_project(folder, "res://walk.tscn"), "problem")
    assert found == "res://walk.tscn needs res://walker.gd, which is not there; the scene does not load."
    (folder / "walker.gd").write_text(GOOD)
    settings = folder / "project.godot"
    settings.write_text(settings.read_text().replace("ticks_per_second=60", "ticks_per_second=5000"))
    assert "asks for 5000 physics ticks" in texts(check_project(folder, "res://walk.tscn"), "problem")[0]
    shutil.rmtree(folder / PLACE)
    assert "has no addons/sandlot" in texts(check_project(folder, "res://walk.tscn"), "problem")[0]


def test_a_script_that_does_not_parse_is_named(studio, tmp_path, engine):
    folder = shutil.copytree(studio, tmp_path / "copy", ignore=shutil.ignore_patterns(".godot"))
    (folder / "good.gd").write_text(FAULTS["no_parse"][0])
    found = texts(check_project(folder, "res://good.tscn"), "problem")
    assert found and all(FAULTS["no_parse"][1] in text for text in found)
    assert any("good.gd" in text for text in found), found


PLUGIN = '[plugin]\nname="Other"\ndescription=""\nauthor=""\nversion="1"\nscript="plugin.gd"\n'
PRELOADS = '@tool\nextends EditorPlugin\nconst ICON := preload("res://addons/other/icon.png")\n'


def test_a_plugin_that_preloads_an_asset_of_a_fresh_clone_is_no_problem(studio, tmp_path, engine):
    folder = shutil.copytree(studio, tmp_path / "copy", ignore=shutil.ignore_patterns(".godot"))
    (folder / "addons/other").mkdir()
    (folder / "addons/other/plugin.cfg").write_text(PLUGIN)
    (folder / "addons/other/plugin.gd").write_text(PRELOADS)
    Image.new("RGB", (8, 8)).save(folder / "addons/other/icon.png")
    enabled = '\n[editor_plugins]\nenabled=PackedStringArray("res://addons/other/plugin.cfg")\n'
    settings = folder / "project.godot"
    settings.write_text(settings.read_text() + enabled)
    assert texts(check_project(folder, "res://good.tscn"), "problem") == []
