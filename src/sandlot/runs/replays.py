"""The replay file: an episode as seed and actions, a few kilobytes that the engine plays again bit by bit.

`.jsonl.gz`, one JSON object a line: header · actions · events · hashes · end. Arrays are packed as base64 of
zlib. Continuous actions are held in steps of 1/127 ("q127"): a recorder rounds what the policy wants *before*
playing it, so the episode in the file is exactly the episode that was played.

The gzip header carries a digest of all that follows it, so that a flipped byte anywhere, even one that gzip
would overlook, is refused. Ordinary gunzip reads the file all the same.

What was played in an engine with physics of its own, such as Godot, cannot be played again: its file holds
the frames too, in a line before the end (stored_frames.py), and no state hashes.
"""

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ActionError, Damaged, StoreError
from .atomic import write_bytes
from .paths import REPLAY_SUFFIX
from .records import NATIVE, ActionEncoding, IndexEntry, ReplayEnd, ReplayHeader, parse
from .stored_frames import StoredFrames, pack, unpack

MAX_FILE_BYTES = 16 << 20
MAX_TEXT_BYTES = 64 << 20  # unpacked; a small file may claim to unpack to anything
MAX_STEPS = 1_000_000
MAX_ACTION_WIDTH = 4096  # numbers of all agents in one step
MAX_ACTION_NUMBERS = 8 << 20  # of all agents and steps together
MAX_JSON_VALUES = 500_000  # an empty list is two letters of a file and 56 bytes of memory

# Of a replay's header, as they are in the catalogue too.
HEADER_FIELDS = (
    *("replay_id", "tags", "seed", "created_at", "trainer_backend"),
    *("checkpoint_path", "checkpoint_env_steps_total"),
)

HASH_EVERY_STEPS = 32
QUANTA = 127  # steps of a continuous action from 0 to 1

# gzip: deflate, an extra field, no time, best compression, no system; then the field "SL" of 16 bytes.
_HEAD = bytes([0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 2, 255]) + struct.pack("<H2sH", 20, b"SL", 16)
_DTYPES = {"int8": "<i1", "int16": "<i2", "q127": "<i1", "float32": "<f4"}


@dataclass(frozen=True)
class Replay:
    """One recorded episode."""

    header: ReplayHeader
    actions: np.ndarray  # int32 [steps, agents] or float32 [steps, agents, size]
    events: list[tuple[int, str]]  # (step, name); payloads come back with the frames
    # (steps played, the world's 64-bit fingerprint); ascending, the last one included
    hashes: list[tuple[int, int]]
    end: ReplayEnd
    frames: StoredFrames | None = None  # of what was played elsewhere than in the native engine

    def to_bytes(self) -> bytes:
        """The content of the replay file."""
        rows = [json.dumps(line, separators=(",", ":"), allow_nan=False) for line in self._lines()]
        text = "".join(row + "\n" for row in rows)
        return _gzip(text.encode())

    def _lines(self) -> list[dict[str, Any]]:
        kept = [] if self.frames is None else [self.frames.to_json()]
        return [
            _header_line(self.header),
            {"kind": "actions", "data": pack(_encode(self.actions, self.header.action_encoding))},
            {"kind": "events", **_pack_events(self.events)},
            {"kind": "hashes", **_pack_hashes(self.hashes)},
            *kept,
            self.end.to_json(),
        ]

    @classmethod
    def from_bytes(cls, data: bytes, what: str = "The replay") -> "Replay":
        """Read and check; `what` names the file in the sentence of a refusal."""
        text = _gunzip(data, what)
        if sum(text.count(mark) for mark in (b",", b"[", b"{")) > MAX_JSON_VALUES:
            raise Damaged(f"{what} holds more than {MAX_JSON_VALUES} values, which no replay does.")
        lines = text.split(b"\n")
        try:
            records = [json.loads(line) for line in lines if line]
            kinds = [line["kind"] for line in records]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise Damaged(f"{what} does not hold a JSON object a line.") from None
        if not records:
            raise Damaged(f"{what} is empty.")
        header = parse(ReplayHeader, records[0], what)
        frames = [] if header.replayable else ["frames"]
        expected = ["header", "actions", "events", "hashes", *frames, "end"]
        if kinds != expected:
            raise Damaged(f"{what} has the lines {kinds}, expected {', '.join(expected)}.")
        end = parse(ReplayEnd, records[-1], what)
        try:
            actions = _decode(records[1]["data"], header)
            events, hashes = _unpack_events(records[2]), _unpack_hashes(records[3])
            size = (*actions.shape[:2], len(events))
            kept = None if header.replayable else StoredFrames.from_json(records[4], *size)
        except (ValueError, TypeError, KeyError, IndexError, zlib.error, struct.error) as problem:
            raise Damaged(f"{what} holds a block that cannot be unpacked ({problem}).") from None
        if end.steps != len(actions):
            raise Damaged(f"{what} says {end.steps} steps and holds {len(actions)}.")
        if not header.scored_agent < len(header.agents) == len(end.returns):
            raise Damaged(f"{what} names {len(header.agents)} agents and holds {len(end.returns)} returns.")
        return cls(header, actions, events, hashes, end, kept)

    @classmethod
    def read(cls, path: Path) -> "Replay":
        """Read and check a replay file."""
        if not path.is_file():
            raise Damaged(f"There is no replay at {path}.")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise Damaged(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB; no replay is.")
        return cls.from_bytes(path.read_bytes(), str(path))

    def write(self, path: Path) -> None:
        """Write the replay file."""
        write_bytes(path, self.to_bytes())

    # ------------------------------------------------------------ its entry in the catalogue

    def with_tags(self, tags: Sequence[str]) -> "Replay":
        """The same episode under these tags, which are decided when its return is known."""
        return replace(self, header=self.header.model_copy(update={"tags": list(tags)}))

    def called(self, replay_id: str) -> "Replay":
        """The same episode under this id."""
        return replace(self, header=self.header.model_copy(update={"replay_id": replay_id}))

    @property
    def config_hash(self) -> str:
        """A short digest of the settings."""
        return hashlib.sha256(json.dumps(self.header.config, sort_keys=True).encode()).hexdigest()[:16]

    def entry(self, path: str) -> IndexEntry:
        """The catalogue's row; its measures are the game's own sums that are one number each."""
        header, end = self.header, self.end
        fields = {name: getattr(header, name) for name in HEADER_FIELDS}
        fields |= {name: getattr(end, name) for name in ("steps", "terminated", "truncated")}
        return IndexEntry(
            **fields,
            run_id=header.run_id or "",
            window_id=header.window_id or 0,
            replay_path=path,
            return_total=end.returns[header.scored_agent],
            measures={name: value for name, value in end.episode.items() if _is_number(value)},
            engine_version=header.game_version,
            config_hash=self.config_hash,
            policy_name=" vs ".join(dict.fromkeys(header.policies.values())),
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _header_line(header: ReplayHeader) -> dict[str, Any]:
    """Replays of native games name neither engine nor spec: versions that know of no other read them."""
    line = header.to_json()
    if line["played_in"] == NATIVE:
        del line["played_in"]
    if header.spec is not None:
        line["spec"] = header.spec
    return line


def read_folder(folder: Path, relative_to: Path) -> tuple[list[IndexEntry], list[StoreError]]:
    """The catalogue rows of every replay in a folder, and what is wrong with those that have none."""
    entries: list[IndexEntry] = []
    problems: list[StoreError] = []
    for path in sorted(folder.glob(f"*{REPLAY_SUFFIX}")):
        try:
            entries.append(Replay.read(path).entry(path.relative_to(relative_to).as_posix()))
        except StoreError as problem:
            problems.append(problem)
    return entries, problems


# ---------------------------------------------------------------- actions


def encoding_of(action_count: int) -> ActionEncoding:
    """How a game's actions are held: ids in a byte or two (-1 is "invalid"), or 127ths when it has none."""
    return "q127" if action_count == 0 else "int8" if action_count <= 127 else "int16"


def quantise(actions: np.ndarray) -> np.ndarray:
    """Continuous actions rounded to whole 127ths, as a recorder plays them. float32, same shape."""
    if not np.isfinite(actions).all():
        raise ActionError("A policy asks for an action that is not a number; expected numbers in -1..1.")
    return _from_quanta(np.rint(np.clip(actions, -1.0, 1.0) * np.float32(QUANTA)))


def _from_quanta(steps: np.ndarray) -> np.ndarray:
    """One float32 division: the same bits as Math.fround(q / 127) in a browser."""
    whole = steps.astype(np.float32) + np.float32(0.0)  # no minus zero: an integer cannot hold it
    return whole / np.float32(QUANTA)


def _encode(actions: np.ndarray, encoding: str) -> bytes:
    if encoding == "q127":
        quanta = np.rint(actions * np.float32(QUANTA)).astype(np.int8)
        if _from_quanta(quanta).tobytes() != actions.tobytes():
            raise ActionError("Actions are not whole 127ths. Play quantise(actions), or record float32.")
        actions = quanta
    packed = actions.astype(_DTYPES[encoding])
    if encoding.startswith("int") and not np.array_equal(packed, actions):
        raise ActionError(f"An action id does not fit {encoding}.")
    width = math.prod(packed.shape[1:])
    columns = packed.reshape(len(packed), width).T  # one number's whole history together packs better
    return np.ascontiguousarray(columns).tobytes()


def _decode(text: str, header: ReplayHeader) -> np.ndarray:
    shape, dtype = header.action_shape, np.dtype(_DTYPES[header.action_encoding])
    if len(shape) not in (2, 3) or shape[1] != len(header.agents) or shape[0] > MAX_STEPS:
        raise ValueError(f"actions of shape {shape} for {len(header.agents)} agents")
    width = math.prod(shape[1:])  # Python's whole numbers: numpy's wrap around
    if width > MAX_ACTION_WIDTH or shape[0] * width > MAX_ACTION_NUMBERS:
        raise ValueError(f"actions of shape {shape}: more than any game has")
    raw = unpack(text, shape[0] * width * dtype.itemsize)
    actions = np.frombuffer(raw, dtype).reshape(width, shape[0]).T.reshape(shape)
    if header.action_encoding == "q127":
        return np.ascontiguousarray(_from_quanta(actions))
    return np.ascontiguousarray(actions, np.float32 if header.action_encoding == "float32" else np.int32)


# ---------------------------------------------------------------- events and hashes


def _pack_events(events: list[tuple[int, str]]) -> dict[str, Any]:
    names = sorted({name for _, name in events})
    kinds = bytes(names.index(name) for _, name in events)
    return {"names": names, **_pack_steps([step for step, _ in events]), "kinds": pack(kinds)}


def _unpack_events(line: dict[str, Any]) -> list[tuple[int, str]]:
    steps = _unpack_steps(line)
    names = [str(name) for name in line["names"]]
    return [(step, names[kind]) for step, kind in zip(steps, unpack(line["kinds"], len(steps)), strict=True)]


def _pack_hashes(hashes: list[tuple[int, int]]) -> dict[str, Any]:
    values = np.array([value for _, value in hashes], "<u8")
    return {**_pack_steps([step for step, _ in hashes]), "values": pack(values.tobytes())}


def _unpack_hashes(line: dict[str, Any]) -> list[tuple[int, int]]:
    steps = _unpack_steps(line)
    values = np.frombuffer(unpack(line["values"], 8 * len(steps)), "<u8")
    return list(zip(steps, values.tolist(), strict=True))


def _pack_steps(steps: list[int]) -> dict[str, Any]:
    """Ascending step numbers, each as its distance from the one before."""
    distances = np.diff(np.array(steps, np.int64), prepend=0)
    if (distances < 0).any():
        raise Damaged("Events and hashes of a replay must be in the order of their steps.")
    return {"count": len(steps), "steps": pack(distances.astype("<u4").tobytes())}


def _unpack_steps(line: dict[str, Any]) -> list[int]:
    count = line["count"]
    if not isinstance(count, int) or not 0 <= count <= MAX_STEPS:
        raise ValueError(f"a count of {count!r}")
    return np.cumsum(np.frombuffer(unpack(line["steps"], 4 * count), "<u4"), dtype=np.int64).tolist()


# ---------------------------------------------------------------- gzip with a digest


def _gzip(text: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(text) + packer.flush()
    body += struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)
    return _HEAD + _digest(body) + body


def _gunzip(data: bytes, what: str) -> bytes:
    start = len(_HEAD) + 16
    if len(data) > MAX_FILE_BYTES:
        raise Damaged(f"{what} is larger than {MAX_FILE_BYTES >> 20} MiB; no replay is.")
    if data[: len(_HEAD)] != _HEAD or len(data) < start + 8:
        raise Damaged(f"{what} is not a replay of Sandlot: its first bytes are others, or it is cut off.")
    if _digest(data[start:]) != data[len(_HEAD) : start]:
        change = "was changed or cut off after it was written: its digest differs"
        raise Damaged(f"{what} {change}. Use another copy.")
    unpacker = zlib.decompressobj(-15)
    try:
        text = unpacker.decompress(data[start:-8], MAX_TEXT_BYTES + 1)
    except zlib.error as problem:
        raise Damaged(f"{what} cannot be unpacked ({problem}).") from None
    if len(text) > MAX_TEXT_BYTES:
        raise Damaged(f"{what} unpacks to more than {MAX_TEXT_BYTES >> 20} MiB; no replay does.")
    if not unpacker.eof:
        raise Damaged(f"{what} is cut off.")
    return text


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
