"""A batch behind a socket is the batch: every array, every ending, every sum."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sandlot
from sandlot.bridge import channel
from sandlot.bridge.channel import HANDSHAKE_S
from sandlot.bridge.endings import how_it_ended
from sandlot.bridge.remote import Patience
from sandlot.errors import (
    ActionError,
    BridgeError,
    Closed,
    ConfigError,
    GameLost,
    GameSilent,
    NotReset,
    Refused,
    SnapshotError,
    UnknownName,
)

from .playing import random_actions, reference, remote, script

ROOT = Path(__file__).parent.parent.parent
ARRAYS = ("observations", "rewards", "terminated", "truncated", "ticks", "masks", "final_observations")


def same(near, far):
    for name in ARRAYS:
        ours, theirs = getattr(near, name), getattr(far, name)
        assert (ours is None) == (theirs is None)
        if ours is not None and name != "final_observations":
            assert np.array_equal(ours, theirs), name
    ended = near.terminated | near.truncated
    assert np.array_equal(near.final_observations[ended], far.final_observations[ended])


@pytest.mark.parametrize("game", ["tag", "prospector"])
@pytest.mark.parametrize("encoding", ["binary", "json"])
def test_a_batch_behind_the_wire_equals_the_batch(game, encoding):
    worlds, steps = 6, 260 if game == "tag" else 60
    rng = np.random.default_rng(3)
    with (
        sandlot.make(game, worlds, seed=7) as near,
        remote(game, worlds=worlds, seed=7, encoding=encoding) as far,
    ):
        near.reset()
        far.reset()
        same(near, far)
        for _ in range(steps):
            actions = random_actions(near.spec, near.rows, rng)
            assert near.step(actions) == far.step(actions)
            same(near, far)
        ours, theirs = near.finished(), far.finished()
        assert np.array_equal(ours.heads, theirs.heads)
        assert np.array_equal(ours.values, theirs.values)
        assert len(ours) or game != "tag"


def test_some_worlds_can_be_reset_with_their_own_seeds():
    with sandlot.make("tag", 5, seed=1) as near, remote(worlds=5, seed=1) as far:
        for world in (near, far):
            world.reset()
            world.actions[:] = 0.5
            world.step()
            world.reset(seeds=[2**64 - 1, 12], worlds=[4, 1])
        same(near, far)


def test_without_autoreset_an_ended_world_shows_its_end_and_waits():
    config = {"time_limit": 1}
    with (
        sandlot.make("tag", 2, config=config, autoreset=False) as near,
        remote(worlds=2, config=config, autoreset=False) as far,
    ):
        for world in (near, far):
            world.reset(seed=5)
            world.actions[:] = 0
            while not world.step():
                pass
        same(near, far)
        with pytest.raises(NotReset, match="ended"):
            far.step()
        far.reset(seed=6)
        far.step()


def test_info_render_and_events_are_told_on_request():
    with sandlot.make("tag", 2, seed=4) as near, remote(worlds=2, seed=4) as far:
        for world in (near, far):
            world.reset()
            world.step(np.full((4, 3), 0.9, np.float32))
        assert near.events(1) == far.events(1)
        for name, value in near.render(1).items():
            assert np.array_equal(value, far.render(1)[name]), name
        assert near.info(0)["tick"] == far.info(0)["tick"] == 3
        assert far.hash(0) == far.hash(0) != far.hash(1)


def test_bad_actions_are_refused_and_nothing_moves():
    with remote(worlds=1) as far:
        with pytest.raises(NotReset):
            far.step()
        far.reset()
        far.actions[0, 0] = np.nan
        with pytest.raises(ActionError, match="move_x"):
            far.step()
        far.actions[:] = 0
        assert far.step() == 0 and far.steps == 1


def test_a_world_elsewhere_cannot_be_saved_and_says_so():
    with remote(worlds=1) as far:
        far.reset()
        with pytest.raises(SnapshotError, match="native"):
            far.snapshot(0)


def test_closing_ends_the_process_and_a_closed_world_says_so():
    far = remote(worlds=1)
    process = far._process
    far.reset()
    far.close()
    assert process.poll() == 0
    with pytest.raises(Closed):
        far.step()
    far.close()


def test_a_game_that_dies_in_mid_episode_is_named_within_seconds():
    with remote(worlds=1, last_words=lambda: "its last") as far:
        far.reset()
        far._process.kill()
        begun = time.monotonic()
        with pytest.raises(GameLost, match=r"(?s)killed by signal 9 \(SIGKILL\).*its last.*step 0"):
            far.step()
        assert time.monotonic() - begun < 10
        with pytest.raises(Closed):
            far.step()


def test_a_frozen_game_is_stopped_at_the_deadline():
    with remote(worlds=1, patience=Patience(step=0.5, close=0.2)) as far:
        far.reset()
        process = far._process
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(GameSilent, match=r"0\.5 s"):
            far.step()
        assert process.poll() is not None


def test_a_game_that_never_comes_is_given_up():
    begun = time.monotonic()
    with pytest.raises(GameSilent, match="No game came"):
        remote(launch=script("import time; time.sleep(60)"), patience=Patience(start=1.0))
    assert time.monotonic() - begun < 10


REFUSED = """
import json, os
from websockets.sync.client import connect
with connect(os.environ["SANDLOT_URL"]) as trainer:
    hello = {"type": "hello", "protocol": 1, "mode": "lockstep", "token": os.environ["SANDLOT_TOKEN"]}
    trainer.send(json.dumps(hello | CHANGE))
    print(trainer.recv(timeout=30))
import time; time.sleep(60)  # a scene that stays in spite of it
"""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "reach"}, "game = 'reach'"),
        ({"spec_hash": "feed"}, "spec_hash = 'feed'"),
        ({"observation_size": 7}, "observation_size = 7"),
        ({"encodings": ["morse"]}, "morse"),
        ({"mode": "streaming"}, "streaming"),
    ],
)
def test_a_refused_game_is_told_at_once_and_not_at_the_deadline(change, sentence):
    begun = time.monotonic()
    with pytest.raises(Refused, match=sentence):
        remote(launch=script(REFUSED.replace("CHANGE", repr(change))))
    assert time.monotonic() - begun < 20, "the start deadline is 60 s"


def test_a_game_that_reads_only_json_is_spoken_to_in_json():
    program = """
from sandlot.bridge.reference_game import ReferenceGame
import os
ReferenceGame(os.environ["SANDLOT_URL"], encodings=["json"]).play()
"""
    with remote(launch=script(program), encoding="binary") as far:
        far.reset()
        assert far.encoding == "json" and far.step() == 0


def test_silent_strangers_hold_no_game_up():
    """More of them than are listened to; the game comes last and is let in long before their deadline."""
    with contextlib.ExitStack() as stack:

        def launch(env):
            port = int(env["SANDLOT_URL"].rsplit(":", 1)[1])
            for _ in range(24):
                stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            return reference(env)

        begun = time.monotonic()
        with remote(launch=launch) as far:
            far.reset()
            assert far.step() == 0
        assert time.monotonic() - begun < 4 * HANDSHAKE_S, "one after the other they would take 120 s"


def test_a_silent_stranger_is_dropped_after_one_deadline(monkeypatch):
    monkeypatch.setattr(channel, "HANDSHAKE_S", 0.4)
    door = channel.Door()
    stranger = socket.create_connection(("127.0.0.1", door.port))
    shaken = socket.create_connection(("127.0.0.1", door.port))
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
    shaken.sendall(
        f"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}\r\n\r\n".encode()
    )
    with contextlib.ExitStack() as stack:
        for one in (stranger, shaken, door):
            stack.callback(one.close)
        with pytest.raises(GameSilent, match="No game came"):
            door.admit(lambda peer, first: first, 1.5)
        for one in (stranger, shaken):
            one.settimeout(5)
            while one.recv(4096):  # ends when the other side has closed
                pass


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (7, "ended with exit code 7"),
        (-9, "killed by signal 9 (SIGKILL); perhaps the machine ran out of memory"),
        (-11, "killed by signal 11 (SIGSEGV)"),
        (137, "killed by signal 9 (SIGKILL)"),
        (255, "ended with exit code 255"),
    ],
)
def test_the_end_of_a_process_is_told_in_words(code, words):
    assert words in how_it_ended(code)


def test_deadlines_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("SANDLOT_DEADLINES", "start=1, step=7.5")
    with pytest.raises(GameSilent, match="within 1 s"):
        remote(launch=script("import time; time.sleep(60)"))
    assert Patience.of("step=7.5") == Patience(step=7.5) and Patience.of("") == Patience()
    for wrong in ("step", "step=soon", "step=0", "step=-1", "step=nan", "step=inf"):
        with pytest.raises(ConfigError, match="such as step=60"):
            Patience.of(wrong)
    with pytest.raises(UnknownName, match="Did you mean 'step'"):
        Patience.of("steps=5")


def test_a_game_that_ends_before_it_connects_is_told_with_its_exit_code():
    with pytest.raises(GameLost, match="exit code 7"):
        remote(launch=script("raise SystemExit(7)"))


def test_a_game_ends_when_its_trainer_is_killed():
    trainer = subprocess.Popen([sys.executable, "-c", TRAINER], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    pid = int(trainer.stdout.readline())
    trainer.kill()
    trainer.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.05)
    assert not _runs(pid)


TRAINER = """
from tests.bridge.playing import remote
far = remote(worlds=1)
far.reset()
print(far._process.pid, flush=True)
while True:
    far.step()
"""


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_bots_and_evaluation_play_behind_the_wire_as_they_do_here():
    bots = [sandlot.bot("tag", "chase"), sandlot.bot("tag", "evade")]
    sums = []
    for world in (sandlot.make("tag", 4, seed=2), remote(worlds=4, seed=2)):
        with world:
            world.reset()
            memories = [None, None]
            for _ in range(210):
                for i, bot in enumerate(bots):
                    world.actions[i::2], memories[i] = bot.act(world.observations[i::2], None, memories[i])
                if world.step():
                    for i, bot in enumerate(bots):
                        bot.restart(memories[i], (world.terminated | world.truncated)[i::2])
            sums.append(world.finished().values)
    assert len(sums[0]) >= 4 and np.array_equal(*sums)


def test_errors_of_the_bridge_are_one_family():
    assert issubclass(GameLost, BridgeError) and issubclass(GameSilent, TimeoutError)
    assert callable(reference)
