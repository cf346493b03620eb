"""The addon's streaming link in the real engine against the real live server."""

import json
from pathlib import Path

import pytest

from sandlot.bridge.godot_engine import find
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder
from sandlot.compat.trajectories import read_trajectory
from sandlot.runs.episodes import read_episodes
from sandlot.runs.store import Store

from .test_live import Server

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")


def streamed(url, **variables):
    words = ["--script", str(HERE / "live_check.gd")]
    with GodotProcess(
        words, project=project_folder(), environment={"SANDLOT_URL": url, **variables}
    ) as scene:
        ended = scene.wait(60)
        lines = scene.log.read_text(errors="replace").splitlines()
    report = [json.loads(line.removeprefix("LIVE ")) for line in lines if line.startswith("LIVE ")]
    assert report, ended.output
    return ended.code, report[0]


def test_a_scene_streams_and_its_matches_are_in_the_run(tmp_path):
    server = Server(tmp_path, "--policy", "scripted")
    try:
        code, report = streamed(server.url)
    finally:
        server.stop()
    assert (code, report["why"]) == (0, "done")
    assert report["answers"] == 40 and report["stored"] == 80
    assert report["waited"], "an answer that is waited for comes within the same frame"
    run = Store(tmp_path / "runs").latest()
    assert run.record.status == "completed"
    assert len(run.paths.episodes.read_text().splitlines()) == 1 + 4


def test_the_policy_learns_from_a_scene(tmp_path):
    server = Server(tmp_path, "--batch", "32")
    try:
        code, report = streamed(server.url)
    finally:
        server.stop()
    assert (code, report["stored"]) == (0, 80)
    assert Store(tmp_path / "runs").latest().paths.policy("seeker").exists()


def test_a_scene_without_the_token_hears_why(tmp_path):
    server = Server(tmp_path, "--policy", "random", "--token", "sesame")
    try:
        code, report = streamed(server.url, SANDLOT_TOKEN="wrong")
    finally:
        server.stop()
    assert code == 2 and "token" in report["why"]


def test_tag_itself_streams_and_is_learned_from(tmp_path):
    server = Server(tmp_path, "--batch", "64")
    words = ["--fixed-fps", "60", "res://games/tag/Live.tscn", "--", "--matches=4", "--seed=5"]
    variables = {"SANDLOT_URL": server.url, "AI_TIME_LIMIT_SEC": "2", "AI_IS_IT": "0"}
    try:
        with GodotProcess(words, project=project_folder(), environment=variables) as scene:
            ended = scene.wait(120)
    finally:
        server.stop()
    assert ended.code == 0 and "matches 4" in ended.output, ended.output
    run = Store(tmp_path / "runs").latest()
    rows = run.paths.episodes.read_text().splitlines()
    assert len(rows) == 1 + 4 and ("seeker" in rows[1] or "hider" in rows[1])
    assert run.paths.policy("hider").exists()


def test_tag_leaves_when_no_server_comes():
    words = ["--fixed-fps", "60", "res://games/tag/Live.tscn", "--", "--timeout=2"]
    with GodotProcess(
        words, project=project_folder(), environment={"SANDLOT_URL": "ws://127.0.0.1:9"}
    ) as scene:
        ended = scene.wait(120)
    assert ended.code == 1 and "No server answered" in ended.output


@pytest.mark.slow
def test_roles_change_through_touches_while_both_agents_learn(tmp_path):
    arena = ("arena_half=4", "obstacles=0", "spawn_separation=2", "immunity_s=0.2", "time_limit=5")
    words = [word for setting in ("mode=switch", *arena) for word in ("--set", setting)]
    server = Server(tmp_path, "--batch", "64", *words)
    variables = {
        "SANDLOT_URL": server.url,
        "AI_LOG_TRAJECTORIES": "1",
        "AI_DATA_ROOT": str(tmp_path / "data"),
    }
    arguments = ["--fixed-fps", "60", "--", "--matches=8"]
    try:
        with GodotProcess(arguments, project=project_folder(), environment=variables) as scene:
            ended = scene.wait(240)
    finally:
        server.stop()
    assert ended.code == 0, ended.output
    lines = [
        line for path in sorted((tmp_path / "data/trajectories").iterdir()) for line in read_trajectory(path)
    ]
    touches = [line for line in lines if line["type"] == "tag"]
    assert touches and {line["attacker"] for line in touches} | {line["target"] for line in touches} == {
        "Agent1", "Agent2"
    }  # fmt: skip
    for agent in ("Agent1", "Agent2"):
        assert {line["is_it"] for line in lines if line.get("agent") == agent} == {True, False}
    run = Store(tmp_path / "runs").latest()
    last = read_episodes(run.paths.episodes)[-1]
    assert all(float(last[f"{role}_updates"]) > 0 for role in ("seeker", "hider")), "both roles learned"
    assert last["terminal_reason"] == "timeout", "a touch does not end the match"
    assert all(run.paths.policy(role).exists() for role in ("seeker", "hider"))
