"""A run that was stopped goes on as if it had never been."""

from __future__ import annotations

import functools
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from small import PROSPECTOR

from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.config import TrainConfig
from sandlot.train.loop import Loop, begin

LESSONS = (
    'curriculum=[{name="a", settings={obstacles=0}, metric="env_steps_total", threshold=4000}, {name="b"}]'
)
SMALL = {
    "tag": (
        "ppo.num_envs=24",
        "ppo.num_steps=16",
        "run.window_env_steps=2000",
        "selfplay.add_every_windows=1",
        LESSONS,
    ),
    "prospector": (*PROSPECTOR, "run.window_env_steps=1000"),
}


def small(game: str, windows: int = 5, *more: str) -> TrainConfig:
    words = [
        *SMALL[game],
        f"run.windows={windows}",
        "run.threads=1",
        "run.seed=3",
        "network.hidden_sizes=[32]",
        *more,
    ]
    return compose(game, words=words)


def train(root: Path, config: TrainConfig, stop_after: int | None = None, resume: str | None = None) -> str:
    """Train and return the run's id; stop after so many iterations if told to."""
    store = Store(root)
    run = store.resume(resume) if resume else begin(store, config)
    asked = iter(range(10**9))
    with run:
        Loop(config, run, stop=lambda: stop_after is not None and next(asked) >= stop_after).go()
        return run.run_id


def weights(root: Path, run_id: str) -> bytes:
    return Store(root).open(run_id).newest_checkpoint().read_bytes()


def tensors(data: dict, path: str = "") -> dict[str, torch.Tensor]:
    found = {}
    for key, value in data.items():
        if isinstance(value, torch.Tensor):
            found[f"{path}{key}"] = value
        elif isinstance(value, dict):
            found |= tensors(value, f"{path}{key}.")
    return found


def same_weights(a: Path, b: Path) -> bool:
    left, right = (tensors(torch.load(p, weights_only=True)["policies"]) for p in (a, b))
    return left.keys() == right.keys() and all(torch.equal(left[k], right[k]) for k in left)


@pytest.fixture(scope="module")
def never_stopped(tmp_path_factory):
    """never_stopped(game): a run of it that went through at once; each is trained once."""

    @functools.cache
    def run_of(game):
        root = tmp_path_factory.mktemp("whole")
        return Store(root).open(train(root, small(game)))

    return run_of


@pytest.mark.parametrize("game", ["tag", "prospector"])
@pytest.mark.parametrize("stop_after", [1, 13, 31])
def test_a_stopped_run_ends_with_the_same_weights(tmp_path, never_stopped, game, stop_after):
    config, a = small(game), never_stopped(game)
    parted = train(tmp_path, config, stop_after=stop_after)
    train(tmp_path, config, stop_after=2, resume=parted)  # and once more, soon after
    train(tmp_path, config, resume=parted)
    b = Store(tmp_path).open(parted)
    assert same_weights(a.newest_checkpoint(), b.newest_checkpoint())
    assert [r.return_mean for r in a.windows()] == [r.return_mean for r in b.windows()]
    assert a.paths.episodes.read_text() == b.paths.episodes.read_text()


def test_the_same_seed_trains_the_same_weights_and_another_seed_others(tmp_path):
    ids = [
        train(tmp_path, small("tag", 2)),
        train(tmp_path, small("tag", 2)),
        train(tmp_path, small("tag", 2, "run.seed=4")),
    ]
    files = [Store(tmp_path).open(i).newest_checkpoint() for i in ids]
    assert same_weights(files[0], files[1])
    assert not same_weights(files[0], files[2])


def test_a_killed_process_loses_nothing_that_was_committed(tmp_path, never_stopped):
    whole = never_stopped("tag")
    words = [
        w
        for s in (*SMALL["tag"], "run.threads=1", "run.seed=3", "network.hidden_sizes=[32]")
        for w in ("--set", s)
    ]
    command = [
        sys.executable,
        "-m",
        "sandlot",
        "train",
        "--runs",
        str(tmp_path / "killed"),
        "--no-evaluate",
        "--json",
    ]
    started = [*command, "tag", "--windows", "5", *words]
    for lines in (9, 12, 8, 10**9):  # events seen before the kill; a window takes six
        if run_until(started, lines) == 0:
            break
        started = [*command, "--resume", "latest"]
    killed = Store(tmp_path / "killed").latest()
    assert killed.record.status == "completed"
    assert same_weights(whole.newest_checkpoint(), killed.newest_checkpoint())


def run_until(command: list[str], lines: int) -> int:
    """Run a command, kill -9 it after so many lines of output; its exit code."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for count, _ in enumerate(process.stdout, start=1):
            if count >= lines:
                process.send_signal(signal.SIGKILL)
                break
        process.stdout.close()
        return process.wait(timeout=60)


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path):
    command = [
        sys.executable,
        "-m",
        "sandlot",
        "train",
        "tag",
        "--runs",
        str(tmp_path),
        "--windows",
        "5000",
        "--no-evaluate",
    ]
    words = [w for s in SMALL["tag"] for w in ("--set", s)]
    process = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not has_begun(tmp_path):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, result = process.communicate(timeout=60)
    assert process.returncode == 130, result
    assert "--resume" in result
    assert Store(tmp_path).latest().record.status == "stopped"


def has_begun(root):
    return any(not Store(root).open(record.run_id).is_empty() for record in Store(root).runs())


def test_a_second_ctrl_c_ends_at_once_and_the_run_does_not_stay_running(tmp_path, monkeypatch):
    settings = small("tag", 1000)
    store = Store(tmp_path)
    with begin(store, settings) as run:
        loop = Loop(settings, run)
        monkeypatch.setattr(loop.trainer, "iterate", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            loop.go()
    record = json.loads(run.paths.record.read_text())
    assert record["status"] == "stopped" and record["finished_at"]
