"""Gives freed memory back to the system. The C library keeps it otherwise, in case it is needed again."""

from __future__ import annotations

import ctypes


def trim() -> None:
    """Takes about a millisecond; does nothing where the C library is not glibc."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return
