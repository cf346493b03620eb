"""What the run store refuses changes no byte of a run, keeps no file open and holds no lock."""

import json

import pytest
from leaks import nothing_left_open, open_files
from making import make_replay, make_run, window_rows
from refusals import contents, refused

from sandlot.errors import ConfigError, Damaged, RunLocked, StoreError, UnknownName
from sandlot.locking import FileLock
from sandlot.runs import Retention, Run, Store
from sandlot.runs.atomic import Lines, read_json
from sandlot.runs.run import MAX_RESUMES


@pytest.fixture
def finished(tmp_path):
    """The folder of a run of two windows that nobody writes any more."""
    with make_run(tmp_path) as run:
        run.append_windows(window_rows(1, run.run_id))
        run.commit(0, b"first", resume=b"worlds", policies={"seeker": b"s"})
        run.append_windows(window_rows(1, run.run_id))
        run.commit(1, b"second", trainer={"updates": 3}, resume=b"later worlds")
    return run.paths.folder


WRITES = {
    "append_windows": lambda run: run.append_windows(window_rows(1)),
    "episode_log": lambda run: run.episode_log(["x"]),
    "update": lambda run: run.update(status="failed"),
    "finish": lambda run: run.finish("completed"),
    "commit": lambda run: run.commit(2, b"third", best=1.0),
    "rewind": lambda run: run.rewind(),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_run_opened_for_reading_is_not_written(finished, name):
    with refused(finished, StoreError, "was opened for reading"):
        WRITES[name](Run(finished))


@pytest.mark.parametrize("name", WRITES)
def test_a_run_that_was_closed_is_not_written(finished, name):
    run = Store(finished.parent).resume(finished.name)
    run.close()
    with refused(finished, StoreError, "was opened for reading"):
        WRITES[name](run)


def damage(folder, name):
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1] + b"!")


@pytest.mark.parametrize("file", ["checkpoints/ckpt_000001.pt", "checkpoints/resume_000001.pt"])
@pytest.mark.parametrize("harm", ["changed", "gone"])
def test_a_run_that_cannot_be_resumed_stays_as_it_is_and_can_be_tried_again(finished, file, harm):
    damage(finished, file) if harm == "changed" else (finished / file).unlink()
    Store(finished.parent).runs()  # the catalogue may be looked at meanwhile
    for _ in range(2):
        with nothing_left_open(), refused(finished, Damaged, "cannot be resumed"):
            Store(finished.parent).resume(finished.name)


def test_the_state_to_resume_from_is_the_one_that_was_committed(finished):
    assert Run(finished).resume_state() == b"later worlds"
    damage(finished, "checkpoints/resume_000001.pt")
    with refused(finished, Damaged, "was changed or cut off"):
        Run(finished).resume_state()


@pytest.mark.parametrize("commits", [0, 1])
def test_a_run_that_saved_no_worlds_has_nothing_to_resume_from(tmp_path, commits):
    with make_run(tmp_path) as run:
        if commits:
            run.append_windows(window_rows(1, run.run_id))
            run.commit(0, b"weights")
        with refused(run.paths.folder, StoreError, "nothing to resume from"):
            run.resume_state()


@pytest.mark.parametrize("window", [2, -1])
def test_only_a_committed_checkpoint_becomes_the_best(finished, window):
    with refused(finished, UnknownName, "committed checkpoint for window"):
        Run(finished).promote(window, 1.0)


def test_a_checkpoint_that_is_not_yet_committed_does_not_become_the_best(finished):
    (finished / "checkpoints" / "ckpt_000002.pt").write_bytes(b"half done")
    with refused(finished, UnknownName, "committed checkpoint for window"):
        Run(finished).promote(2, 1.0)


def test_without_a_best_checkpoint_there_is_nothing_to_report_on(tmp_path):
    with make_run(tmp_path) as run:
        run.commit(0, b"weights")
        with refused(run.paths.folder, StoreError, "has no best checkpoint to report on"):
            run.report_best({"value": 1.0})


def test_weights_and_roles_of_the_best_are_the_ones_given(finished):
    run = Run(finished)
    assert run.promote(0).value is None and run.paths.best.read_bytes() == b"first"
    best = run.promote(1, 2.5, weights=b"of both")
    assert run.paths.best.read_bytes() == b"of both" and run.best() == best and best.value == 2.5


def test_a_second_trainer_changes_nothing_and_leaves_nothing_open(tmp_path):
    with make_run(tmp_path) as run:
        folder = run.paths.folder
        with nothing_left_open(), refused(folder, RunLocked, "in use by process"):
            Store(tmp_path).resume(run.run_id)


def test_closing_a_run_closes_its_files_and_empties_its_lock(tmp_path):
    with nothing_left_open():
        run = make_run(tmp_path)
        run.append_windows(window_rows(1, run.run_id))
        run.episode_log(["steps"])
        names = {name for name in open_files() if str(run.paths.folder) in name}
        assert len(names) == 3, "rows, episodes, lock"
        assert json.loads(run.paths.lock.read_text())["pid"] > 0
        run.close()
        run.close()
    assert run.paths.lock.read_text() == ""


def test_a_lock_is_signed_anew_over_a_longer_signature(tmp_path):
    path = tmp_path / "lock"
    path.write_text("x" * 500)
    lock = FileLock(path)
    assert set(json.loads(path.read_text())) == {"pid", "host", "since"} and lock.held
    lock.release()
    assert not lock.held and path.read_text() == ""


def test_a_file_of_lines_is_closed_after_a_refusal_too(tmp_path):
    with nothing_left_open(), Lines(tmp_path / "a.jsonl") as lines:
        lines.append("one", "two")
        with refused(tmp_path, StoreError, "every record must be one line"):
            lines.append("three\nfour")
        with refused(tmp_path, Damaged, "has 8 bytes, its last commit point had 9"):
            lines.cut(9)
        lines.cut(8)
        assert lines.size == 8


def test_a_resumed_run_is_the_run_as_it_was_committed(finished):
    (finished / "checkpoints" / "ckpt_000007.pt").write_bytes(b"never committed")
    (finished / "checkpoints" / ".ckpt_000002.pt.999999999-0123abcd.tmp").write_bytes(b"of a killed writer")
    before = contents(finished)
    with nothing_left_open(), Store(finished.parent).resume(finished.name) as run:
        assert run.committed.trainer == {"updates": 3} and len(run.windows()) == 2
    after = contents(finished)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    gone = {name for name in changed if name not in after}
    assert {name.split("/")[-1][:11] for name in gone} == {"ckpt_000007", ".ckpt_00000"}
    assert changed - gone == {"run.json"}


def test_a_run_remembers_its_last_hundred_resumptions(finished):
    with Store(finished.parent).resume(finished.name) as run:
        run.update(resumes=[{"at": str(i), "window_id": i} for i in range(150)])
    with Store(finished.parent).resume(finished.name) as run:
        resumes = run.record.resumes
    assert len(resumes) == MAX_RESUMES == 100
    assert [r.at for r in resumes[:2]] == ["51", "52"] and resumes[-1].window_id == 1


def test_only_the_newest_worlds_are_kept(finished):
    assert [p.name for p in (finished / "checkpoints").glob("resume_*")] == ["resume_000001.pt"]


def test_commits_are_counted_over_resumptions(finished):
    with Store(finished.parent).resume(finished.name) as run:
        run.append_windows(window_rows(1, run.run_id))
        run.commit(2, b"third", record={"episodes_total": 77})
        record = run.record
    assert (record.checkpoints_written, record.windows_emitted, record.latest_window) == (3, 3, 2)
    assert record.episodes_total == 77 and record.env_steps_total == 10, "as given, else of the newest row"
    assert record.latest_checkpoint == "checkpoints/ckpt_000002.pt"


@pytest.mark.parametrize(("newest", "every"), [(0, 0), (-1, 0), (1, -1)])
def test_retention_without_a_newest_checkpoint_is_refused(newest, every):
    with pytest.raises(ConfigError, match="expected at least 1 and at least 0"):
        Retention(newest, every)


@pytest.mark.parametrize(
    ("newest", "every", "best", "kept"),
    [
        (1, 0, None, {9}),
        (2, 0, None, {8, 9}),
        (1, 4, None, {0, 4, 8, 9}),
        (1, 1, None, set(range(10))),
        (1, 0, 3, {3, 9}),
        (1, 0, 0, {0, 9}),
        (1, 0, 42, {9}),  # a best that is gone is not kept
    ],
)
def test_the_newest_the_best_and_the_trail_stay(newest, every, best, kept):
    assert Retention(newest, every).kept(range(10), best) == kept


def test_five_checkpoints_are_kept_unless_said_otherwise():
    assert Retention() == Retention(newest=5, every=0)


def test_a_replay_is_readable_where_its_entry_says(finished):
    run = Run(finished)
    entry = run.add_replay(make_replay())
    assert run.replay_path(entry).is_file() and run.record.latest_replay == entry.replay_id
    run.replay_path(entry).with_name("broken.jsonl.gz").write_bytes(b"nothing")
    assert len(run.reindex()) == 1 and [e.replay_id for e in run.index.find()] == [entry.replay_id]


def test_the_last_word_is_kept(tmp_path):
    with make_run(tmp_path) as run:
        run.finish("failed", "out of luck")
        result = read_json(run.paths.record)
        assert (result["status"], result["error"]) == ("failed", "out of luck") and result["finished_at"]
    with Store(tmp_path).resume(run.run_id) as again:
        assert again.record.status == "running" and again.record.error is again.record.finished_at is None
