"""What `sandlot replay` says."""

import json

import numpy as np
import pytest

from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.runs import Store

from .documented import assert_documented


class Forward:
    name = "forward"

    def act(self, observations, masks=None, state=None):
        return np.tile(np.float32([0.0, -1.0, 0.0]), (len(observations), 1)), state


@pytest.fixture(scope="module")
def replay():
    return record("tag", Forward(), seed=7, config={"time_limit": 2.0}, origin=Origin("run", 3))


@pytest.fixture
def file(tmp_path, replay):
    replay.write(tmp_path / "a.jsonl.gz")
    return str(tmp_path / "a.jsonl.gz")


def test_it_tells_who_played_and_how_it_ended(sandlot, file, replay):
    output = sandlot("replay", file).out
    for words in (
        replay.header.replay_id,
        "seeker: forward",
        "run run, window 3",
        f"{replay.end.steps} decisions",
    ):
        assert words in output


def test_nothing_is_reported_twice_and_every_number_has_a_name(sandlot, file, replay):
    rows = [line.split("│")[1:3] for line in sandlot("replay", file).out.splitlines() if line.startswith("│")]
    report = {name.strip(): value.strip() for name, value in rows}
    assert len(report) == len(rows), "a name stands twice"
    assert report["returns"] == ", ".join(
        f"{role} {value:.3f}" for role, value in zip(replay.header.agents, replay.end.returns, strict=True)
    )
    assert report["replay tags"] == "none" and report["tags"] == f"{replay.end.episode['tags']:g}"
    assert report["terms"].startswith("seeker_progress ") and "[" not in report["terms"]


def test_a_good_replay_is_verified_with_exit_code_0(sandlot, file):
    done = sandlot("replay", file, "--verify")
    assert done.code == 0 and "Verified" in done.out


def test_a_replay_that_plays_otherwise_gives_exit_code_1(sandlot, tmp_path, replay):
    end = replay.end.model_copy(update={"returns": [1.0, 2.0]})
    type(replay)(replay.header, replay.actions, replay.events, replay.hashes, end).write(
        tmp_path / "b.jsonl.gz"
    )
    done = sandlot("replay", str(tmp_path / "b.jsonl.gz"), "--verify", "--json")
    assert done.code == 1
    verdict = json.loads(done.out)["verdict"]
    assert not verdict["agrees"] and "returns" in verdict["differences"][0]


def test_a_damaged_replay_gives_exit_code_2_and_a_sentence(sandlot, file):
    with open(file, "r+b") as handle:  # noqa: PTH123
        handle.seek(200)
        handle.write(b"\xff\x00")
    done = sandlot("replay", file)
    assert done.code == 2 and "was changed or cut off" in done.err


def test_frames_are_shown_from_anywhere(sandlot, file):
    report = json.loads(sandlot("replay", file, "--frames", "2:3", "--json").out)
    assert [frame["frame_index"] for frame in report["frames"]] == [2, 3, 4] and report["next_offset"] == 5
    assert "Frames from 2" in sandlot("replay", file, "--frames", "2:3").out


@pytest.mark.parametrize("span", ["5", "a:b", "1:0", "-1:5", "1:2:3"])
def test_a_span_that_is_none_is_refused(sandlot, file, span):
    done = sandlot("replay", file, f"--frames={span}")
    assert done.code == 2 and "OFFSET:LIMIT" in done.err


def test_the_replays_of_a_run_are_listed_and_reindexed(sandlot, tmp_path, replay):
    with Store(tmp_path).create({}, game="tag", trainer_backend="random", window_env_steps=10) as run:
        entry = run.add_replay(replay.with_tags(["every_window"]))
    folder = str(run.paths.folder)
    assert "every_window" in sandlot("replay", folder).out
    run.paths.index.write_bytes(b"broken" * 1000)
    done = sandlot("replay", folder)
    assert done.code == 2 and "--reindex" in done.err
    report = json.loads(sandlot("replay", folder, "--reindex", "--json").out)
    assert report["replays"] == [entry.to_json()]


def test_a_folder_that_is_no_run_is_refused(sandlot, tmp_path):
    done = sandlot("replay", str(tmp_path))
    assert done.code == 2 and "not the folder of a run" in done.err


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("replay")
