"""Running mean and spread, so that a network sees numbers of one size. Travels with the checkpoint."""

from __future__ import annotations

import numpy as np
import torch

from ..errors import CheckpointError

CUT = 10.0  # spreads; what lies further out is cut


class Normaliser:
    """Of observations: (x - mean) / spread, cut at ±10. Statistics are kept in float64.

    least_spread: what hardly ever moves is not blown up further than by this; one for all, or [size].
    seen: the entries of a row that are let through, in rising order; none for all.
    """

    def __init__(self, size: int, least_spread: float | np.ndarray = 0.0, seen: np.ndarray | None = None):
        self._size, self._seen = size, seen
        least = np.broadcast_to(least_spread, size)
        self._least = least if seen is None else least[seen]
        passed = len(self._least)
        self.count = 1e-4
        self.mean = np.zeros(passed)
        self.square = np.ones(passed) * self.count  # sum of squared distances from the mean
        self._refresh()

    def _refresh(self) -> None:
        spread = np.maximum(np.sqrt(self.square / self.count + 1e-8), self._least)
        self._shift = torch.as_tensor(self.mean, dtype=torch.float32)
        self._scale = torch.as_tensor(1.0 / spread, dtype=torch.float32)
        self._there: dict[torch.device, list[torch.Tensor]] = {}  # copies, by device

    def update(self, rows: np.ndarray) -> None:
        """Take in more rows, [n, size] (Chan's way of joining two sets of statistics)."""
        rows = rows if self._seen is None else rows[:, self._seen]
        n = len(rows)
        mean = rows.mean(axis=0, dtype=np.float64)
        square = rows.var(axis=0, dtype=np.float64) * n
        apart, total = mean - self.mean, self.count + n
        self.mean = self.mean + apart * (n / total)
        self.square = self.square + square + apart * apart * (self.count * n / total)
        self.count = total
        self._refresh()

    def apply(self, rows: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """What is let through of the rows, normalised, into `out` when given."""
        shift, scale, *columns = self._at(rows.device)
        if columns:
            rows = rows.index_select(1, columns[0])
        result = torch.sub(rows, shift, out=out)
        return result.mul_(scale).clamp_(-CUT, CUT)

    def _at(self, device: torch.device) -> list[torch.Tensor]:
        """Shift, scale and, unless all is let through, columns, where the rows are."""
        if device not in self._there:
            columns = [] if self._seen is None else [torch.from_numpy(self._seen)]
            self._there[device] = [part.to(device) for part in (self._shift, self._scale, *columns)]
        return self._there[device]

    def shift_and_scale(self) -> tuple[np.ndarray, np.ndarray]:
        """What whole rows are shifted and multiplied by, float32 [size] each, 0 where nothing is let through:
        for those who run it elsewhere."""
        if self._seen is None:
            return self._shift.numpy(), self._scale.numpy()
        wide = np.zeros((2, self._size), np.float32)
        wide[:, self._seen] = self._shift.numpy(), self._scale.numpy()
        return wide[0], wide[1]

    def state(self) -> dict[str, torch.Tensor]:
        return {
            "count": torch.tensor(self.count, dtype=torch.float64),
            "mean": torch.from_numpy(self.mean.copy()),
            "square": torch.from_numpy(self.square.copy()),
        }

    def load(self, state: dict[str, torch.Tensor]) -> None:
        mean, square = state["mean"].numpy().copy(), state["square"].numpy().copy()
        if mean.shape != self.mean.shape or square.shape != self.square.shape:
            raise CheckpointError(
                f"A normaliser of {mean.shape} and {square.shape} entries does not fit {self.mean.shape}."
            )
        self.count, self.mean, self.square = float(state["count"]), mean, square
        self._refresh()


class ReturnScale:
    """The spread of discounted returns, by which rewards are divided before a value learns them."""

    def __init__(self) -> None:
        self.count, self.mean, self.square = 1e-4, 0.0, 1e-4

    @property
    def spread(self) -> float:
        return float(np.sqrt(self.square / self.count + 1e-8))

    def update(self, returns: np.ndarray) -> None:
        n = returns.size
        mean, square = float(returns.mean(dtype=np.float64)), float(returns.var(dtype=np.float64)) * n
        apart, total = mean - self.mean, self.count + n
        self.mean += apart * n / total
        self.square += square + apart * apart * self.count * n / total
        self.count = total

    def state(self) -> dict[str, float]:
        return {"count": self.count, "mean": self.mean, "square": self.square}

    def load(self, state: dict[str, float]) -> None:
        self.count, self.mean, self.square = state["count"], state["mean"], state["square"]
