import errno
import os
import subprocess
import sys

import pytest

from sandlot.errors import Damaged, DiskFull, StoreError
from sandlot.runs import atomic


def full_after(calls, what=errno.ENOSPC):
    """An os.write that works so many times, half-way once more, and then finds the disk full."""
    left, real = [calls], os.write

    def write(handle, data):
        left[0] -= 1
        if left[0] < -1:
            raise OSError(what, "No space left on device")
        return real(handle, bytes(data)[: max(1, len(data) // 2)] if left[0] == -1 else data)

    return write


def test_a_written_file_is_read_back_and_leaves_nothing_beside_it(tmp_path):
    atomic.write_json(tmp_path / "run.json", {"a": [1, 2.5, "ü"]})
    assert atomic.read_json(tmp_path / "run.json") == {"a": [1, 2.5, "ü"]}
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


def test_a_full_disk_keeps_the_old_file_and_says_so(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    atomic.write_text(path, "old")
    monkeypatch.setattr(os, "write", full_after(0))
    with pytest.raises(
        DiskFull, match=r"run\.json could not be written. The file that was there before is untouched"
    ):
        atomic.write_text(path, "new and longer")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_at_any_step_of_a_write_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "run.json"
    atomic.write_text(path, "old")

    def fails(*_):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (type(path), "replace")}[step], fails)
    with pytest.raises(DiskFull):
        atomic.write_text(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(StoreError, match="No such file"):
        atomic.write_text(tmp_path / "nowhere" / "run.json", "x")


def test_nan_is_refused_because_other_languages_cannot_read_it(tmp_path):
    with pytest.raises(ValueError):
        atomic.write_json(tmp_path / "run.json", {"loss": float("nan")})
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_json_is_refused_by_name(tmp_path):
    (tmp_path / "run.json").write_text('{"a": 1')
    with pytest.raises(Damaged, match=r"run\.json is not JSON"):
        atomic.read_json(tmp_path / "run.json")


def test_cleaning_up_takes_what_the_dead_left_and_nothing_of_the_living(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / "replays").mkdir()
    of_the_dead = tmp_path / "replays" / f".a.{gone.pid}-0123abcd.tmp"
    of_the_living = atomic.temporary(tmp_path / "replays" / "b")
    for path in (of_the_dead, of_the_living, tmp_path / "kept"):
        path.write_text("x")
    atomic.remove_temporaries(tmp_path)
    assert not of_the_dead.exists() and of_the_living.exists() and (tmp_path / "kept").exists()


def test_a_torn_last_line_is_cut_away_when_the_file_is_opened(tmp_path):
    path = tmp_path / "windows.jsonl"
    path.write_text('{"a":1}\n{"a":2}\n{"a":')
    with atomic.Lines(path) as lines:
        assert lines.torn == 5
        lines.append('{"a":3}')
    assert path.read_text() == '{"a":1}\n{"a":2}\n{"a":3}\n'


def test_a_torn_line_longer_than_any_block_is_cut_too(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"first\n" + b"x" * 200_000)
    with atomic.Lines(path) as lines:
        assert lines.size == 6
    assert path.read_bytes() == b"first\n"


def test_a_reader_never_sees_a_torn_line(tmp_path):
    path = tmp_path / "windows.jsonl"
    assert atomic.read_lines(path) == []
    path.write_text("one\ntw")
    assert atomic.read_lines(path) == ["one"]


def test_a_full_disk_in_mid_append_keeps_the_lines_before(tmp_path, monkeypatch):
    path = tmp_path / "windows.jsonl"
    with atomic.Lines(path) as lines:
        lines.append("one")
        monkeypatch.setattr(os, "write", full_after(0))
        with pytest.raises(DiskFull, match="first 4 bytes are valid"):
            lines.append("two", "three")
        monkeypatch.undo()
        assert path.read_text() == "one\n"
        lines.append("two")
    assert path.read_text() == "one\ntwo\n"


def test_a_record_must_be_one_line(tmp_path):
    with atomic.Lines(tmp_path / "x") as lines, pytest.raises(StoreError, match="newline"):
        lines.append("two\nlines")


def test_a_file_cannot_be_cut_to_more_than_it_has(tmp_path):
    with atomic.Lines(tmp_path / "x") as lines, pytest.raises(Damaged, match="lines are missing"):
        lines.cut(10)


def test_opening_cuts_a_torn_line_before_the_first_append(tmp_path):
    (tmp_path / "x").write_text("torn")
    with atomic.Lines(tmp_path / "x") as lines:
        lines.append("whole")
    assert (tmp_path / "x").read_text() == "whole\n"


SMALL_DISK = """
import pathlib, resource, sys
from sandlot.errors import DiskFull
from sandlot.runs import atomic
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folder = pathlib.Path(sys.argv[1])
lines = atomic.Lines(folder / "growing")
refused = 0
for write in (lambda: [lines.append("x" * 69) for _ in range(99)], lambda: atomic.write_bytes(folder / "whole", b"y" * 5000)):
    try:
        write()
    except DiskFull:
        refused += 1
sys.exit(refused)
"""  # noqa: E501


@pytest.mark.skipif(os.name == "nt", reason="needs limits on file sizes")
def test_when_the_system_itself_refuses_only_whole_lines_and_files_remain(tmp_path):
    (tmp_path / "whole").write_text("old")
    assert subprocess.run([sys.executable, "-c", SMALL_DISK, str(tmp_path)]).returncode == 2
    assert (tmp_path / "growing").read_text() == ("x" * 69 + "\n") * 14
    assert sorted(p.name for p in tmp_path.iterdir()) == ["growing", "whole"]
    assert (tmp_path / "whole").read_text() == "old"


def test_a_growing_file_makes_its_folders(tmp_path):
    for line in ("{}", "[]"):
        with atomic.Lines(tmp_path / "a" / "b" / "lines.jsonl") as lines:
            lines.append(line)
    assert atomic.read_lines(tmp_path / "a" / "b" / "lines.jsonl") == ["{}", "[]"]
