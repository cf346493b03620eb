"""A privileged critic: it sees more than the policy while training, and is not needed afterwards.

A hider that runs does not see the seeker behind it, so its own value estimate is a guess. A critic that sees
both gives better advantages. The policy itself never gets the privileged observation.
"""

import torch
from torch import Tensor, nn

from ..policies.network import Network, dense

HIDDEN_SIZE = 64


class Critic(nn.Module):
    """The policy's features and the privileged observation → value, [rows]."""

    def __init__(self, network: Network, privileged_size: int, seed: int):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.first = dense(network.last.in_features + privileged_size, HIDDEN_SIZE, 2**0.5)
            self.last = dense(HIDDEN_SIZE, 1, 1.0)

    def forward(self, features: Tensor, privileged: Tensor) -> Tensor:
        """Values; no gradient flows back into the policy's features."""
        inputs = torch.cat([features.detach(), privileged.to(features.dtype)], dim=-1)
        return self.last(torch.relu(self.first(inputs))).squeeze(-1).float()
