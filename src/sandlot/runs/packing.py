"""Bytes as text in a line of JSON: base64 of zlib, and never more memory than was promised."""

from __future__ import annotations

import base64
import zlib

MOST_BYTES = 32 << 20  # of one block; the largest that is written has 16 MiB

def pack(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpack(text: str, expected: int) -> bytes:
    """Exactly `expected` bytes; never more memory than that, whatever the block claims."""
    if not 0 <= expected <= MOST_BYTES:
        raise ValueError(f"a block of {expected} bytes, at most {MOST_BYTES} are read")
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(base64.b64decode(text, validate=True), expected + 1)
    if len(raw) != expected or not unpacker.eof:
        raise ValueError(f"a block of another length than {expected} bytes")
    return raw
