"""The network that every library trains: a sandlot Policy as one torch module.

Its input is the observation and, where the game has action masks, the mask appended to it. A library that
knows no masks thus stores them in its rollouts with the observation, and samples and learns with them.
"""

import torch
from torch import Tensor, nn

from ...errors import ConfigError
from ...policies import Categorical, Gaussian, Policy
from ...policies.heads import ILLEGAL
from ...spec import Spec
from ..config import TrainConfig
from ..learner import new_policy

CONTINUOUS = ("sac", "td3")  # algorithms that learn continuous actions only
GAUSSIAN = ("sb3", "rllib")  # trainers whose PPO also learns continuous actions


def policy_for(config: TrainConfig, spec: Spec, role: str) -> Policy:
    """A fresh policy, the same for the same seed, with a head that the library's algorithm can train."""
    _check_algorithm(config, spec.for_role(role))
    policy = new_policy(config, spec, role).to("cpu")  # the library moves it to its device
    numbers = isinstance(policy.head, Gaussian) and config.trainer in GAUSSIAN
    if not isinstance(policy.head, Categorical) and not (numbers and config.adapter.algorithm != "dqn"):
        raise ConfigError(
            f"{config.game} has continuous actions (network.head = {config.network.head!r}), "
            f"{_named(config)} needs discrete ones. Set network.head = table, or use --trainer ppo."
        )
    return policy


def _check_algorithm(config: TrainConfig, spec: Spec) -> None:
    """Refuse an algorithm that cannot learn the game's kind of actions."""
    algorithm = config.adapter.algorithm
    choices = spec.discrete or any(action.kind == "choice" for action in spec.actions)
    if algorithm in CONTINUOUS and choices:
        other = "--algorithm dqn or ppo" if spec.discrete else "--trainer ppo, which is our own"
        raise ConfigError(
            f"{_named(config)} learns continuous actions; those of {config.game} are choices. Use {other}."
        )
    if algorithm == "dqn" and spec.masked:
        raise ConfigError(
            f"{_named(config)} explores with random actions, and {config.game} masks some of them. "
            "Use --algorithm ppo."
        )


def _named(config: TrainConfig) -> str:
    algorithm = config.adapter.algorithm
    return f"--trainer {config.trainer}" + (f" --algorithm {algorithm}" if algorithm != "ppo" else "")


def input_size(spec: Spec) -> int:
    """Entries of an observation and its mask."""
    return spec.observation_size + (spec.action_count if spec.masked else 0)


class ActorCritic(nn.Module):
    """[rows, input_size] → [rows, outputs + 1]: a logit per action, illegal ones masked, or a mean per
    number; then the value."""

    def __init__(self, policy: Policy):
        super().__init__()
        self.policy, self.network = policy, policy.network
        self.observation_size, self.num_actions = policy.spec.observation_size, policy.head.size

    def features(self, inputs: Tensor) -> Tensor:
        """All but the network's last layer."""
        return self.network.features(self.normalize(inputs))[0]

    def normalize(self, inputs: Tensor) -> Tensor:
        """Observations as the network sees them."""
        return self.policy.normalize(inputs[:, : self.observation_size])

    def forward(self, inputs: Tensor) -> Tensor:
        """Action outputs and value of each row."""
        outputs = self.network.last(self.features(inputs))
        if inputs.shape[1] == self.observation_size:
            return outputs
        masks = inputs[:, self.observation_size :]
        logits = outputs[:, : self.num_actions].masked_fill(masks < 0.5, ILLEGAL)
        return torch.cat([logits, outputs[:, self.num_actions :]], dim=1)
