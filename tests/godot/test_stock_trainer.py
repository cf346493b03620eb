"""The stock client's own programs on a scene of ours: gdrl, and its training of 10,000 steps."""

import os
import shutil
import socket
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest
import stock_client as stock
from lacking import lacking

from sandlot.bridge.godot_process import screen
from sandlot.bridge.godot_project import ensure_imported

from .stock_games import STOCK_PLATFORM, copy_game, launcher

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).with_name("stock_trainer.py")
LIMIT_S = 500
QUIET = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}


@pytest.fixture(scope="module")
def python():
    """That of `make stock`, with the stock trainer in it."""
    there = stock.default_python()
    if not STOCK_PLATFORM or not there.is_file():
        lacking("no stock godot-rl: make stock")
    if subprocess.run([there, "-c", "import stable_baselines3"], capture_output=True, timeout=60).returncode:
        lacking("an older stock godot-rl, without its trainer: make stock")
    return there


def test_gdrl_answers_help(python):
    done = subprocess.run([python.with_name("gdrl"), "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "--env_path" in done.stdout and "--viz" in done.stdout


@pytest.mark.parametrize("show", ["headless", "window"])
def test_its_own_training_runs_10000_steps_on_a_scene_of_ours(python, engine, tmp_path, show):
    if show == "window" and shutil.which("Xvfb") is None:
        lacking("needs Xvfb")
    project = copy_game("catcher_2d", tmp_path)
    ensure_imported(engine, project)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with screen() if show == "window" else nullcontext({}) as variables:
        done = subprocess.run(
            [python, PROGRAM, launcher(project, engine.path), str(port), tmp_path / "logs", show],
            capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL,
            env={**os.environ, **QUIET, **variables},
        )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == 0 and "TRAINED 10000" in output and "SCRIPT ERROR" not in output, output
    assert list((tmp_path / "logs").rglob("events.out.tfevents.*"))
