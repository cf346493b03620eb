"""runs/learning.py: stages in order, the newest line of one counts, the folder stays small."""

import pytest

import sandlot
from sandlot.evaluate.replay_recorder import record
from sandlot.runs.learning import MOST_STAGES, Learning, LearningReplay, LearningRow, learning_replay_id


@pytest.fixture(scope="module")
def replay():
    return record(
        "tag", {"seeker": sandlot.bot("tag", "chase"), "hider": sandlot.bot("tag", "evade")}, seed=3
    )


def add(learning, replay, window_id, digest="a"):
    one = replay.called(learning_replay_id(window_id, 0))
    match = LearningReplay(seed=3, replay_id=one.header.replay_id, steps=one.end.steps, ending="hider")
    row = LearningRow(window_id=window_id, env_steps_total=9, replays=[match], checkpoint_sha256=digest)
    learning.add(row, [one])


def windows(learning):
    return [row.window_id for row in learning.stages()]


def test_stages_are_read_from_before_training_to_the_end(tmp_path, replay):
    learning = Learning(tmp_path / "learning")
    for window in (4, None, 2):
        add(learning, replay, window)
    assert windows(learning) == [None, 2, 4]
    assert all(learning.replay(row.replays[0].replay_id).is_file() for row in learning.stages())


def test_a_stage_that_is_written_again_replaces_the_old_one(tmp_path, replay):
    learning = Learning(tmp_path)
    add(learning, replay, 2, "old")
    add(learning, replay, 2, "new")
    assert windows(learning) == [2]
    assert learning.knows(2, "new") and not learning.knows(2, "old")


def test_a_long_run_keeps_its_first_and_last_stage_and_removes_files_of_others(tmp_path, replay):
    learning = Learning(tmp_path)
    for window in (None, *range(MOST_STAGES + 5)):
        add(learning, replay, window)
    kept = windows(learning)
    assert kept[0] is None and kept[-1] == MOST_STAGES + 4 and len(kept) <= MOST_STAGES
    assert len(list(tmp_path.glob("*.jsonl.gz"))) == len(kept)


def test_a_line_that_cannot_be_read_is_left_out(tmp_path, replay):
    learning = Learning(tmp_path)
    add(learning, replay, 1)
    learning.stages_file.write_text("{broken\n[]\n" + learning.stages_file.read_text())
    assert windows(learning) == [1]


def test_nothing_was_learned_where_there_is_no_folder(tmp_path):
    assert Learning(tmp_path / "none").stages() == []
