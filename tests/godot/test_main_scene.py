"""The main scene in the real engine: its nodes, each setting of RLEnv, its variables, and who plays when."""

import configparser
import contextlib
import json
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from sandlot.bridge.godot_process import GodotProcess
from sandlot.compat.trajectories import read_trajectory
from sandlot.compat.variables import game_settings
from sandlot.games.live_policies import FixedPolicy
from sandlot.worlds import load_spec

HERE = Path(__file__).parent
LIMIT_S = 120
# a small arena: a seeker that runs at a hider that stands still is there in a second
GAME = {"arena_half": 6.0, "obstacles": 0, "spawn_separation": 4.0, "time_limit": 3.0}
SETTINGS = (
    {},
    {"training_mode": False},
    {"control_all_agents": False},
    {"ai_is_it": False},
    {"step_tick_interval": 6},
    {"tag_bonus": 50.0},
    {"progress_reward_scale": 0.0},
    {"legacy_act_fallback": True},
)


class Server:
    """A server as simple as the brief's. It keeps what each connection said; seekers chase, hiders stand."""

    def __init__(self, welcome=None):
        """welcome: what it answers to hello; without one it echoes, as a server that knows no hello."""
        self.heard, self._welcome = [], welcome
        self._server = serve(self._talk, "127.0.0.1", 0, max_size=None, compression=None)
        self.port = self._server.socket.getsockname()[1]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def _talk(self, socket):
        heard = []
        self.heard.append(heard)
        player = FixedPolicy(load_spec("tag"))
        for text in socket:
            message = json.loads(text)
            heard.append(message)
            reply = self._reply(message, player)
            if reply:
                with contextlib.suppress(ConnectionClosed):  # it may leave while its last words are read
                    socket.send(json.dumps(reply))

    def _reply(self, message, player):
        kind, step = message["type"], message.get("step")
        if kind == "hello":
            return self._welcome or {"type": "echo", "recv": message}
        if kind == "act_batch":
            actions = {name: self._act(player, name, row) for name, row in message["obs"].items()}
            return {"type": "action_batch", "actions": actions, "step": step}
        if kind == "act":
            return {"type": "action", "action": self._act(player, "agent", message["obs"]), "step": step}
        if kind == "transition_batch":
            return {"type": "ack", "stored": len(message["transitions"])}
        return None

    def _act(self, player, name, row):
        seeks = row[load_spec("tag").field("roles").start] >= 0.5
        return player.act([(1, name)], [np.array(row, np.float32)], [0])[0].tolist() if seeks else [0, 0, 0]

    def close(self):
        self._server.shutdown()
        self._thread.join(10)


@contextlib.contextmanager
def serving(**game):
    server = Server({"type": "welcome", "config": game} if game else None)
    try:
        yield server
    finally:
        server.close()


def run(engine, project, words, **variables):
    with GodotProcess(
        ["--fixed-fps", "60", *words], project=project, engine=engine, environment=variables
    ) as scene:
        ended = scene.wait(LIMIT_S)
    assert "SCRIPT ERROR" not in ended.output, ended.output
    return ended


@pytest.fixture(scope="module")
def heard(engine, project, tmp_path_factory):
    """What a server heard of one match under each of SETTINGS."""
    file = tmp_path_factory.mktemp("rl_env") / "settings.json"
    file.write_text(json.dumps(SETTINGS))
    with serving(**GAME) as server:
        url = f"ws://127.0.0.1:{server.port}"
        words = ["--script", str(HERE / "rl_env_check.gd"), "--", str(file)]
        ended = run(engine, project, words, SANDLOT_URL=url)
    assert ended.code == 0 and len(server.heard) == len(SETTINGS), ended.output
    return server.heard


def transitions(messages):
    return [
        one for message in messages if message["type"] == "transition_batch" for one in message["transitions"]
    ]


def of(messages, agent):
    return [one for one in transitions(messages) if one["info"]["agent"] == agent]


def asked(messages):
    """Names of the agents that were asked for, by the kind of question."""
    return {
        (message["type"], *message.get("obs", {}))
        if message["type"] == "act_batch"
        else (message["type"], "")
        for message in messages
        if message["type"].startswith("act")
    }


# ---------------------------------------------------------------- the seven settings


def test_both_agents_are_asked_for_and_told_of(heard):
    assert asked(heard[0]) == {("act_batch", "Agent1", "Agent2")}
    first, second = of(heard[0], "Agent1"), of(heard[0], "Agent2")
    assert len(first) == len(second) > 5 and first[-1]["done"] and second[-1]["done"]
    assert {one["info"]["role"] for one in first} == {"seeker"}
    assert first[-1]["info"]["winner"] == "seeker" and first[-1]["info"]["terminal_reason"] == "tag"


def test_training_mode_off_sends_no_transitions(heard):
    assert transitions(heard[1]) == [] and asked(heard[1]) == {("act_batch", "Agent1", "Agent2")}


def test_control_all_agents_off_leaves_the_second_agent_to_a_script(heard):
    assert asked(heard[2]) == {("act_batch", "Agent1")}
    assert of(heard[2], "Agent1") and not of(heard[2], "Agent2")


def test_ai_is_it_off_makes_the_first_agent_the_hider(heard):
    assert {one["info"]["role"] for one in of(heard[3], "Agent1")} == {"hider"}
    assert {one["info"]["role"] for one in of(heard[3], "Agent2")} == {"seeker"}


def test_step_tick_interval_is_how_long_a_decision_lasts(heard):
    for which, seconds in ((0, 3 / 60), (4, 6 / 60)):
        assert of(heard[which], "Agent1")[0]["info"]["time_elapsed"] == pytest.approx(seconds)


def test_tag_bonus_is_paid_for_a_touch_and_taken_from_the_hider(heard):
    for which, bonus in ((0, 10.0), (5, 50.0)):
        assert of(heard[which], "Agent1")[-1]["reward"] == pytest.approx(bonus, abs=0.5)
        assert of(heard[which], "Agent2")[-1]["reward"] == pytest.approx(-bonus, abs=0.5)


def test_progress_reward_scale_pays_per_metre(heard):
    usual, none = ({round(one["reward"], 6) for one in of(heard[i], "Agent1")[:-1]} for i in (0, 6))
    assert len(usual) > 5 and len(none) == 1, "only the time costs, the same each step"


def test_legacy_act_fallback_asks_with_act_for_one_agent(heard):
    assert asked(heard[7]) == {("act", "")} and not of(heard[7], "Agent2")


# ---------------------------------------------------------------- the scene


def test_it_is_the_main_scene_and_holds_the_named_nodes(project):
    settings = configparser.ConfigParser(strict=False)
    settings.read_string(
        re.sub(r"^;.*$", "", "[top]\n" + (project / "project.godot").read_text(), flags=re.M)
    )
    assert settings["application"]["run/main_scene"] == '"res://scenes/Main.tscn"'
    text = (project / "scenes/Main.tscn").read_text()
    scripts = dict(re.findall(r'path="res://scripts/(\w+)\.gd" id="(\d)"', text))
    for node, script in (("RLClient", "rl_client"), ("RLEnv", "rl_env"), ("Recorder", "recorder")):
        assert re.search(rf'name="{node}"[^\[]*ExtResource\("{scripts[script]}"\)', text), node


def test_a_server_that_knows_no_hello_is_played_with_too(engine, project):
    with serving() as server:
        words = ["--", "--matches=1"]  # no scene is named: the project's main scene runs
        variables = {"SANDLOT_URL": f"ws://127.0.0.1:{server.port}", "AI_TIME_LIMIT_SEC": "1"}
        ended = run(engine, project, words, **variables)
    assert ended.code == 0 and "matches 1" in ended.output, ended.output
    assert {len(row) for m in server.heard[0] if m["type"] == "act_batch" for row in m["obs"].values()} == {
        load_spec("tag").observation_size
    }


def test_settings_that_the_game_does_not_have_are_refused_in_a_sentence(engine, project):
    with serving(gravity=9.8, wings=2) as server:
        ended = run(engine, project, [], SANDLOT_URL=f"ws://127.0.0.1:{server.port}")
    assert ended.code == 2 and "There is no setting called wings" in ended.output


# ---------------------------------------------------------------- variables

VARIABLES = {
    "AI_SEEKER_TIME_PENALTY": "-0.02", "AI_DISTANCE_REWARD_SCALE": "0.05", "AI_WIN_BONUS": "20",
    "AI_STEP_TICK_INTERVAL": "2", "AI_TIME_LIMIT_SEC": "2", "AI_TIMEOUT_HIDER_BONUS": "7",
    "AI_TIMEOUT_SEEKER_PENALTY": "-8", "AI_IS_IT": "0", "AI_MODE": "timed", "AI_IMMUNITY_SEC": "0.5",
}  # fmt: skip


def first_line(folder):
    (path,) = folder.glob("trajectories/ep_00001.jsonl")
    return next(iter(read_trajectory(path)))


@pytest.mark.parametrize("scene", ["live", "by hand"])
def test_variables_reach_every_scene_and_its_recordings_go_to_the_data_root(engine, project, scene, tmp_path):
    variables = {**VARIABLES, "AI_LOG_TRAJECTORIES": "yes", "AI_DATA_ROOT": str(tmp_path / "else")}
    with serving() as server:
        variables["SANDLOT_URL"] = f"ws://127.0.0.1:{server.port}"
        words = [] if scene == "live" else ["res://games/tag/Main.tscn"]
        ended = run(engine, project, [*words, "--", "--matches=1"], **variables)
    assert ended.code == 0, ended.output
    start = first_line(tmp_path / "else")
    assert start["config"] == pytest.approx(load_spec("tag", game_settings(VARIABLES)).config)
    if scene == "live":
        reward = of(server.heard[0], "Agent2")[3]  # the seeker
        assert reward["info"]["role"] == "seeker"
        first, later = (of(server.heard[0], "Agent2")[i]["info"]["distance_to_other"] for i in (2, 3))
        assert reward["reward"] == pytest.approx(0.05 * (first - later) - 0.02, abs=2e-3)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("AI_WIN_BONUS", "much", "AI_WIN_BONUS=much: expected a number"),
        ("AI_IS_IT", "maybe", "AI_IS_IT=maybe: expected 1 or 0"),
        ("AI_STEP_TICK_INTERVAL", "99", "ticks_per_step = 99"),
    ],
)
def test_a_variable_that_makes_no_sense_is_named(engine, project, name, text, sentence):
    ended = run(engine, project, ["--", "--matches=1"], **{name: text, "SANDLOT_URL": "ws://127.0.0.1:9"})
    assert ended.code == 2 and sentence in ended.output


# ---------------------------------------------------------------- with a window


@pytest.mark.slow
def test_you_play_until_a_server_comes_and_again_when_it_has_left(engine, project, tmp_path):
    """On a screen in memory: keys move the cube, Tab moves the camera; then a server takes over."""
    from media.filming import need_a_camera

    from sandlot.bridge.godot_process import screen

    need_a_camera()
    words = ["--rendering-method", "gl_compatibility", "--resolution", "160x90", "--fixed-fps", "60"]
    words += ["--script", str(HERE / "by_hand_check.gd")]
    server = Server({"type": "welcome", "config": GAME})
    url = f"ws://127.0.0.1:{server.port}"
    try:
        with (
            screen() as variables,
            GodotProcess(
                words,
                project=project,
                engine=engine,
                headless=False,
                environment={**variables, "SANDLOT_URL": url},
                log=tmp_path / "log",
            ) as scene,
        ):
            end_at = time.monotonic() + LIMIT_S
            while "SERVER PLAYS" not in scene.log_tail() and scene.code is None and time.monotonic() < end_at:
                time.sleep(0.1)
            server.close()
            ended = scene.wait(LIMIT_S)
    finally:
        server.close()
    sentence = [line for line in ended.output.splitlines() if line.isupper()]
    assert sentence == ["KEYS MOVE THE CUBE", "TAB MOVES THE CAMERA", "SERVER PLAYS", "BY HAND AGAIN"], (
        ended.output
    )
    assert ended.code == 0 and "SCRIPT ERROR" not in ended.output
