"""A batch behind a socket is the batch: every array, every ending, every sum."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import game_messages
import numpy as np
import pytest
from bridge.playing import REFERENCE_GAME, random_actions, reference, remote, script
from leaks import nothing_left_open
from reference_game import ReferenceGame

import sandlot
from sandlot.bridge import channel, messages
from sandlot.bridge.channel import HANDSHAKE_S
from sandlot.errors import (
    ActionError,
    BadMessage,
    BridgeError,
    Closed,
    ConfigError,
    GameLost,
    GameSilent,
    NotReset,
    Refused,
    SeedError,
    SnapshotError,
    UnknownName,
)
from sandlot.processes import describe_exit
from sandlot.worlds import remote as remote_module
from sandlot.worlds.arrays import EpisodeLog
from sandlot.worlds.remote import Timeouts

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


def test_info_render_and_events_are_reported_on_request():
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
    with remote(worlds=1, log_tail=lambda: "its last") as far:
        far.reset()
        far._process.kill()
        begun = time.monotonic()
        with pytest.raises(GameLost, match=r"(?s)killed by signal 9 \(SIGKILL\).*its last.*step 0"):
            far.step()
        assert time.monotonic() - begun < 10
        with pytest.raises(Closed):
            far.step()


def test_a_frozen_game_is_stopped_at_the_deadline():
    with remote(worlds=1, timeouts=Timeouts(step=0.5, close=0.2)) as far:
        far.reset()
        process = far._process
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(GameSilent, match=r"0\.5 s"):
            far.step()
        assert process.poll() is not None


def test_a_game_that_never_comes_is_given_up():
    begun = time.monotonic()
    with pytest.raises(GameSilent, match="No game connected"):
        remote(launch=script("import time; time.sleep(60)"), timeouts=Timeouts(start=1.0))
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
def test_a_refused_game_is_reported_at_once_and_not_at_the_deadline(change, sentence):
    begun = time.monotonic()
    with pytest.raises(Refused, match=sentence):
        remote(launch=script(REFUSED.replace("CHANGE", repr(change))))
    assert time.monotonic() - begun < 20, "the start deadline is 60 s"


def test_a_game_that_reads_only_json_is_spoken_to_in_json():
    program = f"""
import os, sys
sys.path.insert(0, os.path.dirname({REFERENCE_GAME!r}))
from reference_game import ReferenceGame
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
    listener = channel.Listener()
    stranger = socket.create_connection(("127.0.0.1", listener.port))
    shaken = socket.create_connection(("127.0.0.1", listener.port))
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
    shaken.sendall(
        f"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}\r\n\r\n".encode()
    )
    with contextlib.ExitStack() as stack:
        for one in (stranger, shaken, listener):
            stack.callback(one.close)
        with pytest.raises(GameSilent, match="No game connected"):
            listener.accept(lambda peer, first: first, 1.5)
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
def test_the_end_of_a_process_is_reported_in_words(code, words):
    assert words in describe_exit(code)


def test_deadlines_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("SANDLOT_DEADLINES", "start=1, step=7.5")
    with pytest.raises(GameSilent, match="within 1 s"):
        remote(launch=script("import time; time.sleep(60)"))
    assert Timeouts.parse("step=7.5") == Timeouts(step=7.5) and Timeouts.parse("") == Timeouts()
    for wrong in ("step", "step=soon", "step=0", "step=-1", "step=nan", "step=inf"):
        with pytest.raises(ConfigError, match="such as step=60"):
            Timeouts.parse(wrong)
    with pytest.raises(UnknownName, match="Did you mean 'step'"):
        Timeouts.parse("steps=5")


def test_a_game_that_ends_before_it_connects_is_reported_with_its_exit_code():
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


# ---------------------------------------------------------------- a game in a thread of this process


class ThreadedGame:
    """A game in a thread, with the four methods that are asked of a process; it ends with its connection."""

    def __init__(self, env, play):
        self.asked = []
        self._thread = threading.Thread(target=self._run, args=(env, play), daemon=True)
        self._thread.start()

    def _run(self, env, play):
        with contextlib.suppress(BridgeError):
            game = ReferenceGame(env["SANDLOT_URL"], token=env["SANDLOT_TOKEN"])
            try:
                play(game)
            finally:
                game.close()

    def poll(self):
        return None if self._thread.is_alive() else 0

    def wait(self, timeout=None):
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise subprocess.TimeoutExpired("game", timeout)
        return 0

    def terminate(self):
        self.asked.append("terminate")

    kill = terminate


def threaded(play=ReferenceGame.play, **options):
    """A remote batch whose game runs in a thread."""
    return remote(launch=lambda env: ThreadedGame(env, play), **options)


def answering(**changes):
    """A game that plays, but whose views are changed."""

    def play(game):
        view = game._view
        game._view = lambda message: view(message) | changes
        game.play()

    return play


def test_a_game_that_is_started_here_gets_a_free_port_and_one_world():
    with nothing_left_open(), threaded() as far:
        assert int(far.url.rsplit(":", 1)[1]) > 1023 and far.url.startswith("ws://127.0.0.1:")
        assert (far.worlds, far.threads, far.rows, far.autoreset) == (1, 1, 2, True)
        assert not far.capabilities.snapshot and repr(far) == f"RemoteWorld(tag, 1 worlds at {far.url})"
        far.reset()
        with sandlot.make("tag", seed=0) as near:
            near.reset()
            assert np.array_equal(near.observations, far.observations), "seed 0 where none is given"
    assert repr(far) == "RemoteWorld(tag, closed)"


def test_a_game_that_quits_by_itself_is_not_pushed():
    far = threaded()
    process = far._process
    far.close()
    far.close()
    assert process.asked == [] and process.poll() == 0


def test_a_game_that_does_not_quit_is_asked_and_then_ended():
    class Stubborn:
        def __init__(self):
            self.asked = []

        def wait(self, timeout=None):
            self.asked.append(timeout)
            if "kill" not in self.asked:
                raise subprocess.TimeoutExpired("game", timeout)

        def terminate(self):
            self.asked.append("terminate")

        def kill(self):
            self.asked.append("kill")

    process = Stubborn()
    remote_module._stop(process, 0.5)
    assert process.asked == [0.5, "terminate", 3.0, "kill", 3.0]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"worlds": 0}, ConfigError),
        ({"worlds": remote_module.MOST_WORLDS + 1}, ConfigError),
        ({"encoding": "xml"}, ConfigError),
        ({"seed": -1}, SeedError),
        ({"config": {"nonsense": 1}}, UnknownName),
    ],
)
def test_what_makes_no_sense_is_refused_before_a_game_is_started(options, error):
    started = []
    with nothing_left_open(), pytest.raises(error):
        remote(launch=started.append, **options)
    assert started == [] and remote_module.MOST_WORLDS == 4096


def test_a_launch_that_fails_leaves_nothing_open():
    def launch(env):
        raise OSError("no such program")

    with nothing_left_open(), pytest.raises(OSError, match="no such program"):
        remote(launch=launch)


def test_each_game_gets_a_secret_of_its_own_unless_one_is_given():
    seen = []

    def launch(env):
        seen.append(env["SANDLOT_TOKEN"])
        return ThreadedGame(env, ReferenceGame.play)

    for token in (None, None, "mine"):
        remote(launch=launch, token=token).close()
    assert len(seen[0]) == len(seen[1]) == 32 and seen[0] != seen[1] and seen[2] == "mine"


def test_the_usual_deadlines():
    usual = Timeouts()
    assert (usual.start, usual.reset, usual.step, usual.close) == (60.0, 60.0, 30.0, 5.0)
    assert Timeouts.parse("step=0.1").step == 0.1 and Timeouts.parse("step=86400").step == 86400.0
    with pytest.raises(ConfigError):
        Timeouts.parse("step=86401")


def test_a_closed_batch_refuses_every_use():
    far = threaded()
    far.reset()
    far.close()
    calls = (far.reset, far.step, lambda: far.view(0), lambda: far.events(0), lambda: far.run(np.zeros(1)))
    for call in calls:
        with pytest.raises(Closed):
            call()
    assert far.observations.shape == (2, far.spec.observation_size), "the arrays stay readable"


def test_a_step_before_a_reset_is_refused_and_counts_nothing():
    with threaded(worlds=2) as far:
        with pytest.raises(NotReset, match="World 0 was never reset"):
            far.step()
        far.reset(worlds=[0])
        with pytest.raises(NotReset, match="World 1 was never reset"):
            far.step()
        with pytest.raises(NotReset, match="no next episode"):
            far.next_episode()
        far.reset(worlds=[1])
        with pytest.raises(BridgeError, match=r"use reset\(\)"):
            far.next_episode([1])
        assert far.steps == 0
        far.step()
        assert far.steps == 1


def test_a_reset_of_some_worlds_clears_only_their_rows():
    with threaded(worlds=3) as far:
        far.reset()
        far.step(np.full((6, 3), 0.5, np.float32))
        before, ticks = far.rewards.copy(), far.ticks.copy()
        assert ticks.all()
        far.reset(worlds=[1])
        assert not far.ticks[2:4].any() and np.array_equal(far.ticks[[0, 1, 4, 5]], ticks[[0, 1, 4, 5]])
        assert not far.rewards[2:4].any()
        assert np.array_equal(far.rewards[[0, 1, 4, 5]], before[[0, 1, 4, 5]])


def test_recorded_actions_are_played_one_after_the_other():
    actions = np.full((5, 2, 3), 0.25, np.float32)
    with threaded() as far, sandlot.make("tag") as near:
        far.reset(), near.reset()
        assert far.run(actions) == near.run(actions) == 0 and far.steps == 5
        same(near, far)


def test_episodes_that_nobody_fetches_are_bounded_and_counted(monkeypatch):
    monkeypatch.setattr(EpisodeLog, "MOST_FINISHED", 2)
    with threaded(worlds=3, config={"time_limit": 1}) as far:
        far.reset()
        assert far.finished_dropped == 0 and len(far.finished()) == 0
        ended = 0
        while ended < 3:
            ended += far.step(np.zeros((6, 3), np.float32))
        kept = far.finished()
        assert len(kept) == 2 and far.finished_dropped == ended - 2 and len(far.finished()) == 0
        assert kept.heads["world"].tolist() == [1, 2] and kept.heads["episode"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("changes", "call"),
    [
        ({"type": "nonsense"}, lambda far: far.view(0)),
        ({"info": [1.0]}, lambda far: far.block("info")),
        ({"info": None}, lambda far: far.block("info")),
        ({"events": "many"}, lambda far: far.events()),
        ({"events": [[]]}, lambda far: far.events()),
        ({"events": [7]}, lambda far: far.events()),
        ({"events": [[-1]]}, lambda far: far.events()),
        ({"events": [[999]]}, lambda far: far.events()),
        ({"events": [[0, "x"]]}, lambda far: far.events()),
    ],
)
def test_a_view_that_makes_no_sense_is_a_bad_message(changes, call):
    with threaded(answering(**changes)) as far:
        far.reset()
        with pytest.raises(BadMessage):
            call(far)


def test_events_are_named_by_their_kind_and_values():
    with threaded(answering(events=[[0, 1, 2, 3, 4, 5]])) as far:
        far.reset()
        (event,) = far.events()
        kind = far.spec.events[0]
        assert list(event) == ["name", *kind["values"]] and event["name"] == kind["name"]
    with threaded(answering(events=[])) as far:
        far.reset()
        assert far.events() == []


def test_a_fingerprint_follows_what_a_world_shows():
    with threaded() as far:
        far.reset()
        first = far.hash(0)
        assert first == far.hash(0) and 0 <= first < 2**64
        far.step(np.ones((2, 3), np.float32))
        assert far.hash(0) != first


def test_a_game_that_cannot_go_on_is_quoted_and_closed():
    def play(game):
        game._receive(20)
        game.socket.send(messages.write(messages.error("broken", "x" * 3000)))

    far = threaded(play)
    with pytest.raises(BadMessage, match=r"could not go on: x+$") as problem:
        far.reset()
    assert len(str(problem.value)) < 2100 and problem.value.code == "game_failed"
    with pytest.raises(Closed):
        far.reset()


def test_an_answer_to_a_later_step_is_refused_and_one_to_an_earlier_is_passed_over():
    def play(game):
        command = game_messages.command_from_bytes(game._receive(20), game.shape)
        game.world.reset(seeds=[int(s) for s in command.seeds], worlds=command.worlds)
        for step in (command.step - 1, command.step):
            game.socket.send(game_messages.state_to_bytes(game._state(step)))
        command = game_messages.command_from_bytes(game._receive(20), game.shape)
        game.socket.send(game_messages.state_to_bytes(game._state(command.step + 1)))
        answer = messages.read(game._receive(20))
        heard.append((answer["type"], answer["code"]))

    heard = []
    far = threaded(play)
    process = far._process
    far.reset()
    with pytest.raises(BadMessage, match="was asked") as problem:
        far.step()
    process.wait(20)
    assert problem.value.code == "bad_step" and heard == [("error", "bad_step")]


def test_a_game_that_leaves_is_lost_with_the_step_and_its_log():
    def play(game):
        game._answer(game_messages.command_from_bytes(game._receive(20), game.shape))
        game._receive(20)

    far = threaded(play, log_tail=lambda: "  it fell\n")
    far.reset()
    with pytest.raises(GameLost, match=r"ended with exit code 0\.(.|\n)*it fell(.|\n)*at step 0"):
        far.step()


def test_a_silent_game_is_closed_at_the_deadline_of_the_step():
    def play(game):
        game._receive(20)
        game._receive(20)  # the close

    far = threaded(play, timeouts=Timeouts(reset=0.2, close=5.0))
    with nothing_left_open(), pytest.raises(GameSilent, match=r"within 0\.2 s at step 0 and was stopped"):
        far.reset()
