"""The benchmark programs run as they are documented, at a size that takes seconds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"
PROGRAMS = sorted(
    path.name for path in BENCHMARKS.glob("*.py") if "argparse" in path.read_text(encoding="utf-8")
)


def run(*words):
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=BENCHMARKS.parent, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_explains_itself(name):
    assert "usage:" in run(BENCHMARKS / name, "--help")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["prospector", "tag"])
def test_the_speed_of_training_is_measured_beside_other_trainers(game):
    size = ("--num-envs", 16, "--num-steps", 8, "--num-minibatches", 2)
    text = run(BENCHMARKS / "ppo_speed.py", "--game", game, "--rounds", 2, "--threads", 1, *size)
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    names = [row[0].strip("| ") for row in rows]
    assert names == ["ours, float32", "ours, bfloat16", "stable-baselines3", "pufferlib-core"]
    assert all(float(row[2].split()[0]) > 0 and float(row[3].split()[0]) > 0 for row in rows)


@pytest.mark.slow
def test_what_is_learned_is_measured_for_a_game_of_one_agent():
    words = ("--minutes", 0.05, "--seeds", 1, "--episodes", 4)
    text = run(BENCHMARKS / "learning.py", "prospector", *words)
    assert "| times the best scripted pilot |" in text and "| decisions a second |" in text


@pytest.mark.slow
def test_what_is_learned_in_vr_tasks_is_a_table_and_a_file_for_each_claim(tmp_path):
    words = ("--steps", 32_768, "--cores", 1, "--jobs", 1, "--seeds", 1, "--episodes", 4, "--out", tmp_path)
    text = run(BENCHMARKS / "vr_learning.py", "landing", *words)
    assert "our PPO, preset quick" in text and "autopilot:3" in text
    assert (tmp_path / "landing.md").read_text() in text
    found = json.loads((tmp_path / "landing.json").read_text())
    assert found["runs"][0]["means"]["fuel_efficiency"] >= 0 and len(found["scripted"]) == 4
