"""Frames kept in a replay that cannot be played again: what comes back, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from making import make_replay

from sandlot.errors import ConfigError, Damaged
from sandlot.runs import Replay, stored_frames
from sandlot.runs.replays import _gunzip, _gzip
from sandlot.runs.stored_frames import MAX_NUMBERS, Block, StoredFrames

STEPS = 70


def make_kept(steps=STEPS, **header):
    """A replay as Godot gives it: smooth, whole and constant columns, and no hashes."""
    rng = np.random.default_rng(3)
    table = np.cumsum(rng.normal(size=(steps + 1, 6)), axis=0).astype(np.float32)
    table[:, 0], table[:, 1] = 3 * np.arange(steps + 1), 9.8
    rows = {"info": table[:, :2], "render": table, "observations": table.reshape(-1, 2, 3) / 100}
    rewards = rng.normal(size=(steps, 2)).astype(np.float32)
    payloads = [{"agent": 1.0}, {"agent": 0.0, "target": 1.0, "tick": 9.0}, {"tick": 180.5}]
    frames = StoredFrames.of(rows, rewards, np.full(steps, 3, np.int32), payloads)
    plain = make_replay(steps=steps, played_in="godot", **header)
    return replace(plain, hashes=[], frames=frames), table


def changed(replay, change):
    """The file of a replay with its frames line changed by somebody who also wrote a right digest."""
    lines = _gunzip(replay.to_bytes(), "it").decode().splitlines()
    reported = json.loads(lines[4])
    change(reported)
    lines[4] = json.dumps(reported)
    return _gzip(("\n".join(lines) + "\n").encode())


def test_frames_come_back_within_half_a_level_and_whole_or_constant_columns_exactly():
    replay, table = make_kept()
    again = Replay.from_bytes(replay.to_bytes())
    shown = np.array([again.frames.blocks["render"].row(i) for i in range(STEPS + 1)])
    assert np.array_equal(shown[:, :2], table[:, :2])
    level = np.ptp(table, axis=0) / 16_383
    assert (np.abs(shown - table) <= 0.51 * level + 1e-6).all()
    assert np.array_equal(again.frames.rewards, replay.frames.rewards)
    assert again.frames.payloads == replay.frames.payloads
    assert again.to_bytes() == replay.to_bytes(), "what was read is written again as it was"


def test_a_native_replay_is_written_as_before_there_were_others():
    header = json.loads(_gunzip(make_replay().to_bytes(), "it").split(b"\n")[0])
    assert "played_in" not in header, "an older version would refuse a key that it does not know"
    assert Replay.from_bytes(make_replay().to_bytes()).header.played_in == "native"


def test_every_flipped_byte_and_every_cut_of_stored_frames_is_refused():
    data = make_kept()[0].to_bytes()
    for at in range(0, len(data), 97):
        with pytest.raises(Damaged):
            Replay.from_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        with pytest.raises(Damaged):
            Replay.from_bytes(data[:at])


@pytest.mark.parametrize(
    "change",
    [
        lambda reported: reported.pop("render"),
        lambda reported: reported.pop("payloads"),
        lambda reported: reported.update(render=[]),
        lambda reported: reported.update(payloads=[]),
        lambda reported: reported.update(payloads=[{"agent": "one"}] * 3),
        lambda reported: reported.update(payloads=7),
        lambda reported: reported.update(payloads=[{"agent": 10**400}] * 3),
        lambda reported: reported.update(payloads=[{"agent": float("nan")}] * 3),
        lambda reported: reported.update(payloads=[{"name": 1.0}] * 3),
        lambda reported: reported["render"].update(width=7),
        lambda reported: reported["render"].update(width=-1),
        lambda reported: reported["render"].update(width=MAX_NUMBERS),
        lambda reported: reported["render"].update(width=True),
        lambda reported: reported["render"].update(levels=reported["info"]["levels"]),
        lambda reported: reported["render"].update(scale="not base64"),
        lambda reported: reported.update(rewards=reported["ticks"]),
        lambda reported: reported.update(ticks=reported["rewards"]),
    ],
)
def test_a_file_whose_frames_do_not_fit_is_refused_in_a_sentence(change):
    with pytest.raises(Damaged, match="cannot be unpacked"):
        Replay.from_bytes(changed(make_kept()[0], change), "it")


def test_frames_belong_to_replays_that_cannot_be_played_again_and_to_no_others():
    kept, _ = make_kept()
    with pytest.raises(Damaged, match="expected header, actions, events, hashes, frames, end"):
        Replay.from_bytes(replace(kept, frames=None).to_bytes())
    native = kept.header.model_copy(update={"played_in": "native"})
    with pytest.raises(Damaged, match="expected header, actions, events, hashes, end"):
        Replay.from_bytes(replace(kept, header=native).to_bytes())


def test_what_is_no_number_and_what_is_too_long_is_not_recorded():
    with pytest.raises(ConfigError, match="not a number"):
        Block.of(np.array([[1.0], [np.nan]]))
    rows = np.zeros((3000, 3000), np.float32)
    with pytest.raises(ConfigError, match="too long a match"):
        StoredFrames.of(dict.fromkeys(("info", "render", "observations"), rows), rows, np.ones(2999), [])


def test_exactly_as_many_numbers_as_fit_are_kept_and_read(monkeypatch):
    rows = {name: [np.zeros(4), np.ones(4)] for name in stored_frames.BLOCKS}
    monkeypatch.setattr(stored_frames, "MAX_NUMBERS", 24)
    rewards, ticks = np.zeros((1, 2), np.float32), np.ones(1, np.int32)
    kept = StoredFrames.of(rows, rewards, ticks, [])
    again = StoredFrames.from_json(kept.to_json(), 1, 2, 0)
    assert np.array_equal(again.blocks["info"].row(1), np.ones(4))
    monkeypatch.setattr(stored_frames, "MAX_NUMBERS", 23)
    with pytest.raises(ConfigError, match="24 numbers, at most 23"):
        StoredFrames.of(rows, rewards, ticks, [])
    with pytest.raises(ValueError, match="more frames than"):
        StoredFrames.from_json(kept.to_json(), 1, 2, 0)
    monkeypatch.setattr(stored_frames, "MAX_NUMBERS", 8)
    assert Block.from_json(kept.to_json()["info"], 2).levels.size == 8
    with pytest.raises(ValueError, match="frames of 4 numbers"):
        Block.from_json(kept.to_json()["info"], 3)


@pytest.mark.parametrize(
    ("name", "values"),
    [("rewards", np.array([[np.nan, 0.0]], "<f4")), ("ticks", np.zeros(1, "<u2"))],
)
def test_a_reward_that_is_no_number_and_a_step_of_no_ticks_are_refused_each_alone(name, values):
    rows = {block: [np.zeros(4), np.ones(4)] for block in stored_frames.BLOCKS}
    line = StoredFrames.of(rows, np.zeros((1, 2), np.float32), np.ones(1, np.int32), []).to_json()
    assert StoredFrames.from_json(line, 1, 2, 0).ticks.tolist() == [1]
    with pytest.raises(ValueError, match="a reward that is not a number, or a step of no ticks"):
        StoredFrames.from_json(line | {name: stored_frames.pack(values.tobytes())}, 1, 2, 0)


@pytest.mark.parametrize("size", [0, 1, stored_frames.MAX_BLOCK_BYTES])
def test_a_block_has_exactly_so_many_bytes_from_none_to_the_most(size):
    data = bytes(size)
    text = stored_frames.pack(data)
    assert stored_frames.unpack(text, size) == data
    for other in {size - 1, size + 1, -1}:
        with pytest.raises(ValueError, match="a block of"):
            stored_frames.unpack(text, other)
