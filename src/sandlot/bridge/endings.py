"""How a process ended, in words."""

from __future__ import annotations

import signal

OUT_OF_MEMORY = 9  # what the kernel sends when memory runs out; also what `kill -9` sends


def how_it_ended(code: int) -> str:
    """For "The game …": its exit code, or the signal that killed it (a negative code, or 128 and more)."""
    number = -code if code < 0 else code - 128 if code > 128 else 0
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"ended with exit code {code}"
    more = "; perhaps the machine ran out of memory" if number == OUT_OF_MEMORY else ""
    return f"was killed by signal {number} ({name}){more}"
