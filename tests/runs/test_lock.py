import json
import os
import signal
import subprocess
import sys
import time

import pytest

from sandlot.errors import RunLocked
from sandlot.runs.lock import RunLock

HOLD = """
import os, pathlib, sys, time
from sandlot.runs.lock import RunLock
lock = RunLock(pathlib.Path(sys.argv[1]))
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


def test_a_second_trainer_is_told_who_holds_the_run(tmp_path):
    lock = RunLock(tmp_path / ".lock")
    with pytest.raises(
        RunLocked, match=rf"Run {tmp_path.name} is in use by process {os.getpid()} on .*, since 2"
    ):
        RunLock(tmp_path / ".lock")
    lock.release()
    RunLock(tmp_path / ".lock").release()


def test_a_killed_holder_leaves_no_lock_behind(tmp_path):
    holder, _ = hold(tmp_path / ".lock")
    try:
        with pytest.raises(RunLocked, match=f"process {holder.pid}"):
            RunLock(tmp_path / ".lock")
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert json.loads((tmp_path / ".lock").read_text())["pid"] == holder.pid  # stale, and recognised as such
    RunLock(tmp_path / ".lock").release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_helper_that_outlives_a_killed_trainer_does_not_keep_its_lock(tmp_path):
    holder, helper = hold(tmp_path / ".lock", "with a helper")
    try:
        time.sleep(0.2)  # the helper's first moments, in which it lets go
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        RunLock(tmp_path / ".lock").release()
    finally:
        os.kill(helper, signal.SIGKILL)


def test_a_lock_file_that_says_nothing_still_refuses(tmp_path):
    lock = RunLock(tmp_path / ".lock")
    (tmp_path / ".lock").write_text("")
    with pytest.raises(RunLocked, match="not signed yet"):
        RunLock(tmp_path / ".lock")
    lock.release()
