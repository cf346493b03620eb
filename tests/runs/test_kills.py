"""kill -9 at random moments: nothing that was committed is lost, and the end is the same to the byte."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from killed_trainer import main
from making import make_run

from sandlot.runs import Store

TRAINER = str(Path(__file__).with_name("killed_trainer.py"))
WINDOWS, KILLS = 100, 6


def content(folder):
    """Every file by name, but what tells the time."""
    timed = {"run.json", "state.json", "best.json", ".lock"}
    return {
        p.relative_to(folder): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name not in timed
    }


def start(run):
    process = subprocess.Popen(
        [sys.executable, TRAINER, str(run.paths.folder.parent), run.run_id, str(WINDOWS)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_run_killed_again_and_again_ends_as_if_it_had_never_been(tmp_path):
    calm = make_run(tmp_path / "calm", window_env_steps=40)
    calm.close()
    main(tmp_path / "calm", calm.run_id, WINDOWS)

    killed = make_run(tmp_path / "killed", window_env_steps=40)
    killed.close()
    moments, reached = random.Random(20260131), -1
    for _ in range(KILLS):
        process = start(killed)
        time.sleep(moments.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        commit = Store(tmp_path / "killed").open(killed.run_id).committed
        now = commit.window_id if commit else -1
        assert now >= reached, "a committed window was lost"
        reached = now
    assert reached >= 0
    main(tmp_path / "killed", killed.run_id, WINDOWS)
    assert content(killed.paths.folder) == content(calm.paths.folder)
    record, wanted = killed.record, calm.record
    assert (record.status, record.env_steps_total) == ("completed", wanted.env_steps_total)
