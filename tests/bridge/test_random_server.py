"""The server of random actions: its sizes, its command line, its exit codes."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest
from websockets.sync.client import connect

from sandlot.bridge import messages, random_server
from sandlot.bridge.random_policy import RandomPolicy
from sandlot.worlds import load_spec

SPEC = load_spec("tag")
WAIT_S = 60


def test_the_sizes_are_those_of_the_game():
    sizes = random_server.read_sizes("tag")
    assert (sizes.observation_size, sizes.action_size) == (SPEC.observation_size, SPEC.action_size)
    assert [action.kind for action in sizes.actions] == [action.kind for action in SPEC.actions]


def test_axes_move_at_random_and_no_button_is_pressed():
    sizes = random_server.read_sizes("tag")
    kinds = np.array([action.kind for action in sizes.actions])
    made = RandomPolicy(sizes, 1).act([(0, "seeker", 0)] * 200, [], [])
    assert "button" in kinds and not made[:, kinds == "button"].any()
    assert (made[:, kinds == "axis"].std(axis=0) > 0.4).all()


def test_it_welcomes_without_settings():
    made = random_server.welcome(random_server.read_sizes("tag"))
    assert made["type"] == "welcome" and made["protocol"] == messages.PROTOCOL and "config" not in made
    assert (made["mode"], made["encoding"], made["game"]) == ("streaming", "json", "tag")


def test_the_command_line_is_read(monkeypatch):
    served = []

    async def serve(*words):
        served.append(words)

    monkeypatch.setattr(random_server, "serve", serve)
    assert random_server.main(["tag"]) == 0
    assert random_server.main(["landing", "--port", "9", "--minutes", "0.5", "--seed", "4"]) == 0
    assert served == [("tag", 8765, 0.0, 1), ("landing", 9, 0.5, 4)]


def test_a_game_without_scenes_is_exit_code_2_and_names_those_that_there_are(capsys):
    assert random_server.main(["chess"]) == 2
    refused = capsys.readouterr().err
    assert "chess" in refused and all(game in refused for game in random_server.games())
    assert "tag" in random_server.games()


def test_a_port_in_use_is_exit_code_2_and_one_sentence(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert random_server.main(["tag", "--port", str(port)]) == 2
    shown = capsys.readouterr()
    assert f"Port {port}" in shown.err and shown.out == ""


def test_it_ends_after_its_minutes(capsys):
    asyncio.run(random_server.serve("tag", 0, 0.001, 1))
    assert re.search(rf"Listening at ws://127\.0\.0\.1:\d+ \(process {os.getpid()};", capsys.readouterr().out)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_plays_at_random_until_it_is_stopped(number):
    words = [sys.executable, "-m", "sandlot.bridge.random_server", "tag", "--port", "0"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    url = re.search(r"ws://[\d.:]+", server.stdout.readline())[0]
    with connect(url, compression=None) as game:
        game.send(json.dumps({"type": "act", "obs": [0.0] * SPEC.observation_size}))
        assert len(json.loads(game.recv(WAIT_S))["action"]) == SPEC.action_size
    server.send_signal(number)
    assert server.wait(WAIT_S) == 0
    server.stdout.close()
