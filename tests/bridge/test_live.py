"""The live server as a game meets it: every row of docs/ws_protocol.md over a real socket, and bad input."""

import asyncio
import contextlib
import errno
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import sandlot
from sandlot.bridge import live
from sandlot.bridge.live import LiveServer
from sandlot.bridge.random_policy import RandomPolicy
from sandlot.runs.store import Store
from sandlot.worlds import load_spec

WAIT_S = 30
SIZE = load_spec("tag").observation_size


class Server:
    """`sandlot bridge` in a process of its own, on a free port."""

    def __init__(self, folder, *words):
        program = [sys.executable, "-m", "sandlot", "bridge", "--port", "0", *words]
        self.folder = folder
        self.errors = (folder / "errors.log").open("w")
        self.process = subprocess.Popen(
            program, cwd=folder, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        line = self.process.stdout.readline()
        found = re.search(r"Listening at ws://127\.0\.0\.1:(\d+)", line)
        assert found, line + (folder / "errors.log").read_text()
        self.port = int(found[1])
        self.url = f"ws://127.0.0.1:{self.port}"

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        rest = self.process.communicate(timeout=WAIT_S)[0]
        self.errors.close()
        return self.process.returncode, rest

    def log_text(self):
        return (self.folder / "errors.log").read_text()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("scripted"), "--policy", "scripted")
    yield made
    assert made.stop()[0] == 0


@contextlib.contextmanager
def game(server):
    with connect(server.url, max_size=None, compression=None) as socket:

        def ask(message, wait=WAIT_S):
            socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
            return json.loads(socket.recv(timeout=wait))

        ask.socket = socket
        yield ask


def seen(role=1.0, size=SIZE):
    row = np.zeros(size)
    row[load_spec("tag").field("roles").start] = role
    return row.tolist()


# ---------------------------------------------------------------- the rows of the protocol


def test_act_batch_is_answered_by_agent(server):
    with game(server) as ask:
        reply = ask({"type": "act_batch", "obs": {"Agent1": seen(), "Agent2": seen(0.0)}})
    assert reply["type"] == "action_batch" and reply["info"] == {}
    assert set(reply["actions"]) == {"Agent1", "Agent2"}
    for action in reply["actions"].values():
        assert len(action) == 3 and all(-1 <= number <= 1 for number in action)


def test_act_is_answered_with_one_action(server):
    with game(server) as ask:
        reply = ask({"type": "act", "obs": seen()})
    assert reply["type"] == "action" and reply["info"] == {} and len(reply["action"]) == 3


def test_a_step_comes_back_with_its_answer(server):
    with game(server) as ask:
        assert ask({"type": "act", "obs": seen(), "step": 41})["step"] == 41
        assert ask({"type": "act_batch", "obs": {}, "step": 42})["step"] == 42
        assert "step" not in ask({"type": "act", "obs": seen()})


def test_the_older_layout_of_84_numbers_is_played_too(server):
    with game(server) as ask:
        reply = ask({"type": "act_batch", "obs": {"Agent1": [0.0] * 84, "Agent2": seen()}})
        assert reply["info"] == {} and len(reply["actions"]["Agent1"]) == 3


def test_a_batch_of_transitions_is_acknowledged_with_the_number_stored(server):
    one = {"obs": seen(), "action": [0, 0, 0], "reward": 1, "done": False, "info": {"agent": "Agent1"}}
    with game(server) as ask:
        reply = ask({"type": "transition_batch", "transitions": [one, one | {"next_obs": seen()}]})
    assert (reply["type"], reply["stored"], reply["refused"]) == ("ack", 2, 0)


def test_a_single_transition_is_answered_only_when_asked(server):
    one = {"type": "transition", "obs": seen(), "action": [0, 0, 0], "reward": 0.5, "done": False}
    with game(server) as ask:
        ask.socket.send(json.dumps(one))
        assert ask({"type": "act", "obs": seen()})["type"] == "action"
        assert ask(one | {"ack": True})["stored"] == 1


def test_anything_else_is_echoed(server):
    with game(server) as ask:
        assert ask({"type": "ping", "x": [1]}) == {"type": "echo", "recv": {"type": "ping", "x": [1]}}


def test_hello_is_welcomed_with_all_that_a_scene_needs(server):
    with game(server) as ask:
        reply = ask(
            {"type": "hello", "protocol": 1, "game": "tag", "observation_size": SIZE, "agents": ["A"]}
        )
    assert (reply["type"], reply["mode"], reply["protocol"]) == ("welcome", "streaming", 1)
    assert reply["observation_size"] == SIZE and reply["action_size"] == 3 and reply["policy_version"] == 0


# ---------------------------------------------------------------- bad input: a clear reply, and it goes on


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("hello there", "bad_json"),
        ("[1, 2, 3]", "not_an_object"),
        ('"act"', "not_an_object"),
        ("null", "not_an_object"),
        ("{}", "no_type"),
        ('{"type": "act", "obs": [NaN]}', "bad_json"),
        (b"\x00\x01\x02", "bad_frame"),
        ({"type": "act_batch", "obs": [1, 2]}, "invalid_obs"),
        ({"type": "act_batch"}, "invalid_obs"),
        ({"type": "transition_batch", "transitions": {"a": 1}}, "invalid_transition"),
        ({"type": "transition", "obs": [1]}, "invalid_transition"),
        ({"type": "hello", "protocol": 99}, "protocol_mismatch"),
        ({"type": "hello", "protocol": 1, "observation_size": 7}, "spec_mismatch"),
        ({"type": "hello", "protocol": 1, "spec_hash": "abc"}, "spec_mismatch"),
        ({"type": "hello", "protocol": 1, "mode": "lockstep"}, "wrong_mode"),
    ],
)
def test_bad_input_gets_an_error_reply_and_the_next_message_is_answered(server, message, code):
    with game(server) as ask:
        reply = ask(message)
        assert (reply["type"], reply["code"]) == ("error", code) and reply["text"].endswith((".", "x"))
        assert ask({"type": "act", "obs": seen()})["info"] == {}


def test_a_mismatch_names_both_sides(server):
    with game(server) as ask:
        text = ask({"type": "hello", "protocol": 99})["text"]
    assert "99" in text and "1" in text


@pytest.mark.parametrize(
    "wrong",
    ["text", None, 5, {"x": 1}, [], [1.0] * 7, ["a"] * SIZE, [None] * SIZE, [1e400] * SIZE, [1e39] * SIZE],
)
def test_a_wrong_observation_is_answered_with_a_zero_action_and_a_mark(server, wrong):
    text = json.dumps({"type": "act", "obs": wrong}).replace("Infinity", "1e39")
    batch = json.dumps({"type": "act_batch", "obs": {"A": wrong, "B": seen()}}).replace("Infinity", "1e39")
    with game(server) as ask:
        reply = ask(text)
        assert reply["action"] == [0, 0, 0] and reply["info"]["error"] == "invalid_obs"
        reply = ask(batch)
        assert reply["actions"]["A"] == [0, 0, 0] and set(reply["info"]["errors"]) == {"A"}
        assert len(reply["actions"]["B"]) == 3


def test_wrong_transitions_are_refused_one_by_one(server):
    good = {"obs": seen(), "action": [0, 0, 0], "reward": 1, "done": False}
    bad = [good | {"action": [0]}, good | {"reward": "much"}, good | {"done": "maybe"}, 5, good | {"info": 3}]
    with game(server) as ask:
        reply = ask({"type": "transition_batch", "transitions": [good, *bad]})
    assert (reply["stored"], reply["refused"]) == (1, 5) and len(reply["errors"]) == 5


def test_a_hundred_megabytes_end_the_connection_and_nothing_else(server):
    with game(server) as other:
        with game(server) as ask, pytest.raises((ConnectionClosed, ConnectionError)):
            ask("x" * 100_000_000)
        assert other({"type": "act", "obs": seen()})["info"] == {}


def test_plain_http_is_answered_in_http_and_noted_in_one_line(server):
    browser = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    browser.request("GET", "/", headers={"Connection": "keep-alive"})
    answer = browser.getresponse()
    assert answer.status == 426 and b"WebSocket" in answer.read()
    browser.close()
    until = time.monotonic() + WAIT_S
    while "harmless" not in server.log_text() and time.monotonic() < until:
        time.sleep(0.05)
    assert "harmless" in server.log_text() and "Traceback" not in server.log_text()


def test_noise_on_the_port_harms_nobody(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as noise:
        noise.sendall(bytes(range(256)) * 40)
    with game(server) as ask:
        assert ask({"type": "act", "obs": seen()})["info"] == {}


def test_many_games_are_served_at_once(server):
    with contextlib.ExitStack() as stack:
        games = [stack.enter_context(game(server)) for _ in range(8)]
        reply = [ask({"type": "act", "obs": seen(), "step": i}) for i, ask in enumerate(games)]
    assert [one["step"] for one in reply] == list(range(8))


# ---------------------------------------------------------------- starting and stopping


def run(folder, *words):
    program = [sys.executable, "-m", "sandlot", "bridge", *words]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=WAIT_S)


def test_a_port_in_use_is_said_in_a_sentence_and_leaves_no_run(server, tmp_path):
    done = run(tmp_path, "--policy", "random", "--port", str(server.port))
    assert done.returncode == 2 and f"Port {server.port}" in done.stderr and "--port" in done.stderr
    assert not (tmp_path / "runs").exists() and "Traceback" not in done.stderr


def test_other_machines_are_let_in_only_with_a_token(tmp_path):
    done = run(tmp_path, "--host", "0.0.0.0", "--policy", "random")
    assert done.returncode == 2 and "--token" in done.stderr


def test_a_game_without_the_token_is_refused(tmp_path):
    made = Server(tmp_path, "--policy", "random", "--token", "sesame")
    try:
        for first in ({"type": "act", "obs": seen()}, {"type": "hello", "token": "guess"}):
            with game(made) as ask:
                assert ask(first)["code"] == "token"
        with game(made) as ask:
            assert ask({"type": "hello", "token": "sesame"})["type"] == "welcome"
            assert len(ask({"type": "act", "obs": [1.0]})["action"]) == 3
    finally:
        assert made.stop()[0] == 0


def test_it_runs_without_torch(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('no torch here')")
    words = ["sandlot", "bridge", "--policy", "scripted", "--port", "0", "--minutes", "0.01"]
    program = f"import sys; sys.path.insert(0, '.'); sys.argv = {words}; "
    program += "from sandlot.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=WAIT_S
    )
    assert done.returncode == 0, done.stderr
    assert "Listening" in done.stdout


# ---------------------------------------------------------------- learning while games go on


def stream(ask, episodes, batch=16, **options):
    """A native match that streams as a scene would: ask, play, tell. Returns the acks."""
    names, roles, acks, waiting = ["Agent1", "Agent2"], ("seeker", "hider"), [], []
    with sandlot.make("tag", config={"time_limit": 2}, **options) as world:
        world.reset()
        step = 0
        while episodes:
            before = world.observations.tolist()
            reply = ask({"type": "act_batch", "obs": dict(zip(names, before, strict=True)), "step": step})
            actions = [reply["actions"][name] for name in names]
            ended = world.step(np.array(actions, np.float32))
            after = world.final_observations if ended else world.observations
            last = world.finished()[0] if ended else None
            for i, name in enumerate(names):
                info = {"agent": name, "role": roles[i], "distance_to_other": 3.0}
                if last:
                    info |= {
                        "winner": roles[int(last["winner"]) - 1],
                        "terminal_reason": "tag",
                        "time_elapsed": 1.5,
                    }
                waiting.append(
                    {"obs": before[i], "action": actions[i], "reward": float(world.rewards[i]),
                     "done": bool(ended), "next_obs": after[i].tolist(), "info": info, "step": step,
                     "policy_version": reply["policy_version"]}
                )  # fmt: skip
            if len(waiting) >= batch:
                acks.append(ask({"type": "transition_batch", "transitions": waiting}))
                waiting = []
            episodes -= bool(ended)
            step += 1
    return acks


def test_who_stops_the_server_waits_for_the_update_in_progress():
    """Two threads that learn from one rollout would tear the process down."""
    inside, begun, enough = [], threading.Event(), threading.Event()

    def learn():
        inside.append("an update")
        begun.set()
        enough.wait(WAIT_S)
        inside.clear()
        return False

    async def served():
        stop, server = asyncio.Event(), LiveServer(RandomPolicy(load_spec("tag"), 1), {}, port=0, learn=learn)
        serving = asyncio.create_task(server.run(stop))
        await server.ready.wait()
        server._fresh.set()
        assert await asyncio.to_thread(begun.wait, WAIT_S)
        asyncio.get_running_loop().call_later(0.5, enough.set)  # longer than a server needs to stop
        stop.set()
        await serving
        assert not inside

    with ThreadPoolExecutor(1) as aside:  # this thread may have a loop already: a browser's
        aside.submit(asyncio.run, served()).result(WAIT_S)


def test_the_policy_learns_while_the_game_runs_and_leaves_a_run(tmp_path):
    made = Server(tmp_path, "--batch", "128")
    try:
        with game(made) as ask:
            acks = stream(ask, 24)
        assert all(ack["unmatched"] == 0 and ack["stored"] == 16 for ack in acks)
        assert acks[-1]["policy_version"] >= 2
    finally:
        code, _ = made.stop()
    assert code == 0, made.log_text()
    run = Store(tmp_path / "runs").latest()
    assert run.record.status == "completed" and run.record.episodes_total == 24
    rows = run.paths.episodes.read_text().splitlines()
    assert rows[0].startswith("episode,episode_id,reward_mean,reward_sum,steps,updates") and len(rows) == 25
    assert {"policy_seeker.pt", "policy_hider.pt"} <= {p.name for p in run.paths.checkpoints.iterdir()}
    policy = sandlot.load_policy(run.paths.folder, "hider")
    assert policy.act(np.zeros((1, SIZE), np.float32))[0].shape == (1, 3)


def test_transitions_that_no_action_of_ours_led_to_are_stored_but_not_learned_from(tmp_path):
    made = Server(tmp_path, "--batch", "64")
    one = {"obs": seen(), "action": [0, 0, 0], "reward": 1, "done": False, "info": {"agent": "A"}}
    try:
        with game(made) as ask:
            reply = ask({"type": "transition_batch", "transitions": [one] * 3})
        assert (reply["stored"], reply["unmatched"]) == (3, 3)
    finally:
        made.stop()


# ---------------------------------------------------------------- the library's log, and progress


def test_failures_of_the_library_are_one_line_each_and_not_repeated(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    lines = []
    logger = live._one_line_logger(lines.append)
    for text in ("broken pipe", "broken pipe", "reset by peer"):
        logger.error(text, exc_info=ValueError("a long story"))
    assert lines == ["socket: broken pipe", "socket: reset by peer"]
    now[0] += live.REPORT_S
    logger.error("reset by peer")
    assert len(lines) == 2
    now[0] += 0.5
    logger.error("reset by peer")
    logger.warning("harmless")
    assert lines[2:] == ["socket: reset by peer"] and live.REPORT_S == 10.0


def test_the_reason_of_a_port_that_cannot_be_had_is_named():
    taken = live._in_use("localhost", 80, OSError(errno.EADDRINUSE, "x"))
    forbidden = live._in_use("localhost", 80, OSError(errno.EACCES, "Permission denied"))
    assert "Port 80 of localhost" in str(taken) and "another program listens there already" in str(taken)
    assert "Permission denied" in str(forbidden) and "--port" in str(forbidden)


def progress_of(server, monkeypatch, *moments):
    """Lines of progress; before each a moment passes in which these counts and seconds are added."""
    clock, lines, todo = [1000.0], [], list(moments)
    server._log = lines.append
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    server._last_transition = clock[0]

    async def pass_time(seconds):
        assert seconds == live.REPORT_S
        if not todo:
            raise asyncio.CancelledError
        acted, stored, refused, passed = todo.pop(0)
        server.acted, server.stored = server.acted + acted, server.stored + stored
        if refused:
            server.quarantine.add(1, "bad_json", "why", "text")
        clock[0] += passed

    monkeypatch.setattr(live.asyncio, "sleep", pass_time)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(server._report_progress())
    return lines


def test_progress_is_reported_where_there_is_any(monkeypatch):
    server = LiveServer(RandomPolicy(load_spec("tag"), 1), {})
    lines = progress_of(
        server, monkeypatch, (0, 0, False, 10), (50, 20, False, 10), (0, 20, True, 10), (0, 0, 0, 1)
    )
    assert lines == [
        "5 actions/s, 2 transitions/s, 20 stored, policy version 0",
        "0 actions/s, 2 transitions/s, 40 stored, policy version 0",
        "1 refused (1 bad_json)",
    ]


@pytest.mark.parametrize("learns", [False, True])
def test_a_game_that_only_acts_is_wondered_about_once(monkeypatch, learns):
    learn = (lambda: False) if learns else None
    server = LiveServer(RandomPolicy(load_spec("tag"), 1), {}, learn=learn)
    lines = progress_of(
        server, monkeypatch, (9, 0, 0, 60), (9, 0, 0, 1), (9, 0, 0, 1), (0, 0, 0, 1), (9, 0, 0, 1)
    )
    seconds = [line.split()[3] for line in lines if "is the game in training mode?" in line]
    assert seconds == (["61", "64"] if learns else []), "and again after a moment without actions"
