"""The network that every library trains: a Policy of ours as one torch module over *wide* observations.

A wide observation is what an agent sees and, where the game has masks, which actions are legal, side by side.
So a library that knows no masks carries them through its rollouts all the same, and samples and learns by
them.
"""

from __future__ import annotations

import torch
from torch import nn

from ... import seeding
from ...errors import ConfigError
from ...games import Spec
from ...policies import Categorical, Policy
from ...policies.heads import ILLEGAL
from ...policies.policy import Shape
from ..config import TrainConfig


def policy_for(config: TrainConfig, spec: Spec, role: str) -> Policy:
    """A fresh policy, the same for the same seed. These libraries draw from a list of actions."""
    policy = Policy(
        spec, role, Shape(**vars(config.network)), seed=seeding.split(config.run.seed, 100) & 0x7FFFFFFF
    )
    if not isinstance(policy.head, Categorical):
        raise ConfigError(
            f"network.head = {config.network.head!r} draws free numbers, --trainer {config.trainer} "
            "draws from a list. Set network.head = table, or use --trainer ppo."
        )
    return policy


def wide_size(spec: Spec) -> int:
    return spec.observation_size + (spec.action_count if spec.masked else 0)


class Outputs(nn.Module):
    """[rows, wide] → [rows, actions + 1]: a logit an action, illegal ones cut off, then the value."""

    def __init__(self, policy: Policy):
        super().__init__()
        self.policy, self.network = policy, policy.network
        self.seen, self.size = policy.spec.observation_size, policy.head.size

    def forward(self, wide: torch.Tensor) -> torch.Tensor:
        outputs, _ = self.network(self.policy.normalised(wide[:, : self.seen]))
        if wide.shape[1] == self.seen:
            return outputs
        logits = outputs[:, : self.size].masked_fill(wide[:, self.seen :] < 0.5, ILLEGAL)
        return torch.cat([logits, outputs[:, self.size :]], dim=1)
