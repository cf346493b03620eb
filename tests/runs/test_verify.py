"""`verify_run` looks at every file and names the one that was changed."""

import json

import pytest
from making import make_replay, make_run, window_rows

from sandlot.digest import seal
from sandlot.runs.verify import verify_run

EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


@pytest.fixture
def run(tmp_path):
    with make_run(tmp_path) as made:
        made.append_windows(window_rows(2))
        made.episode_log(["tags"]).append({"tags": [1, 2], "window_id": [0, 1]}, count=2)
        weights = seal(EMPTY_ZIP)
        made.commit(1, weights, policies={"seeker": weights}, resume=weights)
        made.promote(1, 2.0)
        made.add_replay(make_replay(tags=["every_window", "best_so_far"]))
        made.paths.evaluations.write_text(json.dumps({"window_id": 1, "value": 2.0}) + "\n")
    return made


def problems(run):
    return {each.file: each.problem for each in verify_run(run) if each.problem}


def test_a_run_that_was_left_in_peace_has_nothing_wrong(run):
    assert problems(run) == {}
    files = {run.paths.relative(path) for path in run.paths.folder.rglob("*") if path.is_file()} - {
        ".lock",
        ".evaluator.lock",
    }
    checked = {each.file for each in verify_run(run)}
    assert checked == {name for name in files if not name.endswith(("-wal", "-shm"))}


FILES = [
    "checkpoints/ckpt_000001.pt",
    "checkpoints/policy_seeker.pt",
    "checkpoints/resume_000001.pt",
    "checkpoints/best.pt",
    "replays/replay-000003-0000abcd.jsonl.gz",
    "state.json",
]


@pytest.mark.parametrize("file", FILES)
def test_a_changed_byte_is_found_and_nothing_is_written(run, file):
    path = run.paths.folder / file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    before = {p: p.read_bytes() for p in run.paths.folder.rglob("*") if p.is_file()}
    assert file in problems(run)
    assert {p: p.read_bytes() for p in run.paths.folder.rglob("*") if p.is_file()} == before


HARMS = {
    "metrics/windows.jsonl": lambda path: path.write_text(path.read_text().replace("{", "{{", 1)),
    "metrics/evaluations.jsonl": lambda path: path.write_text(path.read_text() + "{torn\n"),
    "metrics/episodes.csv": lambda path: path.write_text(path.read_text() + "1,2\n"),
    "checkpoints/ckpt_000001.pt": lambda path: path.unlink(),
    "config.json": lambda path: path.write_text("[]"),
    "run.json": lambda path: path.write_text("{}"),
    "replay_index.sqlite": lambda path: path.write_bytes(b"x" * 5000),
}


@pytest.mark.parametrize("file", HARMS)
def test_what_is_wrong_with_a_file_is_said(run, file):
    HARMS[file](run.paths.folder / file)
    assert file in problems(run) and len(problems(run)[file]) > 10


def test_replays_and_catalogue_must_know_of_one_another(run):
    stray = run.paths.replay("replay-000004-0000abcd")
    stray.write_bytes(make_replay("replay-000004-0000abcd").to_bytes())
    assert "does not list" in problems(run)["replay_index.sqlite"]
    stray.unlink()
    run.paths.replay("replay-000003-0000abcd").unlink()
    assert "not there" in problems(run)["replay_index.sqlite"]


def test_weights_that_are_whole_but_not_those_of_the_commit_are_found(run):
    run.paths.checkpoint(1).write_bytes(seal(b"other" + EMPTY_ZIP))
    assert "not the file of the last commit" in problems(run)["checkpoints/ckpt_000001.pt"]
