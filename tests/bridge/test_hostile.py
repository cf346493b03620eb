"""Whatever a client says, the live server goes on: it answers the next good one, the run stays whole, memory
stays bounded."""

import asyncio
import contextlib
import json
import random
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from sandlot.bridge import limits, messages
from sandlot.bridge.live import LiveServer
from sandlot.bridge.quarantine import Quarantine
from sandlot.cli.bridge import learning
from sandlot.runs.store import Store
from sandlot.worlds import load_spec

WAIT_S = 30
SPEC = load_spec("tag")
SIZE = SPEC.observation_size
SEED = 24


def serve(folder, visit, token=None, batch=64, **bounds):
    """A learning server on a free port of this process; `visit` is given its address."""

    async def both():
        session = learning(SPEC, {}, None, batch, 1, folder)
        welcome = messages.welcome(SPEC, 1, messages.STREAMING, messages.JSON)
        stop = asyncio.Event()
        server = session.server = LiveServer(
            session.policy, welcome, port=0, token=token, learn=session.work, **bounds
        )
        serving = asyncio.create_task(server.run(stop))
        await server.ready.wait()
        session.begin()
        status = "failed"
        try:
            visited = asyncio.create_task(visit(f"ws://127.0.0.1:{server.port}", session))
            await asyncio.wait({visited, serving}, return_when=asyncio.FIRST_COMPLETED, timeout=120)
            assert not serving.done(), f"the server ended: {serving.exception()!r}"
            assert visited.done(), "the visit took more than two minutes"
            visited.result()
            stop.set()
            await serving
            while session.work():  # what came last, as the command does
                pass
            session.save(session.run.windows.window_id)
            status = "completed"
        finally:
            session.run.close(status)

    with ThreadPoolExecutor(1) as aside:  # this thread may have a loop already: a browser's
        aside.submit(asyncio.run, both()).result(150)
    return Store(folder).latest() if Store(folder).runs(limit=1) else None  # nothing played, no run


def seen(role=1.0):
    row = [0.0] * SIZE
    row[SPEC.field("roles").start] = role
    return row


def transition(**changes):
    made = {"obs": seen(), "action": [0, 0, 0], "reward": 0.5, "done": False, "next_obs": seen()}
    return made | {"info": {"agent": "A", "role": "seeker", "distance_to_other": 2.0}} | changes


async def ask(socket, message):
    await socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))
    return json.loads(await asyncio.wait_for(socket.recv(), WAIT_S))


async def good_match(url, steps=80):
    """A client that behaves: every step is requested, played and sent. Its last ack."""
    async with connect(url) as socket:
        for step in range(steps):
            reply = await ask(socket, {"type": "act_batch", "obs": {"A": seen()}, "step": step})
            assert reply["info"] == {} and len(reply["actions"]["A"]) == 3
            last = step == steps - 1
            one = transition(action=reply["actions"]["A"], step=step, done=last)
            if last:
                one["info"] |= {"winner": "seeker", "terminal_reason": "tag", "time_elapsed": 1.5}
            ack = await ask(socket, {"type": "transition_batch", "transitions": [one]})
            assert (ack["stored"], ack["unmatched"], ack["refused"]) == (1, 0, 0)
    return ack


async def learned(session, version):
    until = time.monotonic() + WAIT_S
    while session.policy.version < version:
        assert time.monotonic() < until, "no update was made"
        await asyncio.sleep(0.01)


def refusals(run):
    return [json.loads(line) for line in (run.paths.logs / "refused.jsonl").read_text().splitlines()]


# ---------------------------------------------------------------- what was seen to end it


BEYOND = [
    {"reward": 3.4e38},
    {"reward": -101},
    {"reward": 10**18},
    {"reward": True},
    {"obs": [3.4e38] * SIZE},
    {"next_obs": [1e30] * SIZE},
    {"action": [1e30, 0, 0]},
    {"step": 1e300},
    {"policy_version": -1},
    {"info": {"distance_to_other": 1e30}},
    {"info": {"time_elapsed": 10**19}},
    {"info": {"role": "x" * 1000}},
    {"info": {"winner": ["seeker"]}},
]


def test_a_transition_beyond_the_bounds_is_refused_and_kept_aside(tmp_path):
    async def visit(url, session):
        async with connect(url) as socket:
            for change in BEYOND:
                rows = [transition(done=True) | change, transition(done=True)]
                reply = await ask(socket, {"type": "transition_batch", "transitions": rows})
                assert (reply["stored"], reply["refused"]) == (1, 1) and len(reply["errors"]) == 1, change
        await good_match(url)
        await learned(session, 1)

    run = serve(tmp_path, visit)
    assert run.record.status == "completed" and run.record.episodes_total == len(BEYOND) + 1
    assert [row["code"] for row in refusals(run)] == ["invalid_transition"] * len(BEYOND)


def test_a_larger_reward_is_taken_where_the_limit_says_so(tmp_path):
    async def visit(url, session):
        async with connect(url) as socket:
            rows = [transition(reward=900), transition(reward=1100)]
            reply = await ask(socket, {"type": "transition_batch", "transitions": rows})
        assert (reply["stored"], reply["refused"]) == (1, 1) and "--reward-limit" in reply["errors"][0]

    serve(tmp_path, visit, largest_reward=1000.0)


WRONG = [
    ('{"type": "hello", "token": "\\ud800"}', "bad_json"),
    ('{"type": "hello", "observation_size": 1e999}', "bad_json"),
    ('{"type": "hello", "observation_size": 156.5}', "spec_mismatch"),
    ('{"type": "hello", "observation_size": 1e300}', "spec_mismatch"),
    ('{"type": "hello", "game": "reach"}', "spec_mismatch"),
    ('{"type": "hello", "game_version": "0"}', "spec_mismatch"),
    ('{"type": "hello", "encodings": ["binary"]}', "wrong_encoding"),
    ('{"type": "hello", "encodings": 5}', "wrong_encoding"),
    ('{"type": "hello", "mode": "dance"}', "wrong_mode"),
    ('{"type": "act", "obs": [], "step": 1e999}', "bad_json"),
    ('{"type": "act", "obs": [], "step": "soon"}', "bad_number"),
    ('{"type": "act", "obs": [], "step": 1e300}', "bad_number"),
    ('{"type": "act_batch", "obs": {}, "step": [1]}', "bad_number"),
    ('{"type": "ping", "x": 1' + "0" * 309 + "}", "bad_json"),
    ('{"type": "ping", "x": 1e999}', "bad_json"),
    ('{"type": "ping", "x": ' + "[" * 900 + "]" * 900 + "}", "bad_json"),
    ('{"type": "ping", "x": "\\udc00"}', "bad_json"),
]


def test_every_field_has_an_answer_in_a_sentence(tmp_path):
    async def visit(url, session):
        async with connect(url) as socket:
            for message, code in WRONG:
                reply = await ask(socket, message)
                assert (reply["type"], reply.get("code")) == ("error", code), message
                assert reply["text"].endswith(".") and len(reply["text"]) < 500, reply
            assert (await ask(socket, {"type": "act", "obs": seen()}))["info"] == {}
        await good_match(url, 4)

    run = serve(tmp_path, visit)
    assert run.record.status == "completed"
    assert [row["code"] for row in refusals(run)] == [code for _, code in WRONG]


def test_a_token_of_any_text_is_compared_and_refused(tmp_path):
    async def visit(url, session):
        for token in ('"\\ud800"', '"é"', '"sesam"', '""', "5", "null", "[]"):
            async with connect(url) as socket:
                reply = await ask(socket, '{"type": "hello", "token": ' + token + "}")
                assert reply["code"] == "token"
        async with connect(url) as socket:
            assert (await ask(socket, {"type": "hello", "token": "sésame"}))["type"] == "welcome"

    serve(tmp_path, visit, token="sésame")


@pytest.mark.parametrize("token", [None, "sesame"])
def test_silent_strangers_keep_nobody_out(tmp_path, token):
    """More of them than there are places for games, half of them not even shaking hands."""

    async def visit(url, session):
        host, port = url.removeprefix("ws://").split(":")
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(limits.MOST_GAMES + 8):
                with contextlib.suppress(Exception):  # the oldest of them are dropped meanwhile
                    await stack.enter_async_context(connect(url))
                _, writer = await asyncio.open_connection(host, int(port))
                stack.callback(writer.close)
            assert len(session.server._pending) <= limits.MOST_PENDING
            async with connect(url) as socket:
                hello = {"type": "hello"} | ({"token": token} if token else {})
                assert (await ask(socket, hello))["type"] == "welcome"
                assert (await ask(socket, {"type": "act", "obs": seen()}))["info"] == {}

    serve(tmp_path, visit, token=token)


def test_a_stranger_is_dropped_at_the_deadline_with_a_sentence(tmp_path):
    async def visit(url, session):
        begun = time.monotonic()
        async with connect(url) as socket:
            reply = json.loads(await asyncio.wait_for(socket.recv(), WAIT_S))
            assert reply["code"] == "silent" and "0.3 s" in reply["text"]
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(socket.recv(), WAIT_S)
        assert 0.3 <= time.monotonic() - begun < 5

    assert limits.HELLO_S == 5.0, "docs/ws_protocol.md says so"
    serve(tmp_path, visit, hello_s=0.3)


def test_acts_that_are_never_answered_are_forgotten(tmp_path, monkeypatch):
    """27 MB of questions took 245 MB once; what is remembered is bounded, over all agents."""
    from sandlot.train import streaming

    monkeypatch.setattr(streaming, "MAX_PENDING_TOTAL", 500)

    async def visit(url, session):
        async with connect(url) as socket:
            for start in range(0, 900, 100):
                obs = {f"agent {start + i}": seen() for i in range(100)}
                assert (await ask(socket, {"type": "act_batch", "obs": obs}))["info"] == {}
            obs = {f"more {i}": seen() for i in range(200)}
            reply = await ask(socket, {"type": "act_batch", "obs": obs})
            assert len(reply["info"]["errors"]) == 1100 - limits.MOST_AGENTS
            assert "at most" in next(iter(reply["info"]["errors"].values()))
            held = sum(len(waiting) for waiting in session.learner._pending.values())
            assert held == session.learner._num_pending == 500
        until = time.monotonic() + WAIT_S
        while session.learner._num_pending and time.monotonic() < until:
            await asyncio.sleep(0.01)
        assert not session.learner._pending and not session.learner._num_pending, "its game is gone"
        await good_match(url)

    serve(tmp_path, visit)


def test_an_update_that_cannot_be_made_is_undone_and_the_next_one_is(tmp_path, monkeypatch):
    """Even where a bad number gets past every check, the weights stay as they were."""
    from sandlot.train.learner import Learner

    real, broken = Learner.learn, []

    def learn(self, progress):
        if not broken:
            broken.append([p.detach().clone() for p in self.policy.parameters()])
            self.rollout.rewards[:] = np.inf
        return real(self, progress)

    monkeypatch.setattr(Learner, "learn", learn)

    async def visit(url, session):
        await good_match(url, 70)
        until = time.monotonic() + WAIT_S
        while not session.failures:
            assert time.monotonic() < until
            await asyncio.sleep(0.01)
        now = list(session.learner.policies["seeker"].parameters())
        assert all(bool((a == b).all()) for a, b in zip(broken[0], now, strict=True))
        await good_match(url)
        await learned(session, 1)

    assert serve(tmp_path, visit).record.status == "completed"


# ---------------------------------------------------------------- what is kept of it


def test_the_file_of_refusals_is_bounded_and_the_count_goes_on(tmp_path):
    kept = Quarantine(tmp_path / "refused.jsonl")
    for _ in range(5000):
        kept.add(1, "bad_json", "w" * 10_000, "\ud800" + "x" * 10_000)
    assert kept.total == 5000 and (tmp_path / "refused.jsonl").stat().st_size <= limits.QUARANTINE_BYTES
    lines = (tmp_path / "refused.jsonl").read_text().splitlines()
    assert 0 < len(lines) <= limits.QUARANTINED and json.loads(lines[-1])["code"] == "bad_json"
    assert "5,000" in kept.summary() and "refused.jsonl" in kept.summary()


# ---------------------------------------------------------------- anything at all

NUMBERS = [
    "1e999",
    "-1e999",
    "3.4e38",
    "1e39",
    "1" + "0" * 400,
    "-0.0",
    "1e-400",
    "2.5",
    "-1",
    "true",
    "null",
]
TEXTS = ['"\\ud800"', '"\\ud83d\\ude00"', '"' + "x" * 3000 + '"', '""', '"tag"', '"\\u0000"']
SHAPES = ["[]", "{}", "[[[[[]]]]]", "[" * 40 + "]" * 40, '{"a": {"a": {}}}', "[1, [2]]", '{"type": "act"}']


def good_messages():
    return [
        {"type": "hello", "protocol": 1, "game": "tag", "observation_size": SIZE, "token": "x",
         "mode": "streaming", "encodings": ["json"], "agents": ["A"]},
        {"type": "act", "obs": seen(), "step": 3},
        {"type": "act_batch", "obs": {"A": seen(), "B": seen(0.0)}, "step": 4},
        {"type": "transition", "ack": True, "step": 3, "policy_version": 0, **transition()},
        {"type": "transition_batch", "transitions": [transition(), transition(done=True)]},
        {"type": "ping", "x": [1, {"y": "z"}]},
    ]  # fmt: skip


def mutated(generator):
    """One good message with some values replaced, keys dropped or bytes changed; as text."""
    message = json.loads(json.dumps(generator.choice(good_messages())))
    marks = {}
    for _ in range(generator.randint(1, 4)):
        place = message
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = generator.choice(keys)
            if isinstance(place[key], (dict, list)) and place[key] and generator.random() < 0.7:
                place = place[key]
                continue
            if isinstance(place, dict) and generator.random() < 0.2:
                del place[key]
            else:
                mark = f"MARK{len(marks)}"
                marks[f'"{mark}"'] = generator.choice(NUMBERS + TEXTS + SHAPES)
                place[key] = mark
            break
    text = json.dumps(message)
    for mark, value in marks.items():
        text = text.replace(mark, value)
    if generator.random() < 0.1:
        at = generator.randrange(len(text))
        text = text[:at] + generator.choice(["", "{", "]", '"', "\\", "\x00", "é"]) + text[at + 1 :]
    return text.encode(errors="replace")[:100] if generator.random() < 0.02 else text


def test_three_thousand_mutated_messages_end_nothing(tmp_path):
    generator = random.Random(SEED)
    answers = {"error": 0, "other": 0}

    async def visit(url, session):
        await good_match(url, 4)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(30):
            async with connect(url) as socket:
                for _ in range(100):
                    text = mutated(generator)
                    await socket.send(text)
                    reply = await ask(socket, {"type": "ping", "mark": 1})
                    while reply != {"type": "echo", "recv": {"type": "ping", "mark": 1}}:
                        answers["error" if reply["type"] == "error" else "other"] += 1
                        reply = json.loads(await asyncio.wait_for(socket.recv(), WAIT_S))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown * (1 if sys.platform == "darwin" else 1024) < 200 << 20
        for role, policy in session.learner.policies.items():
            assert all(bool(p.isfinite().all()) for p in policy.parameters()), role
        ack = await good_match(url)
        await learned(session, 1)
        assert ack["type"] == "ack"

    run = serve(tmp_path, visit)
    assert run.record.status == "completed" and run.committed is not None
    assert answers["error"] > 300 and answers["other"] > 300
    rows = refusals(run)
    assert 300 < len(rows) <= limits.QUARANTINED
    text = run.paths.episodes.read_text().lower()
    assert "nan" not in text and "inf" not in text
