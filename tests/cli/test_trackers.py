"""`sandlot train` tells TensorBoard and W&B what they are asked to be report, and does without them."""

import sys

import pytest
import wandb
from media import offline

SMALL = (
    "train", "tag", "--windows", "1", "--runs", "runs", "--no-evaluate", "--threads", "1",
    "--set", "ppo.num_envs=8", "--set", "ppo.num_steps=16", "--set", "run.window_env_steps=350",
)  # fmt: skip


@pytest.fixture
def run_folder(tmp_path):
    return lambda: next((tmp_path / "runs").iterdir())


def test_a_run_is_written_for_both(sandlot, run_folder):
    done = sandlot(*SMALL, "--tensorboard", "--wandb", "offline")
    assert done.code == 0, done.err
    wandb.teardown()
    folder = run_folder()
    assert list((folder / "tensorboard").glob("events.out.tfevents.*"))
    assert list(offline.history(folder)) == [350]
    assert offline.artifacts(folder)[f"model-{folder.name}"] == ("model", {"latest", "window-0"})


def test_without_either_package_a_run_is_none_the_worse(sandlot, run_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.setattr("sandlot.media.tensorboard.is_installed", lambda: False)
    done = sandlot(*SMALL)
    assert done.code == 0, done.err
    assert not (run_folder() / "tensorboard").exists() and "wandb" not in done.err


def test_asking_for_a_missing_wandb_names_the_extra_before_a_run_is_made(sandlot, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    done = sandlot(*SMALL, "--wandb", "offline")
    assert done.code == 2 and "sandlot[wandb]" in done.err
    assert not (tmp_path / "runs").exists()


def test_an_unknown_mode_is_refused_before_a_run_is_made(sandlot, tmp_path):
    done = sandlot(*SMALL, "--wandb", "onlin")
    assert done.code == 2 and "disabled, offline, online" in done.err
    assert not (tmp_path / "runs").exists()
