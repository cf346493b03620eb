import gzip
import json
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import make_replay

from sandlot.errors import ActionError, Damaged, NewerSchema
from sandlot.runs import Replay, replays
from sandlot.runs.replays import encoding_of, quantise


def same(a, b):
    assert a.header == b.header and a.end == b.end
    assert a.events == b.events and a.hashes == b.hashes
    assert a.actions.dtype == b.actions.dtype and a.actions.tobytes() == b.actions.tobytes()


def discrete(ids, encoding="int8"):
    replay = make_replay(steps=len(ids))
    header = replay.header.model_copy(
        update={"agents": ["pilot"], "action_encoding": encoding, "action_shape": [len(ids), 1]}
    )
    end = replay.end.model_copy(update={"returns": [1.0]})
    return Replay(header, np.array(ids, np.int32).reshape(-1, 1), replay.events, replay.hashes, end)


def test_a_replay_is_read_back_to_the_bit(tmp_path):
    replay = make_replay()
    replay.write(tmp_path / "a.jsonl.gz")
    same(Replay.read(tmp_path / "a.jsonl.gz"), replay)


def test_anyone_can_read_it_with_gunzip():
    lines = [json.loads(line) for line in gzip.decompress(make_replay().to_bytes()).splitlines()]
    assert [line["kind"] for line in lines] == ["header", "actions", "events", "hashes", "end"]
    assert lines[0]["seed"] == str(2**64 - 1)


@pytest.mark.parametrize("ids", [[], [0], [-1, 68, 0, 126]])
def test_discrete_ids_are_kept_even_the_invalid_one(ids):
    replay = discrete(ids)
    same(Replay.from_bytes(replay.to_bytes()), replay)


def test_large_ids_need_the_wider_encoding():
    assert (encoding_of(0), encoding_of(69), encoding_of(1000)) == ("q127", "int8", "int16")
    same(Replay.from_bytes(discrete([999], "int16").to_bytes()), discrete([999], "int16"))
    with pytest.raises(ActionError, match="does not fit int8"):
        discrete([999]).to_bytes()


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=50))
def test_quantised_actions_stay_near_and_quantise_to_themselves(values):
    actions = np.array(values, np.float32)
    rounded = quantise(actions)
    assert np.abs(rounded - actions).max() <= 0.5 / 127 + 1e-6 and np.abs(rounded).max() <= 1.0
    assert quantise(rounded).tobytes() == rounded.tobytes()


def test_a_small_negative_action_becomes_a_plain_zero_because_the_file_cannot_hold_minus_zero():
    assert not np.signbit(quantise(np.array([-0.001, -0.0], np.float32))).any()


def test_a_browser_divides_to_the_same_bits():
    steps = np.arange(-127, 128)
    as_javascript = (steps.astype(np.float64) / 127.0).astype(np.float32)  # Math.fround(q / 127)
    assert quantise(as_javascript).tobytes() == as_javascript.tobytes()


def test_actions_that_were_not_rounded_are_refused_unless_kept_exactly():
    replay = make_replay()
    odd = Replay(replay.header, replay.actions + np.float32(1e-4), [], replay.hashes, replay.end)
    with pytest.raises(ActionError, match="not whole 127ths"):
        odd.to_bytes()
    exact = Replay(
        replay.header.model_copy(update={"action_encoding": "float32"}),
        odd.actions,
        [],
        replay.hashes,
        replay.end,
    )
    same(Replay.from_bytes(exact.to_bytes()), exact)
    with pytest.raises(ActionError, match="not a number"):
        quantise(np.array([np.nan], np.float32))


# ---------------------------------------------------------------- damage


def test_a_flipped_byte_anywhere_is_refused():
    data = make_replay().to_bytes()
    for place in range(len(data)):
        for mask in (0x01, 0x80, 0xFF):
            broken = bytearray(data)
            broken[place] ^= mask
            with pytest.raises(Damaged, match="The replay"):
                Replay.from_bytes(bytes(broken))


def test_a_file_cut_off_anywhere_or_with_something_after_it_is_refused():
    data = make_replay().to_bytes()
    for length in range(len(data)):
        with pytest.raises(Damaged):
            Replay.from_bytes(data[:length])
    with pytest.raises(Damaged):
        Replay.from_bytes(data + b"\0")


def forged(*lines):
    """A file with a right digest around whatever lines."""
    return replays._gzip("".join(json.dumps(line) + "\n" for line in lines).encode())


def result():
    return [json.loads(line) for line in gzip.decompress(make_replay().to_bytes()).splitlines()]


def test_a_replay_of_a_later_schema_is_refused_by_name(tmp_path):
    header, *rest = result()
    (tmp_path / "new.jsonl.gz").write_bytes(forged(header | {"schema_version": 2}, *rest))
    with pytest.raises(NewerSchema, match=r"new\.jsonl\.gz has schema version 2"):
        Replay.read(tmp_path / "new.jsonl.gz")


def bomb(size):
    return replays.pack(bytes(size))


def wrapped(result):
    """A header whose shape has a product of -1 in 64 bits; zlib takes that for "without a limit"."""
    agents, size = 5 * 17 * 257, (2**64 - 1) // (5 * 17 * 257)
    assert np.prod([agents, size]) == -1
    return result[0] | {"agents": ["a"] * agents, "action_shape": [1, agents, size]}


FORGERIES = {
    "nothing": lambda t: [],
    "no object": lambda t: [[1, 2]],
    "a line missing": lambda t: t[:-1],
    "a line twice": lambda t: [*t, t[-1]],
    "fewer actions than steps": lambda t: [t[0] | {"action_shape": [69, 2, 3]}, *t[1:]],
    "a shape of billions": lambda t: [t[0] | {"action_shape": [2**40, 2, 3]}, *t[1:]],
    "agents that have no actions": lambda t: [t[0] | {"agents": ["a"]}, *t[1:]],
    "a scored agent that is not there": lambda t: [t[0] | {"scored_agent": 2}, *t[1:]],
    "actions that unpack to more": lambda t: [t[0], t[1] | {"data": bomb(10**7)}, *t[2:]],
    "actions that are not base64": lambda t: [t[0], t[1] | {"data": "???"}, *t[2:]],
    "events without a name": lambda t: [*t[:2], t[2] | {"names": []}, *t[3:]],
    "a count that is not a number": lambda t: [*t[:2], t[2] | {"count": "3"}, *t[3:]],
    "a negative count": lambda t: [*t[:3], t[3] | {"count": -1}, t[4]],
    "another count of steps": lambda t: [*t[:4], t[4] | {"steps": 5}],
    "a shape whose product wraps to -1": lambda t: [wrapped(t), t[1] | {"data": bomb(10**8)}, *t[2:]],
    "no steps of endless width": lambda t: [t[0] | {"action_shape": [0, 2, 2**52]}, *t[1:]],
    "a million lists": lambda t: [t[0] | {"policies": {"a": [[]] * 10**6}}, *t[1:]],
    "a seed out of range": lambda t: [t[0] | {"seed": str(2**64)}, *t[1:]],
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_well_packed_file_that_makes_no_sense_is_refused(forge):
    data = forged(*forge(result()))
    tracemalloc.start()
    try:
        with pytest.raises(Damaged, match="The replay"):
            Replay.from_bytes(data)
        assert tracemalloc.get_traced_memory()[1] < 30e6
    finally:
        tracemalloc.stop()


def test_a_small_file_that_unpacks_to_gigabytes_is_refused(monkeypatch):
    monkeypatch.setattr(replays, "MAX_TEXT_BYTES", 1 << 20)
    with pytest.raises(Damaged, match="unpacks to more than 1 MiB"):
        Replay.from_bytes(replays._gzip(b" " * (3 << 20)))


def test_a_file_larger_than_any_replay_is_not_even_read(tmp_path, monkeypatch):
    monkeypatch.setattr(replays, "MAX_FILE_BYTES", 100)
    make_replay().write(tmp_path / "a.jsonl.gz")
    with pytest.raises(Damaged, match="no replay is"):
        Replay.read(tmp_path / "a.jsonl.gz")
    with pytest.raises(Damaged, match="There is no replay"):
        Replay.read(tmp_path / "b.jsonl.gz")


def test_an_ordinary_gzip_file_is_not_a_replay():
    with pytest.raises(Damaged, match="not a replay of Sandlot"):
        Replay.from_bytes(gzip.compress(gzip.decompress(make_replay().to_bytes())))


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_at_all_give_a_sentence(data):
    for attempt in (data, replays._gzip(data)):
        with pytest.raises((Damaged, NewerSchema)):
            Replay.from_bytes(attempt)


def test_tags_are_given_when_the_return_is_known():
    replay = make_replay().with_tags(["best_so_far"])
    assert Replay.from_bytes(replay.to_bytes()).header.tags == ["best_so_far"]
    assert zlib.crc32(replay.actions.tobytes()) == zlib.crc32(make_replay().actions.tobytes())


def test_the_limits_of_a_file_are_these():
    assert (replays.MAX_FILE_BYTES, replays.MAX_TEXT_BYTES) == (16 << 20, 64 << 20)
    assert (replays.MAX_STEPS, replays.MAX_ACTION_WIDTH) == (1_000_000, 4096)
    assert (replays.MAX_ACTION_NUMBERS, replays.MAX_JSON_VALUES) == (8 << 20, 500_000)
    assert (replays.HASH_EVERY_STEPS, replays.QUANTA) == (32, 127)


def test_a_file_of_exactly_the_largest_size_is_read(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl.gz"
    make_replay().write(path)
    size = path.stat().st_size
    monkeypatch.setattr(replays, "MAX_FILE_BYTES", size)
    assert Replay.read(path).end.steps == 70
    monkeypatch.setattr(replays, "MAX_FILE_BYTES", size - 1)
    with pytest.raises(Damaged, match="larger than"):
        Replay.read(path)


def test_as_many_json_values_and_as_much_text_as_allowed_are_read(monkeypatch):
    data = make_replay().to_bytes()
    text = replays._gunzip(data, "it")
    values = sum(text.count(mark) for mark in (b",", b"[", b"{"))
    for name, most in (("MAX_JSON_VALUES", values), ("MAX_TEXT_BYTES", len(text))):
        monkeypatch.setattr(replays, name, most)
        assert Replay.from_bytes(data).end.steps == 70
        monkeypatch.setattr(replays, name, most - 1)
        with pytest.raises(Damaged, match="more than"):
            Replay.from_bytes(data)
        monkeypatch.undo()


@pytest.mark.parametrize(("count", "encoding"), [(0, "q127"), (1, "int8"), (127, "int8"), (128, "int16")])
def test_ids_are_held_in_as_few_bytes_as_they_need(count, encoding):
    assert replays.encoding_of(count) == encoding


def test_actions_are_clipped_before_they_are_rounded():
    found = replays.quantise(np.array([-3.0, -1.0, 0.5, 1.0, 3.0], np.float32))
    assert found.tolist() == pytest.approx([-1.0, -1.0, 64 / 127, 1.0, 1.0])


@pytest.mark.parametrize("name", ["MAX_STEPS", "MAX_ACTION_WIDTH", "MAX_ACTION_NUMBERS"])
def test_as_many_actions_as_allowed_are_read(monkeypatch, name):
    data = make_replay().to_bytes()
    most = {"MAX_STEPS": 70, "MAX_ACTION_WIDTH": 6, "MAX_ACTION_NUMBERS": 420}[name]
    monkeypatch.setattr(replays, name, most)
    assert Replay.from_bytes(data).actions.shape == (70, 2, 3)
    monkeypatch.setattr(replays, name, most - 1)
    with pytest.raises(Damaged, match="shape"):
        Replay.from_bytes(data)
