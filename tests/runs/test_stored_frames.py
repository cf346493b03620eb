"""Frames kept in a replay that cannot be played again: what comes back, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from making import make_replay

from sandlot.errors import ConfigError, Damaged
from sandlot.runs import Replay
from sandlot.runs.replays import _gunzip, _gzip
from sandlot.runs.stored_frames import MOST_NUMBERS, Block, StoredFrames

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
    told = json.loads(lines[4])
    change(told)
    lines[4] = json.dumps(told)
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
        lambda told: told.pop("render"),
        lambda told: told.pop("payloads"),
        lambda told: told.update(render=[]),
        lambda told: told.update(payloads=[]),
        lambda told: told.update(payloads=[{"agent": "one"}] * 3),
        lambda told: told.update(payloads=7),
        lambda told: told.update(payloads=[{"agent": 10**400}] * 3),
        lambda told: told.update(payloads=[{"agent": float("nan")}] * 3),
        lambda told: told.update(payloads=[{"name": 1.0}] * 3),
        lambda told: told["render"].update(width=7),
        lambda told: told["render"].update(width=-1),
        lambda told: told["render"].update(width=MOST_NUMBERS),
        lambda told: told["render"].update(width=True),
        lambda told: told["render"].update(levels=told["info"]["levels"]),
        lambda told: told["render"].update(scale="not base64"),
        lambda told: told.update(rewards=told["ticks"]),
        lambda told: told.update(ticks=told["rewards"]),
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
