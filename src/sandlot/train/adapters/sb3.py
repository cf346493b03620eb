"""Stable-Baselines3's PPO over one native batch: no Python object a world.

Masks go through as part of the observation, so plain PPO obeys them and sb3-contrib is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from ...errors import MissingExtra
from ..config import TrainConfig
from ..ppo import Figures
from .outputs import Outputs
from .runner import SeatsRunner, named
from .seats import Seats

try:
    from gymnasium import spaces
    from stable_baselines3 import PPO
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.policies import ActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise MissingExtra("--trainer sb3", "stable-baselines3", "sb3") from None

NEVER = 1 << 30  # iterations between two printed tables

FIGURES = {
    "train/policy_gradient_loss": "policy_loss",
    "train/value_loss": "value_loss",
    "train/approx_kl": "kl",
    "train/clip_fraction": "clipped",
    "train/explained_variance": "explained",
    "train/n_updates": "updates",
}


class SeatsVecEnv(VecEnv):
    """Seats as Stable-Baselines3 wants them: same-step reset, the end of an episode in its info."""

    def __init__(self, seats: Seats, seed: int):
        self.seats, self._root = seats, seed
        wide = spaces.Box(-np.inf, np.inf, seats.observations.shape[1:], np.float32)
        super().__init__(seats.rows, wide, spaces.Discrete(seats.actions))
        self._nothing: list[dict[str, Any]] = [{}] * seats.rows

    def reset(self) -> np.ndarray:
        return self.seats.reset(self._root)

    def step_async(self, actions: np.ndarray) -> None:
        self._choices = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        seats = self.seats
        ended = seats.step(self._choices)
        infos = self._nothing if ended is None else self._infos()
        return seats.observations, seats.rewards, seats.terminated | seats.truncated, infos

    def _infos(self) -> list[dict[str, Any]]:
        """Where we only stopped watching, PPO values the last observation: it still had a future."""
        infos = self._nothing.copy()
        cut = np.flatnonzero(self.seats.truncated & ~self.seats.terminated)
        for row, last in zip(cut.tolist(), self.seats.final(cut), strict=True):
            infos[row] = {"TimeLimit.truncated": True, "terminal_observation": last}
        return infos

    def close(self) -> None:
        self.seats.close()

    # what remains is asked of each env; ours are rows of one batch and have nothing of their own

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
        self._root = self._root if seed is None else seed
        return [None] * self.num_envs


class Pick(nn.Module):
    """Some columns of what the network put out."""

    def __init__(self, columns: slice):
        super().__init__()
        self.columns = columns

    def forward(self, outputs: torch.Tensor) -> torch.Tensor:
        return outputs[:, self.columns]


class Extractor(BaseFeaturesExtractor):
    """The whole network as the part that Stable-Baselines3 calls a features extractor."""

    def __init__(self, observation_space: spaces.Box, outputs: Outputs):
        super().__init__(observation_space, outputs.size + 1)
        self.outputs = outputs

    def forward(self, wide: torch.Tensor) -> torch.Tensor:
        return self.outputs(wide)


class OurPolicy(ActorCriticPolicy):
    """Logits and value are both read off our network; nothing else has weights."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        size = self.features_dim - 1
        self.action_net: nn.Module = Pick(slice(0, size))
        self.value_net = Pick(slice(size, None))  # type: ignore[assignment]  # a Linear elsewhere
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1), eps=1e-5)


class SB3Runner(SeatsRunner):
    def __init__(self, config: TrainConfig, run_id: str):
        super().__init__(config, run_id)
        p, rows = config.ppo, self.seats.rows
        self.env = SeatsVecEnv(self.seats, config.run.seed)
        self.model = PPO(
            OurPolicy,
            self.env,
            learning_rate=lambda _: self.learning_rate(),
            n_steps=p.horizon,
            batch_size=max(2, rows * p.horizon // p.minibatches),
            n_epochs=p.epochs,
            gamma=config.adapter.discount,
            gae_lambda=p.trace,
            clip_range=p.clip,
            vf_coef=p.value_weight,
            max_grad_norm=p.gradient_cap,
            target_kl=p.target_kl or None,
            policy_kwargs={
                "net_arch": [],
                "ortho_init": False,
                "features_extractor_class": Extractor,
                "features_extractor_kwargs": {"outputs": self.outputs},
            },
            seed=config.run.seed & 0x7FFFFFFF,
            device=config.run.device,
        )
        self.model.set_logger(Logger(None, []))  # the run folder is the log

    def learn(self) -> Figures:
        model = self.model
        model.ent_coef = self.entropy()
        model.learn(self.config.ppo.horizon * self.seats.rows, log_interval=NEVER, reset_num_timesteps=False)
        return named(model.logger.name_to_value, FIGURES) | {"learning_rate": self.learning_rate()}

    def save(self) -> dict[str, Any]:
        return {"optimiser": self.model.policy.optimizer.state_dict(), "decisions": self.model.num_timesteps}

    def restore(self, saved: dict[str, Any]) -> None:
        self.model.policy.optimizer.load_state_dict(saved["optimiser"])
        self.model.num_timesteps = saved["decisions"]

    def begin_anew(self, seed: int) -> None:
        self.env.seed(seed)  # PPO resets it before its first rollout


def make(config: TrainConfig, run_id: str) -> SB3Runner:
    return SB3Runner(config, run_id)
