"""`sandlot godot` as a person types it."""

import json

import pytest
from lacking import lacking

from sandlot.bridge import godot_engine
from sandlot.bridge.godot_addon import GODOT_RL, PLACE, addon_folder, addon_version
from sandlot.compat.episode import play_one, trained_or_scripted
from sandlot.evaluate.replay_recorder import record
from sandlot.games.scripted import bot
from sandlot.worlds import load_spec

from .documented import assert_documented


@pytest.fixture(autouse=True)
def _wants_an_engine(request):
    if "without" not in request.node.name and godot_engine.find() is None:
        lacking("no Godot: sandlot godot install")


def test_options_are_as_documented_also_without_an_engine():
    assert_documented("godot")


def test_sync_works_without_an_engine_and_names_what_it_wrote(sandlot, tmp_path):
    for name in ("project.godot", "games/tag/spec.json", "games/prospector/spec.json"):
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("old")
    done = sandlot("godot", "sync", "--project", str(tmp_path / "mine"))
    written = [tmp_path / "mine/games" / game / "spec.json" for game in ("prospector", "tag")]
    assert done.out.splitlines() == [f"{path} written" for path in written]
    assert [json.loads(path.read_text()) for path in written] == [
        load_spec("prospector").json,
        load_spec("tag").json,
    ]
    assert sandlot("godot", "sync", "--project", str(tmp_path / "mine")).out == "", "nothing is left to write"


def test_path_and_install_name_the_engine_that_is_there(sandlot):
    found = godot_engine.require()
    assert sandlot("godot", "path").out.strip() == str(found.path)
    report = json.loads(sandlot("godot", "install", "--json").out)
    assert report == {"path": str(found.path), "version": found.version, "source": found.source}


def test_the_second_addon_is_copied_only_where_it_is_asked_for_without_an_engine(sandlot, tmp_path):
    (tmp_path / "project.godot").write_text("config_version=5\n")
    assert sandlot("godot", "addon", str(tmp_path)).code == 0
    assert not (tmp_path / GODOT_RL).exists()
    done = sandlot("godot", "addon", str(tmp_path), "--godot-rl")
    version = addon_version(addon_folder(GODOT_RL))
    assert done.code == 0 and f"{tmp_path / GODOT_RL}: version {version}" in done.out
    ours = {path.name for path in addon_folder(GODOT_RL).rglob("*.gd")}
    assert {path.name for path in (tmp_path / GODOT_RL).rglob("*.gd")} == ours >= {"sync.gd"}
    assert (tmp_path / PLACE / "trainer.gd").is_file()


def test_without_an_engine_every_use_ends_with_exit_code_3(sandlot, monkeypatch, tmp_path):
    monkeypatch.setenv("GODOT_BIN", str(tmp_path / "nothing"))
    for words in (("path",), ("run", "tag"), ("test",), ("install",)):
        done = sandlot("godot", *words)
        assert (done.code, done.out) == (3, ""), words
        assert done.err.count("\n") == 1 and "sandlot godot install" in done.err


def test_doctor_without_an_engine_says_so_and_is_content(sandlot, monkeypatch, tmp_path):
    monkeypatch.setenv("GODOT_BIN", str(tmp_path / "nothing"))
    done = sandlot("doctor", "--json")
    assert done.code == 0
    assert json.loads(done.out)["godot"]["found"] is False


def test_doctor_names_the_engine(sandlot):
    assert json.loads(sandlot("doctor", "--json").out)["godot"]["path"] == str(godot_engine.require().path)


def test_a_match_of_scripted_players_runs_to_its_end(process):
    done = process("godot", "run", "tag", "--headless", "--fast", "--", "--matches=1", "--seed=4")
    assert done.code == 0, done.err
    assert "matches 1, seeker" in done.out


def test_an_exported_policy_plays_in_the_scene(process, tmp_path):
    pytest.importorskip("torch")
    from sandlot.policies import Policy
    from sandlot.policies.config import NetworkConfig
    from sandlot.policies.export import export_onnx

    spec = load_spec("tag", {"recall": True, "time_limit": 2})
    export_onnx(Policy(spec, "seeker", NetworkConfig(hidden_sizes=(16,)), seed=1), tmp_path / "seeker.onnx")
    words = ("--seeker=seeker.onnx", "--hider=evade", "--matches=1")
    done = process("godot", "run", "tag", "--headless", "--fast", "--", *words)
    assert done.code == 0, done.out + done.err
    assert "matches 1" in done.out and "ERROR" not in done.out


def test_a_replay_plays_and_quits_by_itself(process, tmp_path):
    players = {"seeker": bot("tag", "chase"), "hider": bot("tag", "wander")}
    replay = record("tag", players, seed=39)
    replay.write(tmp_path / "match.jsonl.gz")
    done = process(
        "godot", "run", "tag/Replay", "--headless", "--fast", "--", str(tmp_path / "match.jsonl.gz")
    )
    assert done.code == 0, done.err + done.out
    assert "ERROR" not in done.out


def test_a_replay_that_is_not_there_is_exit_code_2(process):
    done = process("godot", "run", "tag/Replay", "--headless", "--fast", "--", "nothing.json")
    assert done.code == 2
    assert "There is no replay" in done.out


def test_a_scene_that_is_not_there_names_those_that_are(sandlot):
    done = sandlot("godot", "run", "tga")
    assert done.code == 2
    assert "games/tag/Main.tscn" in done.err


def test_a_run_that_takes_too_long_is_ended_with_124(process):
    done = process("godot", "run", "tag", "--headless", "--timeout", "2")
    assert done.code == 124
    assert "still running after 2 s" in done.err


def test_one_test_of_the_project_can_be_chosen(process):
    done = process("godot", "test", "random_numbers")
    assert (done.code, "1 passed, 0 failed" in done.out) == (0, True)
    assert process("godot", "test", "no_such_test").code == 1


DAMAGES = {
    "a step without a place": lambda step: step.pop("pos"),
    "a place of words": lambda step: step.update(pos=["a", "b", "c"]),
    "a place far off": lambda step: step.update(pos=[1e300, 0, 0]),
    "a facing cut off": lambda step: step.update(facing=[0]),
    "rays of words": lambda step: step.update(dists="far", types=[1]),
    "a time of words": lambda step: step.update(tick="soon", vel=None),
    "nobody's step": lambda step: step.pop("agent"),
}


@pytest.mark.slow
def test_damaged_steps_of_a_trajectory_are_left_out_and_the_rest_is_played(process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played = play_one(trained_or_scripted(), "native", "seeker", seed=1, duration=2, shorten=True)
    lines = [json.loads(line) for line in played.read_text().splitlines()]
    for number, damage in enumerate(DAMAGES.values()):
        damage(lines[3 + 4 * number])
    played.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"type": "step", "ag')
    done = process("godot", "run", "tag/Replay", "--headless", "--fast", "--timeout", "60", "--", str(played))
    assert done.code == 0 and "ERROR" not in done.out, done.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("empty.jsonl", "", "no frames"),
        ("list.json", "[1, 2]", "header and frames"),
        ("other.json", '{"header": {"agents": 3, "config": 4}, "frames": [{"render_state": {}}]}', "Frame 0"),
        ("zero.jsonl", '{"type": "episode_start", "config": {"arena_half": 0}}\n%s', "arena_half"),
    ],
)  # fmt: skip
def test_what_is_no_match_is_refused_in_a_sentence(process, tmp_path, name, text, sentence):
    step = {"type": "step", "agent": "Agent1", "pos": [0, 0, 0], "vel": [0, 0, 0], "is_it": True}
    (tmp_path / name).write_text(text.replace("%s", json.dumps(step)))
    done = process("godot", "run", "tag/Replay", "--headless", "--fast", "--timeout", "60", "--", name)
    assert done.code == 2 and sentence in done.out and "ERROR" not in done.out, done.out
