"""The guide's command lines in this process, and one short training that several tests look at."""

import pytest
from calling import caller

pytest.importorskip("stable_baselines3")

from sandlot.compat.playtest.tasks import LANDING
from sandlot.compat.playtest.training import Request, train


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """`call(app, "--episodes", "1")`: a program with these words."""
    return lambda app, *words: caller(monkeypatch, capsys, tmp_path, app, "script")(*words)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """The folder of a training of 384 steps, its request, its result and the lines that it printed."""
    folder, lines = tmp_path_factory.mktemp("rl_training"), []
    request = Request(LANDING, folder, timesteps=384, num_envs=4, save_frequency=150)
    return request, train(request, lines.append), lines
