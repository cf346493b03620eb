import shutil

import pytest

import sandlot
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.runs import Store

from .making import serving, train


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with one run of each game; not to be changed."""
    root = tmp_path_factory.mktemp("runs")
    for game in ("tag", "prospector"):
        train(root, game)
    return root


@pytest.fixture(scope="session")
def run_ids(trained):
    return {record.game: record.run_id for record in Store(trained).runs()}


@pytest.fixture(scope="session")
def site(trained, tmp_path_factory):
    with serving(runs=trained, cache=tmp_path_factory.mktemp("cache")) as running:
        yield running


@pytest.fixture(scope="session")
def long_replay(tmp_path_factory):
    """A run with one long prospector episode."""
    root = tmp_path_factory.mktemp("long")
    about = {"game": "prospector", "trainer_backend": "bots", "window_env_steps": 10}
    with Store(root).create({}, **about) as run:
        origin = Origin(run.run_id, 0)
        replay = record("prospector", sandlot.bot("prospector", "tour"), 7, {"time_max": 5000}, origin=origin)
        run.add_replay(replay)
        return root, run.run_id, replay.header.replay_id


@pytest.fixture
def copied(trained, tmp_path):
    """A copy of the runs, to be broken."""
    return shutil.copytree(trained, tmp_path / "runs", symlinks=True)


@pytest.fixture
def breakable(copied, tmp_path):
    with serving(runs=copied, cache=tmp_path / "cache") as running:
        yield running


def newest_replay(site, run_id):
    return site.get(f"/api/runs/{run_id}/replays").json()["replays"][0]["replay_id"]


@pytest.fixture(params=["tag", "prospector"])
def replay(request, site, run_ids):
    """The run and id of a replay of each game."""
    run_id = run_ids[request.param]
    return run_id, newest_replay(site, run_id)
