"""`sandlot bridge` without a socket: what is refused, what a batch of work does, what a failure leaves."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from sandlot.bridge.matches import MatchResult, Transition
from sandlot.bridge.random_policy import RandomPolicy
from sandlot.cli import bridge as module
from sandlot.cli.bridge import LearningPolicy, LiveSession, learning
from sandlot.errors import PortInUse, TrainingFailed
from sandlot.games.live_policies import FixedPolicy
from sandlot.runs.store import Store
from sandlot.worlds import load_spec

from .documented import assert_documented

SPEC = load_spec("tag")
MATCH = MatchResult(4, 1.0, "seeker", "tag", False, {"seeker": 3.0, "hider": -1.0}, {})


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("bridge")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--host", "0.0.0.0"], "Give --token"),
        (["prospector", "--policy", "random"], "streams continuous actions; prospector has discrete ones"),
        (["--policy", "no-such-run"], "no-such-run"),
        (["--set", "speed=fast"], "speed"),
    ],
)
def test_what_cannot_be_served_ends_with_code_2_and_leaves_nothing(sandlot, tmp_path, words, sentence):
    done = sandlot("bridge", *words, "--port", "0", "--minutes", "0.01")
    assert done.code == 2 and sentence in done.err
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("host", module.LOCAL)
def test_this_machine_alone_needs_no_token(monkeypatch, sandlot, host):
    served = []

    async def serve(session, *words):
        served.append((session.policy, *words))

    monkeypatch.setattr(module, "serve", serve)
    done = sandlot("bridge", "--host", host, "--policy", "scripted")
    assert done.code == 0, done.err
    ((policy, *words),) = served
    assert isinstance(policy, FixedPolicy)
    assert words == [host, 8765, None, 0.0, {"hello_s": 5.0, "largest_reward": 100.0}]


def test_what_a_session_did_is_its_last_line(monkeypatch, sandlot):
    async def serve(session, *words):
        pass

    monkeypatch.setattr(module, "serve", serve)
    monkeypatch.setattr(LiveSession, "summary", lambda session: "7 matches")
    done = sandlot("bridge", "--policy", "random", "--port", "0")
    assert (done.code, done.out) == (0, "7 matches\n"), done.err


def test_without_torch_scripts_answer_and_it_is_said(monkeypatch, sandlot):
    served = []

    async def serve(session, *_):
        served.append(session.policy)

    find_spec = module.importlib.util.find_spec
    monkeypatch.setattr(module, "serve", serve)
    monkeypatch.setattr(
        module.importlib.util, "find_spec", lambda name: None if name == "torch" else find_spec(name)
    )
    done = sandlot("bridge")
    assert done.code == 0 and "nothing is learned" in done.err and isinstance(served[0], FixedPolicy)


@pytest.mark.parametrize(("word", "kind"), [("random", RandomPolicy), ("scripted", FixedPolicy)])
def test_a_player_that_learns_nothing_is_chosen_by_its_name(tmp_path, word, kind):
    session = module._fixed(SPEC, {}, word, 3, tmp_path)
    assert isinstance(session.policy, kind) and session.learner is None
    session.begin()
    assert session.run.run.config["policy"] == word and session.run.run.record.seed == 3
    session.run.close("completed")
    assert Store(tmp_path).runs(limit=1) == [], "nothing was played, nothing is kept"


# ---------------------------------------------------------------- work between two batches


class Learner:
    """Learns so often; each update may fail."""

    def __init__(self, results):
        self.results, self.version, self.policies = list(results), 0, {}
        self.metrics = {"seeker": {"policy_loss": 0.5}}

    def learn(self):
        result = self.results.pop(0) if self.results else False
        if isinstance(result, Exception):
            raise result
        self.version += result
        return result


@pytest.fixture
def session(tmp_path, monkeypatch):
    from sandlot.cli import live_run

    monkeypatch.setattr(live_run, "WINDOW_ENV_STEPS", 10)
    made = LiveSession(
        SimpleNamespace(version=0), lambda: live_run.LiveRun(tmp_path, SPEC, {}, 1), Learner([])
    )
    matches = []
    quarantine = SimpleNamespace(file=None, summary=lambda: "")
    made.server = SimpleNamespace(matches=SimpleNamespace(finished=lambda: matches), quarantine=quarantine)
    made.matches = matches
    yield made
    if made.run is not None:
        made.run.run.close()


def test_nothing_is_done_before_the_port_is_ours(session):
    assert session.work() is False and session.summary() == ""
    server, session.server = session.server, None
    session.begin()
    assert session.work() is False
    session.server = server


def test_refused_messages_are_kept_in_the_logs_of_the_run(session):
    session.begin()
    assert session.server.quarantine.file == session.run.run.paths.logs / "refused.jsonl"


def test_matches_are_written_down_and_a_closed_window_is_saved(session, monkeypatch, capsys):
    session.begin()
    saved, committed = [], []
    session.saved = saved.append
    monkeypatch.setattr(module, "_packed", lambda *_: (b"weights", {"seeker": b"s", "hider": b"h"}))
    commit = session.run.commit
    monkeypatch.setattr(session.run, "commit", lambda *words: committed.append(words[0]) or commit(*words))
    session.matches += [MATCH]
    assert session.work() is False and committed == [] and saved == []
    session.matches += [MATCH]
    assert session.work() is False and committed == [0] and saved == [session.run.run]
    assert "window 0 closed: 3 matches" in capsys.readouterr().err
    assert session.summary() == f"3 matches, policy version 0, run {session.run.run.paths.folder}"
    session.server.quarantine.summary = lambda: "2 refused"
    assert session.summary().endswith("; 2 refused")


def test_an_update_is_a_reason_to_ask_again(session):
    session.begin()
    session.learner = Learner([True, True, False])
    assert [session.work() for _ in range(3)] == [True, True, False]
    session.learner = None
    assert session.work() is False


def test_updates_that_fail_are_dropped_until_too_many_fail_in_a_row(session, capsys):
    session.begin()
    failure = TrainingFailed("not finite")
    session.learner = Learner([failure] * 4 + [False, True] + [failure] * 5)
    assert [session.work() for _ in range(6)] == [True] * 4 + [False, True]
    assert session.failures == 0, "one that was made starts the count again"
    assert [session.work() for _ in range(4)] == [True] * 4
    with pytest.raises(TrainingFailed):
        session.work()
    assert capsys.readouterr().err.count("An update failed and was undone") == 9 and module.MOST_FAILURES == 5


def test_an_update_that_was_not_made_leaves_the_count_of_failures(session):
    session.begin()
    session.learner = Learner([TrainingFailed("x"), False])
    session.work(), session.work()
    assert session.failures == 1


def test_nothing_is_saved_where_nothing_was_played(session):
    session.begin()
    session.saved = lambda run: pytest.fail("there is nothing to save")
    session.save(0)
    session.learner = None
    session.save(0)
    session.run.close("completed")
    assert session.summary().endswith("nothing to keep")


@pytest.mark.parametrize(("status", "committed", "shown"), [
    ("failed", True, True), ("completed", True, False), ("failed", False, False),
])  # fmt: skip
def test_how_to_go_on_is_shown_after_a_failure_with_something_saved(
    session, status, committed, shown, capsys
):
    session.begin()
    if committed:
        session.run.commit(0, b"weights", {"seeker": b"s", "hider": b"h"})
    session.show_how_to_go_on(status)
    assert (f"sandlot bridge --load {session.run.run.run_id}" in capsys.readouterr().err) == shown


def test_a_port_that_cannot_be_had_leaves_no_run(session, tmp_path):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        session.policy = RandomPolicy(SPEC)
        with pytest.raises(PortInUse):
            asyncio.run(module.serve(session, "127.0.0.1", taken.getsockname()[1], None, 0.01))
    assert session.run is None and Store(tmp_path).runs(limit=1) == []


def test_a_server_that_fails_says_so_in_its_run(session, tmp_path, monkeypatch):
    from sandlot.bridge.live import LiveServer

    async def fail(self, stop, seconds):
        self.ready.set()
        await asyncio.sleep(0)
        raise RuntimeError("no luck")

    monkeypatch.setattr(LiveServer, "run", fail)
    opened = session.open_run

    def with_a_match():
        run = opened()
        run.keep([MATCH], {})
        return run

    session.policy, session.open_run = RandomPolicy(SPEC), with_a_match
    with pytest.raises(RuntimeError, match="no luck"):
        asyncio.run(module.serve(session, "127.0.0.1", 0, None, 0.01))
    if session.run is not None:
        record = Store(tmp_path).latest().record
        assert (record.status, record.error) == ("failed", "no luck")


# ---------------------------------------------------------------- the learning policy


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return learning(SPEC, {}, None, 64, 5, tmp_path_factory.mktemp("runs"))


def test_a_stream_learns_in_small_parts_at_a_steady_rate(stream):

    values = stream.learner.config.model_dump()
    assert values["run"]["seed"] == 5 and not values["curriculum"]
    assert values["ppo"]["learning_rate"] == values["ppo"]["learning_rate_end"] == 3e-4
    assert stream.learner.batch == 64


def test_the_player_shows_the_learners_sizes_and_version(stream):
    policy = stream.policy
    assert (policy.spec, policy.version) == (stream.learner.spec, 0)
    assert (policy.observation_size, policy.action_size) == (SPEC.observation_size, SPEC.action_size)


def test_actions_are_drawn_for_the_role_that_each_row_shows(stream):
    rows = np.zeros((2, SPEC.observation_size), np.float32)
    rows[0, SPEC.field("roles").start] = 1.0
    made = stream.policy.act([(1, "A"), (1, "B")], list(rows), [0, 0])
    assert np.asarray(made).shape == (2, SPEC.action_size)


class Counting:
    """A learner that only says what became of each transition."""

    spec, observation_size, action_size, version = SPEC, SPEC.observation_size, SPEC.action_size, 0

    def __init__(self, results=()):
        self.results, self.adapted, self.left = list(results), [], None

    def take(self, transition):
        return self.results.pop(0)

    def adapt(self, length, spec):
        self.adapted.append((length, spec and spec.observation_size))
        if spec is not None:
            self.observation_size = length

    def forget(self, is_gone):
        self.left = [is_gone((number, "A")) for number in (1, 2)]


def test_stale_and_unmatched_transitions_are_counted():
    blank = np.zeros(3, np.float32)
    one = Transition((1, "A"), blank, blank, 0.0, None, False, False, None, None)
    result = LearningPolicy(Counting(["stale", "learned", "unmatched", "stale"])).add_transitions([one] * 4)
    assert (result.stale, result.unmatched) == (2, 1)


def test_the_first_observation_decides_on_the_layout_and_it_stays():
    learner = Counting()
    policy = LearningPolicy(learner)
    assert not policy.accepts(5) and learner.adapted == [(5, None)], "no layout has five numbers"
    assert policy.accepts(84) and learner.adapted[-1] == (84, 84)
    assert not policy.accepts(SPEC.observation_size) and policy.accepts(84)
    assert len(learner.adapted) == 2


def test_loaded_weights_keep_their_layout():
    learner = Counting()
    policy = LearningPolicy(learner, fixed_layout=True)
    assert not policy.accepts(84) and policy.accepts(SPEC.observation_size) and learner.adapted == []


def test_a_connection_that_left_is_named_to_the_learner():
    learner = Counting()
    LearningPolicy(learner).disconnected(2)
    assert learner.left == [False, True]
