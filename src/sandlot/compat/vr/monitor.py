"""What a training reports while it runs: performance of a game, memory, and a line per rollout."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PHYSICS_BUDGET_MS = RENDER_BUDGET_MS = 1000 / 90
CHUNK_BUDGET = 512


@dataclass(frozen=True)
class PerformanceMetrics:
    """A reply of `GET /performance/metrics`, in the units that people compare."""

    fps: float
    physics_frame_ms: float
    render_frame_ms: float
    static_memory_mb: float
    active_chunks: int = 0

    @classmethod
    def from_reply(cls, reply: Mapping[str, Any]) -> "PerformanceMetrics":
        """From engine.fps, .process_time, .physics_process_time (s), memory.static_memory_usage (bytes)."""
        engine, memory = reply.get("engine") or {}, reply.get("memory") or {}
        voxels = reply.get("voxel") or {}
        return cls(
            fps=float(engine.get("fps", 0.0)),
            physics_frame_ms=1000 * float(engine.get("physics_process_time", 0.0)),
            render_frame_ms=1000 * float(engine.get("process_time", 0.0)),
            static_memory_mb=float(memory.get("static_memory_usage", 0.0)) / 2**20,
            active_chunks=int(voxels.get("active_chunk_count", 0)),
        )

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Each as a share of its budget: physics frame, render frame, chunks."""
        return (
            self.physics_frame_ms / PHYSICS_BUDGET_MS,
            self.render_frame_ms / RENDER_BUDGET_MS,
            self.active_chunks / CHUNK_BUDGET,
        )


def memory_mb() -> float | None:
    """Resident memory of this process in MB; None where the system does not say."""
    if sys.platform.startswith("linux"):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * _page_size() / 2**20
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def available_memory_mb() -> float | None:
    """Memory that programs may still take, in MB; None where the system does not say."""
    if not sys.platform.startswith("linux"):
        return None
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 1024
    return None


def _page_size() -> int:
    import resource

    return resource.getpagesize()


class TrainingMonitor:
    """Prints how a training goes: one line when it began, per rollout, at a stage, and at the end."""

    def __init__(self, print_line: Callable[[str], None], total_timesteps: int, verbose: bool = False):
        self._print, self._total, self.verbose = print_line, total_timesteps, verbose
        self._began, self._began_at = time.perf_counter(), 0

    def begin(self, timesteps: int) -> None:
        """Training starts at so many steps."""
        self._began, self._began_at = time.perf_counter(), timesteps

    def rollout(self, timesteps: int, stage: str, reward: float | None, success: float | None) -> None:
        """One line: steps, stage, speed, mean reward and success of the last episodes, memory."""
        parts = [
            f"{timesteps:>10,} of {self._total:,} steps",
            f"stage {stage}",
            f"{self.fps(timesteps):,.0f} steps/s",
        ]
        if reward is not None:
            parts.append(f"mean reward {reward:.1f}")
        if success is not None:
            parts.append(f"success {success:.0%}")
        memory = memory_mb()
        if memory is not None:
            parts.append(f"memory {memory:,.0f} MB")
        self._print(", ".join(parts))

    def line(self, text: str) -> None:
        """Anything else worth a line."""
        self._print(text)

    def detail(self, text: str) -> None:
        """A line for --verbose."""
        if self.verbose:
            self._print(text)

    def fps(self, timesteps: int) -> float:
        """Steps per second since training began."""
        return (timesteps - self._began_at) / max(time.perf_counter() - self._began, 1e-9)
