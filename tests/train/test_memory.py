"""Resident memory of the trainer and its engines, in every window; and one warning when it becomes short."""

import os
import subprocess
import sys

import psutil
import pytest

from sandlot.media.tags import window_tags
from sandlot.runs.store import Store
from sandlot.train import events
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin
from sandlot.train.memory import MB, MemoryWatch

EVERYTHING = 1 << 60
TINY = ("ppo.num_envs=8", "ppo.num_steps=16", "ppo.num_minibatches=2", "run.window_env_steps=256")


@pytest.fixture
def child():
    """A process that holds 64 MB."""
    code = "held = b'x' * (64 << 20); print(len(held), flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline()
    yield process
    process.kill()
    process.wait()


def test_sizes_are_those_of_the_processes(child):
    measured = MemoryWatch().measure((child.pid,))
    own = psutil.Process(os.getpid()).memory_info().rss / MB
    assert measured["memory_trainer_mb"] == pytest.approx(own, rel=0.1)
    assert 64 < measured["memory_engine_0_mb"] < 128 and measured["memory_free_mb"] > 0


def test_an_engine_that_has_ended_has_no_size(child):
    child.kill()
    child.wait()
    assert "memory_engine_0_mb" not in MemoryWatch().measure((child.pid,))


def test_the_warning_says_who_holds_what_and_comes_once(child):
    watch = MemoryWatch(least_free=EVERYTHING)
    text = watch.warning((child.pid,))
    assert "Memory is short" in text and "its 1 engines" in text and "ppo.num_envs" in text
    assert watch.warning((child.pid,)) == ""
    watch.least_free = 0
    assert watch.warning(()) == ""
    watch.least_free = EVERYTHING
    assert watch.warning(()), "there was enough meanwhile"


def test_windows_hold_the_sizes_and_tensorboard_has_a_group_for_them(tmp_path):
    run = begin(Store(tmp_path), compose("tag", words=(*TINY, "run.windows=1", "curriculum=[]")))
    heard = []
    loop = Loop(run=run, config=compose("tag", words=(*TINY, "run.windows=1", "curriculum=[]")),
                listeners=[heard.append])  # fmt: skip
    loop.memory.least_free = EVERYTHING
    with run:
        loop.go()
    (row,) = run.windows()
    assert row.metrics["memory_trainer_mb"] > 50
    assert window_tags(row)["memory/trainer_mb"] == row.metrics["memory_trainer_mb"]
    assert len([event for event in heard if isinstance(event, events.Warned)]) == 1
