"""Every bound of the wire: what is just within it passes, what is just beyond it is refused."""

import json
from pathlib import Path

import game_messages
import pytest

from sandlot.bridge import limits, messages
from sandlot.bridge.messages import check_hello, encoding_for, error, floats, number, parse_int, quoted, read
from sandlot.errors import BadMessage, Refused
from sandlot.worlds import load_spec

PAGE = (Path(__file__).parents[2] / "docs" / "ws_protocol.md").read_text(encoding="utf-8")


def code_of(call, *words) -> str:
    """The code of a refusal; 'passes' where there is none."""
    try:
        call(*words)
    except BadMessage as problem:
        return problem.code
    return "passes"


@pytest.mark.parametrize(
    "sentence",
    [
        f"±{limits.LARGEST_REWARD:g} (`sandlot bridge --reward-limit`",
        f"| a number of an observation or action | ±{limits.LARGEST_OBSERVATION:g} ",
        f"| a number of an observation or action | ±{limits.LARGEST_ACTION:g} ",
        f"| {limits.LARGEST_DISTANCE:.0e} m, {limits.LONGEST_EPISODE_S:.0e} s |".replace("e+0", "e"),
        f"of `info` | {limits.MOST_AGENTS:,}; {limits.MOST_NAME} characters.",
        f"| transitions in a batch | {limits.MOST_TRANSITIONS:,} |",
        f"| {limits.MOST_PENDING}; one more ends the oldest",
        f"the first {limits.QUARANTINED:,} refusals",
        f"the handshake and the first message of a connection, together | {limits.HELLO_S:g} |",
        f"| a streaming game takes an answer | {limits.SEND_S:g} |",
        f"whole ones have at most {messages.MOST_DIGITS} digits",
        f"{messages.DEEPEST} deep at most",
    ],
)
def test_the_protocols_page_names_the_bound_that_the_server_keeps(sentence):
    assert sentence in PAGE.replace("\n", " ")


def test_bounds_that_no_page_names():
    assert (limits.MOST_GAMES, limits.MOST_WAITING, limits.EXCERPT) == (64, 1, 500)
    assert limits.QUARANTINE_BYTES == 1 << 20 and messages.DEFAULT_PORT == 8765
    assert messages.LONGEST_MESSAGE == 64 << 20 and messages.LONGEST_TEXT == 8 << 20
    assert messages.PROTOCOL == 1


def nested(depth: int) -> str:
    return '{"type": "x", "deep": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


def test_brackets_are_nested_so_deep_and_no_deeper():
    assert code_of(read, nested(messages.DEEPEST)) == "passes"
    assert code_of(read, nested(messages.DEEPEST + 1)) == "bad_json"
    wide = json.dumps({"type": "x", "rows": [[1]] * 100})
    assert code_of(read, wide) == "passes", "many brackets are not deep ones"
    assert code_of(read, json.dumps({"type": "x", "text": '\\"' + "[" * 99})) == "passes", (
        "text is no bracket"
    )


def test_a_whole_number_has_so_many_digits():
    for digits, code in ((messages.MOST_DIGITS, "passes"), (messages.MOST_DIGITS + 1, "bad_json")):
        assert code_of(read, '{"type": "x", "n": ' + "9" * digits + "}") == code


def test_text_is_as_long_as_the_limit_and_no_longer(monkeypatch):
    text = '{"type": "x"}'
    monkeypatch.setattr(messages, "LONGEST_TEXT", len(text))
    assert code_of(read, text) == "passes" and code_of(read, text + " ") == "too_large"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([1.0, -2.0], "passes"),
        ([2.0, -2.0], "passes"),
        ([2.1, 0], "not_finite"),
        ([0, -2.1], "not_finite"),
        ([0, float("nan")], "not_finite"),
        ([0, True], "not_numbers"),
        ([0, "1"], "not_numbers"),
        ([0], "wrong_length"),
        ([0, 0, 0], "wrong_length"),
        ({"0": 0}, "wrong_length"),
    ],
)
def test_numbers_are_taken_up_to_the_largest(value, code):
    assert code_of(floats, value, (2,), "obs", 2.0) == code


def test_a_wrong_number_is_named_by_its_place():
    with pytest.raises(BadMessage, match=r"obs\[1\]\[0\] is 7, expected a number from -2 to 2"):
        floats([[0, 1], [7, 9]], (2, 2), "obs", 2.0)
    assert floats([[1, 2], [3, 4]], (2, 2), "obs").tolist() == [[1, 2], [3, 4]]
    assert floats([], (0,), "obs").shape == (0,)


@pytest.mark.parametrize(
    ("value", "code"), [(3, "passes"), (-3.0, "passes"), (3.1, "not_finite"), (True, "not_numbers")]
)
def test_one_number_is_taken_up_to_the_largest(value, code):
    assert code_of(number, value, "reward", 3.0) == code


@pytest.mark.parametrize(
    ("value", "code"),
    [(0, "passes"), (5, "passes"), (5.0, "passes"), (6, "bad_number"), (-1, "bad_number"),
     (2.5, "bad_number"), (True, "bad_number"), ("3", "bad_number")],
)  # fmt: skip
def test_a_whole_number_lies_within_its_range(value, code):
    assert code_of(parse_int, value, "world", 0, 5) == code
    if code == "passes":
        assert isinstance(parse_int(value, "world", 0, 5), int)


def test_what_is_said_back_is_cut_short():
    fits = "x" * (messages.LONGEST_QUOTE - 2)  # and its two quotation marks
    assert quoted(fits) == repr(fits)
    assert quoted(fits + "y") == repr(fits + "y")[: messages.LONGEST_QUOTE] + "…"


def test_an_error_names_the_step_it_answers_where_there_is_one():
    assert error("bad", "why", 3) == {"type": "error", "code": "bad", "text": "why", "step": 3}
    for step in (None, True, "3", 1.5):
        assert "step" not in error("bad", "why", step)


@pytest.mark.parametrize(
    ("known", "preferred", "chosen"),
    [(["binary", "json"], "json", "json"), (["json"], "binary", "json"), (["binary"], "json", "binary")],
)
def test_the_preferred_encoding_is_used_where_the_game_reads_it(known, preferred, chosen):
    assert encoding_for({"encodings": known}, preferred) == chosen


def test_a_game_that_reads_neither_encoding_is_refused():
    assert encoding_for({}, "binary") == "binary", "who names none reads both"
    for known in (["xml"], "binary"):
        with pytest.raises(Refused, match=r"encodings is|The game reads"):
            encoding_for({"encodings": known}, "binary")


def test_a_hello_may_leave_out_what_it_does_not_know():
    check_hello({"type": "hello", "protocol": 1})
    with pytest.raises(Refused, match="wants mode 'streaming'"):
        check_hello({"type": "hello", "protocol": 1, "mode": "streaming"})


SHAPE = messages.BatchShape.of(load_spec("prospector"), 2)


@pytest.mark.parametrize(
    ("seed", "code"),
    [
        ("0", "passes"), (str(2**64 - 1), "passes"), (str(2**64), "bad_number"), ("-1", "bad_number"),
        ("", "bad_number"), ("1" * 21, "bad_number"), (7, "bad_number"), ("1.5", "bad_number"),
    ],
)  # fmt: skip
def test_a_seed_is_decimal_text_of_64_bits(seed, code):
    command = {"type": "reset", "step": 1, "worlds": [1], "seeds": [seed]}
    assert code_of(game_messages.command_from_json, command, SHAPE) == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, "passes"),
        ({"worlds": [2]}, "bad_number"),
        ({"worlds": [-1]}, "bad_number"),
        ({"seeds": []}, "wrong_length"),
        ({"worlds": 1}, "wrong_length"),
        ({"seeds": "7"}, "wrong_length"),
        ({"type": "leave"}, "unknown_type"),
        ({"step": -1}, "bad_number"),
    ],
)
def test_a_reset_names_worlds_that_there_are_and_a_seed_for_each(change, code):
    command = {"type": "reset", "step": 1, "worlds": [1], "seeds": ["7"]} | change
    assert code_of(game_messages.command_from_json, command, SHAPE) == code


def test_a_step_of_a_discrete_game_takes_whole_numbers():
    for actions, code in (
        ([3, -1], "passes"),
        ([3], "wrong_length"),
        ([3, 1.5], "bad_number"),
        (3, "wrong_length"),
    ):
        command = {"type": "step", "step": 1, "actions": actions}
        assert code_of(game_messages.command_from_json, command, SHAPE) == code


@pytest.mark.parametrize(
    ("ticks", "code"), [(2**31 - 1, "passes"), (2**31, "bad_number"), (-2, "bad_number")]
)
def test_ticks_are_numbers_of_32_bits(ticks, code):
    shape = messages.BatchShape(1, 1, 2, 1, 0, 1, False)
    state = {
        "step": 1, "observations": [[0.0, 0.0]], "rewards": [0.0], "ticks": [ticks], "terminated": [False],
        "truncated": [False], "ended": [],
    }  # fmt: skip
    assert code_of(messages.state_from_json, state, shape) == code


@pytest.mark.parametrize(
    ("action", "code"), [(2**31 - 1, "passes"), (2**31, "bad_number"), (-2, "bad_number")]
)
def test_choices_are_numbers_of_32_bits(action, code):
    shape = messages.BatchShape(1, 1, 2, 1, 5, 1, False)
    command = {"type": "step", "step": 1, "actions": [action]}
    assert code_of(game_messages.command_from_json, command, shape) == code
