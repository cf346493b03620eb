"""The evaluator beside a training: a real child process that works, dies, hangs or refuses to stop."""

import os
import sys
from types import SimpleNamespace

import pytest
from leaks import nothing_left_open

from sandlot.cli import evaluator_process as evaluating
from sandlot.cli.evaluator_process import RESTARTS, EvaluatorProcess, evaluator, warn_unevaluated
from sandlot.runs import Store

WAITS = "echo began; read line; exit 0"  # until its input closes, as the real one does


@pytest.fixture
def run(tmp_path):
    with Store(tmp_path / "[red]runs").create(
        {}, game="tag", trainer_backend="ppo", window_env_steps=10
    ) as made:
        yield made


@pytest.fixture
def does(tmp_path, monkeypatch):
    """Puts a shell script in the place of the Python that evaluates; it is called as that would be."""

    def put(script: str) -> None:
        path = tmp_path / "evaluator"
        path.write_text(f'#!/bin/sh\necho "called $*"\n{script}\n')
        path.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(path))

    return put


@pytest.fixture
def output(capsys, monkeypatch):
    monkeypatch.setattr(evaluating.err, "width", 200)
    return lambda: capsys.readouterr().err


def test_it_is_started_with_the_folder_and_writes_its_log(run, does, output):
    does("exit 0")
    with nothing_left_open(), evaluator(run, 2) as listeners:
        assert [type(each) for each in listeners] == [EvaluatorProcess]
        listeners[0]._process.wait(20)
    log = (run.paths.logs / "evaluator.log").read_text()
    assert log == f"called -m sandlot.evaluate.evaluator {run.paths.folder} --until-input-closes\n"
    assert run.retention.evaluated_every == 2 and output() == ""


def test_without_evaluation_nothing_is_started_and_no_checkpoint_waits(run, does):
    does("exit 0")
    run.evaluated_every(3)
    with evaluator(run, 0) as listeners:
        assert listeners == []
    assert run.retention.evaluated_every == 0 and not (run.paths.logs / "evaluator.log").exists()


def test_the_end_of_a_training_waits_for_the_last_windows_and_says_so(run, does, output):
    does("sleep 0.2; exit 0")
    with evaluator(run, 1) as (process,):
        pass
    assert process._process.returncode == 0 and output() == "Evaluating the last windows …\n"


def test_a_training_that_fails_does_not_wait_but_stops_it(run, does, output):
    does("sleep 600")
    with nothing_left_open(), pytest.raises(ZeroDivisionError), evaluator(run, 1) as (process,):
        raise ZeroDivisionError
    assert process._process.returncode == -15 and output() == ""


def test_its_input_closes_before_it_is_stopped(run, does):
    does(WAITS)
    process = EvaluatorProcess(run)
    process.stop()
    assert process._process.stdin.closed and process._process.returncode in (0, -15)


def test_one_that_ignores_the_request_to_end_is_killed(run, does, monkeypatch):
    monkeypatch.setattr(evaluating, "STOP_SECONDS", 0.2)
    does("trap '' TERM; echo deaf; while :; do sleep 0.05; done")
    process = EvaluatorProcess(run)
    while "deaf" not in process.log.read_text():
        assert process._process.poll() is None
    process.stop()
    assert process._process.returncode == -9


def test_ctrl_c_in_our_terminal_does_not_reach_it(run, does):
    does(WAITS)
    process = EvaluatorProcess(run)
    try:
        assert os.getsid(process._process.pid) != os.getsid(0)
    finally:
        process.stop()


def test_it_is_waited_for_only_so_long(run, does, output, monkeypatch):
    monkeypatch.setattr(evaluating, "WAIT_SECONDS", 0)
    does("sleep 600")
    process = EvaluatorProcess(run)
    try:
        process.wait()
        assert process._process.poll() is None, "it is stopped by stop()"
    finally:
        process.stop()
    assert "still running after 0 s and is stopped" in output()


@pytest.mark.parametrize("code", [0, 1])
def test_one_that_has_judged_what_it_could_is_not_started_again(run, does, output, code):
    does(f"exit {code}")
    process = EvaluatorProcess(run)
    process._process.wait(20)
    process.wait()
    process.stop()
    assert process.log.read_text().count("called") == 1 and output() == ""


@pytest.mark.parametrize(
    ("script", "why"), [("exit 2", "ended with code 2"), ("kill -9 $$", "was killed by signal 9")]
)
def test_one_that_dies_is_started_again_a_few_times_and_then_given_up(run, does, output, script, why):
    does(script)
    run.evaluated_every(1)
    with nothing_left_open():
        process = EvaluatorProcess(run)
        process._process.wait(20)
        process.wait()
        process.stop()
    assert process.log.read_text().count("called") == RESTARTS + 1 == 4
    lines = output().splitlines()
    assert lines[:3] == [f"The evaluator {why}; it is started again. See {process.log}."] * 3
    assert lines[3:] == [f"The evaluator {why} and is not started again; see {process.log}."]
    assert run.retention.evaluated_every == 0, "checkpoints do not wait for it any more"
    assert process._restart_if_dead() is False and output() == "", "said once"


def test_the_loop_looks_at_it_once_a_second(run, does, monkeypatch):
    does("exit 2")
    run.evaluated_every(1)
    now = [0.0]
    monkeypatch.setattr(evaluating, "time", SimpleNamespace(monotonic=lambda: now[0]))
    process = EvaluatorProcess(run)
    process._process.wait(20)
    process(None)
    assert process._restarts == 1
    process._process.wait(20)
    for moment, restarts in ((0.99, 1), (1.0, 2)):
        now[0] = moment
        process(None)
        assert process._restarts == restarts
    process.stop()


def test_one_that_runs_is_left_alone(run, does, output):
    does(WAITS)
    process = EvaluatorProcess(run)
    child = process._process
    assert process._restart_if_dead() is True and process._process is child and output() == ""
    process.stop()


# ---------------------------------------------------------------- windows that nobody evaluated


def unevaluated(run, windows):
    return SimpleNamespace(
        paths=run.paths, unevaluated=lambda every: windows if every == 2 else pytest.fail()
    )


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1, "window 0."),
        (10, "windows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9."),
        (11, "windows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more."),
    ],
)
def test_windows_that_were_not_evaluated_are_named(run, output, count, shown):
    assert warn_unevaluated(unevaluated(run, list(range(count))), 2) is True
    text = output()
    assert text.startswith(f"Not evaluated: {shown} The weights are kept. {run.paths.logs / 'evaluator.log'}")
    assert f"-m sandlot.evaluate.evaluator {run.paths.folder}" in text


def test_nothing_is_said_where_all_were_or_none_should_be(run, output):
    assert warn_unevaluated(unevaluated(run, []), 2) is False
    assert warn_unevaluated(unevaluated(run, [1]), 0) is False
    assert output() == ""
