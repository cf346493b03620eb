"""Trajectory logs: whole or not at all, and read whatever is left of them."""

import json
import os

import pytest

import sandlot
from sandlot.compat.trajectories import TrajectoryFile, newest, next_number, read_trajectory, states_of
from sandlot.compat.trajectory_log import TrajectoryLog
from sandlot.errors import StoreError

SHORT = {"time_limit": 1}


def logged(folder, matches=2, **options):
    """Matches of chase against evade, written down."""
    bots = [sandlot.bot("tag", "chase"), sandlot.bot("tag", "evade")]
    with sandlot.make("tag", worlds=2, seed=3, config=SHORT) as world:
        log = TrajectoryLog(folder, world.spec, most=matches, **options)
        world.reset()
        log.begin(world)
        truth, memories = [], [None, None]
        while len(log.written) < matches:
            for i, bot in enumerate(bots):
                world.actions[i::2], memories[i] = bot.act(world.observations[i::2], None, memories[i])
            truth.append((world.step(), world.render(0), world.info(0)))
            log(world)
        log.close()
        return log, truth


def test_a_log_tells_places_actions_rewards_and_how_it_ended(tmp_path):
    log, truth = logged(tmp_path, 1)
    lines = list(read_trajectory(log.written[0]))
    kinds = [line["type"] for line in lines]
    assert kinds[0] == "episode_start" and kinds[-1] == "episode_end" and kinds[-2] in ("tag", "timeout")
    assert lines[0]["step_s"] == 0.05 and lines[0]["config"]["time_limit"] == 1 and len(lines[0]["boxes"]) > 2
    steps = [line for line in lines if line["type"] == "step"]
    assert len(steps) == 2 * len(truth) and len(steps[0]["action"]) == 3 and len(steps[0]["dists"]) == 36
    assert set(steps[0]["types"]) <= {"none", "wall", "agent"}
    for i, (ended, render, _) in enumerate(truth):
        if not ended:
            for agent in range(2):
                step = steps[2 * i + agent]
                assert step["pos"] == pytest.approx(render["position"][agent].tolist(), abs=2e-3)
                assert step["vel"] == pytest.approx(render["velocity"][agent].tolist(), abs=2e-3)
                assert step["is_it"] == bool(render["seeker"][agent])
    assert lines[-1]["winner"] in ("seeker", "hider") and lines[-1]["ticks"] == 60


def test_matches_are_numbered_on_from_what_is_there(tmp_path):
    (tmp_path / "ep_00041.jsonl").write_text("")
    log, _ = logged(tmp_path, 2)
    assert [path.name for path in log.written] == ["ep_00042.jsonl", "ep_00043.jsonl"]
    assert next_number(tmp_path) == 44 and not list(tmp_path.glob("*.part"))


def test_a_match_that_was_not_finished_leaves_nothing(tmp_path):
    file = TrajectoryFile(tmp_path, 1)
    file.write("episode_start", episode=1)
    assert newest([tmp_path]) is None
    file.abandon()
    assert list(tmp_path.iterdir()) == []


def test_lines_that_are_no_json_are_skipped(tmp_path):
    path = tmp_path / "ep_00001.jsonl"
    path.write_text(
        '{"type":"episode_start"}\nnoise\n[1]\n{"type":"step","agent":"A","pos":[1,2,3]}\n{"type":"st'
    )
    assert [line["type"] for line in read_trajectory(path)] == ["episode_start", "step"]
    with pytest.raises(StoreError, match="cannot be read"):
        list(read_trajectory(tmp_path / "none.jsonl"))


def test_a_log_of_another_hand_can_be_drawn(tmp_path):
    lines = [
        {"type": "step", "agent": a, "pos": [i, 0, i], "is_it": a == "A"} for i in range(3) for a in "AB"
    ]
    start, states, end = states_of(json.loads(json.dumps(lines)))
    assert (start, end, len(states)) == ({}, {}, 3)
    assert states[2]["position"] == [[2, 0, 2], [2, 0, 2]] and states[0]["seeker"] == [1.0, 0.0]


def test_the_newest_is_that_of_the_first_folder_that_has_any(tmp_path):
    for i, name in enumerate(("a/ep_00002.jsonl", "a/ep_00001.jsonl", "b/ep_00009.jsonl")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
        os.utime(path, (i, i))
    folders = [tmp_path / "none", tmp_path / "a", tmp_path / "b"]
    assert newest(folders) == tmp_path / "a" / "ep_00001.jsonl"
