"""Binary frames: a head of 24 bytes, then arrays one after the other, little-endian. No sockets here.

    0   "SLW1"                      16  u32  how many: worlds that ended, or worlds to reset
    4   u8   kind                   20  u32  0
    5   3 x 0                       24  the arrays of this kind, in the order of its dataclass
    8   i64  step

godot/addons/sandlot/link_wire.gd is the other end; tests/golden/messages hold the two together.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import BadMessage
from ..games import Spec

MAGIC = b"SLW1"
HEAD = struct.Struct("<4sB3xqII")
STATE, STEP, RESET = 1, 2, 3


@dataclass(frozen=True)
class Shape:
    """How long everything is: agreed on at hello, then never sent again."""

    worlds: int
    agents: int
    observation_size: int
    action_size: int  # floats an agent; of no meaning for a discrete game
    action_count: int  # choices of a discrete game; 0 for a continuous one
    episode_size: int
    masked: bool

    @classmethod
    def of(cls, spec: Spec, worlds: int) -> Shape:
        sizes = (spec.observation_size, spec.action_size, spec.action_count)
        return cls(worlds, spec.agents, *sizes, spec.json["shape"]["episode"], spec.masked)

    @property
    def rows(self) -> int:
        return self.worlds * self.agents

    @property
    def action_shape(self) -> tuple[int, ...]:
        return (self.rows,) if self.action_count else (self.rows, self.action_size)


@dataclass(frozen=True)
class State:
    """What every world shows after a step. Worlds that ended have begun anew; their end is kept aside."""

    step: int
    observations: np.ndarray  # float32 [rows, D]
    rewards: np.ndarray  # float32 [rows]
    ticks: np.ndarray  # int32 [worlds]
    terminated: np.ndarray  # uint8 [rows]
    truncated: np.ndarray  # uint8 [rows]
    masks: np.ndarray | None  # uint8 [rows, A]
    ended: np.ndarray  # int32 [E] worlds
    final_observations: np.ndarray  # float32 [E, agents, D]
    episodes: np.ndarray  # float32 [E, episode]


@dataclass(frozen=True)
class Step:
    step: int
    actions: np.ndarray  # float32 [rows, size] or int32 [rows]


@dataclass(frozen=True)
class Reset:
    step: int
    worlds: np.ndarray  # int32 [N]
    seeds: np.ndarray  # uint64 [N]


def _frame(kind: int, step: int, count: int, parts: Sequence[Any]) -> bytes:
    return b"".join([HEAD.pack(MAGIC, kind, step, count, 0), *(bytes(p) for p in parts)])


def step_to_bytes(told: Step) -> bytes:
    return _frame(STEP, told.step, 0, [told.actions.tobytes()])


def reset_to_bytes(told: Reset) -> bytes:
    worlds = told.worlds.astype("<i4").tobytes()
    return _frame(RESET, told.step, len(told.worlds), [worlds, told.seeds.astype("<u8").tobytes()])


def state_to_bytes(told: State) -> bytes:
    flags = told.terminated.astype(np.uint8).tobytes() + told.truncated.astype(np.uint8).tobytes()
    masks = b"" if told.masks is None else told.masks.astype(np.uint8).tobytes()
    parts = [
        told.observations.astype("<f4").tobytes(),
        told.rewards.astype("<f4").tobytes(),
        told.ticks.astype("<i4").tobytes(),
        _padded(flags),
        _padded(masks),
        told.ended.astype("<i4").tobytes(),
        told.final_observations.astype("<f4").tobytes(),
        told.episodes.astype("<f4").tobytes(),
    ]
    return _frame(STATE, told.step, len(told.ended), parts)


def _padded(data: bytes) -> bytes:
    """Up to the next multiple of four, so that every float that follows is aligned."""
    return data + bytes(-len(data) % 4)


def _head(data: bytes) -> tuple[int, int, int]:
    if len(data) < HEAD.size or data[:4] != MAGIC:
        raise BadMessage(f"A binary frame begins with SLW1 and a head of {HEAD.size} bytes.", "bad_frame")
    _, kind, step, count, _ = HEAD.unpack_from(data)
    return kind, step, count


class _Reader:
    """Takes arrays off a frame one after the other; they are views of it."""

    def __init__(self, data: bytes):
        self.data, self.at = data, HEAD.size

    def take(self, kind: str, *shape: int) -> np.ndarray:
        count = int(np.prod(shape))
        array = np.frombuffer(self.data, kind, count, self.at)
        self.at += array.nbytes
        return array.reshape(shape)

    def pad(self) -> None:
        self.at += -(self.at - HEAD.size) % 4


def state_from_bytes(data: bytes, shape: Shape) -> State:
    kind, step, count = _head(data)
    if kind != STATE:
        raise BadMessage(f"Expected a state (kind {STATE}), got kind {kind}.", "unknown_type")
    _check_length(data, shape, count)
    rows, wide, reader = shape.rows, shape.observation_size, _Reader(data)
    observations, rewards = reader.take("<f4", rows, wide), reader.take("<f4", rows)
    ticks = reader.take("<i4", shape.worlds)
    terminated, truncated = reader.take("u1", rows), reader.take("u1", rows)
    reader.pad()
    masks = reader.take("u1", rows, shape.action_count) if shape.masked else None
    reader.pad()
    told = State(
        step,
        observations,
        rewards,
        ticks,
        terminated,
        truncated,
        masks,
        reader.take("<i4", count),
        reader.take("<f4", count, shape.agents, wide),
        reader.take("<f4", count, shape.episode_size),
    )
    _check_numbers(told, shape)
    return told


def _check_length(data: bytes, shape: Shape, count: int) -> None:
    if count > shape.worlds:
        raise BadMessage(f"{count} worlds ended of {shape.worlds}.", "wrong_length")
    rows, wide = shape.rows, shape.observation_size
    flags = 2 * rows + -2 * rows % 4
    masks = rows * shape.action_count if shape.masked else 0
    fixed = 4 * rows * (wide + 1) + 4 * shape.worlds + flags + masks + -masks % 4
    wanted = HEAD.size + fixed + 4 * count * (1 + shape.agents * wide + shape.episode_size)
    if len(data) != wanted:
        raise BadMessage(
            f"A state of {shape.worlds} worlds of which {count} ended has {wanted} bytes, not {len(data)}.",
            "wrong_length",
        )


def _check_numbers(told: State, shape: Shape) -> None:
    for name in ("observations", "rewards", "final_observations", "episodes"):
        array = getattr(told, name)
        if not np.isfinite(array).all():
            place = np.argwhere(~np.isfinite(array))[0].tolist()
            raise BadMessage(f"{name}{place} is NaN or infinite.", "not_finite")
    if len(told.ended) and not (told.ended.min() >= 0 and told.ended.max() < shape.worlds):
        raise BadMessage(f"ended names a world outside 0..{shape.worlds - 1}.", "bad_number")
    if len(np.unique(told.ended)) != len(told.ended):
        raise BadMessage("ended names one world twice.", "bad_number")


def command_from_bytes(data: bytes, shape: Shape) -> Step | Reset:
    """What a game reads: a step or a reset."""
    kind, step, count = _head(data)
    payload = len(data) - HEAD.size
    if kind == STEP:
        wanted = 4 * int(np.prod(shape.action_shape))
        if payload != wanted:
            raise BadMessage(f"A step has {payload} bytes of actions, expected {wanted}.", "wrong_length")
        return Step(step, _Reader(data).take("<i4" if shape.action_count else "<f4", *shape.action_shape))
    if kind != RESET:
        raise BadMessage(f"Kind {kind} is no command.", "unknown_type")
    if count > shape.worlds or payload != 12 * count:
        raise BadMessage(f"A reset of {count} worlds has {payload} bytes, not {12 * count}.", "wrong_length")
    reader = _Reader(data)
    return Reset(step, reader.take("<i4", count), reader.take("<u8", count))
