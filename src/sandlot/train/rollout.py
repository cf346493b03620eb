"""What one learner saw, did and got in `horizon` steps: arrays made once, filled in place.

Tensors are what networks read and live on their device; NumPy arrays are what advantages are made of.
"""

from __future__ import annotations

import numpy as np
import torch

from ..games import Spec
from ..policies import Policy


class Rollout:
    """[time, row, …] of everything an update needs. Observations are stored as the network saw them."""

    def __init__(self, spec: Spec, policy: Policy, horizon: int, rows: int):
        device = self.device = policy.device
        one = policy.head.best(torch.zeros(1, policy.head.size + 1), None)  # what a choice looks like
        self.horizon, self.rows = horizon, rows
        self.observations = torch.zeros(horizon + 1, rows, policy.network.observation, device=device)
        legal = (horizon, rows, spec.action_count)
        self.masks = torch.ones(legal, dtype=torch.uint8, device=device) if spec.masked else None
        self.told: torch.Tensor | None = None  # what only a privileged critic sees, [T + 1, rows, entries]
        self.choices = torch.zeros(horizon, rows, *one.shape[1:], dtype=one.dtype, device=device)
        self.log_probs = torch.zeros(horizon, rows, device=device)
        self.values = np.zeros((horizon + 1, rows), np.float32)
        self.final_values = np.zeros((horizon, rows), np.float32)
        self.rewards = np.zeros((horizon, rows), np.float32)
        self.ticks = np.zeros((horizon, rows), np.int32)
        self.terminated = np.zeros((horizon, rows), bool)
        self.truncated = np.zeros((horizon, rows), bool)
        self.taught: torch.Tensor | None = None  # what a teacher would have done, int32 [T, rows]
        self.raw: list[np.ndarray] = []  # a few observations as the game gave them, for the normaliser
        memory = policy.network.memory
        self.memories = torch.zeros(horizon + 1, rows, memory, device=device) if memory else None

    def ended(self) -> np.ndarray:
        return self.terminated | self.truncated
