"""Frames of replays: played again natively or taken from the file, a chunk at a time, and kept as JSON up
to a number of bytes.

A chunk is made once, however many read it. Reading on costs nothing extra, since the world of a replay stays
where the last chunk ended; going back is served from memory or plays again from the start, which takes
milliseconds.
"""

from __future__ import annotations

import functools
import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import NotReset, SpecMismatch
from ..evaluate.replays import Player, open_player
from ..runs import Frame, IndexEntry, Replay, Run
from .errors import Refusal

CHUNK_FRAMES = 64  # a multiple of the steps between two recorded hashes: every chunk is proved
OPEN_REPLAYS = 32  # worlds kept where their last reader left them

Chunk = list[bytes]  # a frame each, as JSON
Identity = tuple[str, int, int, int]  # path, time of change, size, inode: a file that was replaced is another


@dataclass
class Reel:
    """One replay, open."""

    replay: Replay
    lock: threading.Lock = field(default_factory=threading.Lock)
    player: Player | None = None

    def chunk(self, number: int, info: bool) -> Chunk:
        try:
            if self.player is None:
                self.player = open_player(self.replay)
            page = self.player.page(number * CHUNK_FRAMES, CHUNK_FRAMES, info)
        except NotReset:
            raise SpecMismatch(
                f"{self.replay.header.replay_id} ends earlier here than when it was recorded. "
                "Use the engine that recorded it."
            ) from None
        return [encode(frame) for frame in page.frames]

    @functools.cached_property
    def opening(self) -> bytes:
        """The picture before the first step, as JSON."""
        with open_player(self.replay) as player:
            return json.dumps(player.opening(), separators=(",", ":"), allow_nan=False).encode()

    def close(self) -> None:
        with self.lock:
            if self.player is not None:
                self.player.close()
                self.player = None


def encode(frame: Frame) -> bytes:
    """A frame as Frame.to_json would give it; made of plain values already, it need not be looked through."""
    told = {name: getattr(frame, name) for name in Frame.model_fields}
    if frame.info is None:
        del told["info"]
    return json.dumps(told, separators=(",", ":"), allow_nan=False).encode()


class FrameShelf:
    """What was made, least recently used away first."""

    def __init__(self, limit_bytes: int):
        self.limit_bytes, self.bytes = limit_bytes, 0
        self._chunks: OrderedDict[tuple[Identity, int, bool], Chunk] = OrderedDict()
        self._reels: OrderedDict[Identity, Reel] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, run: Run, entry: IndexEntry) -> tuple[Identity, Reel]:
        """The replay behind a catalogue entry, read and checked."""
        path = run.replay_path(entry)
        identity = _identity(path, entry.replay_id)
        with self._lock:
            reel = self._reels.get(identity)
            if reel is not None:
                self._reels.move_to_end(identity)
                return identity, reel
        reel = Reel(Replay.read(path))
        with self._lock:
            reel = self._reels.setdefault(identity, reel)
            self._reels.move_to_end(identity)
            spare = [self._reels.popitem(last=False)[1] for _ in range(len(self._reels) - OPEN_REPLAYS)]
        for old in spare:
            old.close()
        return identity, reel

    def chunk(self, identity: Identity, reel: Reel, number: int, info: bool = False) -> Chunk:
        """Frames number * CHUNK_FRAMES and on. Whoever asks for the same at once waits for the first."""
        key = (identity, number, info)
        found = self._look(key)
        if found is None:
            with reel.lock:
                found = self._look(key)
                if found is None:
                    found = reel.chunk(number, info)
                    self._keep(key, found)
        return found

    def frames(self, identity: Identity, reel: Reel, offset: int, count: int, info: bool = False) -> Chunk:
        """So many frames from offset on; fewer at the end of the replay."""
        found: Chunk = []
        while len(found) < count and offset + len(found) < reel.replay.end.steps:
            number, skip = divmod(offset + len(found), CHUNK_FRAMES)
            found += self.chunk(identity, reel, number, info)[skip : skip + count - len(found)]
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
        with self._lock:
            reels = list(self._reels.values())
            self._reels.clear()
            self._chunks.clear()
        for reel in reels:
            reel.close()


def _size(chunk: Chunk) -> int:
    return sum(map(len, chunk))


def _identity(path: Path, replay_id: str) -> Identity:
    try:
        told = path.stat()
    except OSError:
        raise Refusal(
            404, "not_found", f"The file of replay {replay_id!r} is not there (any more), only its entry."
        ) from None
    return str(path), told.st_mtime_ns, told.st_size, told.st_ino
