"""The examples for CleanRL's way of writing and for Sample Factory train on a scene of a Godot project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lacking import lacking

from sandlot.bridge.godot_addon import copy_addon
from sandlot.bridge.godot_install import install
from sandlot.errors import GodotMissing

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples/other_trainers"
SAMPLE_FACTORY = ROOT / ".venv-sample-factory/bin/python"
LIMIT_S = 300
QUIET = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    try:
        install()
    except GodotMissing as missing:
        lacking(str(missing))
    project = tmp_path_factory.mktemp("trainers") / "my_game"
    shutil.copytree(ROOT / "examples/godot_minimal", project)
    copy_addon(project)
    return f"godot:{project}"


def run(python, *words):
    done = subprocess.run(
        [str(python), *map(str, words)],
        capture_output=True, text=True, timeout=LIMIT_S,
        env={**os.environ, **QUIET, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_ppo_in_cleanrls_manner_trains_on_a_scene(game):
    words = ("--game", game, "--num-envs", "8", "--total-timesteps", "2048")
    lines = run(sys.executable, EXAMPLES / "cleanrl_ppo.py", *words).splitlines()
    assert [line.split()[1] for line in lines if line.startswith("update=")] == [
        f"steps={steps}" for steps in (512, 1024, 1536, 2048)
    ]


def test_sample_factory_trains_on_a_scene_in_its_own_environment(game, tmp_path):
    if not SAMPLE_FACTORY.is_file():
        lacking("no Sample Factory: make sample-factory")
    words = (f"--game={game}", "--arenas=8", "--train_for_env_steps=2048", f"--train_dir={tmp_path}")
    output = run(SAMPLE_FACTORY, EXAMPLES / "sample_factory_ppo.py", *words)
    assert "Collected {0: " in output
    assert list(tmp_path.rglob("checkpoint_*.pth")), "it leaves what it learned"
