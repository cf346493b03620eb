"""Saved weights drive the live scene: of `sandlot train tag`, of a session, of one role, and shared ones."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from calling import caller

from sandlot.bridge.godot_engine import find
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder
from sandlot.cli import main
from sandlot.compat.trajectories import read_trajectory
from sandlot.games.live_policies import specs_by_length
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import SHARED, pack
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.worlds import load_spec

from .test_live import Server, game, seen

ROOT = Path(__file__).parent.parent.parent
godot = pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")
# the layouts that `sandlot train tag` and a session train with
QUICK, SESSION = (compose("tag", preset).settings for preset in ("quick", "godot"))


def steady(settings, role, choice):
    """A policy that always does the same, whatever it sees."""
    policy = Policy(load_spec("tag", settings), role, NetworkConfig(hidden_sizes=(8,)))
    with torch.no_grad():
        policy.network.last.weight.zero_()
        policy.network.last.bias.fill_(-50.0)
        policy.network.last.bias[choice] = 50.0
    return policy


def does(policy):
    """What it always does."""
    return policy.act(np.zeros((1, policy.spec.observation_size), np.float32))[0][0].tolist()


def pair(settings):
    return {"seeker": steady(settings, "seeker", 3), "hider": steady(settings, "hider", 9)}


def played(server, folder, *words, **variables):
    """Actions by agent of one match of the main scene, and the settings it was played under."""
    environment = {
        "SANDLOT_URL": server.url,
        "AI_TIME_LIMIT_SEC": "1",
        "AI_LOG_TRAJECTORIES": "1",
        "AI_DATA_ROOT": str(folder / "data"),
        **variables,
    }
    arguments = ["--fixed-fps", "60", "--", "--matches=1", *words]
    with GodotProcess(arguments, project=project_folder(), environment=environment) as scene:
        ended = scene.wait(120)
    assert ended.code == 0 and "matches 1" in ended.output, ended.output
    start, *lines = read_trajectory(folder / "data/trajectories/ep_00001.jsonl")
    actions = {"Agent1": [], "Agent2": []}
    for line in lines:
        if line["type"] == "step":
            actions[line["agent"]].append(line["action"])
    return actions, start["config"]


@godot
@pytest.mark.parametrize(("name", "settings"), [("train tag", QUICK), ("session", SESSION)])
def test_weights_of_either_trainer_drive_the_scene_under_their_own_settings(tmp_path, name, settings):
    policies = pair(settings)
    states = {role: policy.state() for role, policy in policies.items()}
    (tmp_path / "policy.pt").write_bytes(pack({"policies": states}))
    server = Server(tmp_path, "--policy", "policy.pt")
    try:
        actions, config = played(server, tmp_path)
    finally:
        server.stop()
    for agent, role in (("Agent1", "seeker"), ("Agent2", "hider")):
        assert np.allclose(actions[agent], does(policies[role]), atol=1e-5)
    assert (
        config["recall"] is True and config["arena_half"] == load_spec("tag", settings).config["arena_half"]
    )
    assert config["time_limit"] == 1.0, "what the scene sets goes over what the server says"
    assert len(Store(tmp_path / "runs").latest().paths.episodes.read_text().splitlines()) == 1 + 1


@godot
def test_a_shared_policy_drives_both_agents(tmp_path):
    shared = steady(SESSION, SHARED, 5)
    (tmp_path / "policy.pt").write_bytes(shared.to_bytes())
    server = Server(tmp_path, "--policy", "policy.pt")
    try:
        actions, _ = played(server, tmp_path)
    finally:
        server.stop()
    assert np.allclose(actions["Agent1"] + actions["Agent2"], does(shared), atol=1e-5)


@godot
def test_the_role_without_weights_is_played_by_its_script(tmp_path):
    seeker = steady(SESSION, "seeker", 5)
    (tmp_path / "policy_seeker.pt").write_bytes(seeker.to_bytes())
    server = Server(tmp_path, "--policy", "policy_seeker.pt")
    try:
        actions, _ = played(server, tmp_path)
    finally:
        server.stop()
    assert np.allclose(actions["Agent1"], does(seeker), atol=1e-5)
    assert np.std(actions["Agent2"], axis=0).max() > 0.05, "it stands"


def test_learning_goes_on_from_saved_weights_of_any_layout(tmp_path):
    policies = pair(QUICK)
    states = {role: policy.state() for role, policy in policies.items()}
    (tmp_path / "policy.pt").write_bytes(pack({"policies": states}))
    server = Server(tmp_path, "--load", "policy.pt")
    try:
        with game(server) as ask:
            size = policies["seeker"].spec.observation_size
            other = next(length for length in specs_by_length(policies["seeker"].spec) if length != size)
            wrong = ask({"type": "act", "obs": seen(1.0, other)})  # before anything settles the layout
            reply = ask({"type": "act_batch", "obs": {"a": seen(1.0, size), "b": seen(0.0, size)}})
    finally:
        server.stop()
    assert np.allclose(reply["actions"]["a"], does(policies["seeker"]), atol=1e-5)
    assert np.allclose(reply["actions"]["b"], does(policies["hider"]), atol=1e-5)
    assert wrong["info"]["error"] == "invalid_obs", "another layout does not replace loaded weights"


@pytest.mark.parametrize("option", ["--policy", "--load"])
def test_settings_that_change_the_observation_are_refused_and_nothing_is_written(
    tmp_path, option, monkeypatch, capsys
):
    (tmp_path / "policy.pt").write_bytes(steady(SESSION, "seeker", 1).to_bytes())
    sandlot = caller(monkeypatch, capsys, tmp_path, main.app, "sandlot")
    done = sandlot("bridge", "--port", "0", option, "policy.pt", "--set", "recall=false")
    assert done.code == 2 and "trained on observations of 162 numbers" in done.err, done.err
    assert [path.name for path in tmp_path.iterdir()] == ["policy.pt"]


# ---------------------------------------------------------------- trainer/server.py


def started(folder, program, *words):
    """`trainer/server.py` as a process, and the address it prints."""
    made = object.__new__(Server)
    made.folder, made.errors = folder, (folder / "errors.log").open("w")
    made.process = subprocess.Popen(
        [str(program), str(ROOT / "trainer/server.py"), "--port", "0", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=made.errors, text=True,
    )  # fmt: skip
    line = made.process.stdout.readline()
    assert line.startswith("Listening at ws://127.0.0.1:"), line + made.log_text()
    made.port = int(line.split("127.0.0.1:")[1].split(" ")[0])
    made.url = f"ws://127.0.0.1:{made.port}"
    return made


def test_the_server_plays_the_saved_policy_without_being_told(tmp_path):
    (tmp_path / "trainer").mkdir()
    policies = pair(SESSION)
    states = {role: policy.state() for role, policy in policies.items()}
    (tmp_path / "trainer/policy.pt").write_bytes(pack({"policies": states}))
    server = started(tmp_path, sys.executable)
    try:
        with game(server) as ask:
            reply = ask({"type": "act", "obs": seen(0.0, policies["hider"].spec.observation_size)})
    finally:
        server.stop()
    assert "Playing trainer/policy.pt" in server.log_text()
    assert np.allclose(reply["action"], does(policies["hider"]), atol=1e-5)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A virtual environment that holds websockets and numpy and nothing else."""
    import numpy
    import websockets

    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    (packages,) = folder.glob("lib/python*/site-packages")
    for module in (numpy, websockets):
        source = Path(module.__file__).parent
        for place in (source, source.with_name(source.name + ".libs")):
            if place.exists():
                (packages / place.name).symlink_to(place)
    return folder / "bin/python"


def test_with_websockets_and_numpy_alone_the_server_answers_at_random(tmp_path, bare):
    for missing in ("torch", "typer", "pydantic", "rich", "sandlot"):
        absent = subprocess.run([str(bare), "-c", f"import {missing}"], capture_output=True, timeout=60)
        assert absent.returncode == 1, missing
    server = started(tmp_path, bare)
    try:
        with game(server) as ask:
            welcome = ask({"type": "hello", "protocol": 1, "game": "tag"})
            acts = [ask({"type": "act", "obs": seen()})["action"] for _ in range(20)]
            batch = ask({"type": "act_batch", "obs": {"Agent1": seen(), "Agent2": [0.0] * 84}})
            one = {"obs": seen(), "action": [0, 0, 0], "reward": 1, "done": True, "info": {"agent": "Agent1"}}
            ack = ask({"type": "transition_batch", "transitions": [one]})
    finally:
        code, _ = server.stop()
    assert welcome["type"] == "welcome" and code == 0, server.log_text()
    assert np.shape(acts) == (20, 3) and len({tuple(act) for act in acts}) == 20
    assert np.abs(acts).max() <= 1 and {act[2] for act in acts} == {0.0}, "moves at random, never jumps"
    assert set(batch["actions"]) == {"Agent1", "Agent2"} and ack["stored"] == 1


@godot
def test_the_main_scene_plays_with_a_server_of_random_actions(tmp_path, bare):
    server = started(tmp_path, bare)
    try:
        actions, config = played(server, tmp_path)
    finally:
        server.stop()
    assert config == load_spec("tag", {"time_limit": 1.0}).config
    assert np.std(actions["Agent1"], axis=0)[:2].min() > 0.2


def test_a_fresh_clone_has_the_folders_and_files_of_the_brief():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    wanted = {"trainer/server.py", "trainer/ppo.py", "data/README.md", "godot/project.godot"}
    assert wanted <= set(listed)
    kept = [name for name in listed if name.startswith(("trainer/", "data/"))]
    assert not [name for name in kept if not name.endswith((".py", ".md"))], "weights and logs stay out"
