"""Several Godot processes as one batch: their shares, their logs, and what happens when one of them dies."""

import os
import signal
import time

import numpy as np
import pytest
from leaks import nothing_left_open

import sandlot
from sandlot.errors import ConfigError, GameLost
from sandlot.worlds.fleet import MOST_RESTARTS
from sandlot.worlds.godot import address

from .scenes import make_project

pytestmark = pytest.mark.slow
STEPS, DIES_AT = 40, 25
WORLDS = 5


@pytest.fixture(scope="module")
def game(engine, tmp_path_factory):
    return address(make_project(tmp_path_factory.mktemp("fleet") / "studio"), "res://walk.tscn")


def actions(world, rng):
    made = rng.uniform(-1, 1, (world.rows, 3)).astype(np.float32)
    made[:, 2] = rng.integers(0, 3, world.rows)
    return made


def play(world, kill_at=None):
    """Observations, rewards and ended episodes of every step."""
    rng, steps = np.random.default_rng(3), []
    world.reset(seed=8)
    for step in range(STEPS):
        if step == kill_at:
            os.kill(world.engine_pids[1], signal.SIGKILL)
        world.step(actions(world, rng))
        steps.append((world.observations.copy(), world.rewards.copy(), world.terminated.copy()))
    return steps, list(world.finished())


def test_a_batch_of_two_processes_plays_what_one_process_plays(game, tmp_path):
    config = {"ends_at": 7}
    with nothing_left_open():
        with sandlot.make(game, WORLDS, config=config) as one:
            alone, ended_alone = [], []
            rng = np.random.default_rng(3)
            one.reset(seed=8)
            for _ in range(STEPS):
                one.step(actions(one, rng))
                alone.append(one.observations.copy())
            ended_alone = list(one.finished())
        with sandlot.make(
            game, WORLDS, config=config, engine="godot", processes=2, log=tmp_path / "godot.log"
        ) as fleet:
            assert len(set(fleet.engine_pids)) == 2 and (fleet.worlds, fleet.rows) == (WORLDS, WORLDS)
            together, ended = play(fleet)
    assert all(np.array_equal(a, b) for a, (b, _, _) in zip(alone, together, strict=True))
    by_world = sorted((e["world"], e["step"], e["seed"], e["return"]) for e in ended)
    assert by_world == sorted((e["world"], e["step"], e["seed"], e["return"]) for e in ended_alone)
    assert len(by_world) == WORLDS * (STEPS // 7)
    logs = sorted(path.name for path in tmp_path.iterdir())
    assert logs == ["godot_0.log", "godot_1.log"] and all((tmp_path / name).stat().st_size for name in logs)


def test_a_process_that_is_killed_comes_back_and_its_episodes_go_on_where_they_were(game, tmp_path, caplog):
    """Episodes are cut off after 12 decisions, so that at step 25 all are one step into their third."""
    with sandlot.make(game, WORLDS, processes=2) as fleet:
        expected, _ = play(fleet)
    with sandlot.make(game, WORLDS, processes=2, log=tmp_path / "godot.log") as fleet:
        before = fleet.engine_pids
        got, ended = play(fleet, DIES_AT)
        after = fleet.engine_pids
    assert before[0] == after[0] and before[1] != after[1]
    until = 3 * 12 - 1  # then the third episodes are over
    for step in range(until):
        for one, other in zip(expected[step], got[step], strict=True):
            assert np.array_equal(one, other), step
    assert "process 1 of 2" in caplog.text and "started again (1 of 3)" in caplog.text
    assert (tmp_path / "godot_1_start1.log").is_file(), "what the dead one printed is kept"
    assert {e["length"] for e in ended} == {12} and len(ended) == WORLDS * 3
    late = [e for e in ended if e["world"] == WORLDS - 1][-1]
    with sandlot.make(game, 1) as world:  # the seed that is written down is the one that was played
        world.reset(seeds=[late["seed"]])
        place = float(world.observations[0, 0])
    assert place == pytest.approx(float(got[2 * 12 - 1][0][WORLDS - 1, 0]))


def test_a_process_that_dies_again_and_again_ends_the_batch(game):
    began = time.monotonic()
    with pytest.raises(GameLost, match="killed by signal 9"), sandlot.make(game, 2, processes=2) as fleet:
        fleet.reset(seed=1)
        for _ in range(MOST_RESTARTS + 1):
            os.kill(fleet.engine_pids[0], signal.SIGKILL)
            fleet.step(np.zeros((2, 3), np.float32))
    assert time.monotonic() - began < 60


def test_fewer_worlds_than_processes_are_refused(game):
    with pytest.raises(ConfigError, match="2 arenas in 3 processes: expected at least one in each"):
        sandlot.make(game, 2, processes=3)
