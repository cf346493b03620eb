"""PufferLib's own trainer over PufferLib's own buffers, in this process.

Two habits of that trainer are worth knowing: it cuts rewards at ±1 (ours come divided by the spread of
returns), and it does not value what lay beyond a truncation, so a timeout counts as an end here.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import Any

import numpy as np
import torch
from torch import nn

from ...errors import MissingExtra
from ..config import TrainConfig
from ..ppo import Figures
from .outputs import Outputs
from .runner import SeatsRunner, named, signals_kept
from .seats import Seats

FIGURES = {
    "policy_loss": "policy_loss",
    "value_loss": "value_loss",
    "entropy": "entropy",
    "approx_kl": "kl",
    "clipfrac": "clipped",
    "explained_variance": "explained",
}
ENDLESS_DECISIONS = 1 << 40  # the loop decides when a run ends


@contextmanager
def _left_as_it_was() -> Iterator[None]:
    """Importing that trainer makes Ctrl-C kill at once and warnings errors; both are ours to decide."""
    hook, level = sys.excepthook, logging.root.manager.disable
    logging.disable(logging.WARNING)  # it warns that its CUDA part is missing, which is answered below
    with warnings.catch_warnings(), signals_kept():
        try:
            yield
        finally:
            logging.disable(level)
            sys.excepthook = hook


try:
    with _left_as_it_was():
        from gymnasium import spaces
        from pufferlib import PufferEnv, pufferl
except ImportError as problem:
    raise MissingExtra("--trainer puffer", f"pufferlib-core and {problem.name}", "puffer") from None


class SeatsEnv(PufferEnv):
    """Seats as one PufferEnv of so many agents."""

    def __init__(self, seats: Seats):
        self.seats = seats
        self.single_observation_space = spaces.Box(-np.inf, np.inf, seats.observations.shape[1:], np.float32)
        self.single_action_space: spaces.Discrete = spaces.Discrete(seats.actions)
        self.num_agents = seats.rows
        super().__init__()

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[Any]]:
        self.observations[:] = self.seats.reset(seed or 0)
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, list[Any]]:
        seats = self.seats
        seats.step(actions)
        self.observations[:], self.rewards[:] = seats.observations, seats.rewards
        self.terminals[:], self.truncations[:] = seats.terminated | seats.truncated, seats.truncated
        return self.observations, self.rewards, self.terminals, self.truncations, []

    def close(self) -> None:
        self.seats.close()


class OurPolicy(nn.Module):
    """Our network as PufferLib calls it."""

    def __init__(self, outputs: Outputs):
        super().__init__()
        self.outputs = outputs

    def forward(self, observations: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        told = self.outputs(observations)
        return told[:, :-1], told[:, -1:]

    forward_eval = forward


class Trainer(pufferl.PuffeRL):
    """PufferLib's trainer without its files: the loop has them."""

    def save_checkpoint(self) -> None: ...

    def print_dashboard(self, *args: Any, **options: Any) -> None:
        with redirect_stdout(sys.stderr):  # standard output is for --json
            super().print_dashboard(*args, **options)


class QuietTrainer(Trainer):
    """And without its screen."""

    def print_dashboard(self, *_: Any, **__: Any) -> None: ...


def advantages_by_numpy(
    values: torch.Tensor,
    rewards: torch.Tensor,
    terminals: torch.Tensor,
    ratio: torch.Tensor,
    advantages: torch.Tensor,
    gamma: float,
    trace: float,
    rho_cap: float,
    c_cap: float,
) -> torch.Tensor:
    """The advantages that PufferLib learns from, [rows, time], where its compiled ones cannot be loaded.

    Generalised advantages with V-trace's capped ratios. What step t brought is stored with step t + 1.
    """
    v, r, end, importance = (x.detach().cpu().numpy() for x in (values, rewards, terminals, ratio))
    result = np.zeros_like(v)
    carried = np.zeros(len(v), v.dtype)
    for t in range(v.shape[1] - 2, -1, -1):
        goes_on = 1.0 - end[:, t + 1]
        surprise = r[:, t + 1] + gamma * v[:, t + 1] * goes_on - v[:, t]
        carried *= gamma * trace * np.minimum(importance[:, t], c_cap) * goes_on
        carried += np.minimum(importance[:, t], rho_cap) * surprise
        result[:, t] = carried
    return torch.as_tensor(result, device=values.device)


def _settings(config: TrainConfig, rows: int) -> dict[str, Any]:
    """Ours under PufferLib's names."""
    p = config.ppo
    minibatch = max(1, rows // p.minibatches) * p.horizon  # whole rows
    return {
        "env": config.game,
        "seed": config.run.seed,
        "device": config.run.device,
        "torch_deterministic": True,
        "cpu_offload": False,
        "compile": False,
        "use_rnn": False,
        "precision": "float32",
        "data_dir": "",
        "checkpoint_interval": ENDLESS_DECISIONS,
        "total_timesteps": ENDLESS_DECISIONS,
        "batch_size": rows * p.horizon,
        "bptt_horizon": p.horizon,
        "minibatch_size": minibatch,
        "max_minibatch_size": minibatch,
        "update_epochs": p.epochs,
        "optimizer": "adam",
        "learning_rate": p.learning_rate,
        "anneal_lr": False,
        "adam_beta1": 0.9,
        "adam_beta2": 0.999,
        "adam_eps": 1e-5,
        "gamma": config.adapter.discount,
        "gae_lambda": p.trace,
        "clip_coef": p.clip,
        "vf_clip_coef": p.clip,
        "vf_coef": p.value_weight,
        "ent_coef": p.entropy,
        "max_grad_norm": p.gradient_cap,
        "vtrace_rho_clip": 1.0,
        "vtrace_c_clip": 1.0,
        "prio_alpha": 0.0,  # every row as likely as any other
        "prio_beta0": 1.0,
    }


class PufferRunner(SeatsRunner):
    def __init__(self, config: TrainConfig, run_id: str):
        super().__init__(config, run_id)
        if not pufferl._C_AVAILABLE:
            pufferl.compute_puff_advantage = advantages_by_numpy
        torch.manual_seed(config.run.seed & 0x7FFFFFFF)
        self.env, policy = SeatsEnv(self.seats), OurPolicy(self.outputs)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "In CPU autocast")  # it asks for float32 in a roundabout way
            kind = Trainer if config.adapter.dashboard else QuietTrainer
            self.trainer = kind(_settings(config, self.seats.rows), self.env, policy)
        # it enters automatic precision at every minibatch and never leaves, which spoils bfloat16 for others
        self.trainer.amp_context = nullcontext()
        if not config.adapter.dashboard:
            self.trainer.utilization.stop()  # a thread that watches the machine for the screen we do not show

    def learn(self) -> Figures:
        trainer = self.trainer
        trainer.config["ent_coef"] = self.entropy()
        for group in trainer.optimizer.param_groups:
            group["lr"] = self.learning_rate()
        if isinstance(trainer, QuietTrainer):
            trainer.last_log_time = 0.0  # figures of every update; its screen wants one every quarter second
        trainer.evaluate()
        trainer.train()
        return named(trainer.losses, FIGURES) | {
            "learning_rate": self.learning_rate(),
            "updates": trainer.epoch,
        }

    def close(self) -> None:
        self.trainer.utilization.stop()
        super().close()

    def save(self) -> dict[str, Any]:
        trainer = self.trainer
        return {
            "optimiser": trainer.optimizer.state_dict(),
            "updates": trainer.epoch,
            "decisions": trainer.global_step,
        }

    def restore(self, saved: dict[str, Any]) -> None:
        self.trainer.optimizer.load_state_dict(saved["optimiser"])
        self.trainer.epoch, self.trainer.global_step = saved["updates"], saved["decisions"]

    def begin_anew(self, seed: int) -> None:
        self.env.reset(seed)


def make(config: TrainConfig, run_id: str) -> PufferRunner:
    return PufferRunner(config, run_id)
