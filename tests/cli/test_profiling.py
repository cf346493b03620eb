"""`sandlot train --profile FILE` writes what pstats reads, however the training ends."""

import pstats

import pytest

from sandlot.cli.profiling import profiling
from sandlot.errors import StoreError

SMALL = (
    *("--set", "ppo.num_envs=8", "--set", "ppo.num_steps=16", "--set", "ppo.num_minibatches=2"),
    *("--set", "run.window_env_steps=140", "--no-evaluate", "--no-tensorboard", "--json", "--windows", "1"),
)


def functions(path):
    return {name for _, _, name in pstats.Stats(str(path)).stats}


def test_a_training_leaves_a_profile_of_its_functions(sandlot, tmp_path):
    done = sandlot("train", "tag", *SMALL, "--threads", "1", "--profile", "out.prof")
    assert done.code == 0 and "python -m pstats" in done.err
    assert {"iterate", "_collect", "advantages", "_commit"} <= functions(tmp_path / "out.prof")


def test_a_training_that_fails_leaves_its_profile_too(tmp_path):
    def work():
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"), profiling(tmp_path / "out.prof"):
        work()
    assert "work" in functions(tmp_path / "out.prof")


def test_a_place_that_cannot_be_written_is_refused_before_the_training(tmp_path):
    with pytest.raises(StoreError), profiling(tmp_path / "missing" / "out.prof"):
        raise AssertionError("nothing may run")
