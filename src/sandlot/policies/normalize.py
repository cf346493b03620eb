"""Running mean and standard deviation, so that a network sees inputs of one scale. Saved with the policy."""

from typing import Any

import numpy as np
import torch

from ..errors import CheckpointError

CLIP = 10.0  # standard deviations; what lies further out is clipped


class RunningMoments:
    """Count, mean and sum of squared distances from the mean of all that was added."""

    count: float
    mean: Any
    sum_squares: Any

    def add(self, values: np.ndarray, axis: int | None = None) -> None:
        """Add values, or rows along an axis (Chan's parallel algorithm)."""
        n = values.size if axis is None else values.shape[axis]
        mean = values.mean(axis=axis, dtype=np.float64)
        self.merge(n, mean, values.var(axis=axis, dtype=np.float64) * n)

    def merge(self, n: int, mean: Any, sum_squares: Any) -> None:
        """Add values of which only this is known."""
        delta, total = mean - self.mean, self.count + n
        self.mean = self.mean + delta * (n / total)
        self.sum_squares = self.sum_squares + sum_squares + delta * delta * (self.count * n / total)
        self.count = total


class Normalizer(RunningMoments):
    """Of observations: (x - mean) / std, clipped at ±10. Statistics are kept in float64.

    min_std: lower bound of the std, so that a constant feature is not blown up; one for all, or [size].
    visible: indices of the entries that are passed on, in rising order; None for all.
    """

    def __init__(self, size: int, min_std: float | np.ndarray = 0.0, visible: np.ndarray | None = None):
        self._size, self._visible = size, visible
        lower = np.broadcast_to(min_std, size)
        self._min_std = lower if visible is None else lower[visible]
        outputs = len(self._min_std)
        self.count = 1e-4
        self.mean = np.zeros(outputs)
        self.sum_squares = np.ones(outputs) * self.count  # of the distances from the mean
        self._refresh()

    def _refresh(self) -> None:
        std = np.maximum(np.sqrt(self.sum_squares / self.count + 1e-8), self._min_std)
        self._shift = torch.as_tensor(self.mean, dtype=torch.float32)
        self._scale = torch.as_tensor(1.0 / std, dtype=torch.float32)
        self._by_device: dict[torch.device, list[torch.Tensor]] = {}  # copies

    def update(self, rows: np.ndarray) -> None:
        """Add rows [n, size] to the statistics."""
        self.add(rows if self._visible is None else rows[:, self._visible], axis=0)
        self._refresh()

    def apply(self, rows: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """The visible entries of the rows, normalized, into `out` when given."""
        shift, scale, *columns = self._on(rows.device)
        if columns:
            rows = rows.index_select(1, columns[0])
        result = torch.sub(rows, shift, out=out)
        return result.mul_(scale).clamp_(-CLIP, CLIP)

    def _on(self, device: torch.device) -> list[torch.Tensor]:
        """Shift, scale and, unless every entry is visible, columns, on a device."""
        if device not in self._by_device:
            columns = [] if self._visible is None else [torch.from_numpy(self._visible)]
            self._by_device[device] = [part.to(device) for part in (self._shift, self._scale, *columns)]
        return self._by_device[device]

    def shift_and_scale(self) -> tuple[np.ndarray, np.ndarray]:
        """What whole rows are shifted and multiplied by, float32 [size] each, 0 where an entry is masked: for
        runtimes other than PyTorch."""
        if self._visible is None:
            return self._shift.numpy(), self._scale.numpy()
        wide = np.zeros((2, self._size), np.float32)
        wide[:, self._visible] = self._shift.numpy(), self._scale.numpy()
        return wide[0], wide[1]

    def state(self) -> dict[str, torch.Tensor]:
        """The statistics as tensors."""
        return {
            "count": torch.tensor(self.count, dtype=torch.float64),
            "mean": torch.from_numpy(self.mean.copy()),
            "sum_squares": torch.from_numpy(self.sum_squares.copy()),
        }

    def load(self, state: dict[str, torch.Tensor]) -> None:
        """Take over statistics of the same size; nothing changes where they do not fit."""
        mean, sum_squares = state["mean"].numpy().copy(), state["sum_squares"].numpy().copy()
        if mean.shape != self.mean.shape or sum_squares.shape != self.sum_squares.shape:
            raise CheckpointError(
                f"Normalizer statistics of shape {mean.shape} and {sum_squares.shape} do not fit "
                f"{self.mean.shape}. Load a policy that sees the same features."
            )
        self.count, self.mean, self.sum_squares = float(state["count"]), mean, sum_squares
        self._refresh()


class ReturnScale(RunningMoments):
    """The running standard deviation of discounted returns, by which rewards are divided."""

    def __init__(self) -> None:
        self.count, self.mean, self.sum_squares = 1e-4, 0.0, 1e-4

    @property
    def std(self) -> float:
        """Standard deviation of all returns so far."""
        return float(np.sqrt(self.sum_squares / self.count + 1e-8))

    def update(self, returns: np.ndarray) -> None:
        """Add returns of any shape to the statistics."""
        self.add(returns)

    def merge(self, n: int, mean: Any, sum_squares: Any) -> None:
        """Add returns of which only this is known."""
        super().merge(n, mean, sum_squares)
        self.mean, self.sum_squares = float(self.mean), float(self.sum_squares)

    def state(self) -> dict[str, float]:
        """The statistics as plain values."""
        return {"count": self.count, "mean": self.mean, "sum_squares": self.sum_squares}

    def load(self, state: dict[str, float]) -> None:
        """Go on from saved statistics."""
        self.count, self.mean, self.sum_squares = state["count"], state["mean"], state["sum_squares"]
