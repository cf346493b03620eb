"""Who plays: checkpoints and scripted players as they are named, and what is refused."""

import pytest
from leaks import nothing_left_open
from refusals import refused
from trained import train

from sandlot.errors import CheckpointError, ConfigError, SpecMismatch, StoreError, UnknownName
from sandlot.evaluate.league import Standing, labels, players_of
from sandlot.evaluate.players import (
    Checkpoint,
    Player,
    checkpoint_history,
    open_checkpoint,
    read_checkpoint,
    same_rules,
    scripted,
    scripted_by_name,
)
from sandlot.policies.export import to_onnx
from sandlot.policies.policy import pack, unpack
from sandlot.rating import Estimate
from sandlot.runs.store import Store
from sandlot.worlds import load_spec


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    return Store(root).open(train(root, "tag"))


def test_a_checkpoint_knows_where_it_comes_from(run):
    path = run.paths.checkpoint(1)
    found = read_checkpoint(path)
    state = unpack(path.read_bytes(), "it")
    assert found.origin == {
        "run_id": run.run_id, "window_id": 1, "env_steps_total": state["env_steps_total"],
        "file": "ckpt_000001.pt",
    }  # fmt: skip
    assert found.name == f"{run.run_id}@1" and found.spec.game == "tag"
    assert found.window_of("seeker") == found.window_of("hider") == 1
    player = found.player("hider")
    assert (player.name, player.role, player.scripted) == (found.name, "hider", False)
    assert player.policy is found.policies["hider"]


def test_roles_of_a_joined_checkpoint_keep_their_own_windows(run, tmp_path):
    state = unpack(run.paths.checkpoint(2).read_bytes(), "it")
    path = tmp_path / "best.pt"
    path.write_bytes(pack({**state, "windows": {"seeker": 0}}))
    found = read_checkpoint(path)
    assert (found.window_of("seeker"), found.window_of("hider")) == (0, 2)
    assert found.origin["windows"] == {"seeker": 0}


def test_a_policy_without_a_window_is_called_by_its_file(run, tmp_path):
    state = unpack(run.paths.policy("hider").read_bytes(), "it")
    for key in ("run_id", "window_id"):
        state.pop(key, None)
    path = tmp_path / "mine.pt"
    path.write_bytes(pack(state))
    found = read_checkpoint(path)
    assert found.name == "mine" and set(found.policies) == {"hider"} and found.origin["window_id"] is None


@pytest.mark.parametrize("content", [{"weights": 1}, [1, 2], {"policies": [1]}])
def test_a_file_without_a_policy_is_refused(tmp_path, content):
    (tmp_path / "other.pt").write_bytes(pack(content))
    with refused(tmp_path, CheckpointError, r"other\.pt holds no policy"):
        read_checkpoint(tmp_path / "other.pt")


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    for name in ("none.pt", "none.onnx"):
        with refused(tmp_path, CheckpointError, f"There is no file .*{name}"):
            open_checkpoint(str(tmp_path / name))
    with pytest.raises(CheckpointError, match="could not be read"):
        read_checkpoint(tmp_path)


def test_a_run_is_named_by_id_folder_or_latest(run):
    root = run.paths.folder.parent
    names = {open_checkpoint(name, root).name for name in (run.run_id, str(run.paths.folder), "latest")}
    assert names == {f"{run.run_id}@2"}


def test_a_run_without_a_checkpoint_does_not_play(tmp_path):
    with Store(tmp_path).create({}, game="tag", trainer_backend="ppo", window_env_steps=10) as empty:
        run_id = empty.run_id
    with nothing_left_open(), refused(tmp_path, StoreError, "no checkpoint"):
        open_checkpoint(run_id, tmp_path)


def test_a_trail_has_every_nth_window_and_the_newest_once(run):
    windows = [[c.origin["window_id"] for c in checkpoint_history(run, every)] for every in (1, 2, 3)]
    assert windows == [[0, 1, 2], [0, 2], [0, 2]]


def test_other_settings_are_named_and_only_the_first_few(run):
    checkpoint = read_checkpoint(run.paths.checkpoint(0))
    same_rules([checkpoint], checkpoint.spec)
    other = load_spec(
        "tag", {"reach": 0.2, "top_speed": 9.0, "gravity": 9.0, "turn_rate": 200, "jump_speed": 5.0}
    )
    with pytest.raises(SpecMismatch) as problem:
        same_rules([checkpoint], other)
    text = str(problem.value)
    assert text.count("(here") == 4
    assert "arena_half = 14.0 (here 10.0)" in text and "--set" in text


def test_scripted_players_have_their_levels_roles_and_seeds():
    spec = load_spec("tag")
    found = scripted(spec, "seeker")
    assert [p.name for p in found] == [f"{b}:{n}" for b in ("chase", "wander", "ambush") for n in (1, 2, 3)]
    assert all(p.scripted and p.role == "seeker" and p.policy.level == int(p.name[-1]) for p in found)
    assert [p.name for p in scripted(spec, "seeker", "top")] == ["chase:3", "wander:3", "ambush:3"]
    prospector = load_spec("prospector")
    assert scripted_by_name(prospector, "pilot", "tour").name == "tour", "one level needs no number"
    assert scripted_by_name(prospector, "pilot", "market_timer:2").name == "market_timer:2"


@pytest.mark.parametrize("word", ["chase:", "chase:x", "chase:-1"])
def test_a_level_that_is_no_number_is_refused(word):
    with pytest.raises(ConfigError, match="BOT:LEVEL"):
        scripted_by_name(load_spec("tag"), "seeker", word)


# ---------------------------------------------------------------- leagues


def test_a_field_has_the_trained_first_and_only_those_of_the_role(run):
    checkpoint = read_checkpoint(run.paths.checkpoint(0))
    hider_only = read_checkpoint(run.paths.policy("hider"))
    field = players_of(load_spec("tag"), "seeker", [checkpoint, hider_only], 1)
    assert [p.scripted for p in field] == [False] + [True] * 9 and field[0].name == checkpoint.name
    assert [p.scripted for p in players_of(load_spec("tag"), "hider", [checkpoint, hider_only], 1)][:3] == [
        False, False, True,
    ]  # fmt: skip


def test_labels_of_checkpoints_without_a_window():
    def one(run_id, window):
        return Checkpoint(f"{run_id}-{window}", {}, {"run_id": run_id, "window_id": window})

    assert labels([one("a", None)]) == {"a-None": "trained"}
    assert labels([one("a", 3), one("a", 5)]) == {"a-3": "window 3", "a-5": "window 5"}
    assert labels([one("a", 3), one("b", None)]) == {"a-3": "run 1 @3", "b-None": "run 2"}


def test_a_standing_is_reported_with_its_interval():
    result = Standing(Player("chase:3", "seeker", None, True), Estimate(1100.0, 1050.0, 1150.0)).as_json()
    assert result == {
        "name": "chase:3", "role": "seeker", "scripted": True, "rating": 1100.0,
        "rating_interval": [1050.0, 1150.0],
    }  # fmt: skip


def test_an_exported_policy_is_named_by_its_run_and_its_file(run, tmp_path):
    policy = read_checkpoint(run.paths.checkpoint(1)).policies["hider"]
    (tmp_path / "mine.onnx").write_bytes(to_onnx(policy, run_id=run.run_id, window_id=1))
    found = open_checkpoint(str(tmp_path / "mine.onnx"))
    assert found.name == f"{run.run_id}@1 (mine.onnx)" and set(found.policies) == {"hider"}
    assert found.origin == {
        "run_id": run.run_id, "window_id": 1, "env_steps_total": None, "file": "mine.onnx",
    }  # fmt: skip
    (tmp_path / "other.onnx").write_bytes(to_onnx(policy))
    unknown = open_checkpoint(str(tmp_path / "other.onnx"))
    assert (unknown.name, unknown.origin["run_id"], unknown.origin["window_id"]) == ("other", "other", None)


def test_the_policies_that_ship_are_opened_by_the_name_of_their_game():
    found = open_checkpoint("pretrained:landing")
    assert found.name == "pretrained:landing" and set(found.policies) == set(found.spec.role_names)
    with pytest.raises(UnknownName, match="chess"):
        open_checkpoint("pretrained:chess")
