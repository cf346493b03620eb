"""A digest inside a .pt file, so that a modified or truncated file is refused.

A .pt file is a zip archive, which may end with a comment. Ours is a marker and the BLAKE2b digest of every
byte before the digest; `torch.load` and zip tools ignore it.
"""

import hashlib
import struct

from .errors import CheckpointError

MARK = b"sandlot digest 1"
DIGEST_BYTES = 32
_END = b"PK\x05\x06"  # signature of a zip archive's last record, whose last two bytes count the comment's
_END_BYTES = 22


def seal(archive: bytes) -> bytes:
    """Append the digest to a zip archive without a comment."""
    if archive[-_END_BYTES:][: len(_END)] != _END:
        raise ValueError("seal() takes a zip archive without a comment")
    body = archive[:-2] + struct.pack("<H", len(MARK) + DIGEST_BYTES) + MARK
    return body + _digest(body)


def check_seal(data: bytes, name: str) -> None:
    """Raise CheckpointError when the digest is missing or differs; `name` is for the message."""
    body, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
    if not body.endswith(MARK):
        raise CheckpointError(
            f"{name} cannot be read as weights: it does not end with Sandlot's digest. It is truncated, "
            "damaged, or was not written by this version of Sandlot. Use another copy."
        )
    if _digest(body) != digest:
        change = "was changed after it was written: its digest differs"
        raise CheckpointError(f"{name} {change}. Use another copy.")


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest()
