import pytest
from making import TickingClock, make_run

from sandlot.errors import ConfigError, StoreError, UnknownName, UnsafePath
from sandlot.runs import Retention, Store, locate


def test_runs_are_listed_newest_updated_first(tmp_path):
    clock = TickingClock()
    runs = [make_run(tmp_path, clock) for _ in range(3)]
    runs[0].update(status="completed")
    assert [r.run_id for r in Store(tmp_path).runs()] == [runs[i].run_id for i in (0, 2, 1)]
    assert [r.run_id for r in Store(tmp_path).runs(limit=1)] == [runs[0].run_id]
    assert Store(tmp_path).latest().run_id == runs[0].run_id


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
    for name in (run.run_id, str(run.paths.folder), "latest"):
        store, run_id = locate(name, tmp_path)
        assert store.open(run_id).run_id == run.run_id


def test_retention_that_would_keep_nothing_to_resume_from_is_refused():
    with pytest.raises(ConfigError, match="newest checkpoint"):
        Retention(newest=0)
    assert Retention(newest=1).kept([1, 2, 3], best=None) == {3}
    assert Retention(newest=1, every=1).kept([1, 2, 3], best=7) == {1, 2, 3}
