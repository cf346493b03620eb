"""files.py: a file is written whole or not at all, and nothing is left beside it."""

import errno
import os
import stat

import pytest
from leaks import nothing_left_open
from refusals import contents, refused

from sandlot import files
from sandlot.errors import DiskFull, StoreError
from sandlot.files import refusal, temporary, write_all, write_bytes


def test_a_file_is_written_whole_readable_by_others_and_nothing_lies_beside_it(tmp_path):
    with nothing_left_open():
        write_bytes(tmp_path / "a", b"one")
        write_bytes(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two" and [p.name for p in tmp_path.iterdir()] == ["a"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644 & ~mask


@pytest.mark.parametrize("fails", ["write", "fsync", "replace"])
@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EFBIG, DiskFull),
        (errno.EACCES, StoreError),
    ],
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, fails, number, error):
    write_bytes(tmp_path / "a", b"one")

    def fail(*_):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        if fails == "replace":
            patch.setattr(files.Path, "replace", fail)
        else:
            patch.setattr(os, fails, fail)
        with nothing_left_open(), refused(tmp_path, error, "could not be written") as problem:
            write_bytes(tmp_path / "a", b"two")
    assert type(problem.value) is error and "The file that was there before is untouched." in str(
        problem.value
    )
    assert contents(tmp_path).keys() == {"a"}


def test_a_write_that_takes_a_part_is_continued(monkeypatch):
    written = []
    monkeypatch.setattr(os, "write", lambda handle, rest: written.append(bytes(rest[:3])) or len(written[-1]))
    write_all(7, b"abcdefgh")
    assert written == [b"abc", b"def", b"gh"]


def test_bytes_and_folder_are_flushed_before_and_after_the_rename(tmp_path, monkeypatch):
    order, fsync, replace = [], os.fsync, files.Path.replace

    def flush(handle):
        order.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(files.Path, "replace", lambda self, to: order.append("rename") or replace(self, to))
    write_bytes(tmp_path / "a", b"x")
    assert order == ["file", "rename", "folder"]


def test_a_temporary_name_is_hidden_says_whose_it_is_and_is_new_each_time(tmp_path):
    first, second = temporary(tmp_path / "a.pt"), temporary(tmp_path / "a.pt")
    assert first != second and first.parent == tmp_path and first.suffix == ".tmp"
    assert first.name.startswith(f".a.pt.{os.getpid()}-") and len(first.name.split("-")[1]) == len(
        "12345678.tmp"
    )


def test_a_refusal_names_the_file_the_reason_and_what_remains(tmp_path):
    full = refusal(tmp_path / "a", OSError(errno.ENOSPC, "No space"), "The rest is there.")
    assert "The disk is full" in str(full) and "The rest is there. Make room" in str(full)
    other = refusal(tmp_path / "a", OSError("odd"), "Nothing changed.")
    assert str(other) == f"{tmp_path / 'a'} could not be written (odd). Nothing changed."
