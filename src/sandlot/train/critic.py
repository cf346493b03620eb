"""A critic that is told more than the player: it judges while training and is left behind afterwards.

A hider that runs does not see who is behind it, so its own value can only guess how the match stands. What
was a good move is told sooner by somebody who sees both. The player itself never gets these numbers.
"""

from __future__ import annotations

import torch
from torch import nn

from ..policies.network import Network, dense

UNITS = 64


class Critic(nn.Module):
    """The player's features and what only training knows → value, [rows]."""

    def __init__(self, network: Network, told: int, seed: int):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.first = dense(network.last.in_features + told, UNITS, 2**0.5)
            self.last = dense(UNITS, 1, 1.0)

    def forward(self, features: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        seen = torch.cat([features.detach(), told.to(features.dtype)], dim=-1)
        return self.last(torch.relu(self.first(seen))).squeeze(-1).float()
