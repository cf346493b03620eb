"""scripts/ml as its README and the brief type it, and sentences with exit code 2 for what is wrong."""

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from calling import caller
from stable_baselines3 import PPO

from sandlot.compat.vr.command import app
from sandlot.compat.vr.config import RLConfig

from .conftest import tiny
from .http_game import served

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "scripts" / "ml"
README = (SCRIPTS / "README.md").read_text(encoding="utf-8")
SHORT = 128  # steps of every training of the page


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    return caller(monkeypatch, capsys, tmp_path, app, "train_vr_navigation.py")


@pytest.fixture
def small(tmp_path):
    """A configuration file that trains in a second."""
    return str(tiny(tmp_path / "user").save(tmp_path / "small.json"))


def commands():
    """The commands of the page, in their order."""
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [shlex.split(line, comments=True) for line in "".join(blocks).splitlines()]


def shortened(words):
    """The same command with few steps, and with the checkpoint that few steps leave behind."""
    words = [re.sub(r"model_\d+_steps", f"model_{SHORT}_steps", word) for word in words]
    if "--eval" in words:
        words[words.index("--episodes") + 1] = "2"
    elif "--save-config" not in words and words[1].endswith("train_vr_navigation.py"):
        total = str(2 * SHORT if "--resume" in words else SHORT)
        words = [*words, "--timesteps", total] if "--timesteps" not in words else words
        words[words.index("--timesteps") + 1] = total
    return words


def run_script(words, monkeypatch):
    """`python FILE WORDS`, in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", words[1:])
    try:
        runpy.run_path(str(ROOT / words[1]), run_name="__main__")
    except SystemExit as stop:
        return stop.code or 0
    return 0


# ---------------------------------------------------------------- as it is typed


@pytest.mark.slow
def test_every_command_of_the_page_runs_as_it_is_written(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AI_USER_DIR", str(tmp_path / "user"))
    typed = [words for words in commands() if words[0] == "python"]
    assert len(typed) == 11 and commands()[0] == ["pip", "install", "-r", "scripts/ml/requirements.txt"]
    for words in typed:
        assert run_script(shortened(words), monkeypatch) == 0, (words, capsys.readouterr())
    folder = tmp_path / "user" / "ml_training"
    assert re.search(r"tensorboard --logdir \S+ --port 6006", " ".join(capsys.readouterr().out.split()))
    assert (folder / "checkpoints" / f"vr_nav_model_{2 * SHORT}_steps.zip").is_file()
    for path in (folder / "best_models" / "best_model.zip", tmp_path / "models" / "vr_nav_v1.zip"):
        assert PPO.load(path).observation_space.shape == (48,)
    assert (tmp_path / "models" / "vr_nav_v1.onnx").is_file()
    assert json.loads((tmp_path / "my_config.json").read_text())["training"]["total_timesteps"] == 10_000
    assert {path.name for path in (folder / "logs").iterdir()} >= {"PPO_1", "PPO_2"}


def test_the_script_is_a_program_of_its_own(tmp_path):
    words = [sys.executable, SCRIPTS / "train_vr_navigation.py", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True)
    for flag in ("preset", "config", "timesteps", "resume", "eval", "episodes", "verbose", "save-config"):
        assert f"--{flag} " in done.stdout


def test_the_folder_of_scripts_is_a_package():
    program = (
        "from scripts.ml import rl_config, rl_utils; print(rl_config.RLConfig().ppo.n_steps, rl_utils.train)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and done.stdout.startswith("2048 <function train"), done.stderr


def test_another_file_of_the_same_name_is_another_module(call, small, tmp_path):
    base = "from sandlot.compat.vr.rewards import RewardCalculator\nclass Pays(RewardCalculator):\n"
    method = "    def calculate_reward(self, *_):\n        return {}\n"
    for folder, amount in (("one", 0.5), ("two", 0.25)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same_name.py").write_text(base + method.format(amount))
        done = call("--config", small, "--reward", f"{folder}/same_name.py:Pays", "--timesteps", "64")
        assert done.code == 0 and f"mean reward {20 * amount:.1f}" in done.out


def test_a_reward_calculator_in_a_file_is_trained_with(call, small, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from sandlot.compat.vr.rewards import RewardCalculator\n"
        "class Half(RewardCalculator):\n"
        "    def calculate_reward(self, observation, action, next_observation, done, info):\n"
        "        return 0.5\n"
    )
    done = call("--config", small, "--reward", "mine.py:Half", "--timesteps", "64")
    assert done.code == 0 and "mean reward 10.0" in done.out, "20 steps of a half"


def test_an_evaluation_lists_its_episodes_and_gives_intervals(call, trained):
    _, result, _ = trained
    done = call("--eval", str(result.best_model), "--episodes", "3", "--verbose")
    assert done.code == 0, done.err
    assert len(re.findall(r"^  episode \d: ", done.out, re.MULTILINE)) == 3
    assert "3 episodes on held-out seeds" in done.out
    for name in ("success", "mean reward", "collisions", "comfort score"):
        assert re.search(rf"  {name} +\S+ \(\S+ to \S+\)", done.out), name


@pytest.mark.slow
def test_our_own_ppo_trains_the_same_configuration(call, small, tmp_path):
    done = call("--config", small, "--trainer", "ppo", "--timesteps", "512", "--runs", str(tmp_path / "runs"))
    assert done.code == 0, done.err
    assert len(list((tmp_path / "runs").glob("*/config.json"))) == 1


def test_a_bare_name_is_looked_for_where_trainings_save(call, small, monkeypatch, tmp_path):
    monkeypatch.setenv("AI_USER_DIR", str(tmp_path / "user"))
    assert call("--config", small, "--timesteps", "64").code == 0
    for name in ("best_model.zip", "vr_nav_model_64_steps.zip"):
        assert call("--eval", name, "--episodes", "1").code == 0


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--preset", "quick_tset"], "There is no preset called 'quick_tset'. Did you mean 'quick_test'?"),
        (["--trainer", "sb"], "There is no trainer called 'sb'. Did you mean 'sb3'?"),
        (["--environment", "godot"], "There is no environment called 'godot'"),
        (["--preset", "quick_test", "--config", "a.json"], "--preset and --config are both given"),
        (["--resume", "a.zip", "--eval", "b.zip"], "--resume trains and --eval does not"),
        (["--config", "none.json"], "none.json cannot be read"),
        (["--eval", "none.zip"], "There is no model none.zip"),
        (["--resume", "none.zip"], "There is no model none.zip"),
        (["--timesteps", "0"], "Invalid value for '--timesteps'"),
        (["--reward", "none.py:Mine"], "there is no file 'none.py'"),
        (["--trainer", "ppo", "--resume", "a.zip"], "sandlot train --resume RUN"),
        (["--config", "res://config.json"], "res:// lies inside the game's project"),
    ],
)
def test_a_wrong_word_is_one_sentence_and_exit_code_2(call, words, sentence):
    done = call(*words)
    assert done.code == 2 and sentence in done.err + done.out and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"rewards": {"goal_reach": 1.0}},
            "no setting of rewards called 'goal_reach'. Did you mean 'goal_reached'",
        ),
        ({"reward": {}}, "no section called 'reward'. Did you mean 'rewards'?"),
        ({"ppo": {"learning_rate": "fast"}}, "ppo.learning_rate = 'fast': expected a number"),
        ({"environment": {"scene": "scenes/a.tscn"}}, "environment.scene = 'scenes/a.tscn'"),
    ],
)
def test_a_wrong_file_is_one_sentence_and_exit_code_2(call, tmp_path, values, sentence):
    (tmp_path / "wrong.json").write_text(json.dumps(values))
    done = call("--config", "wrong.json")
    assert done.code == 2 and "wrong.json: " in done.err and sentence in done.err


def test_zero_episodes_and_a_model_of_another_task_are_sentences(call, trained, tmp_path):
    _, result, _ = trained
    done = call("--eval", str(result.best_model), "--episodes", "0")
    assert done.code == 2 and "--episodes 0: expected at least 1" in done.err
    PPO("MlpPolicy", "CartPole-v1", n_steps=8, batch_size=8).save(tmp_path / "cartpole.zip")
    done = call("--resume", "cartpole.zip", "--timesteps", "64")
    assert done.code == 2 and "does not fit this configuration" in done.err


def test_no_game_and_a_scene_outside_the_whitelist_are_sentences(call, small, tmp_path):
    values = json.loads(Path(small).read_text())
    values["environment"] |= {"kind": "http", "port": 9}
    (tmp_path / "http.json").write_text(json.dumps(values))
    done = call("--config", "http.json")
    assert done.code == 2 and "Cannot connect to the HTTP API at http://127.0.0.1:9" in done.err
    assert "start_godot_api" in done.err and "--environment native" in done.err
    with served(RLConfig()) as (_, port):
        values["environment"] |= {"port": port, "scene": "res://secret/a.tscn"}
        (tmp_path / "http.json").write_text(json.dumps(values))
        done = call("--config", "http.json")
    assert (
        done.code == 2 and "Failed to load scene res://secret/a.tscn" in done.err and "whitelist" in done.err
    )
