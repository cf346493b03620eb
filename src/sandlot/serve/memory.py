"""Returns freed memory to the system, which the C library would keep for later allocations."""

import ctypes


def trim() -> None:
    """Call malloc_trim, which takes about a millisecond; does nothing without glibc."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return
