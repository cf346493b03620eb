"""The guide's training scripts: flags, files, tags, resume, and sentences for what is wrong."""

import re
import runpy
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3 import PPO
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from sandlot.bridge.godot_project import project_folder
from sandlot.bridge.http_client import HttpClient
from sandlot.compat.playtest import models
from sandlot.compat.playtest.command import api_app, play_app, train_app
from sandlot.compat.playtest.tasks import LANDING, LOCOMOTION, PORT, TASKS, VOXEL_STRESS
from sandlot.compat.playtest.training import HYPERPARAMETERS, Request, hyperparameters, train
from sandlot.errors import ConfigError, SpecMismatch

ROOT = Path(__file__).parents[3]
SCRIPTS = {
    "train_vr_locomotion.py": (LOCOMOTION, 100_000, 4, "vr_locomotion_v1"),
    "train_spacecraft_landing.py": (LANDING, 500_000, 8, "spacecraft_landing_v1"),
    "train_voxel_stress.py": (VOXEL_STRESS, 100_000, 1, "voxel_stress_v1"),
}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------- files, tags, lines


def test_models_and_logs_lie_where_the_guide_says(trained):
    request, result, _ = trained
    assert names(request.folder / "models") == [
        f"spacecraft_landing_v1_{what}"
        for what in ("final.onnx", "final.zip", "step_152.zip", "step_300.zip")
    ]
    assert names(request.folder / "logs" / "spacecraft_landing_v1") == ["PPO_1"]
    assert (result.timesteps, result.model.name) == (384, "spacecraft_landing_v1_final.zip")


def test_every_model_opens_with_plain_sb3(trained):
    request, _, _ = trained
    for path in (request.folder / "models").glob("*.zip"):
        action, _ = PPO.load(path).predict(np.zeros(14, np.float32), deterministic=True)
        assert action.shape == (5,)


def test_the_onnx_acts_as_the_model_does(trained):
    import onnxruntime

    _, result, _ = trained
    session, model = onnxruntime.InferenceSession(result.onnx), PPO.load(result.model)
    seen = np.random.default_rng(0).normal(0, 0.5, (50, 14)).astype(np.float32)
    (found,) = session.run(["output"], {"obs": seen, "state_ins": np.zeros(50, np.float32)})
    expected, _ = model.predict(seen, deterministic=True)
    assert np.abs(found - expected).max() <= 1e-5


def test_tensorboard_has_the_guides_scalars(trained):
    request, _, _ = trained
    events = EventAccumulator(str(request.logs / "PPO_1")).Reload()
    assert {"time/fps", "time/total_timesteps"} <= set(events.Tags()["scalars"])


def test_the_console_says_what_is_trained_where_it_lies_and_that_it_is_done(trained):
    request, result, lines = trained
    text = "\n".join(lines)
    assert "environments  4 (seeds 42 to 45)" in text and "timesteps     384" in text
    assert "learning_rate 0.0003, n_steps 96, batch_size 64" in text
    assert f"[checkpoint] 300 steps: {request.model('step_300')}" in text
    assert f"tensorboard --logdir {request.folder / 'logs'}" in text
    assert "Training complete: 384 steps" in text and str(result.onnx) in text


def test_hyperparameters_are_the_guides_and_voxel_stress_explores_more():
    long = Request(LOCOMOTION, Path(), 100_000, 4)
    assert hyperparameters(long) == HYPERPARAMETERS | {"n_steps": 2048, "batch_size": 64}
    assert hyperparameters(Request(VOXEL_STRESS, Path(), 100_000, 1))["ent_coef"] == 0.1
    assert hyperparameters(Request(LOCOMOTION, Path(), 100, 1))["n_steps"] == 128, "a smoke test is short"


# ---------------------------------------------------------------- the scripts


def run_script(name, monkeypatch, *words):
    """`python rl_training/NAME WORDS`, in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", [name, *words])
    try:
        runpy.run_path(str(ROOT / "rl_training" / name), run_name="__main__")
    except SystemExit as stop:
        return stop.code or 0
    return 0


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_has_the_guides_flags_and_defaults(script, monkeypatch, capsys):
    assert run_script(script, monkeypatch, "--help") == 0
    text = " ".join(capsys.readouterr().out.split())
    _, timesteps, num_envs, experiment = SCRIPTS[script]
    for flag, default in (
        ("timesteps", timesteps),
        ("num_envs", num_envs),
        ("save_frequency", 10_000),
        ("experiment_name", experiment),
    ):
        assert re.search(rf"--{flag} [^-]*?\[default: {default}\]", text), flag
    assert "--viz" in text


@pytest.mark.slow
def test_the_landing_script_trains_as_it_is_typed(tmp_path):
    words = ["--timesteps", "64", "--num_envs", "8", "--experiment_name", "mine", "--folder", str(tmp_path)]
    script = ROOT / "rl_training" / "train_spacecraft_landing.py"
    done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "models") == ["mine_final.onnx", "mine_final.zip"]
    assert "| time/" in done.stdout and "total_timesteps | 64" in re.sub(" +", " ", done.stdout)


def test_the_test_script_plays_the_final_model_and_prints_every_episode(trained, call):
    request, _, _ = trained
    app = play_app(LANDING, request.folder)
    done = call(app, "--episodes", "2")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    pattern = r"Episode \d/2: reward -?\d+\.\d\d, \d+ steps, (no )?success"
    assert all(re.fullmatch(pattern, line) for line in lines[:2])
    assert lines[2].startswith("2 episodes: mean reward ")
    assert call(app, "--episodes", "2").out == done.out, "the same seeds, the same episodes"


# ---------------------------------------------------------------- going on


def test_a_checkpoint_goes_on(trained):
    request, _, _ = trained
    lines = []
    more = replace(request, timesteps=620, resume=request.model("step_300"), experiment="longer")
    assert train(more, lines.append).timesteps == 620, "on from 300, by a rollout of 80 x 4"
    with pytest.raises(ConfigError, match="has 384 steps already"):
        train(replace(request, resume=request.model("final")), lines.append)


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--timesteps", "0"], "--timesteps 0: expected at least 1"),
        (["--num_envs", "0"], "--num_envs 0: expected at least 1"),
        (["--num_envs", "65"], "--num_envs 65: expected 1 to 64"),
        (["--save_frequency", "0"], "--save_frequency 0: expected at least 1"),
        (["--experiment_name", "../x"], "--experiment_name '../x': expected letters"),
        (["--engine", "unity"], "There is no engine for spacecraft landing called 'unity'"),
        (["--viz"], "--viz shows an engine"),
        (["--resume", "none.zip"], "There is no model none.zip"),
        (["--timesteps", "many"], "Invalid value for '--timesteps'"),
    ],
)
def test_a_wrong_word_is_one_sentence_and_exit_code_2(call, tmp_path, words, sentence):
    done = call(train_app(LANDING, tmp_path), *words)
    assert done.code == 2 and sentence in done.err + done.out and "Traceback" not in done.err


def test_a_port_in_use_is_said_before_an_engine_starts(call, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        task = replace(LOCOMOTION, scene="res://scenes/Main.tscn")
        done = call(train_app(task, tmp_path), "--port", str(port), "--num_envs", "1")
    assert done.code == 2 and f"Port {port} cannot be listened on" in done.err and "--port" in done.err
    assert PORT == 11008


def test_a_missing_engine_is_one_sentence(call, tmp_path, monkeypatch):
    monkeypatch.setenv("GODOT_BIN", str(tmp_path / "nothing"))
    task = replace(LOCOMOTION, scene="res://scenes/Main.tscn")
    done = call(train_app(task, tmp_path), "--num_envs", "1", "--port", "21008")
    assert done.code in (2, 3) and "Godot" in done.err and "Traceback" not in done.err


def test_a_scene_that_is_not_there_is_one_sentence(call, tmp_path):
    task = replace(LOCOMOTION, scene="res://scenes/none.tscn")
    done = call(train_app(task, tmp_path), "--num_envs", "1")
    assert done.code == 2 and "has no scene res://scenes/none.tscn" in done.err


def test_zero_episodes_and_a_model_that_is_not_there_are_sentences(trained, call, tmp_path):
    request, _, _ = trained
    done = call(play_app(LANDING, request.folder), "--episodes", "0")
    assert done.code == 2 and "--episodes 0: expected at least 1" in done.err
    done = call(play_app(LANDING, tmp_path))
    assert done.code == 2 and "There is no model" in done.err


def test_a_model_of_another_task_is_refused(trained, call, tmp_path):
    _, result, _ = trained
    done = call(train_app(VOXEL_STRESS, tmp_path), "--resume", str(result.model))
    assert done.code == 2 and "is a model of spacecraft_landing, not of voxel_stress" in done.err
    done = call(play_app(LOCOMOTION, tmp_path), "--model", str(result.model))
    assert done.code == 2 and "is a model of spacecraft_landing, not of vr_locomotion" in done.err
    PPO("MlpPolicy", "CartPole-v1", n_steps=8, batch_size=8).save(tmp_path / "plain.zip")
    with pytest.raises(SpecMismatch, match="does not say which task"):
        models.find(tmp_path / "plain.zip")


def test_api_controlled_training_says_when_no_game_answers(call, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = call(api_app(tmp_path), "--api_port", str(port))
    assert done.code == 2 and "nothing answers GET /status" in done.err and "start_godot_api.sh" in done.err
    assert HttpClient(port=port).health_check() is False


def test_the_scene_of_every_task_is_in_the_project():
    for task in TASKS.values():
        assert not task.scene or (project_folder() / task.scene.removeprefix("res://")).is_file(), task.scene


def test_task_names_are_their_keys():
    assert [task.name for task in TASKS.values()] == list(TASKS)
