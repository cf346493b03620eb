"""Where the time goes: shares of world, policy and learner, and advice about the bottleneck."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

ADVICE = {
    "world": "the game itself takes most of the time: more threads, or fewer worlds if memory is slow",
    "policy": "choosing actions takes most of the time: more worlds per batch, or a smaller network",
    "learner": "learning takes most of the time: fewer epochs, bfloat16, or a smaller network",
    "opponents": "opponents take most of the time: fewer of them, or a larger selfplay.latest_fraction",
    "files": "writing files takes most of the time: longer windows, or fewer checkpoints",
}


class Stopwatch:
    """Seconds by name, since the last `lap()`."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(ADVICE, 0.0)
        self._start = time.perf_counter()

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Add the duration of a block to a name."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - start

    def lap(self) -> tuple[float, dict[str, float]]:
        """Seconds since the last lap, and the share of each name in them."""
        now = time.perf_counter()
        passed, self._start = now - self._start, now
        shares = {name: seconds / max(passed, 1e-9) for name, seconds in self.seconds.items()}
        self.seconds = dict.fromkeys(ADVICE, 0.0)
        return passed, shares


def bottleneck(shares: dict[str, float]) -> str:
    """One sentence about the largest share."""
    name = max(shares, key=lambda key: shares[key])
    return f"{100 * shares[name]:.0f} % {name}: {ADVICE[name]}."
