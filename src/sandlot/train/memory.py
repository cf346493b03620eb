"""Resident memory of the trainer and of every engine it started, and a warning before the machine swaps."""

import os
from collections.abc import Sequence

import psutil

MB = 1 << 20
LEAST_FREE_SHARE = 0.05  # of the machine's memory; below it, or below so many bytes, the warning is due
LEAST_FREE_BYTES = 512 * MB


class MemoryWatch:
    """Measures memory; warns once, and again only after there was enough in between."""

    def __init__(self, least_free: int | None = None):
        """least_free: bytes; None for a share of what the machine has."""
        total = psutil.virtual_memory().total
        usual = max(LEAST_FREE_BYTES, int(LEAST_FREE_SHARE * total))
        self.least_free = usual if least_free is None else least_free
        self._warned = False

    def measure(self, engine_pids: Sequence[int]) -> dict[str, float]:
        """Columns of a window row, in MB: the trainer, each engine, and what the machine has left."""
        engines = {f"memory_engine_{i}_mb": _resident(pid) for i, pid in enumerate(engine_pids)}
        sizes = {"memory_trainer_mb": _resident(os.getpid()), **engines}
        return {name: round(size / MB, 1) for name, size in sizes.items() if size} | {
            "memory_free_mb": round(psutil.virtual_memory().available / MB, 1)
        }

    def warning(self, engine_pids: Sequence[int]) -> str:
        """A warning when memory has become short, else an empty text."""
        free = psutil.virtual_memory().available
        short, before = free < self.least_free, self._warned
        self._warned = short
        if not short or before:
            return ""
        engines = sum(_resident(pid) for pid in engine_pids)
        has = f"the trainer has {_resident(os.getpid()) // MB} MB"
        has += f", its {len(engine_pids)} engines {engines // MB} MB" if engine_pids else ""
        return (
            f"Memory is short: {free // MB} MB are free, below {self.least_free // MB} MB the machine begins "
            f"to swap; {has}. Stop with Ctrl-C and resume with fewer worlds or processes (ppo.num_envs, "
            "--processes), a smaller adapter.buffer_size, or --no-evaluate."
        )


def _resident(pid: int) -> int:
    """Bytes of a process that are in memory; 0 where it has ended."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
