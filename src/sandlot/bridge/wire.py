"""Binary frames: a header of 24 bytes, then arrays one after the other, little-endian. No sockets here.

    0   "SLW1"                      16  u32  how many: worlds that ended, or worlds to reset
    4   u8   kind                   20  u32  0
    5   3 x 0                       24  the arrays of this kind, in the order of its dataclass
    8   i64  step

godot/addons/sandlot/link_wire.gd is the other end; tests/golden/messages hold the two together.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BadMessage
from .limits import LARGEST_STEP_REWARD

if TYPE_CHECKING:  # needs pydantic, which the server of random actions does without
    from ..spec import Spec

MAGIC = b"SLW1"
HEAD = struct.Struct("<4sB3xqII")
STATE, STEP, RESET = 1, 2, 3


class NotFinite(BadMessage):
    """A number of a state is NaN or infinite, or a reward too large; `array` and `place` say which."""

    def __init__(self, array: str, place: list[int], value: float):
        self.array, self.place = array, place
        self.reason = "NaN or infinity"
        if np.isfinite(value):
            self.reason = f"{value:g}, beyond ±{LARGEST_STEP_REWARD:,.0f}"
        super().__init__(f"{array}{place} is {self.reason}.", "not_finite")


@dataclass(frozen=True)
class BatchShape:
    """The sizes of all arrays: agreed on in the welcome, then never sent again."""

    worlds: int
    agents: int
    observation_size: int
    action_size: int  # floats per agent; of no meaning for a discrete game
    action_count: int  # choices of a discrete game; 0 for a continuous one
    episode_size: int
    masked: bool

    @classmethod
    def of(cls, spec: "Spec", worlds: int) -> "BatchShape":
        """The sizes of a game with so many worlds."""
        sizes = (spec.observation_size, spec.action_size, spec.action_count)
        return cls(worlds, spec.agents, *sizes, spec.shape.episode, spec.masked)

    @property
    def rows(self) -> int:
        """Worlds times agents."""
        return self.worlds * self.agents

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Of the array of actions: [rows] for a discrete game, else [rows, action_size]."""
        return (self.rows,) if self.action_count else (self.rows, self.action_size)


@dataclass(frozen=True)
class State:
    """All worlds after a step. Those that ended show the next episode; their last observations are kept."""

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
    """A command: play one step with these actions."""

    step: int
    actions: np.ndarray  # float32 [rows, size] or int32 [rows]


@dataclass(frozen=True)
class Reset:
    """A command: begin new episodes in these worlds."""

    step: int
    worlds: np.ndarray  # int32 [N]
    seeds: np.ndarray  # uint64 [N]


def frame(kind: int, step: int, count: int, parts: Sequence[Any]) -> bytes:
    """A header and the bytes of the arrays."""
    return b"".join([HEAD.pack(MAGIC, kind, step, count, 0), *(bytes(p) for p in parts)])


def step_to_bytes(command: Step) -> bytes:
    """A step command as one frame."""
    return frame(STEP, command.step, 0, [command.actions.tobytes()])


def reset_to_bytes(command: Reset) -> bytes:
    """A reset command as one frame."""
    worlds = command.worlds.astype("<i4").tobytes()
    return frame(RESET, command.step, len(command.worlds), [worlds, command.seeds.astype("<u8").tobytes()])


def read_head(data: bytes) -> tuple[int, int, int]:
    """Kind, step and count of a frame; BadMessage where it has no such header."""
    if len(data) < HEAD.size or data[:4] != MAGIC:
        raise BadMessage(f"A binary frame begins with SLW1 and a header of {HEAD.size} bytes.", "bad_frame")
    _, kind, step, count, _ = HEAD.unpack_from(data)
    return kind, step, count


class Reader:
    """Takes arrays off a frame one after the other; they are views of it."""

    def __init__(self, data: bytes):
        self.data, self.at = data, HEAD.size

    def take(self, kind: str, *shape: int) -> np.ndarray:
        """The next array, of this dtype and shape."""
        count = int(np.prod(shape))
        array = np.frombuffer(self.data, kind, count, self.at)
        self.at += array.nbytes
        return array.reshape(shape)

    def pad(self) -> None:
        """Skip to the next multiple of four."""
        self.at += -(self.at - HEAD.size) % 4


def state_from_bytes(data: bytes, shape: BatchShape) -> State:
    """A state from a frame; BadMessage where its length or a number is not as it should be."""
    kind, step, count = read_head(data)
    if kind != STATE:
        raise BadMessage(f"Expected a state (kind {STATE}), got kind {kind}.", "unknown_type")
    _check_length(data, shape, count)
    rows, wide, reader = shape.rows, shape.observation_size, Reader(data)
    observations, rewards = reader.take("<f4", rows, wide), reader.take("<f4", rows)
    ticks = reader.take("<i4", shape.worlds)
    terminated, truncated = reader.take("u1", rows), reader.take("u1", rows)
    reader.pad()
    masks = reader.take("u1", rows, shape.action_count) if shape.masked else None
    reader.pad()
    state = State(
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
    _check_numbers(state, shape)
    return state


def _check_length(data: bytes, shape: BatchShape, count: int) -> None:
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


def _check_numbers(state: State, shape: BatchShape) -> None:
    for name in ("observations", "rewards", "final_observations", "episodes"):
        array = getattr(state, name)
        good = np.abs(array) <= LARGEST_STEP_REWARD if name == "rewards" else np.isfinite(array)
        if not good.all():
            place = np.argwhere(~good)[0].tolist()
            raise NotFinite(name, place, float(array[tuple(place)]))
    if len(state.ended) and not (state.ended.min() >= 0 and state.ended.max() < shape.worlds):
        raise BadMessage(f"ended names a world outside 0..{shape.worlds - 1}.", "bad_number")
    if len(np.unique(state.ended)) != len(state.ended):
        raise BadMessage("ended names one world twice.", "bad_number")
