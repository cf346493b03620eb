"""Training and evaluation are processes apart: neither waits for the other, a kill harms no file."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
import small

from sandlot.locking import FileLock, is_held
from sandlot.runs.atomic import read_lines
from sandlot.runs.evaluations import parse_evaluations
from sandlot.runs.store import Store

DEADLINE_S = 120
WORDS = (
    *small.PROSPECTOR,
    "run.window_env_steps=300",
    "settings.time_max=300",
    "network.hidden_sizes=[16]",
    "evaluation.episodes=2",
    "run.threads=1",
)


def command(root, *words):
    settings = [word for setting in WORDS for word in ("--set", setting)]
    chosen = words if "--resume" in words else ("prospector", *settings, *words)
    return [sys.executable, "-m", "sandlot", "train", *chosen, "--runs", str(root), "--no-tensorboard"]


@contextmanager
def started(*words):
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(true, process=None):
    deadline = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < deadline, "nothing came of it"
        assert process is None or process.poll() is None, process.communicate()[0]
        time.sleep(0.05)


def only_run(root):
    (record,) = Store(root).runs()
    return Store(root).open(record.run_id)


def test_training_goes_on_while_the_evaluator_is_held_and_records_nothing_itself(tmp_path):
    """The evaluator's lock is taken before it can be: it waits, the trainer closes window after window."""
    with started(*command(tmp_path, "--windows", "6", "--json")) as process:
        wait_until(lambda: Store(tmp_path).runs(), process)
        run = only_run(tmp_path)
        held = FileLock(run.paths.evaluator_lock)
        wait_until(lambda: len(run.checkpoints()) == 6, process)
        assert run.index.count() == 0 and not any(run.paths.replays.iterdir()), "nobody else records"
        assert read_lines(run.paths.evaluations) == []
        held.release()
        output, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, output
    rows = [json.loads(line) for line in read_lines(run.paths.evaluations)]
    assert [row["window_id"] for row in rows] == list(range(6))
    assert run.index.count() == 6
    assert process.pid not in {row["evaluator_pid"] for row in rows}


def test_the_trainer_never_loads_what_records():
    """Neither the loop nor the command imports the recorder, the player or the evaluator."""
    modules = "sys, sandlot.cli.train, sandlot.train.loop, sandlot.cli.evaluator_process"
    code = f"import {modules}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {
        "sandlot.evaluate.recording",
        "sandlot.evaluate.replay_recorder",
        "sandlot.evaluate.evaluator",
    } & set(loaded.split())


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_kill_and_a_resume_leave_one_evaluator_and_whole_evaluations(tmp_path):
    with started(*command(tmp_path, "--windows", "500")) as process:
        wait_until(lambda: Store(tmp_path).runs() and only_run(tmp_path).committed, process)
        run = only_run(tmp_path)
        wait_until(lambda: is_held(run.paths.evaluator_lock), process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run.record.status == "interrupted"
    wait_until(lambda: not is_held(run.paths.evaluator_lock))  # the orphan notices and ends
    for _ in range(2):
        before = run.committed.window_id
        with started(*command(tmp_path, "--resume", run.run_id)) as process:
            wait_until(lambda before=before: run.committed.window_id > before, process)
            process.send_signal(signal.SIGKILL)
    last = run.committed.window_id + 2
    done = subprocess.run(
        command(tmp_path, "--resume", run.run_id, "--windows", str(last)),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    rows, problems = parse_evaluations(run.paths.evaluations)
    assert problems == [] and run.unevaluated() == []
    assert [row["window_id"] for row in rows] == list(range(last))
    assert len(read_lines(run.paths.evaluations)) == last, "no window was judged twice"


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_an_evaluator_that_dies_is_started_again_and_every_window_is_evaluated(tmp_path):
    with started(*command(tmp_path, "--windows", "8")) as process:
        wait_until(lambda: Store(tmp_path).runs(), process)
        run = only_run(tmp_path)
        wait_until(lambda: read_lines(run.paths.evaluations), process)
        os.kill(json.loads(read_lines(run.paths.evaluations)[0])["evaluator_pid"], signal.SIGKILL)
        output, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, output
    assert "killed by signal 9; it is started again" in " ".join(output.split())
    assert run.unevaluated() == []


def test_windows_that_were_not_evaluated_are_named_with_exit_code_1(tmp_path):
    with started(*command(tmp_path, "--windows", "3")) as process:
        wait_until(lambda: Store(tmp_path).runs(), process)
        run = only_run(tmp_path)
        held = FileLock(run.paths.evaluator_lock)
        wait_until(lambda: len(run.checkpoints()) == 3, process)
        data = bytearray(run.paths.checkpoint(1).read_bytes())
        data[len(data) // 2] ^= 4
        run.paths.checkpoint(1).write_bytes(data)
        held.release()
        output, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "Not evaluated: window 1." in " ".join(output.split())
    assert run.record.status == "completed"


def test_every_window_is_evaluated_though_few_checkpoints_are_kept(tmp_path):
    words = ("--set", "run.keep_checkpoints=1", "--set", "evaluation.episodes=8", "--windows", "12")
    done = subprocess.run(command(tmp_path, *words), capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    run = only_run(tmp_path)
    assert [row["window_id"] for row in parse_evaluations(run.paths.evaluations)[0]] == list(range(12))
    assert run.best().report is not None
