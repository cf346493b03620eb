"""The frames of a replay that cannot be played again: what an engine with physics of its own showed.

A column of whole numbers or of one value is held exactly, any other in equal levels from its lowest to its
highest: of a picture 16,383, a millimetre or two in tag; of what agents see, which tells the same once
more, 1,023. Rewards, ticks and events are exact.
"""

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConfigError

MAX_BLOCK_BYTES = 32 << 20  # unpacked; the largest block that is written has 16 MiB
MAX_NUMBERS = 8 << 20  # of all blocks of a replay together: twelve minutes of tag
MAX_LEVELS = 65_535  # that 16 bits tell apart
LEVELS = {"info": MAX_LEVELS, "render": 16_383, "observations": 1_023}
LARGEST = 1e38  # of a number that is kept
FARTHEST = 3.4e38  # that a level may lie: what a float32 can hold
BLOCKS = tuple(LEVELS)


def pack(data: bytes) -> str:
    """zlib, then base64."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpack(text: str, expected: int) -> bytes:
    """Exactly `expected` bytes; never more memory than that, whatever the block claims."""
    if not 0 <= expected <= MAX_BLOCK_BYTES:
        raise ValueError(f"a block of {expected} bytes, at most {MAX_BLOCK_BYTES} are read")
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(base64.b64decode(text, validate=True), expected + 1)
    if len(raw) != expected or not unpacker.eof:
        raise ValueError(f"a block of another length than {expected} bytes")
    return raw


@dataclass(frozen=True)
class Block:
    """A table of numbers: one row per frame, one column per number of the game's spec."""

    levels: np.ndarray  # uint16 [rows, width]
    low: np.ndarray  # float64 [width]
    size: np.ndarray  # float64 [width]: of one level; 1 for whole numbers, 0 for what never changes

    @classmethod
    def of(cls, values: np.ndarray, most: int = MAX_LEVELS) -> "Block":
        """Quantise a table of values."""
        wide = np.asarray(values, np.float64)
        if not (np.abs(wide) < LARGEST).all():
            raise ConfigError("A frame holds something that is not a number, or is too large to be kept.")
        low, high = wide.min(axis=0), wide.max(axis=0)
        whole = (wide == np.rint(wide)).all(axis=0) & (high - low <= MAX_LEVELS)
        size = np.where(high == low, 0.0, np.where(whole, 1.0, (high - low) / most))
        levels = np.rint((wide - low) / np.where(size == 0.0, 1.0, size))
        return cls(levels.astype(np.uint16), low, size)

    def row(self, number: int) -> np.ndarray:
        """One frame, float32 [width]."""
        return (self.low + self.levels[number] * self.size).astype(np.float32)

    def to_json(self) -> dict[str, Any]:
        """One line of the replay file."""
        # The difference from the moment before, high bytes apart from low ones, packs best.
        columns = np.ascontiguousarray(np.diff(self.levels, axis=0, prepend=np.uint16(0)).T)
        halves = columns.astype("<u2").view(np.uint8).reshape(-1, 2).T
        scale = np.stack([self.low, self.size]).astype("<f8")
        return {
            "width": self.levels.shape[1],
            "scale": pack(scale.tobytes()),
            "levels": pack(np.ascontiguousarray(halves).tobytes()),
        }

    @classmethod
    def from_json(cls, line: Mapping[str, Any], rows: int) -> "Block":
        """Read a block of `rows` frames; ValueError if it does not fit."""
        width = line["width"]
        if type(width) is not int or width < 0 or width * rows > MAX_NUMBERS:
            raise ValueError(f"frames of {width!r} numbers")
        if not width:  # a game that shows nothing of this kind
            return cls(np.zeros((rows, 0), np.uint16), np.zeros(0), np.zeros(0))
        low, size = np.frombuffer(unpack(line["scale"], 16 * width), "<f8").reshape(2, width)
        if not (np.abs(low) + MAX_LEVELS * np.abs(size) < FARTHEST).all():  # also for NaN
            raise ValueError("frames on a scale without bounds")
        halves = np.frombuffer(unpack(line["levels"], 2 * rows * width), np.uint8).reshape(2, -1)
        columns = np.ascontiguousarray(halves.T).view("<u2").reshape(width, rows)
        return cls(np.cumsum(columns.T, axis=0, dtype=np.uint16), low, size)


@dataclass(frozen=True)
class StoredFrames:
    """Every frame of an episode: row 0 of a block is the initial state, row n the state after step n - 1."""

    blocks: Mapping[str, Block]  # info, render and observations, as the game's spec lays them out
    rewards: np.ndarray  # float32 [steps, agents]
    ticks: np.ndarray  # int32 [steps]
    payloads: list[dict[str, float]]  # the values of each event, in the order of the replay's events

    @classmethod
    def of(
        cls,
        rows: Mapping[str, Sequence[np.ndarray]],
        rewards: np.ndarray,
        ticks: np.ndarray,
        payloads: list[dict[str, float]],
    ) -> "StoredFrames":
        """Quantise a table of values."""
        tables = {name: np.array([row.ravel() for row in rows[name]], np.float32) for name in BLOCKS}
        count = sum(table.size for table in tables.values())
        if count > MAX_NUMBERS:
            raise ConfigError(
                f"{len(ticks)} steps are too long a match to be kept frame by frame: {count} numbers, "
                f"at most {MAX_NUMBERS} fit. Shorten it (time_limit), or record it natively."
            )
        blocks = {name: Block.of(table, LEVELS[name]) for name, table in tables.items()}
        return cls(blocks, rewards, ticks, payloads)

    def to_json(self) -> dict[str, Any]:
        """One line of the replay file."""
        return {
            "kind": "frames",
            **{name: self.blocks[name].to_json() for name in BLOCKS},
            "rewards": pack(np.ascontiguousarray(self.rewards.T, "<f4").tobytes()),
            "ticks": pack(self.ticks.astype("<u2").tobytes()),
            "payloads": self.payloads,
        }

    @classmethod
    def from_json(cls, line: Mapping[str, Any], steps: int, agents: int, events: int) -> "StoredFrames":
        """Read the line and check it against the replay's lengths; ValueError if it does not fit."""
        blocks = {name: Block.from_json(line[name], steps + 1) for name in BLOCKS}
        if sum(block.levels.size for block in blocks.values()) > MAX_NUMBERS:
            raise ValueError("more frames than any replay has")
        rewards = np.frombuffer(unpack(line["rewards"], 4 * steps * agents), "<f4").reshape(agents, steps).T
        ticks = np.frombuffer(unpack(line["ticks"], 2 * steps), "<u2").astype(np.int32)
        if not np.isfinite(rewards).all() or (ticks < 1).any():
            raise ValueError("a reward that is not a number, or a step of no ticks")
        payloads = line["payloads"]
        if len(payloads) != events or not all(_is_payload(payload) for payload in payloads):
            raise ValueError(f"values of {len(payloads)} events, or no numbers, for {events} events")
        return cls(blocks, np.ascontiguousarray(rewards, np.float32), ticks, payloads)


def _is_payload(value: Any) -> bool:
    """Numbers by name; a whole number of any length is JSON too, but none of a game's."""
    return isinstance(value, dict) and all(
        type(number) in (int, float) and abs(number) < LARGEST and name != "name"
        for name, number in value.items()
    )
