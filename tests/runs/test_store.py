import errno
import os
from pathlib import Path

import pytest
from making import TickingClock, make_run, window_rows

from sandlot.errors import ConfigError, DiskFull, RunLocked, StoreError, UnknownName, UnsafePath
from sandlot.locking import FileLock
from sandlot.runs import Retention, Store, locate


def test_runs_are_listed_newest_updated_first(tmp_path):
    clock = TickingClock()
    runs = [make_run(tmp_path, clock) for _ in range(3)]
    runs[0].update(status="completed")
    assert [r.run_id for r in Store(tmp_path).runs()] == [runs[i].run_id for i in (0, 2, 1)]
    assert [r.run_id for r in Store(tmp_path).runs(limit=1)] == [runs[0].run_id]


def test_the_latest_run_is_the_newest_with_something_in_it_and_that_is_said(tmp_path, caplog):
    clock = TickingClock()
    with_weights, with_rows, empty = (make_run(tmp_path, clock) for _ in range(3))
    with pytest.raises(StoreError, match="no run with anything in it"):
        Store(tmp_path).latest()
    with_weights.commit(0, b"weights")
    with_rows.append_windows(window_rows(1))
    with_rows.finish("completed")
    empty.finish("completed")
    assert Store(tmp_path).latest().run_id == with_rows.run_id
    assert f"latest is {with_rows.run_id}; left out, without content: {empty.run_id}" in caplog.text
    assert Store(tmp_path).latest(with_checkpoint=True).run_id == with_weights.run_id


def test_an_empty_run_can_be_discarded_and_no_other(tmp_path):
    clock = TickingClock()
    empty, kept = make_run(tmp_path, clock), make_run(tmp_path, clock)
    kept.append_windows(window_rows(1))
    empty.discard()
    assert not empty.paths.folder.exists()
    with pytest.raises(StoreError, match="is not empty"):
        kept.discard()
    assert len(kept.windows()) == 1
    kept.close()
    with pytest.raises(StoreError, match="opened for reading"):
        Store(tmp_path).open(kept.run_id).discard()


def test_a_run_is_removed_unless_somebody_is_at_work_in_it(tmp_path):
    run = make_run(tmp_path)
    run.commit(0, b"weights")
    before = {path: path.read_bytes() for path in run.paths.folder.rglob("*") if path.is_file()}
    with pytest.raises(RunLocked):
        Store(tmp_path).remove(run.run_id)
    run.close()
    evaluating = FileLock(run.paths.evaluator_lock)
    with pytest.raises(RunLocked):
        Store(tmp_path).remove(run.run_id)
    assert all(path.read_bytes() == data for path, data in before.items() if path.name != ".lock")
    evaluating.release()
    Store(tmp_path).remove(run.run_id)
    assert not run.paths.folder.exists()
    with pytest.raises(UnknownName):
        Store(tmp_path).remove(run.run_id)


@pytest.mark.parametrize("fails", ["mkdir", "write"])
def test_a_folder_that_cannot_be_written_is_refused_in_a_sentence(tmp_path, monkeypatch, fails):
    """As root may write anywhere, the operating system's refusal is played."""

    def refuse(*_, **__):
        raise PermissionError(errno.EROFS, "Read-only file system", str(tmp_path))

    with monkeypatch.context() as patched:
        patched.setattr(*{"mkdir": (Path, "mkdir"), "write": (os, "write")}[fails], refuse)
        with pytest.raises(StoreError, match="Read-only file system"):
            make_run(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_at_the_start_leaves_no_run(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(DiskFull, match="The disk is full"):
            make_run(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["write", "ftruncate", "fsync"])
def test_a_disk_that_is_full_or_read_only_at_a_resume_is_refused_and_leaves_the_commit(
    tmp_path, monkeypatch, step
):
    with make_run(tmp_path) as run:
        run.append_windows(window_rows(2))
        run.commit(0, b"weights")
        run.append_windows(window_rows(3)[2:])
    committed = run.committed

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, refuse)
        with pytest.raises(StoreError):
            Store(tmp_path).resume(run.run_id)
    assert run.committed == committed
    Store(tmp_path).resume(run.run_id).close()


def test_an_empty_store_lists_nothing_and_says_how_to_begin(tmp_path):
    assert Store(tmp_path / "none").runs() == []
    with pytest.raises(StoreError, match="sandlot train"):
        Store(tmp_path / "none").latest()


def test_a_folder_that_is_no_run_is_not_listed_and_a_damaged_one_is_warned_about(tmp_path, caplog):
    run = make_run(tmp_path)
    (tmp_path / "notes").mkdir()
    broken = make_run(tmp_path)
    broken.paths.record.write_text("{")
    assert [r.run_id for r in Store(tmp_path).runs()] == [run.run_id]
    assert broken.paths.folder.name in caplog.text and "notes" not in caplog.text


def test_an_unknown_run_names_the_nearest(tmp_path):
    run_id = make_run(tmp_path).run_id
    with pytest.raises(UnknownName, match=f"Did you mean '{run_id}'"):
        Store(tmp_path).open(run_id[:-1])


@pytest.mark.parametrize("name", ["../x", "/etc", "..", "a/b"])
def test_a_run_outside_the_store_cannot_be_opened(tmp_path, name):
    with pytest.raises(UnsafePath):
        Store(tmp_path).open(name)


def test_a_run_is_found_by_id_by_folder_and_as_the_latest(tmp_path):
    run = make_run(tmp_path)
    run.append_windows(window_rows(1))
    for name in (run.run_id, str(run.paths.folder), "latest"):
        store, run_id = locate(name, tmp_path)
        assert store.open(run_id).run_id == run.run_id


def test_retention_that_would_keep_nothing_to_resume_from_is_refused():
    with pytest.raises(ConfigError, match="newest checkpoint"):
        Retention(newest=0)
    assert Retention(newest=1).kept([1, 2, 3], best=None) == {3}
    assert Retention(newest=1, every=1).kept([1, 2, 3], best=7) == {1, 2, 3}
