"""A game in another process that dies while it trains: started again from the last commit, a few times."""

import os
import signal
import subprocess
import sys

import pytest
import reference_game

from sandlot.cli.train import MAX_RESTARTS, run_training
from sandlot.errors import GameLost
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.events import Committed, Progressed
from sandlot.train.loop import begin
from sandlot.worlds.remote import RemoteWorld

SMALL = ["ppo.num_envs=4", "ppo.num_steps=16", "ppo.num_minibatches=2", "run.window_env_steps=400",
         "run.windows=3", "run.engine=godot", "curriculum=[]", "ppo.rollouts_per_iteration=1"]  # fmt: skip


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Trains three windows with the reference game in a process of its own; `at` is given each event and the
    process, which it may kill."""
    processes = []

    def launch(env):
        words = [sys.executable, reference_game.__file__]
        processes.append(subprocess.Popen(words, env={**os.environ, **env}, stdin=subprocess.DEVNULL))
        return processes[-1]

    def behind_a_socket(game, worlds, threads, seed, config, **options):
        return RemoteWorld(game, worlds, seed, config, launch=launch, **options)

    monkeypatch.setitem(sys.modules["sandlot.worlds.make"].ENGINES, "godot", behind_a_socket)

    def train(at):
        config = compose("tag", "godot", None, SMALL)
        run = begin(Store(tmp_path), config)
        listeners = [lambda event: at(event, processes[-1])]
        try:
            return run_training(config, run, evaluate=False, as_machine=True, listeners=listeners), processes
        finally:
            assert all(process.poll() is not None for process in processes), "a game was left behind"

    yield train


def test_the_run_goes_on_after_the_last_window_that_was_saved(trained, tmp_path, capfd):
    killed = []

    def at(event, process):
        if isinstance(event, Committed) and event.window_id == 0 and not killed:
            killed.append(process.pid)
            process.kill()

    status, processes = trained(at)
    assert status == "completed" and len(processes) > 1
    run = Store(tmp_path).latest()
    assert [row.window_id for row in run.windows()] == [0, 1, 2] and run.record.error is None
    output = capfd.readouterr().err
    assert (
        "killed by signal 9" in output
        and "started again (1 of 3); the run continues after window 0" in output
    )


def test_a_game_that_keeps_dying_is_given_up_with_a_way_to_go_on(trained, tmp_path):
    saved = []

    def at(event, process):
        saved.extend([event.window_id] if isinstance(event, Committed) else [])
        if saved and isinstance(event, Progressed):
            os.kill(process.pid, signal.SIGKILL)

    with pytest.raises(GameLost, match="signal 9") as report:
        trained(at)
    run = Store(tmp_path).latest()
    assert saved == [0] and run.record.status == "failed"
    assert (
        report.value.hint
        == f"Everything up to window 0 is saved. Continue with: sandlot train --resume {run.run_id}"
    )
    assert MAX_RESTARTS == 3
