"""One whole walk: train three windows, each judged and recorded once; then evaluate, draw, replay."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import small

from sandlot.runs.store import Store

SMALL = {
    "tag": ("ppo.num_envs=32", "ppo.num_steps=16", "run.window_env_steps=7000"),
    "prospector": (*small.PROSPECTOR, "run.window_env_steps=1000"),
}
LIGHT = ("network.hidden_sizes=[32]", "evaluation.episodes=4", "run.threads=1", "settings.time_max=400")


def sandlot(*words: str, root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sandlot", *words, "--runs", str(root)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module", params=["tag", "prospector"])
def trained(request, tmp_path_factory):
    """The folder of runs, with one run of three windows in it."""
    root = tmp_path_factory.mktemp(request.param)
    light = LIGHT if request.param == "prospector" else LIGHT[:3]
    settings = [word for s in (*SMALL[request.param], *light) for word in ("--set", s)]
    done = sandlot("train", request.param, "--windows", "3", *settings, root=root)
    assert done.returncode == 0, done.stderr
    return root


def test_every_window_leaves_a_row_a_checkpoint_and_a_replay_exactly_once(trained):
    run = Store(trained).latest()
    windows = [0, 1, 2]
    assert [row.window_id for row in run.windows()] == windows
    assert list(run.checkpoints()) == windows
    regular = Counter(entry.window_id for entry in run.index.find(tag="every_window"))
    assert regular == Counter(windows)
    judged = [json.loads(line)["window_id"] for line in run.paths.evaluations.read_text().splitlines()]
    assert judged == windows
    assert run.record.status == "completed"


def test_its_replays_play_again_to_the_same_end(trained):
    run = Store(trained).latest()
    for entry in run.index.find(limit=10):
        path = run.replay_path(entry)
        done = subprocess.run(
            [sys.executable, "-m", "sandlot", "replay", str(path), "--verify"],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_it_can_be_judged_and_drawn(trained):
    run = Store(trained).latest()
    judged = sandlot("eval", run.run_id, "--episodes", "4", "--json", root=trained)
    assert judged.returncode == 0, judged.stderr
    assert json.loads(judged.stdout)
    drawn = sandlot("plot", run.run_id, "--json", "--no-anchors", root=trained)
    assert drawn.returncode == 0, drawn.stderr
    assert all(Path(chart).stat().st_size > 5000 for chart in json.loads(drawn.stdout)["charts"])
