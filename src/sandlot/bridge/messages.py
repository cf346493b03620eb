"""What may be said over the socket, as JSON: reading it, checking it, hello and welcome. No sockets here.

Numbers that a peer sends are never trusted: every array is measured and every float must be finite.
"""

from __future__ import annotations

import hmac
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import BadMessage, Refused
from ..games import Spec
from ..version import __version__
from .wire import Reset, Shape, State, Step

PROTOCOL = 1
LOCKSTEP, STREAMING = "lockstep", "streaming"
BINARY, JSON = "binary", "json"
DEFAULT_PORT = 8765
LONGEST_MESSAGE = 64 << 20  # bytes; 262 agents x 156 floats x 4 bytes are 160 kB, so this is ample
LONGEST_TEXT = 8 << 20  # characters of JSON: parsing costs thirty times its size in memory
DEEPEST = 32  # brackets within brackets; no message of ours has more than four


def read(text: str) -> dict[str, Any]:
    """A JSON message: an object with a type. Anything else is a BadMessage that says what it was."""
    if len(text) > LONGEST_TEXT:
        raise BadMessage(
            f"A JSON message of {len(text):,} characters; at most {LONGEST_TEXT:,}. "
            "Send fewer rows, or binary frames.",
            "too_large",
        )
    try:
        told = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise BadMessage("JSON with too many brackets within brackets.", "bad_json") from None
    except ValueError as problem:
        raise BadMessage(f"This is no JSON: {problem}.", "bad_json") from None
    if not isinstance(told, dict):
        raise BadMessage(
            f"A message is a JSON object, not {_kind(told)}. For example "
            '{"type": "act_batch", "obs": {"Agent1": [...]}}.',
            "not_an_object",
        )
    if not isinstance(told.get("type"), str):
        raise BadMessage(f"A message has a type, which is text, not {_kind(told.get('type'))}.", "no_type")
    return told


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def write(told: Mapping[str, Any]) -> str:
    return json.dumps(told, allow_nan=False, separators=(",", ":"))


def error(code: str, text: str, step: Any = None) -> dict[str, Any]:
    """An error reply; `step` is that of the message it answers, where it had one."""
    told: dict[str, Any] = {"type": "error", "code": code, "text": text}
    if isinstance(step, int) and not isinstance(step, bool):
        told["step"] = step
    return told


def floats(value: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """A list (of lists) of finite numbers as float32, or a BadMessage that names the first wrong one."""
    _check_lengths(value, shape, what)
    try:
        array = np.asarray(value, np.float64)
    except (ValueError, TypeError):
        raise BadMessage(f"{what} holds something that is no number.", "not_numbers") from None
    if array.size and not np.abs(array).max() <= np.finfo(np.float32).max:
        raise BadMessage(f"{what} holds NaN, infinity or a number beyond 3e38.", "not_finite")
    return array.astype(np.float32).reshape(shape)


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
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise BadMessage(f"{what}[{i}] is {_kind(number)}, expected a number.", "not_numbers")
        if isinstance(number, float) and not math.isfinite(number):
            raise BadMessage(f"{what}[{i}] is {number}, expected a finite number.", "not_finite")


def whole(value: Any, what: str, low: int = 0, high: int = 2**53) -> int:
    if isinstance(value, float) and value.is_integer():  # Godot writes whole numbers as 3.0
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadMessage(f"{what} is {value!r}, expected a whole number from {low} to {high}.", "bad_number")
    return value


# ---------------------------------------------------------------- hello and welcome


def check_hello(told: Mapping[str, Any], spec: Spec, token: str | None = None) -> None:
    """Whether this game may be played with; a Refused names both sides of what does not fit."""
    if told.get("type") != "hello":
        raise Refused(f"The first message is hello, not {told.get('type')!r}.")
    if token is not None and not hmac.compare_digest(str(told.get("token", "")).encode(), token.encode()):
        raise Refused("The token is missing or wrong. Start the game with the SANDLOT_TOKEN of this trainer.")
    if told.get("protocol") != PROTOCOL:
        raise Refused(
            f"The game speaks protocol {told.get('protocol')!r}, this Sandlot {PROTOCOL}. "
            "Use addons/sandlot and sandlot of the same release."
        )
    ours = {
        "game": spec.game,
        "game_version": spec.version,
        "spec_hash": spec.hash,
        "observation_size": spec.observation_size,
        "action_size": spec.action_size,
    }
    for name, wanted in ours.items():
        if name in told and told[name] != wanted:
            raise Refused(
                f"The game says {name} = {told[name]!r}, this trainer has {wanted!r}. "
                "Use a scene and a Sandlot of the same release, with the same settings."
            )


def welcome(
    spec: Spec, worlds: int, mode: str = LOCKSTEP, encoding: str = BINARY, **more: Any
) -> dict[str, Any]:
    """Everything a scene needs to build its arenas."""
    shape = Shape.of(spec, worlds)
    return {
        "type": "welcome",
        "protocol": PROTOCOL,
        "sandlot": __version__,
        "mode": mode,
        "encoding": encoding,
        "game": spec.game,
        "worlds": worlds,
        "agents": spec.agents,
        "roles": list(spec.roles),
        "observation_size": shape.observation_size,
        "action_size": shape.action_size,
        "action_count": shape.action_count,
        "episode_size": shape.episode_size,
        "masked": shape.masked,
        "spec_hash": spec.hash,
        "profile": spec.profile,
        "config": spec.config,
        "spec": spec.json,
        **more,
    }


# ---------------------------------------------------------------- lock-step as JSON


def step_to_json(told: Step) -> dict[str, Any]:
    return {"type": "step", "step": told.step, "actions": told.actions.tolist()}


def reset_to_json(told: Reset) -> dict[str, Any]:
    """Seeds travel as decimal text: they have 64 bits, a JSON number is safe up to 53."""
    seeds = [str(int(seed)) for seed in told.seeds]
    return {"type": "reset", "step": told.step, "worlds": told.worlds.tolist(), "seeds": seeds}


def state_to_json(told: State) -> dict[str, Any]:
    ended = [
        {"world": int(w), "final_observations": last.tolist(), "episode": sums.tolist()}
        for w, last, sums in zip(told.ended, told.final_observations, told.episodes, strict=True)
    ]
    made = {
        "type": "state",
        "step": told.step,
        "observations": told.observations.tolist(),
        "rewards": told.rewards.tolist(),
        "ticks": told.ticks.tolist(),
        "terminated": (told.terminated != 0).tolist(),
        "truncated": (told.truncated != 0).tolist(),
        "ended": ended,
    }
    return made if told.masks is None else made | {"masks": told.masks.tolist()}


def state_from_json(told: Mapping[str, Any], shape: Shape) -> State:
    rows, wide = shape.rows, shape.observation_size
    ended = told.get("ended", [])
    if not isinstance(ended, list) or not all(isinstance(e, dict) for e in ended):
        raise BadMessage("ended is a list of objects with world, final_observations and episode.")
    finals = [floats(e.get("final_observations"), (shape.agents, wide), "final_observations") for e in ended]
    sums = [floats(e.get("episode"), (shape.episode_size,), "episode") for e in ended]
    return State(
        whole(told.get("step"), "step"),
        floats(told.get("observations"), (rows, wide), "observations"),
        floats(told.get("rewards"), (rows,), "rewards"),
        _integers(told.get("ticks"), shape.worlds, "ticks", 2**31 - 1),
        _flags(told.get("terminated"), rows, "terminated"),
        _flags(told.get("truncated"), rows, "truncated"),
        _masks(told.get("masks"), shape),
        np.array([whole(e.get("world"), "ended world", 0, shape.worlds - 1) for e in ended], np.int32),
        np.array(finals, np.float32).reshape(len(ended), shape.agents, wide),
        np.array(sums, np.float32).reshape(len(ended), shape.episode_size),
    )


def command_from_json(told: Mapping[str, Any], shape: Shape) -> Step | Reset:
    """What a game reads: a step or a reset."""
    step = whole(told.get("step"), "step")
    if told["type"] == "step":
        given = told.get("actions")
        if shape.action_count:
            return Step(step, _integers(given, shape.rows, "actions", 2**31 - 1))
        return Step(step, floats(given, (shape.rows, shape.action_size), "actions"))
    if told["type"] != "reset":
        raise BadMessage(f"{told['type']!r} is no command; expected step or reset.", "unknown_type")
    worlds, seeds = told.get("worlds"), told.get("seeds")
    if not isinstance(worlds, list) or not isinstance(seeds, list) or len(worlds) != len(seeds):
        raise BadMessage("A reset names worlds and one seed for each of them.", "wrong_length")
    indices = np.array([whole(w, "world", 0, shape.worlds - 1) for w in worlds], np.int32)
    return Reset(step, indices, np.array([_seed(seed) for seed in seeds], np.uint64))


def _seed(text: Any) -> int:
    if not isinstance(text, str) or not text.isdecimal() or len(text) > 20 or int(text) >= 1 << 64:
        raise BadMessage(f"A seed is decimal text from 0 to 2**64 - 1, not {text!r}.", "bad_number")
    return int(text)


def _integers(value: Any, count: int, what: str, most: int) -> np.ndarray:
    if not isinstance(value, list) or len(value) != count:
        raise BadMessage(f"{what} must be a list of {count} whole numbers.", "wrong_length")
    return np.array([whole(v, what, -1, most) for v in value], np.int32)


def _flags(value: Any, count: int, what: str) -> np.ndarray:
    if not isinstance(value, list) or len(value) != count or not all(v in (0, 1) for v in value):
        raise BadMessage(f"{what} must be a list of {count} times true or false.", "wrong_length")
    return np.array(value, np.uint8)


def _masks(value: Any, shape: Shape) -> np.ndarray | None:
    if not shape.masked:
        return None
    if not isinstance(value, Sequence) or len(value) != shape.rows:
        raise BadMessage(f"masks must be {shape.rows} lists of 0 and 1.", "wrong_length")
    return np.stack([_flags(row, shape.action_count, "masks") for row in value])
