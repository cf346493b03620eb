"""Stable-Baselines3's PPO over one batch of worlds, without a Python object per world.

Masks are part of the observation, so plain PPO respects them and sb3-contrib is not needed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import MissingExtra
from ...policies import Gaussian
from ..config import TrainConfig
from ..ppo import Metrics
from .actor_critic import ActorCritic
from .agent_slots import AgentSlots
from .agent_slots_processes import AgentSlotsProcesses
from .runner import AgentSlotsRunner, rename_metrics

try:
    from gymnasium import spaces
    from stable_baselines3 import PPO
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.policies import ActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise MissingExtra("--trainer sb3", "stable-baselines3", "sb3") from None

NEVER = 1 << 30  # log_interval: iterations between printed tables

METRIC_NAMES = {
    "train/policy_gradient_loss": "policy_loss",
    "train/value_loss": "value_loss",
    "train/approx_kl": "approx_kl",
    "train/clip_fraction": "clip_fraction",
    "train/explained_variance": "explained_variance",
    "train/n_updates": "updates",
}


class AgentSlotsVecEnv(VecEnv):
    """Agent slots as a VecEnv: same-step reset, the final observation of an episode in its info."""

    def __init__(self, slots: AgentSlots | AgentSlotsProcesses, seed: int):
        self.slots, self._seed = slots, seed
        inputs = spaces.Box(-np.inf, np.inf, slots.observations.shape[1:], np.float32)
        numbers = spaces.Box(-1.0, 1.0, (slots.num_actions,), np.float32)
        actions = spaces.Discrete(slots.num_actions) if slots.discrete else numbers
        super().__init__(slots.rows, inputs, actions)
        self._empty_infos: list[dict[str, Any]] = [{}] * slots.rows

    def reset(self) -> np.ndarray:
        return self.slots.reset(self._seed)

    def step_async(self, actions: np.ndarray) -> None:
        self._choices = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        slots = self.slots
        ended = slots.step(self._choices)
        infos = self._empty_infos if ended is None else self._infos()
        return slots.observations, slots.rewards, slots.terminated | slots.truncated, infos

    def _infos(self) -> list[dict[str, Any]]:
        """For truncated episodes, whose final observation PPO bootstraps from."""
        infos = self._empty_infos.copy()
        cut = np.flatnonzero(self.slots.truncated & ~self.slots.terminated)
        for row, final in zip(cut.tolist(), self.slots.final_observations(cut), strict=True):
            infos[row] = {"TimeLimit.truncated": True, "terminal_observation": final}
        return infos

    def close(self) -> None:
        self.slots.close()

    # the rest of the interface is about single envs; ours are rows of one batch

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        raise AttributeError(f"Rows of a native batch have no attribute {attr_name!r} of their own.")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"Rows of a native batch have no attribute {attr_name!r} of their own.")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise AttributeError(f"Rows of a native batch have no method {method_name!r} of their own.")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[None]:
        self._seed = self._seed if seed is None else seed
        return [None] * self.num_envs


class Columns(nn.Module):
    """Some columns of the network's outputs."""

    def __init__(self, columns: slice):
        super().__init__()
        self.columns = columns

    def forward(self, outputs: Tensor) -> Tensor:
        return outputs[:, self.columns]


class ActorCriticExtractor(BaseFeaturesExtractor):
    """The whole network as what Stable-Baselines3 calls a features extractor."""

    def __init__(self, observation_space: spaces.Box, actor_critic: ActorCritic):
        super().__init__(observation_space, actor_critic.num_actions + 1)
        self.actor_critic = actor_critic

    def forward(self, inputs: Tensor) -> Tensor:
        return self.actor_critic(inputs)


class SandlotPolicy(ActorCriticPolicy):
    """Logits and value are both outputs of our network; nothing else has weights."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        size = self.features_dim - 1
        self.action_net: nn.Module = Columns(slice(0, size))
        head = self.features_extractor.actor_critic.policy.head  # type: ignore[union-attr]
        if isinstance(head, Gaussian):
            self.log_std = head.log_std  # one parameter, ours
        self.value_net = Columns(slice(size, None))  # type: ignore[assignment]  # a Linear elsewhere
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1), eps=1e-5)


class SB3Runner(AgentSlotsRunner):
    """Stable-Baselines3's PPO on the agent slots of one batch."""

    model: Any

    def __init__(self, config: TrainConfig, run_id: str):
        super().__init__(config, run_id)
        self.env = AgentSlotsVecEnv(self.slots, config.run.seed)
        self.model = self._make_model()
        self.model.set_logger(Logger(None, []))  # the run folder is the log

    def _make_model(self) -> Any:
        config, p, rows = self.config, self.config.ppo, self.slots.rows
        return PPO(
            SandlotPolicy,
            self.env,
            learning_rate=lambda _: self.learning_rate,
            n_steps=p.num_steps,
            batch_size=max(2, rows * p.num_steps // p.num_minibatches),
            n_epochs=p.update_epochs,
            gamma=config.adapter.gamma,
            gae_lambda=p.gae_lambda,
            clip_range=p.clip_range,
            vf_coef=p.vf_coef,
            max_grad_norm=p.max_grad_norm,
            target_kl=p.target_kl or None,
            policy_kwargs={
                "net_arch": [],
                "ortho_init": False,
                "features_extractor_class": ActorCriticExtractor,
                "features_extractor_kwargs": {"actor_critic": self.actor_critic},
            },
            seed=config.run.seed & 0x7FFFFFFF,
            device=config.run.device,
        )

    def learn(self) -> Metrics:
        model = self.model
        model.ent_coef = self.ent_coef
        steps = self.config.ppo.num_steps * self.slots.rows
        model.learn(steps, log_interval=NEVER, reset_num_timesteps=False)
        metrics = rename_metrics(model.logger.name_to_value, METRIC_NAMES)
        return metrics | {"learning_rate": self.learning_rate}

    def save(self) -> dict[str, Any]:
        optimizer = self.model.policy.optimizer.state_dict()
        return {"optimizer": optimizer, "num_timesteps": self.model.num_timesteps}

    def restore(self, saved: dict[str, Any]) -> None:
        self.model.policy.optimizer.load_state_dict(saved["optimizer"])
        self.model.num_timesteps = saved["num_timesteps"]

    def reseed(self, seed: int) -> None:
        self.env.seed(seed)  # PPO resets it before its first rollout
