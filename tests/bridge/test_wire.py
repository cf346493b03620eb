"""Binary frames: every length, count and number is checked before it is believed."""

import struct
from dataclasses import replace

import game_messages
import numpy as np
import pytest

from sandlot.bridge import wire
from sandlot.errors import BadMessage

SHAPE = wire.BatchShape(3, 2, 5, 3, 0, 4, False)
DISCRETE = wire.BatchShape(3, 1, 2, 1, 7, 4, True)


def state(shape=SHAPE, ended=(1,), seed=0):
    rng = np.random.default_rng(seed)
    rows, ended = shape.rows, np.array(ended, np.int32)

    def floats(*size):
        return rng.normal(size=size).astype(np.float32)

    return wire.State(
        41,
        floats(rows, shape.observation_size),
        floats(rows),
        rng.integers(0, 99, shape.worlds).astype(np.int32),
        rng.integers(0, 2, rows).astype(np.uint8),
        rng.integers(0, 2, rows).astype(np.uint8),
        rng.integers(0, 2, (rows, shape.action_count)).astype(np.uint8) if shape.masked else None,
        ended,
        floats(len(ended), shape.agents, shape.observation_size),
        floats(len(ended), shape.episode_size),
    )


def code_of(read, data, shape=SHAPE):
    with pytest.raises(BadMessage) as problem:
        read(data, shape)
    return problem.value.code


@pytest.mark.parametrize("shape", [SHAPE, DISCRETE, replace(DISCRETE, action_count=4)])
@pytest.mark.parametrize("ended", [(), (0,), (2, 0), (0, 1, 2)])
def test_a_state_comes_back_as_it_was(shape, ended):
    sent = state(shape, ended)
    got = wire.state_from_bytes(game_messages.state_to_bytes(sent), shape)
    assert got.step == 41
    for name in sent.__dataclass_fields__:
        ours, theirs = getattr(sent, name), getattr(got, name)
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert np.array_equal(ours, theirs), name


def test_every_array_of_floats_begins_at_a_multiple_of_four():
    data = game_messages.state_to_bytes(state(DISCRETE))
    rows, worlds = DISCRETE.rows, DISCRETE.worlds
    flags, masks = 2 * rows, rows * DISCRETE.action_count
    body = 4 * rows * 3 + 4 * worlds + (flags + -flags % 4) + (masks + -masks % 4) + 4 * (1 + 2 + 4)
    assert len(data) == 24 + body and len(data) % 4 == 0 and flags % 4 and masks % 4


@pytest.mark.parametrize("change", [-1, 1, 4, -4])
def test_a_state_of_another_length_is_refused(change):
    data = game_messages.state_to_bytes(state())
    data = data[:change] if change < 0 else data + bytes(change)
    assert code_of(wire.state_from_bytes, data) == "wrong_length"


def test_a_state_cannot_end_more_worlds_than_there_are():
    data = bytearray(game_messages.state_to_bytes(state(ended=(0, 1, 2))))
    struct.pack_into("<I", data, 16, 4)
    assert code_of(wire.state_from_bytes, bytes(data)) == "wrong_length"


@pytest.mark.parametrize(
    ("ended", "code"), [((3,), "bad_number"), ((-1,), "bad_number"), ((1, 1), "bad_number")]
)
def test_worlds_that_ended_exist_and_end_once(ended, code):
    assert code_of(wire.state_from_bytes, game_messages.state_to_bytes(state(ended=ended))) == code


@pytest.mark.parametrize("name", ["observations", "rewards", "final_observations", "episodes"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_array_holds_anything_but_finite_numbers(name, value):
    sent = state()
    getattr(sent, name).reshape(-1)[-1] = value
    assert code_of(wire.state_from_bytes, game_messages.state_to_bytes(sent)) == "not_finite"


@pytest.mark.parametrize(
    ("reward", "refused"), [(1e6, False), (-1e6, False), (1.01e6, True), (-3.4e38, True)]
)
def test_a_reward_beyond_a_million_is_refused_with_its_place_and_value(reward, refused):
    sent = state()
    sent.rewards[2] = reward
    if not refused:
        assert wire.state_from_bytes(game_messages.state_to_bytes(sent), SHAPE).rewards[2] == reward
        return
    with pytest.raises(BadMessage, match=r"rewards\[2\] is -?[13].*beyond ±1,000,000") as problem:
        wire.state_from_bytes(game_messages.state_to_bytes(sent), SHAPE)
    assert problem.value.code == "not_finite"


@pytest.mark.parametrize("data", [b"", b"SLW1", bytes(24), b"SLW2" + bytes(20), b"SLW1" + bytes(19)])
def test_what_has_no_head_is_no_frame(data):
    assert code_of(wire.state_from_bytes, data) == "bad_frame"
    assert code_of(game_messages.command_from_bytes, data) == "bad_frame"


def test_a_frame_of_another_kind_is_refused():
    step = wire.step_to_bytes(wire.Step(1, np.zeros((6, 3), np.float32)))
    assert code_of(wire.state_from_bytes, step) == "unknown_type"
    assert code_of(game_messages.command_from_bytes, game_messages.state_to_bytes(state())) == "unknown_type"


@pytest.mark.parametrize(
    ("shape", "actions"),
    [
        (SHAPE, np.arange(18, dtype=np.float32).reshape(6, 3)),
        (DISCRETE, np.array([6, 0, 3], np.int32)),
    ],
)
def test_a_step_comes_back_as_it_was_and_no_other_length_is_taken(shape, actions):
    data = wire.step_to_bytes(wire.Step(2**40, actions))
    got = game_messages.command_from_bytes(data, shape)
    assert isinstance(got, wire.Step) and got.step == 2**40
    assert got.actions.dtype == actions.dtype and np.array_equal(got.actions, actions)
    for wrong in (data[:-1], data + bytes(4), data[:24]):
        assert code_of(game_messages.command_from_bytes, wrong, shape) == "wrong_length"


@pytest.mark.parametrize("worlds", [(), (2,), (2, 0, 1)])
def test_a_reset_comes_back_as_it_was(worlds):
    seeds = np.array([2**64 - 1 - i for i in range(len(worlds))], np.uint64)
    sent = wire.Reset(5, np.array(worlds, np.int32), seeds)
    got = game_messages.command_from_bytes(wire.reset_to_bytes(sent), SHAPE)
    assert isinstance(got, wire.Reset) and got.step == 5
    assert got.worlds.tolist() == list(worlds) and np.array_equal(got.seeds, seeds)


def test_a_reset_names_no_more_worlds_than_there_are_and_a_seed_for_each():
    many = wire.Reset(5, np.zeros(4, np.int32), np.zeros(4, np.uint64))
    assert code_of(game_messages.command_from_bytes, wire.reset_to_bytes(many)) == "wrong_length"
    short = wire.reset_to_bytes(wire.Reset(5, np.zeros(2, np.int32), np.zeros(2, np.uint64)))[:-1]
    assert code_of(game_messages.command_from_bytes, short) == "wrong_length"
