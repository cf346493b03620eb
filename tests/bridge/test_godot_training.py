"""Training and judging in the real engine, as a person types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sandlot
from sandlot.bridge.godot_engine import find
from sandlot.evaluate.evaluator import Evaluator
from sandlot.runs import Replay
from sandlot.runs.store import Store

pytestmark = [
    pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install"),
    pytest.mark.slow,
]
LIMIT_S = 240
SMALL = [
    *("--set", "ppo.num_envs=8"), *("--set", "ppo.num_steps=16"), *("--set", "ppo.num_minibatches=2"),
    *("--set", "run.window_env_steps=140"), "--no-evaluate", "--no-tensorboard", "--json",
]  # fmt: skip


def run(*words, folder):
    program = [sys.executable, "-m", "sandlot", *words]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run of two windows, stopped after the first and resumed."""
    folder = tmp_path_factory.mktemp("godot")
    first = run("train", "tag", "--engine", "godot", "--windows", "1", *SMALL, folder=folder)
    assert first.returncode == 0, first.stderr
    again = run("train", "--resume", "latest", "--windows", "2", *SMALL[-3:], folder=folder)
    assert again.returncode == 0, again.stderr
    return folder


def test_a_run_in_godot_is_a_run_like_any_other_and_goes_on_where_it_stopped(trained):
    run = Store(trained / "runs").latest()
    assert run.record.status == "completed"
    assert run.config["run"]["engine"] == "godot"
    assert [row.window_id for row in run.windows()] == [0, 1]
    assert sandlot.load_policy(run.paths.folder, "seeker").spec.game == "tag"


def test_a_policy_is_judged_in_godot(trained):
    words = ("eval", "latest", "--engine", "godot", "--episodes", "6", "--role", "seeker")
    done = run(*words, "--against", "wander:1", "--json", folder=trained)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["engine"] == "godot"
    assert report["roles"]["seeker"]["matchups"][0]["games"] == 6


def test_judging_in_godot_sets_the_native_result_beside_it(trained):
    words = (
        "eval",
        "latest",
        "--engine",
        "godot",
        "--compare",
        "native",
        "--episodes",
        "4",
        "--role",
        "hider",
    )
    done = run(*words, "--against", "chase:1", "--json", folder=trained)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    row, hider = report["transfer"][0], report["roles"]["hider"]
    assert {b["engine"] for b in hider["matchups"]} == {"godot"}
    assert {b["engine"] for b in hider["beside"]} == {"native"}, "scripts among themselves need no engine"
    assert row["here"]["games"] == row["there"]["games"] == 4
    assert row["gap_points"] == pytest.approx(100 * (row["here"]["wins"] - row["there"]["wins"]))


def test_a_game_without_a_scene_is_refused_before_a_run_is_made(tmp_path):
    done = run("train", "prospector", "--engine", "godot", "--preset", "quick", folder=tmp_path)
    assert done.returncode == 2
    assert "prospector has no scene in Godot" in done.stderr and not (tmp_path / "runs").exists()


def test_a_missing_engine_ends_with_code_3_before_a_run_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("GODOT_BIN", str(tmp_path / "none"))
    done = run("train", "tag", "--engine", "godot", folder=tmp_path)
    assert done.returncode == 3
    assert "GODOT_BIN" in done.stderr and not (tmp_path / "runs").exists()


def test_an_unknown_engine_is_reported_the_known_ones(tmp_path):
    done = run("train", "tag", "--engine", "unreal", folder=tmp_path)
    assert done.returncode == 2 and "native" in done.stderr and not (tmp_path / "runs").exists()


def test_the_same_seed_and_actions_give_the_same_match_in_godot_and_nearly_the_native_one():
    rng = np.random.default_rng(5)
    actions = rng.uniform(-1, 1, (40, 8, 3)).astype(np.float32)
    seen = []
    for engine in ("godot", "godot", "native"):
        with sandlot.make("tag", worlds=4, seed=3, engine=engine) as world:
            world.reset()
            report = []
            for one in actions:
                world.step(one)
                report.append(world.observations.copy())
            seen.append(np.stack(report))
    assert np.array_equal(seen[0], seen[1])
    own = sandlot.load_spec("tag").field("self")
    assert np.abs(seen[0] - seen[2])[..., own].max() < 0.01


def _children(pid):
    """Every process below this one, as far as the kernel tells."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *_children(int(child))]
    return found


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks the kernel for children: Linux only")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_no_engine_outlives_its_trainer(tmp_path, number, code):
    words = ["train", "tag", "--engine", "godot", "--minutes", "5", *SMALL]
    program = [sys.executable, "-m", "sandlot", *words]
    trainer = subprocess.Popen(
        program, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        while '"Progressed"' not in trainer.stdout.readline():
            assert trainer.poll() is None
        below = _children(trainer.pid)
        assert below
        trainer.send_signal(number)
        assert trainer.wait(timeout=60) == code
    finally:
        trainer.kill()
        trainer.stdout.close()
    until = time.monotonic() + 20
    while any(map(_lives, below)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in below if _lives(pid)]
    if number != signal.SIGKILL:
        assert Store(tmp_path / "runs").latest().record.status == "stopped"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks the kernel for children: Linux only")
def test_an_engine_that_dies_is_started_again_from_the_last_commit(tmp_path):
    words = ["train", "tag", "--engine", "godot", "--windows", "3", *SMALL]
    program = [sys.executable, "-m", "sandlot", *words]
    trainer = subprocess.Popen(
        program, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        while '"Committed"' not in trainer.stdout.readline():
            assert trainer.poll() is None
        for pid in _children(trainer.pid):
            os.kill(pid, signal.SIGKILL)
        errors = trainer.communicate(timeout=LIMIT_S)[1]
    finally:
        trainer.kill()
    assert trainer.returncode == 0, errors
    assert "killed by signal 9" in errors and "started again (1 of 3)" in errors
    run = Store(tmp_path / "runs").latest()
    assert run.record.status == "completed" and [row.window_id for row in run.windows()] == [0, 1, 2]


def test_a_match_judged_in_godot_is_recorded_into_the_run_and_shown_again_without_godot(trained):
    words = ("eval", "latest", "--engine", "godot", "--episodes", "1", "--role", "seeker", "--record")
    done = run(*words, "--against", "wander:1", "--json", folder=trained)
    assert done.returncode == 0, done.stderr
    entry = json.loads(done.stdout)["replay"]
    assert "godot" in entry["tags"]
    file = Store(trained / "runs").latest().paths.folder / entry["replay_path"]
    assert file.stat().st_size <= 60 << 10

    shown = run("replay", str(file), "--verify", "--frames", "0:5000", "--json", folder=trained)
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    assert report["header"]["played_in"] == "godot" and report["header"]["engine"].startswith("Godot 4")
    assert report["verdict"] == {"agrees": True, "hashes": 0, "differences": [], "simulated": False}
    first, last = report["frames"][0], report["frames"][-1]
    assert len(report["frames"]) == report["end"]["steps"] and last["terminated"] and not first["terminated"]
    assert last["render_state"]["winner"] == report["end"]["episode"]["winner"]
    assert last["t"] == report["end"]["ticks"] == last["render_state"]["tick"]
    assert last["events"][-1]["name"] in ("tag", "timeout")
    spoken = run("replay", str(file), "--verify", folder=trained).stdout
    assert "cannot be played again" in spoken and "frames agree" in spoken


def test_the_evaluator_of_a_run_in_godot_records_in_godot(trained):
    home = Store(trained / "runs").latest()
    evaluator = Evaluator(home)
    evaluator.seeds = evaluator.seeds[:1]
    evaluator.evaluate(0)
    evaluator.close()
    entries = [entry for entry in home.index.find() if "every_window" in entry.tags]
    assert [(entry.window_id, "godot" in entry.tags) for entry in entries] == [(0, True)]
    assert Replay.read(home.replay_path(entries[0])).header.played_in == "godot"


def test_a_match_cannot_be_recorded_into_a_file(trained):
    weights = next((Store(trained / "runs").latest().paths.folder).rglob("*.pt"))
    done = run("eval", str(weights), "--record", "--episodes", "1", folder=trained)
    assert done.returncode == 2 and "is a file" in done.stderr
