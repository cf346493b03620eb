"""The HTTP API of a real game: every endpoint, who may call it, and that attacks leave the game running."""

import contextlib
import json
import os
import random
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sandlot
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.http_client import HOST, HttpClient, token_file
from sandlot.errors import BadMessage, GameLost, Refused
from sandlot.worlds.godot import address
from sandlot.worlds.http import _free_port

from .scenes import make_project

pytestmark = pytest.mark.slow
START_S = 60
WALK = "res://walk.tscn"
AUTOLOAD = '\n[autoload]\nGodotHttpApi="*res://addons/sandlot/http_api.gd"\n'
WHITELIST = {
    "environments": {
        "development": {"scenes": ["res://walk.tscn", "res://broken.tscn"], "wildcards": ["res://h*.tscn", "res://n*.tscn"]},
        "production": {"scenes": ["res://walk.tscn"]},
    },
    "blacklist": {"patterns": ["res://**/secret*"], "exact": ["res://hidden.tscn"]},
}  # fmt: skip
NAMED = """extends Node2D
func get_rl_observation() -> Dictionary:
	return {"camera_position": Vector3(1, 2, 3), "ray_sensors": PackedFloat32Array([5, 5]), "fell": false}
func api_input_controller(body: Dictionary) -> Dictionary:
	return {"got": body}
"""


@pytest.fixture(scope="module")
def studio(engine, tmp_path_factory):
    """A project with the autoload, a whitelist, and a scene that names its observation itself."""
    folder = make_project(tmp_path_factory.mktemp("http") / "studio")
    text = (folder / "project.godot").read_text()
    text = text.replace("[application]\n", f'[application]\nrun/main_scene="{WALK}"\n')
    (folder / "project.godot").write_text(text + AUTOLOAD)
    (folder / "config").mkdir()
    (folder / "config" / "scene_whitelist.json").write_text(json.dumps(WHITELIST))
    (folder / "named.gd").write_text(NAMED)
    walk = (folder / "walk.tscn").read_text()
    script = (
        '[ext_resource type="Script" path="res://named.gd" id="n"]\n\n[node name="Arena" type="Node2D"]\n'
    )
    named = walk.replace('[node name="Arena" type="Node2D"]\n', script + 'script = ExtResource("n")\n')
    (folder / "named.tscn").write_text(named)
    (folder / "nothing.tscn").write_text('[gd_scene format=3]\n[node name="Nothing" type="Node2D"]\n')
    (folder / "broken.tscn").write_text("[gd_scene format=3]\n[node name=")
    return folder


class Running:
    """A game with its API, and the client that calls it."""

    def __init__(
        self, engine, studio: Path, cache: Path, scene: str = WALK, paced: bool = False, **variables: str
    ):
        self.port = _free_port()
        self.cache, self.log = cache, cache / f"{self.port}.log"
        cache.mkdir(parents=True, exist_ok=True)
        variables = {
            "GODOT_ENABLE_HTTP_API": "true",
            "GODOT_HTTP_API_PORT": str(self.port),
            "XDG_CACHE_HOME": str(cache),
        } | variables
        pace = [] if paced else ["--fixed-fps", "60"]
        self.process = GodotProcess(
            [*pace, scene], project=studio, engine=engine, environment=variables, log=self.log
        )
        self.client = HttpClient(port=self.port)
        self.client.wait_until_ready(START_S)

    @property
    def token(self) -> str:
        return json.loads(self.token_path.read_text())["token"]

    @property
    def token_path(self) -> Path:
        return self.cache / "sandlot" / "http_api" / f"{self.port}.json"

    def raw(self, data: bytes, seconds: float = 5.0) -> bytes:
        """Send bytes, and read until the game closes or says nothing more."""
        with socket.create_connection((HOST, self.port), timeout=seconds) as connection:
            connection.sendall(data)
            got = b""
            with contextlib.suppress(TimeoutError, ConnectionError):
                while piece := connection.recv(65536):
                    got += piece
                    if b"\r\n\r\n" in got and _is_whole(got):
                        break
            return got

    def status(self, data: bytes) -> int:
        got = self.raw(data)
        return int(got.split(b" ")[1]) if got else 0

    def stop(self) -> None:
        self.client.close()
        self.process.stop()


def _is_whole(got: bytes) -> bool:
    head, body = got.split(b"\r\n\r\n", 1)
    length = next((line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), b":0")
    return len(body) >= int(length.split(b":")[1])


@pytest.fixture
def start(engine, studio, tmp_path):
    running: list[Running] = []

    def begin(**options) -> Running:
        running.append(Running(engine, studio, tmp_path / "cache", **options))
        return running[-1]

    yield begin
    for game in running:
        game.stop()
        assert "SCRIPT ERROR" not in game.log.read_text(errors="replace"), game.log.read_text(
            errors="replace"
        )[-3000:]


@pytest.fixture(scope="module")
def development(engine, studio, tmp_path_factory):
    """One game for the tests that leave it as it was."""
    game = Running(engine, studio, tmp_path_factory.mktemp("cache"))
    yield game
    game.stop()
    log = game.log.read_text(errors="replace")
    assert "SCRIPT ERROR" not in log, log[-3000:]


# ---------------------------------------------------------------- what it says


def test_health_and_status_answer_without_a_token_and_never_show_it(development):
    plain = HttpClient(port=development.port, token="no-such-token")
    assert plain.health_check()
    status = plain.get_status()
    assert status["http_api"] == "running" and status["environment"] == "development"
    assert status["autoloads"] == {"GodotHttpApi": True} and "vr_mode" in status and "api_version" in status
    assert development.token not in json.dumps(status)
    with pytest.raises(Refused, match="none of this server"):
        plain.get_scene_state()


def test_health_check_is_false_where_nothing_answers():
    port = _free_port()
    client = HttpClient(port=port)
    assert client.health_check() is False
    with pytest.raises(GameLost, match=rf"Cannot connect to the HTTP API at http://127.0.0.1:{port}"):
        client.get_scene_state()


def test_metrics_are_measured(development):
    first = development.client.get_performance_metrics()
    assert set(first["engine"]) == {
        "fps", "process_time", "physics_process_time", "objects_in_use", "resources_in_use", "nodes_in_use",
    }  # fmt: skip
    assert first["engine"]["fps"] > 0 and first["engine"]["nodes_in_use"] >= 3
    resident = int(Path(f"/proc/{development.process.pid}/statm").read_text().split()[1]) * 4096
    memory = first["memory"]
    assert 1 << 20 < memory["static_memory_usage"] <= memory["static_memory_max"]
    total = memory["static_memory_usage"] + memory["dynamic_memory_usage"]
    assert (
        abs(total - resident) < 0.2 * resident
        or "ld-linux" in Path(f"/proc/{development.process.pid}/comm").read_text()
    )
    second = development.client.get_performance_metrics()
    assert second["timestamp"] > first["timestamp"]
    assert second["security"]["requests"] > first["security"]["requests"]


def test_scenes_are_listed_looked_at_loaded_and_loaded_again(start):
    game = start()
    client = game.client
    assert client.get_scene_state() == {"scene_name": "Arena", "scene_path": WALK, "status": "loaded"}
    listed = client.list_scenes()
    assert listed["directory"] == "res://" and listed["count"] == len(listed["scenes"])
    walk = next(one for one in listed["scenes"] if one["path"] == WALK)
    assert walk["size_bytes"] > 100 and walk["modified"] > 1e9 and walk["name"] == "walk"
    looked = client.validate_scene("res://hunt.tscn")
    assert looked["valid"] and looked["scene_info"] == {
        "node_count": 8,
        "root_type": "Node3D",
        "root_name": "Arena",
    }
    assert not client.validate_scene("res://broken.tscn")["valid"]
    assert client.load_scene("res://hunt.tscn")["scene_path"] == "res://hunt.tscn"
    assert client.reload_scene()["scene_path"] == "res://hunt.tscn"
    with pytest.raises(Refused, match=r"Failed to load scene res://broken\.tscn"):
        client.load_scene("res://broken.tscn")
    history = client.scene_history()
    assert history["max_size"] == 10 and [one["status"] for one in history["history"]] == [
        "loaded",
        "loaded",
        "failed",
    ]
    assert client.get_scene_state()["scene_path"] == "res://hunt.tscn", (
        "a scene that does not load leaves the old one"
    )


@pytest.mark.parametrize(
    ("scene", "status", "words"),
    [
        ("res://other.tscn", 403, "scene_whitelist.json"),
        ("res://hidden.tscn", 403, "blacklist"),
        ("res://haven.tscn", 404, "no such file"),
        ("res://../walk.tscn", 400, "two dots"),
        ("walk.tscn", 400, "res://"),
        ("res://walk.gd", 400, "tscn"),
        ("res://" + "a" * 300 + ".tscn", 400, "256"),
    ],
)
def test_a_scene_that_may_not_be_loaded_is_refused_with_its_path(development, scene, status, words):
    with pytest.raises(Refused, match=r"Failed to load scene") as refusal:
        development.client.load_scene(scene)
    assert scene in str(refusal.value) and str(status) in str(refusal.value) and words in str(refusal.value)


# ---------------------------------------------------------------- who may call


def test_in_production_everything_but_health_wants_a_token(start):
    game = start(GODOT_ENV="production")
    bare = HttpClient(port=game.port)  # its token file is in another cache
    assert bare.health_check() and bare.get_status()["environment"] == "production"
    for call in (
        bare.get_scene_state,
        bare.get_performance_metrics,
        bare.state,
        bare.observation,
        bare.reset,
    ):
        with pytest.raises(Refused, match="401"):
            call()
    assert stat.S_IMODE(game.token_path.stat().st_mode) == 0o600
    about = json.loads(game.token_path.read_text())
    assert about["environment"] == "production" and about["expires_at"] > time.time() + 3000
    known = HttpClient(port=game.port, token=game.token)
    assert known.get_scene_state()["status"] == "loaded"
    with pytest.raises(Refused, match="403"):
        known.load_scene("res://hunt.tscn")
    body = b'{"action": "add_scene", "scene_path": "res://hunt.tscn"}'
    with pytest.raises(Refused, match="production"):
        known.request("POST", "/whitelist", body, "application/json")
    game.process.stop()


def test_the_client_reads_the_token_file_by_itself(start, monkeypatch):
    game = start(GODOT_ENV="test")
    with pytest.raises(Refused, match="401"):
        HttpClient(port=game.port).get_scene_state()
    monkeypatch.setenv("XDG_CACHE_HOME", str(game.cache))
    assert token_file(game.port) == game.token_path
    assert HttpClient(port=game.port).get_scene_state()["scene_path"] == WALK


def test_a_web_page_cannot_call(development):
    head = b"GET /scene HTTP/1.1\r\nHost: %s\r\n%s\r\n"
    assert development.status(head % (b"127.0.0.1:8080", b"")) == 200
    assert development.status(head % (b"evil.example", b"")) == 403
    assert development.status(head % (b"127.0.0.1", b"Origin: https://evil.example\r\n")) == 403
    assert development.status(head % (b"127.0.0.1.evil.example", b"")) == 403
    assert development.status(b"OPTIONS /scene HTTP/1.1\r\n\r\n") == 405


def test_calls_beyond_the_limit_are_told_how_long_to_wait(start):
    game = start()
    answers = [game.raw(b"GET /scenes HTTP/1.1\r\n\r\n") for _ in range(64)]
    codes = [int(answer.split(b" ")[1]) for answer in answers]
    assert codes[:60] == [200] * 60 and codes[-1] == 429
    told = json.loads(answers[-1].split(b"\r\n\r\n", 1)[1])
    assert 0 < told["retry_after_seconds"] <= 1.0 and b"Retry-After: 1" in answers[-1]
    game.client.list_scenes()  # the client waits, and asks again


# ---------------------------------------------------------------- playing


def test_an_episode_step_by_step_is_the_same_as_over_the_bridge(development, studio):
    client, rng = development.client, np.random.default_rng(4)
    actions = np.column_stack([rng.uniform(-1, 1, 12), rng.choice([-1.0, 1.0], 12), rng.integers(0, 3, 12)])
    with sandlot.make(address(studio, WALK), 1) as world:
        world.reset(seed=7)
        first, wanted = world.observations[0].copy(), []
        for action in actions.astype(np.float32):
            ended = world.step(action[None])
            seen = world.final_observations[0] if ended else world.observations[0]
            wanted.append((seen.copy(), float(world.rewards[0]), bool(ended)))
    begun = client.reset(seed=7, lockstep=True)
    np.testing.assert_array_equal(np.float32(begun["observations"][0]), first)
    assert begun["observation"]["place"] == pytest.approx(first[0])
    for action, (seen, reward, ended) in zip(actions, wanted, strict=True):
        reply = client.step([float(one) for one in np.float32(action)])
        np.testing.assert_allclose(reply["observations"][0], seen, atol=1e-6)
        assert reply["reward"] == pytest.approx(reward) and reply["done"] == ended
    assert reply["truncated"] and not reply["terminated"] and reply["info"]["ticks"] == 24
    with pytest.raises(Refused, match="409"):
        client.step([0.0, 0.0, 0.0])
    assert client.state()["done"]


def test_actions_by_name_repeats_and_settings(development):
    client = development.client
    client.reset(seed=1, lockstep=True)
    reply = client.step({"walk": 1.0, "jump": True, "mood": "glad"}, repeat=3)
    assert (reply["step"], reply["reward"], reply["info"]["ticks"]) == (3, 39.0, 6)
    assert reply["info"]["success"] is True and reply["info"]["terms"] == {"step": 3.0, "jump": 36.0}
    before = reply["observation"]["place"]
    reply = client.step({"walk": 1.0, "speed": 0.25})
    assert reply["observation"]["place"] == pytest.approx(before + 0.25)
    client.step({"walk": 0.0, "speed": 0.5})
    for bad in ({"walk": "much"}, {"fly": 1}, {"mood": 7}, {"mood": 0.5}, [1.0], "walk", {"walk": 1e999}):
        with pytest.raises(BadMessage, match="400"):
            client.step(bad)
    for repeat in (0, 1.5, 10**6, "2"):
        with pytest.raises(BadMessage, match="repeat"):
            client.step([0, 0, 0], repeat=repeat)
    for seed in (-1, 0.5, "x", [1], True, 2**70):
        with pytest.raises(BadMessage, match="seed"):
            client._call("POST", "/rl/reset", {"seed": seed})
    assert client.state()["step"] == 5, "refused actions play nothing"


def test_between_steps_the_game_stands_still_and_goes_on_when_released(start):
    game = start(paced=True)
    client = game.client
    client.reset(seed=1, lockstep=True)
    client.step([0.5, 0, 0])
    first = client.state()
    time.sleep(0.4)
    assert client.state() == first
    client._call("POST", "/rl/release", {})
    until = time.monotonic() + 10
    while client.state()["step"] == first["step"]:
        assert time.monotonic() < until, "it does not go on"
        time.sleep(0.02)


def test_an_action_while_the_game_goes_on_is_repeated_until_the_next(start):
    game = start(paced=True)
    client = game.client
    client.reset(seed=1)
    assert client.action({"type": "continuous", "walk": 1.0})["status"] == "ok"
    until = time.monotonic() + 20
    while not (state := client.state())["done"]:
        assert time.monotonic() < until, state
    assert state["truncated"] and state["step"] == 12
    assert client.observation()["speed"] == [0.5, 12.0], "twelve decisions were acted on"
    assert client.state() == client.state(), "an episode that is over waits for its reset"
    assert not client.reset(seed=2)["done"]


def test_a_scene_names_its_own_observation_and_takes_inputs(start):
    client = start(scene="res://named.tscn").client
    assert client.observation() == {
        "camera_position": [1.0, 2.0, 3.0],
        "ray_sensors": [5.0, 5.0],
        "fell": False,
    }
    assert client._call("POST", "/input/controller", {"trigger": 1})["result"] == {"got": {"trigger": 1.0}}
    with pytest.raises(Refused, match="api_spacecraft_control"):
        client._call("POST", "/spacecraft/control", {"thrust": 1})
    assert client._call("GET", "/state/scene")["scene_path"] == "res://named.tscn"


def test_a_scene_in_which_nobody_acts_says_so(start):
    client = start(scene="res://nothing.tscn").client
    for call in (client.observation, client.state, client.reset, client.step):
        with pytest.raises(Refused, match="has no SandlotTrainer"):
            call()


def test_the_whitelist_is_widened_until_it_is_read_again(start):
    client = start().client
    change = {"action": "add_scene", "scene_path": "res://sees_nan.tscn"}
    asked = {"action": "validate", "scene_path": "res://sees_nan.tscn"}
    assert not client._call("POST", "/whitelist", asked)["valid"]
    assert change["scene_path"] in client._call("POST", "/whitelist", change)["whitelist"]["scenes"]
    assert client._call("POST", "/whitelist", asked)["valid"]
    client._call("POST", "/whitelist", {"action": "reload"})
    assert not client._call("POST", "/whitelist", asked)["valid"]
    for entry in ("res://", "/etc", "res://../x", 7, None):
        with pytest.raises(BadMessage, match="400"):
            client._call("POST", "/whitelist", {"action": "add_directory", "path": entry})
    assert client._call("POST", "/whitelist", {"action": "set_environment", "environment": "production"})
    with pytest.raises(Refused, match="403"):
        client._call("POST", "/whitelist", {"action": "set_environment", "environment": "development"})


def test_a_taken_port_is_a_sentence_and_the_game_goes_on(start, engine, studio):
    first = start()
    log = first.cache / "second.log"
    variables = {"GODOT_ENABLE_HTTP_API": "true", "GODOT_HTTP_API_PORT": str(first.port)}
    words = ["--fixed-fps", "60", "--quit-after", "50", WALK]
    with GodotProcess(words, project=studio, engine=engine, environment=variables, log=log) as second:
        assert second.wait(60).code == 0
    assert (
        f"Port {first.port} of 127.0.0.1 is taken" in log.read_text()
        and "GODOT_HTTP_API_PORT" in log.read_text()
    )
    assert first.client.health_check()


# ---------------------------------------------------------------- attacks


def _post(path: bytes, body: bytes, kind: bytes = b"application/json", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return b"POST %s HTTP/1.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (path, kind, size, body)


JUNK = {
    "no JSON": (_post(b"/scene", b"{"), 400),
    "a list": (_post(b"/scene", b"[]"), 400),
    "not UTF-8": (_post(b"/scene", b'{"scene_path": "\xff\xfe"}'), 400),
    "a zero": (_post(b"/scene", b"\0" * 40), 400),
    "no type": (_post(b"/scene", b"{}", b"text/plain"), 400),
    "deep": (_post(b"/rl/step", b'{"a":' * 50_000), 400),
    "deep lists": (_post(b"/rl/step", b"[" * 500_000), 400),
    "large number": (_post(b"/rl/reset", b'{"seed": 1e400}'), 400),
    "a body that is too large": (_post(b"/scene", b"", length=2_000_000), 413),
    "many headers": (b"GET /health HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n", 431),
    "a long header": (b"GET /health HTTP/1.1\r\nA: " + b"b" * 30_000 + b"\r\n\r\n", 431),
    "an endless line": (b"GET /" + b"a" * 40_000, 431),
    "chunks": (b"POST /scene HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
    "two lengths": (b"POST /scene HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "a traversal": (b"GET /scene/../health HTTP/1.1\r\n\r\n", 400),
    "encodings": (b"GET /%68ealth HTTP/1.1\r\n\r\n", 400),
    "a listing outside": (b"GET /scenes?dir=res://../../etc HTTP/1.1\r\n\r\n", 400),
    "a listing of the disk": (b"GET /scenes?dir=/etc HTTP/1.1\r\n\r\n", 400),
    "a listing, encoded": (b"GET /scenes?dir=res://%2E%2E/ HTTP/1.1\r\n\r\n", 400),
    "nothing of ours": (b"GET /wp-admin HTTP/1.1\r\n\r\n", 404),
}


@pytest.mark.parametrize("what", JUNK, ids=str)
def test_junk_is_answered_with_its_code(development, what):
    data, status = JUNK[what]
    assert development.status(data) == status
    assert development.client.health_check()


def test_pipelined_requests_are_answered_in_their_order(development):
    requests = b"GET /health HTTP/1.1\r\n\r\nGET /nothing HTTP/1.1\r\n\r\n"
    requests += b"GET /status HTTP/1.1\r\nConnection: close\r\n\r\n"
    with socket.create_connection((HOST, development.port), timeout=5) as connection:
        connection.sendall(requests)
        got = b""
        while piece := connection.recv(65536):
            got += piece
    codes = [int(part.split(b" ")[0]) for part in got.split(b"HTTP/1.1 ")[1:]]
    assert codes == [200, 404, 200]


def test_floods_slow_clients_and_noise_leave_the_game_playing(start):
    """Everything at once, while a client goes on stepping the game."""
    game = start()
    over = threading.Event()

    def slow() -> None:  # a byte now and then
        with (
            contextlib.suppress(OSError),
            socket.create_connection((HOST, game.port), timeout=5) as connection,
        ):
            while not over.wait(0.2):
                connection.sendall(b"G")

    def crowd() -> None:  # connections that say nothing
        held = []
        while not over.wait(0.02):
            with contextlib.suppress(OSError):
                held.append(socket.create_connection((HOST, game.port), timeout=1))
        for one in held:
            one.close()

    def noise() -> None:
        rng = random.Random(3)
        while not over.wait(0.01):
            with (
                contextlib.suppress(OSError),
                socket.create_connection((HOST, game.port), timeout=1) as connection,
            ):
                connection.sendall(rng.randbytes(rng.randrange(1, 60_000)))

    def large() -> None:
        body = b'{"action": [' + b"1," * 400_000 + b"1]}"
        while not over.wait(0.05):
            with contextlib.suppress(OSError):
                game.raw(_post(b"/rl/action", body), 2.0)

    game.client.reset(seed=1, lockstep=True)  # connected before the crowd is
    threads = [threading.Thread(target=one, daemon=True) for one in (slow, slow, crowd, noise, large)]
    for one in threads:
        one.start()
    try:
        begun, steps, longest = time.monotonic(), 0, 0.0
        while time.monotonic() - begun < 4.0:
            sent = time.monotonic()
            if game.client.step([0.1, 0, 0])["done"]:
                game.client.reset(seed=steps, lockstep=True)
            steps, longest = steps + 1, max(longest, time.monotonic() - sent)
    finally:
        over.set()
        for one in threads:
            one.join(5)
    assert steps > 20 and longest < 3.0, (steps, longest)
    with HttpClient(port=game.port) as fresh:
        fresh.wait_until_ready(10)
    assert game.process.code is None


def test_a_request_that_never_ends_is_answered_too_slow(start):
    game = start()
    with socket.create_connection((HOST, game.port), timeout=15) as connection:
        connection.sendall(b"POST /scene HTTP/1.1\r\nContent-Length: 10\r\n\r\n{")
        begun = time.monotonic()
        assert b" 408 " in connection.recv(4096)
        assert 8.0 < time.monotonic() - begun < 14.0


# ---------------------------------------------------------------- the same world behind it


def test_several_processes_over_http_are_the_world_of_the_bridge(studio):
    shown = []
    for options in (
        {"engine": "godot"},
        {"engine": "http", "processes": 2},
        {"engine": "http", "encoding": "json"},
    ):
        with sandlot.make(address(studio, "res://hunt.tscn"), 5, seed=4, **options) as world:
            rng, seen = np.random.default_rng(1), [world.reset(seed=9).copy()]
            for _ in range(12):
                actions = rng.uniform(-1, 1, world.actions.shape).astype(np.float32)
                actions[1::3, 0] = actions[2::3, 0] = 1
                world.step(actions)
                seen += [world.observations.copy(), world.rewards.copy(), world.final_observations.copy()]
            episodes = [dict(one) for one in world.finished()]
            seen.append(world.reset(seed=3, worlds=[1, 4]).copy())
        shown.append((seen, str(episodes)))
    for seen, episodes in shown[1:]:
        assert episodes == shown[0][1] and len(episodes) > 10
        for mine, theirs in zip(seen, shown[0][0], strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_game_that_dies_or_fails_over_http_is_a_sentence(studio):
    world = sandlot.make(address(studio, WALK), 4, engine="http")
    world.reset(seed=1)
    os.kill(world.pid, 9)
    with pytest.raises(GameLost, match="killed by signal"):
        for _ in range(3):
            world.step(np.zeros((4, 3), np.float32))
    for scene, words in {"no_actions": "has no actions", "script_error": "script of the game failed"}.items():
        with (
            pytest.raises((Refused, BadMessage, GameLost), match=words),
            sandlot.make(address(studio, f"res://{scene}.tscn"), 2, engine="http") as failing,
        ):
            failing.reset(seed=1)
            failing.step(np.zeros(2, np.int32))


def test_training_goes_through_http_with_several_processes(studio, tmp_path):
    words = [
        "--project",
        str(studio),
        "--scene",
        WALK,
        "--engine",
        "http",
        "--processes",
        "2",
        "--arenas",
        "6",
    ]
    small = [
        "--set",
        "ppo.num_steps=16",
        "--set",
        "run.window_env_steps=200",
        "--windows",
        "1",
        "--seed",
        "1",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "sandlot", "train", *words, *small, "--no-evaluate", "--no-tensorboard"],
        cwd=tmp_path, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / "runs").iterdir()
    assert json.loads((run / "config.json").read_text())["run"]["engine"] == "http"
    row = json.loads((run / "metrics" / "windows.jsonl").read_text().splitlines()[0])
    assert row["env_steps_in_window"] == 200 and row["episodes_completed"] >= 12
    assert (run / "checkpoints" / "ckpt_000000.pt").is_file()
