"""The set-up checker: ten checks, a line each, and what to do about each that fails."""

import json
import socket

import pytest

from sandlot.compat.vr import setup_check
from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.setup_check import CHECKS, FAIL, NOTE, OK, check, main

from .http_game import SCENE, served

NAMES = ["Python version", "packages", "native game", "configuration", "folders", "memory", "GPU",
         "environment", "connection", "scene"]  # fmt: skip


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("AI_USER_DIR", str(tmp_path / "user"))


@pytest.fixture
def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def over_http(port):
    return RLConfig.from_dict({"environment": {"kind": "http", "port": port}})


def found(name, config):
    return dict(CHECKS)[name](config)


def test_there_are_ten_and_this_machine_is_ready():
    lines = []
    assert [name for name, _ in CHECKS] == NAMES
    assert check(RLConfig(), lines.append), lines
    assert len(lines) == 11 and lines[-1] == "Ready to train."
    for number, (line, name) in enumerate(zip(lines[:10], NAMES, strict=True), 1):
        assert f"{number} {name}" in line and line.startswith(("[ ok ]", "[note]"))


def test_a_game_that_answers_passes_connection_and_scene():
    with served(RLConfig()) as (game, port):
        assert found("connection", over_http(port)).state == OK
        assert found("scene", over_http(port)).state == OK and game.scene == SCENE


def test_a_game_that_does_not_answer_fails_only_where_it_is_needed(closed_port):
    native = RLConfig.from_dict({"environment": {"port": closed_port}})
    assert found("connection", native).state == found("scene", native).state == NOTE
    lines = []
    assert not check(over_http(closed_port), lines.append)
    assert "Cannot connect to the HTTP API" in lines[8] and lines[8].startswith("[FAIL]")
    assert lines[-1] == "Not ready: see the lines marked FAIL."


def test_what_is_missing_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(setup_check, "REQUIRED", ("numpy", "no_such_package"))
    assert found("packages", RLConfig()).text == (
        "not installed: no_such_package. pip install -r scripts/ml/requirements.txt"
    )
    monkeypatch.setattr(setup_check, "PYTHON", (9, 0))
    assert found("Python version", RLConfig()).state == FAIL
    monkeypatch.setattr(setup_check, "available_memory_mb", lambda: 100.0)
    assert "num_environments 1 and ppo.batch_size 32" in found("memory", RLConfig()).text
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AI_USER_DIR", str(tmp_path / "file"))
    assert "Set AI_USER_DIR" in found("folders", RLConfig()).text


def test_a_gpu_that_is_asked_for_and_not_there_fails(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    config = RLConfig()
    assert found("GPU", config).state == NOTE
    config.training.device = "cuda"
    assert found("GPU", config).state == FAIL and "is_available() is False" in found("GPU", config).text


def test_the_program_says_by_its_exit_code_how_it_went(tmp_path, capsys, closed_port):
    (tmp_path / "c.json").write_text(json.dumps({"ppo": {"gama": 1}}))
    assert main(["--config", str(tmp_path / "c.json")]) == 2
    assert "Did you mean 'gamma'" in capsys.readouterr().err
    (tmp_path / "c.json").write_text(json.dumps({"environment": {"port": closed_port}}))
    assert main(["--config", str(tmp_path / "c.json"), "--environment", "http"]) == 1
