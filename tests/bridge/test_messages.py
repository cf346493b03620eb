"""The messages: golden ones are read and written exactly, and anything else is a sentence, not a crash."""

import contextlib
import json
from pathlib import Path

import game_messages
import numpy as np
import pytest
from golden.make_messages import CONTINUOUS, DISCRETE, lockstep, state
from hypothesis import given, settings
from hypothesis import strategies as st

from sandlot.bridge import messages, wire
from sandlot.errors import BadMessage, Refused
from sandlot.worlds import load_spec

FOLDER = Path(__file__).parent.parent / "golden" / "messages"
GOLDEN = sorted(path.stem for path in FOLDER.glob("*_*.json"))


def golden(name):
    golden = json.loads((FOLDER / f"{name}.json").read_text())
    return wire.BatchShape(**golden["shape"]), golden["json"], bytes.fromhex(golden["hex"])


def alike(one, other):
    for name, value in vars(one).items():
        assert np.array_equal(value, getattr(other, name)), name


def test_the_golden_files_are_those_that_the_maker_makes():
    assert sorted(lockstep()) == GOLDEN
    for name, golden in lockstep().items():
        assert json.loads((FOLDER / f"{name}.json").read_text()) == golden


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("state")])
def test_a_golden_state_reads_the_same_from_json_and_from_bytes(name):
    shape, text, data = golden(name)
    from_json, from_bytes = messages.state_from_json(text, shape), wire.state_from_bytes(data, shape)
    alike(from_json, from_bytes)
    assert game_messages.state_to_bytes(from_json) == data
    assert game_messages.state_to_json(from_bytes) == text


@pytest.mark.parametrize("name", [name for name in GOLDEN if not name.startswith("state")])
def test_a_golden_command_reads_the_same_from_json_and_from_bytes(name):
    shape, text, data = golden(name)
    from_json, from_bytes = (
        game_messages.command_from_json(text, shape),
        game_messages.command_from_bytes(data, shape),
    )
    alike(from_json, from_bytes)
    write = wire.step_to_bytes if isinstance(from_json, wire.Step) else wire.reset_to_bytes
    assert write(from_json) == data


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "bad_json", "no JSON"),
        ("hello", "bad_json", "no JSON"),
        ('{"type": "act"', "bad_json", "no JSON"),
        ("[1, 2]", "not_an_object", "a list"),
        ('"act"', "not_an_object", "text"),
        ("null", "not_an_object", "null"),
        ("3", "not_an_object", "a number"),
        ('{"obs": []}', "no_type", "type"),
        ('{"type": 5}', "no_type", "type"),
        ('{"type": "act", "obs": [NaN]}', "bad_json", "NaN"),
        ('{"type": "act", "obs": [-Infinity]}', "bad_json", "Infinity"),
        ("[" * 100_000, "bad_json", "JSON"),
    ],
)
def test_text_that_is_no_message_is_reported_apart(text, code, words):
    with pytest.raises(BadMessage, match=words) as problem:
        messages.read(text)
    assert problem.value.code == code


def test_a_huge_text_is_refused_before_it_is_parsed():
    with pytest.raises(BadMessage, match="at most") as problem:
        messages.read('{"type": "' + "x" * messages.LONGEST_TEXT + '"}')
    assert problem.value.code == "too_large"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"observations": [[1, 2, 3]]}, "wrong_length"),
        ({"observations": "none"}, "wrong_length"),
        ({"rewards": [0, 0, 0, 0, 0, "much"]}, "not_numbers"),
        ({"rewards": [0, 0, 0, 0, 0, True]}, "not_numbers"),
        ({"rewards": [0, 0, 0, 0, 0, 1e300]}, "not_finite"),
        ({"rewards": [0, 0, 0, 0, 0, -1.1e6]}, "not_finite"),
        ({"ticks": [1]}, "wrong_length"),
        ({"terminated": [2, 0, 0, 0, 0, 0]}, "wrong_length"),
        ({"ended": [{"world": 9}]}, "wrong_length"),
        ({"ended": 3}, "bad_message"),
        ({"step": "soon"}, "bad_number"),
    ],
)
def test_a_state_with_one_wrong_part_is_refused_by_name(change, code):
    golden = game_messages.state_to_json(state(CONTINUOUS, 1, [])) | change
    with pytest.raises(BadMessage) as refused:
        messages.state_from_json(golden, CONTINUOUS)
    assert refused.value.code == code


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.sampled_from([CONTINUOUS, DISCRETE]))
def test_random_bytes_are_a_bad_message_and_nothing_worse(noise, shape):
    for data in (noise, b"SLW1" + noise):
        for read in (wire.state_from_bytes, game_messages.command_from_bytes):
            with contextlib.suppress(BadMessage):
                read(data, shape)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_flipped_byte_never_crashes_the_reader(place, value):
    data = bytearray(game_messages.state_to_bytes(state(CONTINUOUS, 5, [0, 2])))
    data[place % len(data)] = value
    with contextlib.suppress(BadMessage):
        wire.state_from_bytes(bytes(data), CONTINUOUS)


def test_a_state_with_nan_names_the_place():
    sent = state(CONTINUOUS, 5, [])
    sent.observations[2, 1] = np.nan
    with pytest.raises(BadMessage, match=r"observations\[2, 1\] is NaN"):
        wire.state_from_bytes(game_messages.state_to_bytes(sent), CONTINUOUS)


def test_a_state_that_is_cut_off_tells_both_lengths():
    data = game_messages.state_to_bytes(state(CONTINUOUS, 5, []))
    with pytest.raises(BadMessage, match=rf"{len(data)} bytes, not {len(data) - 1}"):
        wire.state_from_bytes(data[:-1], CONTINUOUS)


# ---------------------------------------------------------------- hello


def hello(**changes):
    return {"type": "hello", "protocol": messages.PROTOCOL, "game": "tag"} | changes


@pytest.mark.parametrize(
    ("changes", "both"),
    [
        ({"protocol": 99}, ("99", "1")),
        ({"protocol": None}, ("None", "1")),
        ({"game": "chess"}, ("chess", "tag")),
        ({"game_version": "0"}, ("'0'", repr(load_spec("tag").version))),
        ({"spec_hash": "feedbeeffeedbeef"}, ("feedbeeffeedbeef", load_spec("tag").hash)),
        ({"observation_size": 84}, ("84", str(load_spec("tag").observation_size))),
        ({"type": "act"}, ("hello", "act")),
    ],
)
def test_a_hello_that_does_not_fit_is_refused_with_both_sides_named(changes, both):
    with pytest.raises(Refused) as problem:
        messages.check_hello(hello(**changes))
        messages.check_same_game(hello(**changes), load_spec("tag"))
    assert all(side in str(problem.value) for side in both)


def test_a_token_is_asked_for_only_where_there_is_one():
    messages.check_hello(hello())
    messages.check_hello(hello(token="open sesame"), "open sesame")
    for wrong in ({}, {"token": "sesame"}, {"token": 7}):
        with pytest.raises(Refused, match="token"):
            messages.check_hello(hello(**wrong), "open sesame")


def test_a_welcome_holds_all_that_a_scene_is_built_from():
    spec = load_spec("tag", {"time_limit": 4})
    welcome = json.loads(messages.write(messages.welcome(spec, 8)))
    assert (welcome["worlds"], welcome["agents"], welcome["observation_size"]) == (
        8,
        2,
        spec.observation_size,
    )
    assert (
        welcome["config"]["time_limit"] == 4
        and welcome["spec"]["shape"]["episode"] == welcome["episode_size"]
    )
