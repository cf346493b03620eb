"""The game's half of the lock-step messages: states out, commands in. The trainer's is sandlot.bridge."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sandlot.bridge import messages, wire
from sandlot.errors import BadMessage


def state_to_json(state: wire.State) -> dict[str, Any]:
    """A state as a message."""
    ended = [
        {"world": int(w), "final_observations": last.tolist(), "episode": sums.tolist()}
        for w, last, sums in zip(state.ended, state.final_observations, state.episodes, strict=True)
    ]
    made = {
        "type": "state",
        "step": state.step,
        "observations": state.observations.tolist(),
        "rewards": state.rewards.tolist(),
        "ticks": state.ticks.tolist(),
        "terminated": (state.terminated != 0).tolist(),
        "truncated": (state.truncated != 0).tolist(),
        "ended": ended,
    }
    return made if state.masks is None else made | {"masks": state.masks.tolist()}


def command_from_json(message: Mapping[str, Any], shape: wire.BatchShape) -> wire.Step | wire.Reset:
    """What a game reads: a step or a reset."""
    step = messages.parse_int(message.get("step"), "step")
    if message["type"] == "step":
        given = message.get("actions")
        if shape.action_count:
            return wire.Step(step, messages.integers(given, shape.rows, "actions", 2**31 - 1))
        return wire.Step(step, messages.floats(given, (shape.rows, shape.action_size), "actions"))
    if message["type"] != "reset":
        raise BadMessage(
            f"{messages.quoted(message['type'])} is no command; expected step or reset.", "unknown_type"
        )
    worlds, seeds = message.get("worlds"), message.get("seeds")
    if not isinstance(worlds, list) or not isinstance(seeds, list) or len(worlds) != len(seeds):
        raise BadMessage("A reset names worlds and one seed for each of them.", "wrong_length")
    indices = np.array([messages.parse_int(w, "world", 0, shape.worlds - 1) for w in worlds], np.int32)
    return wire.Reset(step, indices, np.array([_seed(seed) for seed in seeds], np.uint64))


def _seed(text: Any) -> int:
    if not isinstance(text, str) or not text.isdecimal() or len(text) > 20 or int(text) >= 1 << 64:
        raise BadMessage(
            f"A seed is decimal text from 0 to 2**64 - 1, not {messages.quoted(text)}.", "bad_number"
        )
    return int(text)


def state_to_bytes(state: wire.State) -> bytes:
    """A state as one frame."""
    flags = state.terminated.astype(np.uint8).tobytes() + state.truncated.astype(np.uint8).tobytes()
    masks = b"" if state.masks is None else state.masks.astype(np.uint8).tobytes()
    parts = [
        state.observations.astype("<f4").tobytes(),
        state.rewards.astype("<f4").tobytes(),
        state.ticks.astype("<i4").tobytes(),
        _padded(flags),
        _padded(masks),
        state.ended.astype("<i4").tobytes(),
        state.final_observations.astype("<f4").tobytes(),
        state.episodes.astype("<f4").tobytes(),
    ]
    return wire.frame(wire.STATE, state.step, len(state.ended), parts)


def _padded(data: bytes) -> bytes:
    """Up to the next multiple of four, so that every float that follows is aligned."""
    return data + bytes(-len(data) % 4)


def command_from_bytes(data: bytes, shape: wire.BatchShape) -> wire.Step | wire.Reset:
    """What a game reads: a step or a reset."""
    kind, step, count = wire.read_head(data)
    payload = len(data) - wire.HEAD.size
    if kind == wire.STEP:
        wanted = 4 * int(np.prod(shape.action_shape))
        if payload != wanted:
            raise BadMessage(f"A step has {payload} bytes of actions, expected {wanted}.", "wrong_length")
        return wire.Step(
            step, wire.Reader(data).take("<i4" if shape.action_count else "<f4", *shape.action_shape)
        )
    if kind != wire.RESET:
        raise BadMessage(f"Kind {kind} is no command.", "unknown_type")
    if count > shape.worlds or payload != 12 * count:
        raise BadMessage(f"A reset of {count} worlds has {payload} bytes, not {12 * count}.", "wrong_length")
    reader = wire.Reader(data)
    return wire.Reset(step, reader.take("<i4", count), reader.take("<u8", count))
