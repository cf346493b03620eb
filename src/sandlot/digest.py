"""A digest inside a .pt file, so that a changed or cut-off file is refused wherever it lies.

A .pt file is a zip archive, and a zip archive may end with a comment. Ours is a mark and the BLAKE2b digest
of every byte before the digest; `torch.load` and zip tools read the file as ever.
"""

from __future__ import annotations

import hashlib
import struct

from .errors import CheckpointError

MARK = b"sandlot digest 1"
DIGEST_BYTES = 32
_END = b"PK\x05\x06"  # signature of a zip archive's last record, whose last two bytes count the comment's
_END_BYTES = 22


def seal(archive: bytes) -> bytes:
    """A zip archive without a comment, with its digest as the comment."""
    if archive[-_END_BYTES:][: len(_END)] != _END:
        raise ValueError("seal() takes a zip archive without a comment")
    body = archive[:-2] + struct.pack("<H", len(MARK) + DIGEST_BYTES) + MARK
    return body + _digest(body)


def check_seal(data: bytes, name: str) -> None:
    """Refuse a file whose digest is missing or differs; `name` is what the refusal calls it."""
    body, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
    if not body.endswith(MARK):
        raise CheckpointError(
            f"{name} cannot be read as weights: it does not end with Sandlot's digest. It is truncated, "
            "damaged, or was not written by this version of Sandlot. Use another copy."
        )
    if _digest(body) != digest:
        raise CheckpointError(
            f"{name} was changed after it was written: its digest differs. Use another copy."
        )


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest()
