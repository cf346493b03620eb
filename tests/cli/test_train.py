"""What `sandlot train` refuses instead of ignoring it, and before it writes anything."""

import pytest

from sandlot.runs.store import Store

SMALL = (
    *("--set", "ppo.worlds=8", "--set", "ppo.horizon=16", "--set", "ppo.minibatches=2"),
    *("--set", "run.window_env_steps=140", "--no-evaluate", "--no-tensorboard", "--json"),
)
WATCHED = SMALL[-3:]


@pytest.fixture
def trained(sandlot, tmp_path):
    done = sandlot("train", "tag", "--windows", "1", *SMALL)
    assert done.code == 0, done.err
    return Store(tmp_path / "runs")


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "ppo.epochs=2"),
        ("--preset", "full"),
        ("--trainer", "sb3"),
        ("--engine", "godot"),
        ("--seed", "2"),
        ("prospector",),
    ],
)
def test_a_run_goes_on_as_it_began_or_not_at_all(sandlot, trained, words):
    done = sandlot("train", "--resume", "latest", "--windows", "2", *words, *WATCHED)
    assert done.code == 2
    assert (words[0] in done.err and "new run" in done.err) or "is of tag" in done.err
    assert len(trained.latest().windows()) == 1


def test_a_run_goes_on_with_its_game_named_and_another_number_of_threads(sandlot, trained):
    done = sandlot("train", "tag", "--resume", "latest", "--windows", "2", "--threads", "1", *WATCHED)
    assert done.code == 0, done.err
    assert len(trained.latest().windows()) == 2


@pytest.mark.parametrize("words", [("--device", "cuda:99"), ("--set", "run.device=gpu")])
def test_a_device_that_is_not_there_leaves_no_run_behind(sandlot, tmp_path, words):
    done = sandlot("train", "tag", "--windows", "1", *words, *SMALL)
    assert done.code == 2 and "run.device" in done.err
    assert not Store(tmp_path / "runs").runs()
