"""The network that every library trains: a Policy of ours as one torch module.

Its input is the observation and, where the game has action masks, the mask beside it. So a library without
masks carries them through its rollouts all the same, and samples and learns by them.
"""

import torch
from torch import Tensor, nn

from ...errors import ConfigError
from ...policies import Categorical, Policy
from ...policies.heads import ILLEGAL
from ...spec import Spec
from ..config import TrainConfig
from ..learner import new_policy


def policy_for(config: TrainConfig, spec: Spec, role: str) -> Policy:
    """A fresh policy, the same for the same seed. These libraries sample from a list of actions."""
    policy = new_policy(config, spec, role).to("cpu")  # the library moves it
    if not isinstance(policy.head, Categorical):
        raise ConfigError(
            f"{config.game} has continuous actions (network.head = {config.network.head!r}), --trainer "
            f"{config.trainer} needs a list of them. Set network.head = table, or use --trainer ppo."
        )
    return policy


def input_size(spec: Spec) -> int:
    """Entries of an observation and its mask."""
    return spec.observation_size + (spec.action_count if spec.masked else 0)


class ActorCritic(nn.Module):
    """[rows, input_size] → [rows, actions + 1]: a logit per action, illegal ones masked, then the value."""

    def __init__(self, policy: Policy):
        super().__init__()
        self.policy, self.network = policy, policy.network
        self.observation_size, self.num_actions = policy.spec.observation_size, policy.head.size

    def forward(self, inputs: Tensor) -> Tensor:
        """Logits and value of each row."""
        outputs, _ = self.network(self.policy.normalize(inputs[:, : self.observation_size]))
        if inputs.shape[1] == self.observation_size:
            return outputs
        masks = inputs[:, self.observation_size :]
        logits = outputs[:, : self.num_actions].masked_fill(masks < 0.5, ILLEGAL)
        return torch.cat([logits, outputs[:, self.num_actions :]], dim=1)
