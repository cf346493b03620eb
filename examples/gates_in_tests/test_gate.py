"""A gate and a test of a bug, called from pytest: pytest examples/gates_in_tests

The exit code is the answer: 0 no worse than allowed, 1 worse or undecided, 2 could not run.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SANDLOT = (sys.executable, "-m", "sandlot")
GAME, PLAYER = "landing", "bot:autopilot"  # yours: godot:my_game, and baselines/main/policy.pt


def gate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`sandlot gate regression …` with a verdict in the folder."""
    command = [*SANDLOT, "gate", "regression", *words, "--output", "verdict.json", "--pairs", "300"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a baseline; yours is committed."""
    folder = tmp_path_factory.mktemp("project")
    words = ["baseline", "save", "main", PLAYER, "--game", GAME, "--episodes", "300"]
    subprocess.run([*SANDLOT, *words], cwd=folder, check=True, timeout=600)
    return folder


def test_the_game_plays_as_it_did(project: Path) -> None:
    done = gate(project, "--baseline", "baselines/main/report.json", "--current", PLAYER, "--game", GAME)
    assert done.returncode == 0, done.stdout + done.stderr


def test_too_little_fuel_would_be_noticed(project: Path) -> None:
    words = ("--baseline", "baselines/main/report.json", "--current", PLAYER, "--game", GAME)
    done = gate(project, *words, "--set", "fuel=15", "--across-rules")
    assert done.returncode == 1, done.stdout + done.stderr
    verdict = json.loads((project / "verdict.json").read_text())
    assert any(check["result"] == "fail" for check in verdict["checks"])
