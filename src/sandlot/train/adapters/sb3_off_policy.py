"""Stable-Baselines3's SAC, TD3 and DQN: algorithms that learn from a replay buffer, over one batch of worlds.

What plays is a Policy of ours again. SAC and TD3 leave the actor's mean action behind, DQN its Q values as
logits so steep that drawing by them takes the best action. Observations lie in the buffer as the game gives
them and are normalized when they are learned from.
"""

import copy
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from ...policies import Gaussian, Policy
from ...policies.heads import LOG_STD_BOUNDS
from ..config import TrainConfig
from ..ppo import Metrics
from .actor_critic import CONTINUOUS, ActorCritic
from .runner import rename_metrics
from .sb3 import NEVER, BaseFeaturesExtractor, Columns, SB3Runner, spaces

from stable_baselines3 import DQN, SAC, TD3  # isort: skip  (sb3.py says what to install)
from stable_baselines3.common.noise import NormalActionNoise  # isort: skip
from stable_baselines3.common.torch_layers import FlattenExtractor  # isort: skip
from stable_baselines3.dqn.policies import DQNPolicy  # isort: skip
from stable_baselines3.sac.policies import SACPolicy  # isort: skip
from stable_baselines3.td3.policies import TD3Policy  # isort: skip

STEEPNESS = 1000.0  # of Q values as logits: an action that leads by 0.01 is 22,000 times as likely
METRIC_NAMES = {
    "train/actor_loss": "policy_loss",
    "train/critic_loss": "value_loss",
    "train/loss": "value_loss",
    "train/ent_coef": "ent_coef",
    "train/n_updates": "updates",
}


class Outputs(BaseFeaturesExtractor):
    """The whole network as what Stable-Baselines3 calls a features extractor: action outputs, then the value.

    The first that is made is our own network; those of target networks are copies.
    """

    def __init__(self, observation_space: spaces.Box, actor_critic: ActorCritic, made: list[nn.Module]):
        super().__init__(observation_space, actor_critic.num_actions + 1)
        self.actor_critic = copy.deepcopy(actor_critic) if made else actor_critic
        made.append(self)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.actor_critic(inputs)


class Torso(Outputs):
    """The network without its last layer, for an actor that adds its own layers."""

    def __init__(self, observation_space: spaces.Box, actor_critic: ActorCritic, made: list[nn.Module]):
        super().__init__(observation_space, actor_critic, made)
        self._features_dim = actor_critic.network.last.in_features

    def forward(self, inputs: Tensor) -> Tensor:
        return self.actor_critic.features(inputs)


class Normalized(FlattenExtractor):
    """Observations as our policy normalizes them, for critics."""

    def __init__(self, observation_space: spaces.Box, actor_critic: ActorCritic):
        super().__init__(observation_space)
        self._actor_critic = [
            actor_critic
        ]  # in a list, so that its weights are not registered as the critic's
        self._features_dim = actor_critic.network.observation_size

    def forward(self, inputs: Tensor) -> Tensor:
        return self._actor_critic[0].normalize(inputs)


class LastLayer(nn.Module):
    """The action outputs of the network's last layer; actor: one of Stable-Baselines3 with a Torso."""

    def __init__(self, actor: Any):
        super().__init__()
        self.layer = actor.features_extractor.actor_critic.network.last

    def forward(self, features: Tensor) -> Tensor:
        return self.layer(features)[:, :-1]


class _OwnCritic:
    """Critics have their own layers over normalized observations; only the actor is our network."""

    def make_critic(self, features_extractor: Any = None) -> Any:
        del features_extractor
        own = self.features_extractor_kwargs["actor_critic"]  # type: ignore[attr-defined]
        normalized = Normalized(self.observation_space, own)  # type: ignore[attr-defined]
        return super().make_critic(normalized)  # type: ignore[misc]


class SandlotSACPolicy(_OwnCritic, SACPolicy):
    """The mean is our network's output; the standard deviation has a layer of Stable-Baselines3's."""

    def make_actor(self, features_extractor: Any = None) -> Any:
        actor = super().make_actor(features_extractor)
        actor.mu = LastLayer(actor)
        return actor


class SandlotTD3Policy(_OwnCritic, TD3Policy):
    """The action is our network's output."""

    def make_actor(self, features_extractor: Any = None) -> Any:
        actor = super().make_actor(features_extractor)
        actor.mu = nn.Sequential(LastLayer(actor), nn.Tanh())
        return actor


class SandlotDQNPolicy(DQNPolicy):
    """Q values are our network's logits."""

    def make_q_net(self) -> Any:
        made: Any = super().make_q_net()
        made.q_net = Columns(slice(0, made.action_space.n))
        return made


class OffPolicyRunner(SB3Runner):
    """SAC, TD3 or DQN on the agent slots of one batch."""

    def __init__(self, config: TrainConfig, run_id: str):
        self.algorithm = config.adapter.algorithm
        if self.algorithm in CONTINUOUS:
            config = config.replace(network=config.network.replace(head="gaussian", squash=True))
        super().__init__(config, run_id)
        if self.algorithm in CONTINUOUS:  # close to the actor's mean
            cast(Gaussian, self.policy.head).log_std.data.fill_(LOG_STD_BOUNDS[0])

    def _make_model(self) -> Any:
        a, hidden = self.config.adapter, list(self.config.network.hidden_sizes)
        extractor = Torso if self.algorithm in CONTINUOUS else Outputs
        policy_kwargs: dict[str, Any] = {
            "net_arch": {"pi": [], "qf": hidden} if self.algorithm in CONTINUOUS else [],
            "features_extractor_class": extractor,
            "features_extractor_kwargs": {"actor_critic": self.actor_critic, "made": []},
        }
        options: dict[str, Any] = {
            "learning_rate": lambda _: self.learning_rate,
            "buffer_size": a.buffer_size,
            "batch_size": a.batch_size,
            "learning_starts": a.learning_starts,
            "train_freq": 1,
            "gradient_steps": a.gradient_steps,
            "gamma": a.gamma,
            "policy_kwargs": policy_kwargs,
            "seed": self.config.run.seed & 0x7FFFFFFF,
            "device": self.config.run.device,
        }
        if self.algorithm == "sac":
            return SAC(SandlotSACPolicy, self.env, **options)
        if self.algorithm == "td3":
            size = self.slots.num_actions
            noise = NormalActionNoise(np.zeros(size), np.full(size, a.action_noise))
            return TD3(SandlotTD3Policy, self.env, action_noise=noise, **options)
        options["target_update_interval"] = a.target_update_interval
        model = DQN(SandlotDQNPolicy, self.env, **options)
        model.exploration_schedule = lambda _: self.exploration
        return model

    @property
    def policies(self) -> dict[str, Policy]:
        """The policy by role; Q values are made so steep that drawing an action takes the best one."""
        if self.algorithm != "dqn":
            return super().policies
        steep = Policy.from_state(self.policy.state())
        with torch.no_grad():
            for weights in (steep.network.last.weight, steep.network.last.bias):
                weights[:-1] *= STEEPNESS
        return {role: steep.for_role(role) for role in self.roles}

    def _anneal(self, progress: float) -> None:
        super()._anneal(progress)
        a = self.config.adapter
        over = min(1.0, progress / a.exploration_fraction) if a.exploration_fraction else 1.0
        self.exploration = 1.0 + over * (a.exploration_end - 1.0)

    def learn(self) -> Metrics:
        model, a = self.model, self.config.adapter
        enough = model.replay_buffer.size() * self.slots.rows >= a.learning_starts  # not right after a resume
        model.gradient_steps = a.gradient_steps if enough or not model.num_timesteps else 0
        steps = self.config.ppo.num_steps * self.slots.rows
        model.learn(steps, log_interval=NEVER, reset_num_timesteps=False)
        metrics = rename_metrics(model.logger.name_to_value, METRIC_NAMES)
        if self.algorithm == "dqn":
            metrics["exploration_rate"] = self.exploration
        return metrics | {"learning_rate": self.learning_rate}

    def save(self) -> dict[str, Any]:
        """Weights and optimizers of actor, critics and targets; not the replay buffer, which begins empty."""
        saved = {"parameters": self.model.get_parameters(), "num_timesteps": self.model.num_timesteps}
        if self.algorithm == "sac":
            saved["log_ent_coef"] = self.model.log_ent_coef.detach()
        return saved

    def restore(self, saved: dict[str, Any]) -> None:
        self.model.set_parameters(saved["parameters"], device=self.config.run.device)
        self.model.num_timesteps = saved["num_timesteps"]
        if self.algorithm == "sac":
            self.model.log_ent_coef.data.copy_(saved["log_ent_coef"])
