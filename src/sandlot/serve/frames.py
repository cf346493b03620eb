"""Frames of replays, re-simulated natively or read from the file in chunks, and cached as JSON.

A chunk is made once for all readers. The world of a replay stays where its last chunk ended, so reading on
is cheap; an earlier chunk comes from the cache or from playing again from the start, which takes
milliseconds.
"""

import functools
import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import NotReset, SpecMismatch
from ..evaluate.replay_reader import ReplayReader, open_replay
from ..runs import Frame, IndexEntry, Replay, Run
from .errors import ApiError

CHUNK_FRAMES = 64  # a multiple of the steps between two recorded hashes, so every chunk is verified
OPEN_REPLAYS = 32  # replays whose worlds stay open

Chunk = list[bytes]  # one JSON document per frame
Identity = tuple[str, int, int, int]  # path, mtime, size, inode: differs when the file was replaced


@dataclass
class FrameReader:
    """Makes the frames of one open replay."""

    replay: Replay
    lock: threading.Lock = field(default_factory=threading.Lock)
    reader: ReplayReader | None = None

    def chunk(self, number: int, info: bool) -> Chunk:
        """The frames of one chunk, CHUNK_FRAMES at most."""
        try:
            if self.reader is None:
                self.reader = open_replay(self.replay)
            page = self.reader.page(number * CHUNK_FRAMES, CHUNK_FRAMES, info)
        except NotReset:
            text = f"{self.replay.header.replay_id} ends earlier here than when it was recorded."
            raise SpecMismatch(f"{text} Use the engine that recorded it.") from None
        return [encode(frame) for frame in page.frames]

    @functools.cached_property
    def opening(self) -> bytes:
        """The render state before the first step, as JSON."""
        with open_replay(self.replay) as reader:
            return json.dumps(reader.initial_state(), separators=(",", ":"), allow_nan=False).encode()

    def close(self) -> None:
        """Close the replay."""
        with self.lock:
            if self.reader is not None:
                self.reader.close()
                self.reader = None


def encode(frame: Frame) -> bytes:
    """A frame as JSON. Faster than Frame.to_json, since its values are plain already."""
    fields = {name: getattr(frame, name) for name in Frame.model_fields}
    if frame.info is None:
        del fields["info"]
    return json.dumps(fields, separators=(",", ":"), allow_nan=False).encode()


class FrameCache:
    """Frames that were made, up to a number of bytes; the least recently used go first."""

    def __init__(self, limit_bytes: int):
        self.limit_bytes, self.bytes = limit_bytes, 0
        self._chunks: OrderedDict[tuple[Identity, int, bool], Chunk] = OrderedDict()
        self._readers: OrderedDict[Identity, FrameReader] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, run: Run, entry: IndexEntry) -> tuple[Identity, FrameReader]:
        """Read and check the replay of an index entry."""
        path = run.replay_path(entry)
        identity = _identity(path, entry.replay_id)
        with self._lock:
            reader = self._readers.get(identity)
            if reader is not None:
                self._readers.move_to_end(identity)
                return identity, reader
        reader = FrameReader(Replay.read(path))
        with self._lock:
            reader = self._readers.setdefault(identity, reader)
            self._readers.move_to_end(identity)
            spare = [self._readers.popitem(last=False)[1] for _ in range(len(self._readers) - OPEN_REPLAYS)]
        for old in spare:
            old.close()
        return identity, reader

    def chunk(self, identity: Identity, reader: FrameReader, number: int, info: bool = False) -> Chunk:
        """Frames from number * CHUNK_FRAMES on. Concurrent requests for one chunk make it once."""
        key = (identity, number, info)
        found = self._look(key)
        if found is None:
            with reader.lock:
                found = self._look(key)
                if found is None:
                    found = reader.chunk(number, info)
                    self._keep(key, found)
        return found

    def frames(
        self, identity: Identity, reader: FrameReader, offset: int, count: int, info: bool = False
    ) -> Chunk:
        """Up to `count` frames from offset on."""
        found: Chunk = []
        while len(found) < count and offset + len(found) < reader.replay.end.steps:
            number, skip = divmod(offset + len(found), CHUNK_FRAMES)
            found += self.chunk(identity, reader, number, info)[skip : skip + count - len(found)]
        return found

    def _look(self, key: tuple[Identity, int, bool]) -> Chunk | None:
        with self._lock:
            if key in self._chunks:
                self._chunks.move_to_end(key)
            return self._chunks.get(key)

    def _keep(self, key: tuple[Identity, int, bool], chunk: Chunk) -> None:
        with self._lock:
            self.bytes += _size(chunk) - _size(self._chunks.get(key, []))
            self._chunks[key] = chunk
            while self.bytes > self.limit_bytes and len(self._chunks) > 1:
                self.bytes -= _size(self._chunks.popitem(last=False)[1])

    def close(self) -> None:
        """Close all cached readers."""
        with self._lock:
            readers = list(self._readers.values())
            self._readers.clear()
            self._chunks.clear()
        for reader in readers:
            reader.close()


def _size(chunk: Chunk) -> int:
    return sum(map(len, chunk))


def _identity(path: Path, replay_id: str) -> Identity:
    try:
        stat = path.stat()
    except OSError:
        text = f"The file of replay {replay_id!r} is not there (any more), only its entry."
        raise ApiError(404, "not_found", text) from None
    return str(path), stat.st_mtime_ns, stat.st_size, stat.st_ino
