"""The rollout buffer of one learner: `num_steps` steps in arrays that are allocated once, filled in place.

Tensors are what networks read and live on their device; NumPy arrays are what advantages are computed from.
"""

import numpy as np
import torch

from ..policies import Policy
from ..spec import Spec


class Rollout:
    """[time, row, …] of everything an update needs. Observations are stored normalized."""

    def __init__(self, spec: Spec, policy: Policy, num_steps: int, rows: int, privileged_size: int = 0):
        device = self.device = policy.device
        example = policy.head.mode(torch.zeros(1, policy.head.size + 1), None)  # for an action's shape
        self.num_steps, self.rows = num_steps, rows
        self.observations = torch.zeros(num_steps + 1, rows, policy.network.observation_size, device=device)
        self.raw_observations: list[np.ndarray] = []  # a sample, for the normalizer
        self.privileged = (  # observed only by a privileged critic
            torch.zeros(num_steps + 1, rows, privileged_size, device=device) if privileged_size else None
        )
        masks = (num_steps, rows, spec.action_count)
        self.masks = torch.ones(masks, dtype=torch.uint8, device=device) if spec.masked else None
        self.actions = torch.zeros(num_steps, rows, *example.shape[1:], dtype=example.dtype, device=device)
        self.log_probs = torch.zeros(num_steps, rows, device=device)
        self.values = np.zeros((num_steps + 1, rows), np.float32)
        self.final_values = np.zeros((num_steps, rows), np.float32)  # where truncated
        self.rewards = np.zeros((num_steps, rows), np.float32)
        self.ticks = np.zeros((num_steps, rows), np.int32)
        self.terminated = np.zeros((num_steps, rows), bool)
        self.truncated = np.zeros((num_steps, rows), bool)
        size = policy.network.recurrent_size
        self.recurrent_states = torch.zeros(num_steps + 1, rows, size, device=device) if size else None

    def keep_raw(self, observations: torch.Tensor) -> None:
        """A sample of what was observed, as it was, for the normalizer."""
        self.raw_observations.append(observations.numpy().copy())

    def take_raw(self) -> np.ndarray:
        """All that was kept since the last call."""
        kept = np.concatenate(self.raw_observations)
        self.raw_observations.clear()
        return kept

    def ended(self) -> np.ndarray:
        """Where an episode ended, bool [T, rows]."""
        return self.terminated | self.truncated
