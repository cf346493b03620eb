import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest
from leaks import nothing_left_open
from refusals import refused

from sandlot.errors import DiskFull, RunLocked, StoreError
from sandlot.locking import FileLock, is_held

HOLD = """
import os, pathlib, sys, time
from sandlot.locking import FileLock
lock = FileLock(pathlib.Path(sys.argv[1]))
helper = os.fork() if len(sys.argv) > 2 else -1
if helper != 0:
    print(helper, flush=True)
time.sleep(60)
"""


def hold(path, *words):
    """A process that holds the lock; with a word more, it has a forked helper. Returns both."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), *words], stdout=subprocess.PIPE, text=True
    )
    return holder, int(holder.stdout.readline())


def test_a_second_trainer_is_reported_who_holds_the_run(tmp_path):
    lock = FileLock(tmp_path / ".lock")
    with pytest.raises(
        RunLocked, match=rf"Run {tmp_path.name} is in use by process {os.getpid()} on .*, since 2"
    ):
        FileLock(tmp_path / ".lock")
    lock.release()
    FileLock(tmp_path / ".lock").release()


def test_a_killed_holder_leaves_no_lock_behind(tmp_path):
    holder, _ = hold(tmp_path / ".lock")
    try:
        with pytest.raises(RunLocked, match=f"process {holder.pid}"):
            FileLock(tmp_path / ".lock")
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert json.loads((tmp_path / ".lock").read_text())["pid"] == holder.pid  # stale, and recognised as such
    FileLock(tmp_path / ".lock").release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_helper_that_outlives_a_killed_trainer_does_not_keep_its_lock(tmp_path):
    holder, helper = hold(tmp_path / ".lock", "with a helper")
    try:
        time.sleep(0.2)  # the helper's first moments, in which it lets go
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        FileLock(tmp_path / ".lock").release()
    finally:
        os.kill(helper, signal.SIGKILL)


def test_a_lock_file_that_says_nothing_still_refuses(tmp_path):
    lock = FileLock(tmp_path / ".lock")
    (tmp_path / ".lock").write_text("")
    with pytest.raises(RunLocked, match="another process that has not written its name"):
        FileLock(tmp_path / ".lock")
    lock.release()


def test_a_lock_that_is_looked_at_can_be_taken(tmp_path):
    path = tmp_path / ".lock"
    assert not is_held(path), "there is none"
    lock = FileLock(path)
    assert lock.held and is_held(path)
    lock.release()
    assert not lock.held and not is_held(path) and path.read_bytes() == b""
    lock.release()
    again = FileLock(path)
    assert again.held
    again.release()


def test_a_lock_says_who_holds_it_and_since_when(tmp_path):
    path = tmp_path / ".lock"
    then = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)
    lock = FileLock(path, clock=lambda: then)
    try:
        signed = json.loads(path.read_text())
        assert signed.pop("since") == "2026-01-31T09:05:00.000Z"
        assert signed == {"pid": os.getpid(), "host": socket.gethostname()}
        holder = f"process {os.getpid()} on .*, since 2026-01-31T09"
        with nothing_left_open(), refused(tmp_path, RunLocked, holder):
            FileLock(path)
    finally:
        lock.release()


def test_a_lock_is_tried_a_few_times_because_somebody_may_only_look(tmp_path, monkeypatch):
    path = tmp_path / ".lock"
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    lock = FileLock(path)
    assert waits == []
    with pytest.raises(RunLocked):
        FileLock(path)
    assert waits == [0.01] * 5
    waits.clear()

    def let_go(seconds):
        waits.append(seconds)
        if len(waits) == 3:
            lock.release()

    monkeypatch.setattr("time.sleep", let_go)
    second = FileLock(path)
    assert second.held and len(waits) == 3
    second.release()


def test_a_lock_that_cannot_be_signed_or_opened_is_refused_and_let_go(tmp_path, monkeypatch):
    path = tmp_path / ".lock"
    path.touch()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched, nothing_left_open(), refused(tmp_path, DiskFull, "lock"):
        patched.setattr(os, "write", full)
        FileLock(path)
    assert not is_held(path)
    with nothing_left_open(), refused(tmp_path, StoreError, "nowhere"):
        FileLock(tmp_path / "nowhere" / ".lock")


def test_looking_leaves_no_descriptor_open(tmp_path):
    path = tmp_path / ".lock"
    lock = FileLock(path)
    with nothing_left_open():
        assert is_held(path) and not is_held(tmp_path / "none")
    lock.release()
    with nothing_left_open():
        assert not is_held(path)


def test_what_cannot_be_looked_at_counts_as_held(tmp_path, monkeypatch):
    (tmp_path / ".lock").touch()

    def denied(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    assert is_held(tmp_path / ".lock")
