import hashlib
import json

import pytest
from leaks import nothing_left_open
from making import TickingClock, make_replay, make_run, window_rows
from refusals import refused

from sandlot.errors import Damaged, DiskFull, NewerSchema, RunLocked, StoreError, UnknownName
from sandlot.runs import Retention, Store, atomic
from sandlot.runs import run as run_module
from sandlot.runs.atomic import read_json, write_json


def resumed(run):
    """Another trainer takes over, as after a kill: the old one never says goodbye."""
    run._lock.release()
    folder = run.paths.folder
    return Store(folder.parent, TickingClock()).resume(folder.name, run.retention)


def files(run):
    return {
        p.relative_to(run.paths.folder).as_posix() for p in run.paths.folder.rglob("*") if p.is_file()
    } - {".lock"}


def test_a_new_run_says_what_was_asked_and_that_it_is_running(tmp_path):
    run = make_run(tmp_path, target_env_steps=6000)
    assert run.config == {"ppo": {"clip": 0.2}}
    assert run.record.status == "running" and run.record.target_env_steps == 6000
    assert run.record.metrics_windows_path == "metrics/windows.jsonl"
    assert run.run_id == "20260131T090501Z-abcdef12"


def test_rows_come_back_newest_last_or_first_as_asked(tmp_path):
    run = make_run(tmp_path)
    run.append_windows(window_rows(5))
    assert [row.window_id for row in run.windows()] == [0, 1, 2, 3, 4]
    assert [row.window_id for row in run.windows(limit=2, order="desc")] == [4, 3]
    assert run.windows(limit=0) == [] and run.window_count() == 5


def test_a_damaged_row_is_named_by_its_line(tmp_path):
    run = make_run(tmp_path)
    run.append_windows(window_rows(2))
    run.paths.windows.write_text(run.paths.windows.read_text() + "{oops}\n")
    with pytest.raises(Damaged, match=r"Line 3 of .*windows\.jsonl"):
        run.windows()


def test_a_commit_is_shown_in_run_json(tmp_path):
    run = make_run(tmp_path)
    run.append_windows(window_rows(2))
    run.commit(1, b"weights", record={"episodes_total": 3, "trainer_info": {"updates": 8}})
    record = run.record
    assert (record.latest_window, record.latest_checkpoint) == (1, "checkpoints/ckpt_000001.pt")
    assert (record.windows_emitted, record.checkpoints_written, record.trainer_info) == (2, 1, {"updates": 8})
    assert (record.env_steps_total, record.ticks_total, record.episodes_total) == (20, 60, 3)
    assert run.newest_checkpoint().read_bytes() == b"weights"


def test_what_came_after_the_last_commit_is_cut_away_on_resume(tmp_path):
    run = make_run(tmp_path)
    rows = window_rows(4)
    run.append_windows(rows[:2])
    log = run.episode_log(["tags"])
    log.append({"tags": [1, 2]}, count=2)
    run.commit(1, b"one", trainer={"rng": [1, 2]}, policies={"seeker": b"s1"}, resume=b"worlds")
    committed = {name: (run.paths.folder / name).read_bytes() for name in files(run) - {"run.json"}}

    run.append_windows(rows[2:])
    log.append({"tags": 3}, count=1)
    atomic.write_bytes(run.paths.checkpoint(2), b"half a commit")
    (run.paths.checkpoints / ".ckpt_000002.pt.1-ab.tmp").write_bytes(b"ha")
    run.paths.windows.write_bytes(run.paths.windows.read_bytes() + b'{"torn')

    again = resumed(run)
    assert again.committed.trainer == {"rng": [1, 2]} and again.resume_state() == b"worlds"
    assert {
        name: (again.paths.folder / name).read_bytes() for name in files(again) - {"run.json"}
    } == committed


def test_a_run_killed_before_its_first_commit_begins_anew(tmp_path):
    run = make_run(tmp_path)
    run.append_windows(window_rows(3))
    atomic.write_bytes(run.paths.checkpoint(0), b"x")
    again = resumed(run)
    assert again.committed is None and again.windows() == [] and again.checkpoints() == {}


def steps_of_a_commit(monkeypatch, stop_at):
    """Make the n-th whole-file write or rename fail, as a kill would stop there."""
    done = [0]

    def counted(real):
        def call(*args):
            done[0] += 1
            if done[0] == stop_at:
                raise KeyboardInterrupt
            return real(*args)

        return call

    monkeypatch.setattr(run_module, "write_bytes", counted(run_module.write_bytes))
    monkeypatch.setattr(run_module, "write_json", counted(run_module.write_json))
    path_type = type(run_module.Path())
    real = path_type.replace

    def replace(self, target):
        if self.name.endswith(".staged.tmp"):
            done[0] += 1
            if done[0] == stop_at:
                raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(path_type, "replace", replace)
    return done


@pytest.mark.parametrize("window", [1, 0], ids=["a later window", "the same window again"])
@pytest.mark.parametrize("stop_at", range(1, 12))
def test_a_commit_stopped_at_any_step_counts_wholly_or_not_at_all(tmp_path, monkeypatch, window, stop_at):
    run = make_run(tmp_path)
    run.append_windows(window_rows(1))
    run.commit(0, b"old", trainer={"at": "old"}, policies={"seeker": b"old"}, resume=b"old", best=1.0)
    run.append_windows(window_rows(2)[1:])
    done = steps_of_a_commit(monkeypatch, stop_at)
    try:
        run.commit(
            window, b"new", trainer={"at": "new"}, policies={"seeker": b"new"}, resume=b"new", best=2.0
        )
    except KeyboardInterrupt:
        pass
    else:
        assert stop_at > done[0] > 8  # every step of a commit was stopped at once
    monkeypatch.undo()

    again = resumed(run)
    at = again.committed.trainer["at"]
    assert again.newest_checkpoint().read_bytes() == again.resume_state() == at.encode()
    assert len(again.windows()) == (2 if at == "new" else 1)
    assert again.paths.best.read_bytes() == at.encode() and again.best().value == (
        2.0 if at == "new" else 1.0
    )
    assert again.paths.policy("seeker").read_bytes() == at.encode()
    assert not list(again.paths.folder.rglob("*.tmp"))


def test_a_full_disk_in_mid_commit_keeps_the_commit_before(tmp_path, monkeypatch):
    run = make_run(tmp_path)
    run.commit(0, b"old")

    def full(path, data):
        raise DiskFull(f"The disk is full: {path}")

    monkeypatch.setattr(run_module, "write_bytes", full)
    with pytest.raises(DiskFull):
        run.commit(1, b"new")
    monkeypatch.undo()
    assert resumed(run).newest_checkpoint().read_bytes() == b"old"


@pytest.mark.parametrize("harm", [lambda p: p.unlink(), lambda p: p.write_bytes(p.read_bytes()[:-1])])
def test_a_run_without_its_checkpoint_is_not_resumed(tmp_path, harm):
    run = make_run(tmp_path)
    run.commit(0, b"weights")
    harm(run.newest_checkpoint())
    with pytest.raises(
        Damaged, match=r"ckpt_000000\.pt (is missing|was changed or cut off).*cannot be resumed"
    ):
        resumed(run)
    make_run_lock_is_free(run)


def make_run_lock_is_free(run):
    run_module.FileLock(run.paths.lock).release()


def test_a_run_whose_rows_were_lost_is_not_resumed(tmp_path):
    run = make_run(tmp_path)
    run.append_windows(window_rows(2))
    run.commit(1, b"weights")
    run.paths.windows.write_text("")
    with pytest.raises(Damaged, match="lines are missing"):
        resumed(run)


def test_a_state_of_another_run_is_not_resumed(tmp_path):
    run, other = make_run(tmp_path), make_run(tmp_path / "elsewhere")
    run.commit(0, b"weights")
    other.update(run_id="another")
    other.commit(0, b"weights")
    other.paths.state.replace(run.paths.state)
    with pytest.raises(Damaged, match="belongs to run another"):
        resumed(run)


def test_a_state_whose_numbers_were_changed_is_not_resumed(tmp_path):
    run = make_run(tmp_path)
    run.commit(0, b"weights", trainer={"rng": [1, 2]})
    write_json(run.paths.state, read_json(run.paths.state) | {"trainer": {"rng": [1, 3]}})
    with pytest.raises(Damaged, match=r"state\.json was changed"):
        resumed(run)


def test_a_catalogue_that_cannot_be_read_is_rebuilt_at_a_resume(tmp_path, caplog):
    run = make_run(tmp_path)
    run.commit(0, b"weights")
    entry = run.add_replay(make_replay())
    data = bytearray(run.paths.index.read_bytes())
    data[:64] = b"\xff" * 64
    run.paths.index.write_bytes(data)
    assert resumed(run).index.find() == [entry]
    assert "rebuilt" in caplog.text


def test_a_run_that_nobody_holds_is_not_running_but_interrupted(tmp_path):
    run = make_run(tmp_path)
    reader = Store(tmp_path).open(run.run_id)
    assert reader.record.status == "running"
    run._lock.release()  # as the kernel does for a process that was killed
    assert reader.record.status == "interrupted"
    again = Store(tmp_path).resume(run.run_id)
    assert reader.record.status == "running"
    again.finish("completed")
    again.close()
    assert reader.record.status == "completed"


def test_a_state_of_a_later_schema_is_not_resumed(tmp_path):
    run = make_run(tmp_path)
    run.commit(0, b"weights")
    write_json(run.paths.state, read_json(run.paths.state) | {"schema_version": 9})
    with pytest.raises(NewerSchema, match=r"state\.json has schema version 9"):
        resumed(run)


def test_two_trainers_cannot_write_one_run(tmp_path):
    run = make_run(tmp_path)
    with pytest.raises(RunLocked):
        Store(tmp_path).resume(run.run_id)


def test_a_run_opened_for_reading_refuses_to_write(tmp_path):
    run_id = make_run(tmp_path).run_id
    reader = Store(tmp_path).open(run_id)
    for write in (
        lambda: reader.append_windows([]),
        lambda: reader.commit(0, b""),
        lambda: reader.update(status="failed"),
    ):
        with pytest.raises(StoreError, match="opened for reading"):
            write()


def test_old_checkpoints_go_and_the_newest_the_best_and_every_third_stay(tmp_path):
    run = make_run(tmp_path)
    run.retention = Retention(newest=2, every=3)
    for window in range(9):
        run.commit(window, b"%d" % window, best=1.0 if window == 4 else None)
    assert list(run.checkpoints()) == [0, 3, 4, 6, 7, 8]
    assert run.paths.best.read_bytes() == b"4" and run.best().window_id == 4


def test_a_resumed_run_keeps_as_many_checkpoints_as_it_was_created_to(tmp_path):
    with make_run(tmp_path, retention=Retention(newest=8)) as run:
        for window in range(8):
            run.commit(window, b"weights")
    with Store(tmp_path).resume(run.run_id) as again:
        assert list(again.checkpoints()) == list(range(8))


def test_a_run_remembers_when_it_was_taken_up_again_and_after_which_window(tmp_path):
    with make_run(tmp_path) as run:
        pass
    with Store(tmp_path).resume(run.run_id) as again:
        assert [each.window_id for each in again.record.resumes] == [None]
        again.commit(3, b"weights")
    for _ in range(run_module.MAX_RESUMES):
        with Store(tmp_path).resume(run.run_id) as again:
            pass
    resumes = again.record.resumes
    assert [each.window_id for each in resumes] == [3] * run_module.MAX_RESUMES
    assert resumes == sorted(resumes, key=lambda each: each.at)


def test_only_committed_checkpoints_can_become_the_best(tmp_path):
    run = make_run(tmp_path)
    with pytest.raises(UnknownName, match="committed checkpoint"):
        run.promote(0)
    run.commit(0, b"weights")
    assert run.promote(0, 2.5).value == 2.5


class Killed(BaseException):
    """Nothing catches it, as nothing catches SIGKILL."""


@pytest.mark.parametrize("step", ["write_json", "_publish"])
def test_after_a_kill_while_the_best_is_marked_its_note_and_its_weights_agree(tmp_path, monkeypatch, step):
    run = make_run(tmp_path)
    for window in (0, 1):
        run.commit(window, b"weights %d" % window)
    run.promote(0, 1.0)

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(run_module, step, killed)
        run.promote(1, 2.0)
    assert run.paths.best.read_bytes() == b"weights 0", "what was the best is there until the note is"
    with resumed(run) as again:
        kept = 0 if step == "write_json" else 1
        assert again.best().window_id == kept and again.paths.best.read_bytes() == b"weights %d" % kept
        assert not list(again.paths.checkpoints.glob(".*"))


def test_a_finished_run_says_how_it_ended(tmp_path):
    run = make_run(tmp_path)
    run.finish("failed", "NaN in the policy loss")
    assert run.record.status == "failed" and run.record.error == "NaN in the policy loss"
    assert run.record.finished_at and run.record.finished_at > run.record.started_at
    again = resumed(run)
    assert (again.record.status, again.record.error, again.record.finished_at) == ("running", None, None)


def test_a_replay_is_stored_and_catalogued_by_whoever_recorded_it(tmp_path):
    run = make_run(tmp_path)
    evaluator = Store(tmp_path).open(run.run_id)
    entry = evaluator.add_replay(make_replay(tags=["every_window"]))
    assert run.index.find(tag="every_window") == [entry]
    assert run.replay_path(entry).is_file()
    assert run.record.latest_replay == entry.replay_id


def test_a_broken_catalogue_does_not_stop_a_training(tmp_path):
    run = make_run(tmp_path)
    run.paths.index.write_bytes(b"not a database, but long enough to be looked at as one" * 40)
    run.commit(0, b"weights")
    assert run.record.latest_window == 0


def test_a_catalogue_is_rebuilt_from_the_replays_themselves(tmp_path):
    run = make_run(tmp_path)
    entries = [
        run.add_replay(make_replay(f"replay-00000{w}-0000000{w}", w, tags=["best_so_far"])) for w in range(3)
    ]
    run.paths.index.write_bytes(b"broken" * 1000)
    damaged = run.paths.replay("replay-000009-00000009")
    damaged.write_bytes(b"also broken")
    problems = run.reindex()
    assert run.index.find() == entries[::-1]
    assert len(problems) == 1 and damaged.name in str(problems[0])


@pytest.mark.parametrize(
    ("every", "evaluated", "waiting"),
    [
        (1, (), [0, 1, 2, 3, 4, 5]),
        (2, (), [0, 2, 4]),
        (3, (), [0, 3]),
        (2, (1,), [0, 3, 5]),
        (2, (0, 1), [3, 5]),
        (9, (0,), []),
        (5, (0,), [5]),
    ],
)
def test_so_many_windows_lie_between_evaluated_ones(tmp_path, every, evaluated, waiting):
    with make_run(tmp_path) as run:
        run.evaluated_every(1)
        for window in range(6):
            run.commit(window, b"%d" % window)
        lines = [json.dumps({"window_id": window}) + "\n" for window in evaluated]
        run.paths.evaluations.write_text("".join(lines))
        assert run.unevaluated(every) == waiting


def test_an_evaluation_counts_for_the_weights_it_was_made_of(tmp_path):
    with make_run(tmp_path) as run:
        run.commit(0, b"old")
        row = {"window_id": 0, "checkpoint_sha256": hashlib.sha256(b"old").hexdigest()}
        run.paths.evaluations.write_text(json.dumps(row) + "\n")
        assert run.unevaluated() == []
        run.commit(0, b"new")
        assert run.unevaluated() == [0]


def test_a_run_opened_for_reading_can_be_closed_and_used_with_with(tmp_path):
    with make_run(tmp_path) as run:
        with Store(tmp_path).open(run.run_id) as reader:
            assert not reader.writable
        reader.close()
        assert run.writable


def test_growing_files_are_opened_once(tmp_path):
    with make_run(tmp_path) as run:
        first, second = window_rows(2, run.run_id)
        run.append_windows([first])
        log = run.episode_log(["steps"])
        with nothing_left_open():
            run.append_windows([second])
            assert run.episode_log(["steps"]) is log
        assert run.window_count() == 2


def test_the_order_of_keys_in_state_json_does_not_matter(tmp_path):
    """As after a formatter; other numbers are refused."""
    with make_run(tmp_path) as run:
        run.commit(0, b"weights", trainer={"b": 1, "a": {"d": 2, "c": 3}})
    state = json.loads(run.paths.state.read_text())
    run.paths.state.write_text(json.dumps(state, sort_keys=True, indent=4))
    assert run.committed.trainer == {"a": {"c": 3, "d": 2}, "b": 1}
    state["trainer"]["b"] = 2
    run.paths.state.write_text(json.dumps(state))
    with refused(tmp_path, Damaged, "its digest differs"):
        _ = run.committed


@pytest.mark.parametrize("what", ["window", "episode", "commit", "replay"])
def test_a_run_is_empty_until_there_is_anything_in_it(tmp_path, what):
    with make_run(tmp_path) as run:
        run.episode_log(["steps"])
        assert run.is_empty(), "the columns alone are nothing"
        if what == "window":
            run.append_windows(window_rows(1, run.run_id))
        elif what == "episode":
            run.episode_log().append({"steps": 3}, 1)
        elif what == "commit":
            run.commit(0, b"weights")
        else:
            run.add_replay(make_replay())
        assert not run.is_empty()
        with refused(tmp_path, StoreError, "is not empty"):
            run.discard()
