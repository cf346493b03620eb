"""The addon's link in the real engine: lock-step both ways, and all ways in which a side can fail."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sandlot.bridge.godot_engine import find
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder
from sandlot.errors import BadMessage, BridgeError, GameLost, GameSilent, Refused
from sandlot.worlds.remote import RemoteWorld, Timeouts

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WAIT_S = 60

pytestmark = pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")


class Scene:
    """Starts the small scene; has what RemoteWorld asks of a process."""

    def __init__(self, variables=None, **trick):
        words = ["--fixed-fps", "60", "--script", str(HERE / "link_check.gd")]
        env = {f"SANDLOT_TEST_{name.upper()}": value for name, value in trick.items()}
        self.process = GodotProcess(words, project=project_folder(), environment={**(variables or {}), **env})
        self.pid = self.process.pid

    def poll(self):
        return self.process.code

    def wait(self, timeout=None):
        return self.process.process.wait(timeout)

    def terminate(self):
        self.process.stop()

    kill = terminate


def counting(worlds=2, trick=None, hello=None, scenes=None, **options):
    tricks = {name: value for name, value in (("trick", trick), ("hello", hello)) if value}
    scenes = [] if scenes is None else scenes

    def launch(env):
        scenes.append(Scene(env, **tricks))
        return scenes[0]

    game = None
    try:
        game = RemoteWorld(
            "tag",
            worlds,
            launch=launch,
            log_tail=lambda: scenes[0].process.log_tail()[-400:] if scenes else "",
            **options,
        )
    finally:
        if game is not None:
            game.scene = scenes[0]
    return game


@pytest.mark.parametrize("encoding", ["binary", "json"])
def test_a_scene_is_played_in_lockstep(encoding):
    with counting(3, encoding=encoding) as game:
        game.reset(seeds=[5, 2**64 - 1, 70_000])
        assert game.observations[::2, 0].tolist() == [0, 0, 0]
        assert game.observations[::2, 1].tolist() == [5, 0xFFFF, 70_000 & 0xFFFF]
        for step in range(1, 8):
            game.actions[:] = step / 16
            ended = game.step()
            assert game.rewards.tolist() == [step / 16] * 6
            assert game.observations[0, 0] == step % 5
            assert (ended, game.terminated.all()) == ((3, True) if step == 5 else (0, False))
            if ended:
                assert (game.final_observations == 0.5).all()
        done = game.finished()
        assert [episode["world"] for episode in done] == [0, 1, 2]
        assert done.column("winner").tolist() == [0, 1, 2] and (game.ticks == 3).all()
        assert game.hello["engine"].startswith("Godot 4")
        process = game._process
    assert process.poll() == 0


def test_a_reset_of_one_world_leaves_the_others_where_they_are():
    with counting(2) as game:
        game.reset(seed=1)
        game.step(np.zeros((4, 3), np.float32))
        game.reset(seeds=[9], worlds=[1])
        assert game.observations[::2, 0].tolist() == [1, 0]


def test_the_scene_is_looked_at_through_its_own_answer():
    with counting(2) as game:
        game.reset(seed=1)
        game.step(np.zeros((4, 3), np.float32))
        assert game.info(1)["tick"] == 1
        assert game.events(0) == [{"name": "start", "agents": 2.0, "boxes": 8.0}]


@pytest.mark.parametrize(
    ("hello", "words"),
    [({"protocol": 7}, "protocol 7"), ({"game": "chess"}, "chess"), ({"game_version": "0.1"}, "0.1"),
     ({"spec_hash": "0123"}, "0123"), ({"token": "guess"}, "token")],
)  # fmt: skip
def test_a_scene_that_does_not_fit_is_refused_and_exits_with_2(hello, words):
    scenes = []
    with pytest.raises(Refused, match=words):
        counting(hello=json.dumps(hello), scenes=scenes)
    assert scenes[0].poll() == 2


def test_nan_from_a_scene_is_refused_by_place():
    with counting(trick="nan") as game:
        game.reset(seed=1)
        with pytest.raises(BadMessage, match=r"observations\[0, 7\] is NaN"):
            game.step(np.zeros((4, 3), np.float32))


def test_a_scene_that_dies_is_reported_within_seconds():
    with counting(trick="quit") as game:
        game.reset(seed=1)
        begun = time.monotonic()
        with pytest.raises(GameLost, match=r"killed by signal 9 \(SIGKILL\)"):
            game.step(np.zeros((4, 3), np.float32))
        assert time.monotonic() - begun < 15


def test_a_frozen_scene_is_stopped_at_its_deadline():
    with counting(trick="freeze", timeouts=Timeouts(step=1.0, close=0.2)) as game:
        game.reset(seed=1)
        process = game._process
        with pytest.raises(GameSilent, match="1 s"):
            game.step(np.zeros((4, 3), np.float32))
        assert process.poll() is not None


def test_a_scene_without_a_trainer_says_so_and_exits_with_2():
    scene = Scene({"SANDLOT_URL": "ws://127.0.0.1:9"})
    try:
        assert scene.wait(WAIT_S) == 2
        assert "No trainer answers" in scene.process.log_tail()
    finally:
        scene.terminate()


def test_a_second_scene_on_the_same_port_is_reported_that_it_is_taken():
    with counting() as game:
        game.reset(seed=1)
        other = Scene({"SANDLOT_URL": game.url})
        try:
            assert other.wait(WAIT_S) == 2
            assert "already playing" in other.process.log_tail()
        finally:
            other.terminate()
        game.step(np.zeros((4, 3), np.float32))


def test_a_scene_that_somebody_else_starts_is_waited_for():
    import socket
    import threading

    import sandlot

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []

    def by_hand():
        started.append(Scene({"SANDLOT_URL": f"ws://127.0.0.1:{port}"}))

    threading.Timer(1.0, by_hand).start()
    try:
        with sandlot.make("tag", 2, engine="godot", attach=True, port=port) as game:
            game.reset(seed=1)
            game.step(np.zeros((4, 3), np.float32))
            assert game.observations[0, 0] == 1
        assert started[0].wait(WAIT_S) == 0
    finally:
        for scene in started:
            scene.terminate()


def test_a_scene_notices_that_its_trainer_was_killed_and_says_so(tmp_path):
    log = tmp_path / "scene.log"
    program = TRAINER.format(log=str(log))
    trainer = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    pid = int(trainer.stdout.readline())
    trainer.kill()
    trainer.wait()
    until = time.monotonic() + WAIT_S
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()
    assert "The trainer is gone" in log.read_text()


# The engine is started apart, so that it is not ended by the kernel but by what it notices itself.
TRAINER = """
import os, subprocess, sys
from pathlib import Path
from sandlot.bridge.godot_engine import require
from sandlot.bridge.godot_project import ensure_imported, project_folder
from sandlot.worlds.remote import RemoteWorld
engine, project = require(), project_folder()
ensure_imported(engine, project)
def launch(env):
    script = str(Path("tests/bridge/link_check.gd").resolve())
    words = [str(engine.path), "--headless", "--path", str(project), "--script", script]
    log = open({log!r}, "w")
    env = {{**os.environ, **env}}
    return subprocess.Popen(words, env=env, stdout=log, stderr=log, start_new_session=True)
game = RemoteWorld("tag", 1, launch=launch)
game.reset()
print(game._process.pid, flush=True)
while True:
    game.step()
"""


def test_every_failure_is_of_the_bridge():
    assert all(issubclass(e, BridgeError) for e in (BadMessage, GameLost, GameSilent, Refused))
    assert os.environ.get("SANDLOT_TEST_TRICK") is None
