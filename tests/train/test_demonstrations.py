"""Files of demonstrations: all three kinds are read, and whatever does not fit is refused in a sentence."""

import json

import numpy as np
import pytest

import sandlot
from sandlot.errors import DemosRefused, StoreError
from sandlot.evaluate.replay_recorder import record
from sandlot.games import bot
from sandlot.train import demonstrations
from sandlot.train.demonstrations import FORMAT, read_demonstrations

GAME = "gym:CartPole-v1"


@pytest.fixture(scope="module")
def spec():
    return sandlot.load_spec(GAME)


def episode(steps=3, size=4, more=1):
    rows = np.arange((steps + more) * size, dtype=float).reshape(-1, size) / 10
    return [rows.tolist(), [[float(i % 2)] for i in range(steps)]]


def stock(folder, content):
    file = folder / "demos.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def ours(folder, *lines, header=None, end="\n"):
    usual = {"format": FORMAT, "role": "agent", "observation": None, "actions": None}
    file = folder / "demos.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in [usual | (header or {}), *lines]) + end)
    return file


def line(**options):
    seen, acted = episode(**options)
    return {"obs": seen, "acts": acted, "return": 3.0, "terminated": True, "reports": {}}


def test_the_list_of_godot_rls_recorder_is_read(tmp_path, spec):
    found = read_demonstrations([str(stock(tmp_path, [episode(3), episode(2)]))], spec)["agent"]
    assert found.observations.shape == (5, 4) and found.actions[:, 0].tolist() == [0, 1, 0, 0, 1]
    assert found.last.tolist() == [False, False, True, False, True] and found.episodes == 2


def test_the_lines_of_our_recorder_are_read_and_a_folder_is_all_of_its_files(tmp_path, spec):
    ours(tmp_path, line(steps=3), line(steps=2))
    stock(tmp_path, [episode(4)])
    (tmp_path / "notes.txt").write_text("not this")
    found = read_demonstrations([str(tmp_path)], spec)["agent"]
    assert found.episodes == 3 and len(found.last) == 9


def test_a_saved_match_shows_what_its_scored_agent_saw_and_did(tmp_path):
    players = {"seeker": bot("tag", "chase"), "hider": bot("tag", "evade")}
    config = {"time_limit": 3}
    replay = record("tag", players, seed=5, config=config, scored_agent=1)
    replay.write(tmp_path / "match.jsonl.gz")
    found = read_demonstrations([str(tmp_path)], sandlot.load_spec("tag", config))
    assert list(found) == ["hider"]
    shown = found["hider"]
    assert len(shown.last) == replay.end.steps and np.array_equal(shown.actions, replay.actions[:, 1])
    with sandlot.make("tag", config=config) as world:
        world.reset(5)
        assert np.array_equal(shown.observations[0], world.observations[1])
    assert shown.digest != read_demonstrations([str(tmp_path)] * 2, sandlot.load_spec("tag"))["hider"].digest


LATER = [[[0.0] * 4] * 2, [[5.0]]]
BAD = {
    "is empty": lambda folder: stock(folder, ""),
    "not complete JSON": lambda folder: stock(folder, json.dumps([episode()])[:-9]),
    "not a list of demonstrations": lambda folder: stock(folder, {"obs": []}),
    "holds no episode": lambda folder: stock(folder, []),
    "episode 1 observes 3 numbers, gym:CartPole-v1 has 4": lambda folder: stock(folder, [episode(size=3)]),
    "an action of episode 1 has 2 entries": lambda f: stock(f, [[[[0.0] * 4] * 2, [[0.0, 1.0]]]]),
    "4 observations and 2 actions": lambda f: stock(f, [[[[0.0] * 4] * 4, [[0.0]] * 2]]),
    "1 observations and 2 actions": lambda f: stock(f, [[[[0.0] * 4], [[0.0]] * 2]]),
    "episode 2 observes NaN or infinity in step 1": lambda f: stock(
        f, json.dumps([episode(), [[[0.0] * 4, [0.0, float("nan"), 0.0, 0.0]], [[0.0], [1.0]]]])
    ),
    "chooses 5 to 5 as entry 0": lambda folder: stock(folder, [LATER]),
    "not rows of numbers": lambda folder: stock(folder, [[[[0.0] * 4, [0.0]], [[0.0]]]]),
    "is cut off in line 3": lambda folder: ours(folder, line(), line(), end=""),
    "header of sandlot_demos_v1": lambda folder: ours(folder, line(), header={"format": "other"}),
    "by the role 'seeker'": lambda folder: ours(folder, line(), header={"role": "seeker"}),
    "observes speed \\(4\\) where the game has observation \\(4\\)": lambda folder: ours(
        folder, line(), header={"observation": [{"name": "speed", "shape": [4]}]}
    ),
    "does fire where the game has action \\(2\\)": lambda folder: ours(
        folder, line(), header={"actions": [{"name": "fire", "kind": "axis"}]}
    ),
    "no obs and acts": lambda folder: ours(folder, {"steps": []}),
    "no demonstrations at": lambda folder: folder / "nowhere.json",
    "not a file of demonstrations": lambda folder: (folder / "a.csv").write_text("1") and folder / "a.csv",
    "no file that ends in": lambda folder: (folder / "empty").mkdir() or folder / "empty",
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_demonstrations_are_refused_in_a_sentence(tmp_path, spec, sentence):
    file = BAD[sentence](tmp_path)
    with pytest.raises(DemosRefused, match=sentence) as problem:
        read_demonstrations([str(file)], spec)
    assert str(file) in str(problem.value) and str(problem.value).endswith(".")


def test_a_replay_of_another_game_or_a_broken_one_is_refused(tmp_path, spec):
    replay = record("tag", {r: bot("tag", b) for r, b in (("seeker", "chase"), ("hider", "evade"))}, seed=1)
    file = tmp_path / "match.jsonl.gz"
    replay.write(file)
    with pytest.raises(DemosRefused, match=r"is of tag version .* this training is of gym:CartPole-v1"):
        read_demonstrations([str(file)], spec)
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(StoreError, match="cut off"):
        read_demonstrations([str(file)], sandlot.load_spec("tag"))


def test_a_role_is_named_for_files_that_do_not_say_it(tmp_path):
    tag = sandlot.load_spec("tag")
    seen = [[0.0] * tag.observation_size] * 3
    file = str(stock(tmp_path, [[seen, [[0.5, -0.5, 1.0]] * 2]]))
    assert list(read_demonstrations([file], tag)) == ["seeker"]
    assert list(read_demonstrations([file], tag, "hider")) == ["hider"]
    with pytest.raises(DemosRefused, match=r"imitation\.role = 'pilot'"):
        read_demonstrations([file], tag, "pilot")


@pytest.mark.parametrize(
    ("seen", "acted", "what"),
    [([[1, 2], [1]], [[0.0]], "observations"), ([1, 2], [[0.0]], "observations"),
     ([["x"]], [[0.0]], "observations"),
     ([[0.0] * 4] * 2, [0.0], "actions"), ([[0.0] * 4] * 2, [[[0.0]]], "actions")],
)  # fmt: skip
def test_what_is_no_table_of_numbers_is_refused_with_its_name(tmp_path, spec, seen, acted, what):
    file = stock(tmp_path, [[seen, acted]])
    with pytest.raises(DemosRefused, match=f"the {what} of episode 1 are not rows of numbers"):
        read_demonstrations([str(file)], spec)


def test_so_many_steps_are_read_and_not_one_more(tmp_path, spec, monkeypatch):
    file = str(stock(tmp_path, [episode(steps=3), episode(steps=2)]))
    monkeypatch.setattr(demonstrations, "MOST_STEPS", 5)
    assert len(read_demonstrations([file], spec)["agent"].last) == 5
    monkeypatch.setattr(demonstrations, "MOST_STEPS", 4)
    with pytest.raises(DemosRefused, match=r"more than 4 steps\. Name fewer files\."):
        read_demonstrations([file], spec)
