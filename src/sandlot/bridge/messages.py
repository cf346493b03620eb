"""Messages as JSON: reading and checking them, hello and welcome. No sockets here.

Nothing that a peer sends is trusted: the length of a text is checked before it is parsed, so is the length of
every array, every number must be finite and within its bounds, and quotations in replies are short.
"""

import hmac
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadMessage, Refused
from ..version import __version__
from .limits import LARGEST_STEP_REWARD
from .wire import BatchShape, Reset, State, Step

if TYPE_CHECKING:  # needs pydantic, which the server of random actions does without
    from ..spec import Spec

PROTOCOL = 1
LOCKSTEP, STREAMING = "lockstep", "streaming"
BINARY, JSON = "binary", "json"
DEFAULT_PORT = 8765
LONGEST_MESSAGE = 64 << 20  # bytes; 262 agents x 156 floats x 4 bytes are 160 kB, so this is ample
LONGEST_TEXT = 8 << 20  # characters of JSON: parsing costs thirty times its size in memory
DEEPEST = 32  # nested brackets; no message of ours has more than four
MOST_DIGITS = 20  # of a whole number: seeds have as many
LONGEST_QUOTE = 80  # characters of a peer's message that a reply quotes
FLOAT32_MAX = float(np.finfo(np.float32).max)

_ESCAPE, _STRING = re.compile(r"\\.", re.DOTALL), re.compile(r'"[^"]*"')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read(text: str) -> dict[str, Any]:
    """A JSON message: an object with a type. Anything else is a BadMessage that says what it was."""
    if len(text) > LONGEST_TEXT:
        raise BadMessage(
            f"A JSON message of {len(text):,} characters; at most {LONGEST_TEXT:,}. "
            "Send fewer rows, or binary frames.",
            "too_large",
        )
    _check_depth(text)
    try:
        message = json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer)
        if _SURROGATE.search(text):
            json.dumps(message, ensure_ascii=False).encode()  # half a pair cannot be encoded
    except UnicodeEncodeError:
        raise BadMessage("This is no JSON: its text holds half of a surrogate pair.", "bad_json") from None
    except ValueError as problem:
        raise BadMessage(f"This is no JSON: {problem}.", "bad_json") from None
    if not isinstance(message, dict):
        raise BadMessage(
            f"A message is a JSON object, not {_kind(message)}. For example "
            '{"type": "act_batch", "obs": {"Agent1": [...]}}.',
            "not_an_object",
        )
    if not isinstance(message.get("type"), str):
        raise BadMessage(f"A message has a type, which is text, not {_kind(message.get('type'))}.", "no_type")
    return message


def _check_depth(text: str) -> None:
    """Before parsing, and in time that grows with the length only."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    bare = _STRING.sub("", _ESCAPE.sub("", text)).encode()
    letters = np.frombuffer(bare, np.uint8)
    steps = np.isin(letters, (ord("["), ord("{"))).astype(np.int8)
    steps -= np.isin(letters, (ord("]"), ord("}"))).astype(np.int8)
    if letters.size and np.cumsum(steps, dtype=np.int32).max() > DEEPEST:
        raise BadMessage(f"JSON with more than {DEEPEST} brackets within brackets.", "bad_json")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {quoted(digits)} is too large")
    return value


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a whole number of {len(digits)} digits; at most {MOST_DIGITS}")
    return int(digits)


def quoted(value: Any) -> str:
    """A value of a peer's message for a reply: never longer than a line."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def write(message: Mapping[str, Any]) -> str:
    """A message as compact JSON."""
    return json.dumps(message, allow_nan=False, separators=(",", ":"))


def error(code: str, text: str, step: Any = None) -> dict[str, Any]:
    """An error reply; `step` is that of the message it answers, where it had one."""
    message: dict[str, Any] = {"type": "error", "code": code, "text": text}
    if isinstance(step, int) and not isinstance(step, bool):
        message["step"] = step
    return message


def floats(value: Any, shape: tuple[int, ...], what: str, largest: float = FLOAT32_MAX) -> np.ndarray:
    """A list (of lists) of finite numbers as float32, or a BadMessage that names the first bad one."""
    _check_lengths(value, shape, what)
    try:
        array = np.asarray(value, np.float64)
    except (ValueError, TypeError, OverflowError):
        raise BadMessage(f"{what} holds something that is not a number.", "not_numbers") from None
    if array.size and not np.abs(array).max() <= largest:
        where = np.argwhere(~(np.abs(array) <= largest))[0]
        found, bounds = f"{array[tuple(where)]:g}", f"{-largest:g} to {largest:g}"
        raise BadMessage(f"{what}{_place(where)} is {found}, expected a number from {bounds}.", "not_finite")
    return array.astype(np.float32).reshape(shape)


def _place(where: np.ndarray) -> str:
    return "".join(f"[{i}]" for i in where)


def number(value: Any, what: str, largest: float = FLOAT32_MAX) -> float:
    """One finite number."""
    _check_number(value, what)
    if not abs(value) <= largest:
        limits = f"{-largest:g} to {largest:g}"
        raise BadMessage(f"{what} is {quoted(value)}, expected a number from {limits}.", "not_finite")
    return float(value)


def _check_lengths(value: Any, shape: tuple[int, ...], what: str) -> None:
    if not isinstance(value, list):
        raise BadMessage(f"{what} is {_kind(value)}, expected a list of {shape[0]}.", "wrong_length")
    if len(value) != shape[0]:
        raise BadMessage(f"{what} has {len(value)} entries, expected {shape[0]}.", "wrong_length")
    if len(shape) > 1:
        for i, part in enumerate(value):
            _check_lengths(part, shape[1:], f"{what}[{i}]")
        return
    for i, number in enumerate(value):
        _check_number(number, f"{what}[{i}]")
        if isinstance(number, float) and not math.isfinite(number):
            raise BadMessage(f"{what}[{i}] is {number}, expected a finite number.", "not_finite")


def _check_number(value: Any, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadMessage(f"{what} is {_kind(value)}, expected a number.", "not_numbers")


def parse_int(value: Any, what: str, low: int = 0, high: int = 2**53) -> int:
    """A whole number within a range, also where it is written as 3.0; BadMessage for anything else."""
    if isinstance(value, float) and value.is_integer():  # Godot writes whole numbers as 3.0
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        bounds = f"a whole number from {low} to {high}"
        raise BadMessage(f"{what} is {quoted(value)}, expected {bounds}.", "bad_number")
    return value


# ---------------------------------------------------------------- hello and welcome


def same_token(shown: Any, token: str) -> bool:
    """Whether a token is the expected one, compared in constant time."""
    return isinstance(shown, str) and hmac.compare_digest(
        shown.encode(errors="replace"), token.encode(errors="replace")
    )


def check_hello(hello: Mapping[str, Any], token: str | None = None) -> None:
    """Refused where the hello is none, or is of another protocol, or has a wrong token."""
    if hello.get("type") != "hello":
        raise Refused(f"The first message is hello, not {quoted(hello.get('type'))}.")
    if token is not None and not same_token(hello.get("token"), token):
        raise Refused("The token is missing or wrong. Start the game with the SANDLOT_TOKEN of this trainer.")
    if hello.get("protocol") != PROTOCOL:
        raise Refused(
            f"The game speaks protocol {quoted(hello.get('protocol'))}, this Sandlot {PROTOCOL}. "
            "Use addons/sandlot and sandlot of the same release."
        )
    mode = hello.get("mode", LOCKSTEP)
    if mode != LOCKSTEP:
        raise Refused(f"The game wants mode {quoted(mode)}, this trainer plays in {LOCKSTEP}.")


def check_same_game(hello: Mapping[str, Any], spec: "Spec") -> None:
    """Refused, naming both sides, where the game's rules or sizes are not the trainer's."""
    ours = {
        "game": spec.game,
        "game_version": spec.version,
        "spec_hash": spec.hash,
        "observation_size": spec.observation_size,
        "action_size": spec.action_size,
    }
    for name, wanted in ours.items():
        if name in hello and hello[name] != wanted:
            raise Refused(
                f"The game says {name} = {quoted(hello[name])}, this trainer has {wanted!r}. "
                "Use a scene and a Sandlot of the same release, with the same settings."
            )


def encoding_for(hello: Mapping[str, Any], preferred: str) -> str:
    """The encoding to use: the preferred one if the game reads it, else one that it does; Refused if none."""
    known = hello.get("encodings", [BINARY, JSON])
    if not isinstance(known, list):
        raise Refused(f"encodings is {quoted(known)}, expected a list of {BINARY} and {JSON}.")
    for encoding in (preferred, BINARY, JSON):
        if encoding in known:
            return encoding
    raise Refused(f"The game reads {quoted(known)}, this trainer writes {BINARY} or {JSON}.")


def welcome(
    spec: "Spec", worlds: int, mode: str = LOCKSTEP, encoding: str = BINARY, **more: Any
) -> dict[str, Any]:
    """Everything a scene needs to build its arenas."""
    return {
        "type": "welcome",
        "protocol": PROTOCOL,
        "sandlot": __version__,
        "mode": mode,
        "encoding": encoding,
        "game": spec.game,
        "game_version": spec.version,
        "roles": list(spec.roles),
        **asdict(BatchShape.of(spec, worlds)),
        "spec_hash": spec.hash,
        "profile": spec.profile,
        "config": spec.config,
        "spec": spec.json,
        **more,
    }


# ---------------------------------------------------------------- lock-step as JSON


def step_to_json(command: Step) -> dict[str, Any]:
    """A step command as a message."""
    return {"type": "step", "step": command.step, "actions": command.actions.tolist()}


def reset_to_json(command: Reset) -> dict[str, Any]:
    """Seeds travel as decimal text: they have 64 bits, a JSON number is safe up to 53."""
    seeds = [str(int(seed)) for seed in command.seeds]
    return {"type": "reset", "step": command.step, "worlds": command.worlds.tolist(), "seeds": seeds}


def state_from_json(message: Mapping[str, Any], shape: BatchShape) -> State:
    """A state from a message; BadMessage names the first array that does not fit."""
    rows, wide = shape.rows, shape.observation_size
    ended = message.get("ended", [])
    if not isinstance(ended, list) or not all(isinstance(e, dict) for e in ended):
        raise BadMessage("ended is a list of objects with world, final_observations and episode.")
    finals = [floats(e.get("final_observations"), (shape.agents, wide), "final_observations") for e in ended]
    sums = [floats(e.get("episode"), (shape.episode_size,), "episode") for e in ended]
    return State(
        parse_int(message.get("step"), "step"),
        floats(message.get("observations"), (rows, wide), "observations"),
        floats(message.get("rewards"), (rows,), "rewards", LARGEST_STEP_REWARD),
        integers(message.get("ticks"), shape.worlds, "ticks", 2**31 - 1),
        _flags(message.get("terminated"), rows, "terminated"),
        _flags(message.get("truncated"), rows, "truncated"),
        _masks(message.get("masks"), shape),
        np.array([parse_int(e.get("world"), "ended world", 0, shape.worlds - 1) for e in ended], np.int32),
        np.array(finals, np.float32).reshape(len(ended), shape.agents, wide),
        np.array(sums, np.float32).reshape(len(ended), shape.episode_size),
    )


def integers(value: Any, count: int, what: str, most: int) -> np.ndarray:
    """A list of whole numbers from -1 to `most` as int32."""
    if not isinstance(value, list) or len(value) != count:
        raise BadMessage(f"{what} must be a list of {count} whole numbers.", "wrong_length")
    return np.array([parse_int(v, what, -1, most) for v in value], np.int32)


def _flags(value: Any, count: int, what: str) -> np.ndarray:
    if not isinstance(value, list) or len(value) != count or not all(v in (0, 1) for v in value):
        raise BadMessage(f"{what} must be a list of {count} times true or false.", "wrong_length")
    return np.array(value, np.uint8)


def _masks(value: Any, shape: BatchShape) -> np.ndarray | None:
    if not shape.masked:
        return None
    if not isinstance(value, Sequence) or len(value) != shape.rows:
        raise BadMessage(f"masks must be {shape.rows} lists of 0 and 1.", "wrong_length")
    return np.stack([_flags(row, shape.action_count, "masks") for row in value])
