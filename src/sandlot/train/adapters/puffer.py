"""PufferLib's own trainer over PufferLib's own buffers, in this process.

Two properties of that trainer: it clips rewards at ±1 (ours are divided by the std of returns), and it does
not bootstrap from truncated episodes, so a timeout counts as terminated here.
"""

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import MissingExtra
from ..config import TrainConfig
from ..ppo import Metrics
from .actor_critic import ActorCritic
from .agent_slots import AgentSlots
from .agent_slots_processes import AgentSlotsProcesses
from .runner import AgentSlotsRunner, preserve_signal_handlers, rename_metrics

SAME_NAMES = ("policy_loss", "value_loss", "entropy", "approx_kl", "explained_variance")
METRIC_NAMES = {"clipfrac": "clip_fraction", **{name: name for name in SAME_NAMES}}
ENDLESS_STEPS = 1 << 40  # the loop decides when a run ends


@contextmanager
def _undo_side_effects() -> Iterator[None]:
    """Importing that trainer replaces the Ctrl-C handler and turns warnings into errors; keep ours."""
    hook, level = sys.excepthook, logging.root.manager.disable
    logging.disable(logging.WARNING)  # it warns that its CUDA extension is missing; see below
    with warnings.catch_warnings(), preserve_signal_handlers():
        try:
            yield
        finally:
            logging.disable(level)
            sys.excepthook = hook


try:
    with _undo_side_effects():
        from gymnasium import spaces
        from pufferlib import PufferEnv, pufferl
except ImportError as problem:
    raise MissingExtra("--trainer puffer", f"pufferlib-core and {problem.name}", "puffer") from None


class AgentSlotsEnv(PufferEnv):
    """Agent slots as one PufferEnv."""

    def __init__(self, slots: AgentSlots | AgentSlotsProcesses):
        self.slots = slots
        self.single_observation_space = spaces.Box(-np.inf, np.inf, slots.observations.shape[1:], np.float32)
        self.single_action_space: spaces.Discrete = spaces.Discrete(slots.num_actions)
        self.num_agents = slots.rows
        super().__init__()

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[Any]]:
        self.observations[:] = self.slots.reset(seed or 0)
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, list[Any]]:
        slots = self.slots
        slots.step(actions)
        self.observations[:], self.rewards[:] = slots.observations, slots.rewards
        self.terminals[:], self.truncations[:] = slots.terminated | slots.truncated, slots.truncated
        return self.observations, self.rewards, self.terminals, self.truncations, []

    def close(self) -> None:
        self.slots.close()


class SandlotPolicy(nn.Module):
    """Our network with the interface of PufferLib's policies."""

    def __init__(self, actor_critic: ActorCritic):
        super().__init__()
        self.actor_critic = actor_critic

    def forward(self, observations: Tensor, state: Any = None) -> tuple[Tensor, Tensor]:
        outputs = self.actor_critic(observations)
        return outputs[:, :-1], outputs[:, -1:]

    forward_eval = forward


class Trainer(pufferl.PuffeRL):
    """PufferLib's trainer without its files; train/loop.py writes the run."""

    def save_checkpoint(self) -> None: ...

    def print_dashboard(self, *args: Any, **options: Any) -> None:
        with redirect_stdout(sys.stderr):  # standard output is for --json
            super().print_dashboard(*args, **options)


class QuietTrainer(Trainer):
    """No dashboard."""

    def print_dashboard(self, *_: Any, **__: Any) -> None: ...


def advantages_by_numpy(
    values: Tensor,
    rewards: Tensor,
    terminals: Tensor,
    ratio: Tensor,
    advantages: Tensor,
    gamma: float,
    gae_lambda: float,
    rho_clip: float,
    c_clip: float,
) -> Tensor:
    """PufferLib's advantages, [rows, time], for when its compiled function cannot be loaded.

    GAE with V-trace's clipped importance ratios. The reward of step t is stored with step t + 1.
    """
    v, r, ended, importance = (x.detach().cpu().numpy() for x in (values, rewards, terminals, ratio))
    result = np.zeros_like(v)
    advantage = np.zeros(len(v), v.dtype)
    for t in range(v.shape[1] - 2, -1, -1):
        nonterminal = 1.0 - ended[:, t + 1]
        td_error = r[:, t + 1] + gamma * v[:, t + 1] * nonterminal - v[:, t]
        advantage *= gamma * gae_lambda * np.minimum(importance[:, t], c_clip) * nonterminal
        advantage += np.minimum(importance[:, t], rho_clip) * td_error
        result[:, t] = advantage
    return torch.as_tensor(result, device=values.device)


def _settings(config: TrainConfig, rows: int) -> dict[str, Any]:
    """Our settings by PufferLib's names."""
    p = config.ppo
    minibatch = max(1, rows // p.num_minibatches) * p.num_steps  # whole rows
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
        "checkpoint_interval": ENDLESS_STEPS,
        "total_timesteps": ENDLESS_STEPS,
        "batch_size": rows * p.num_steps,
        "bptt_horizon": p.num_steps,
        "minibatch_size": minibatch,
        "max_minibatch_size": minibatch,
        "update_epochs": p.update_epochs,
        "optimizer": "adam",
        "learning_rate": p.learning_rate,
        "anneal_lr": False,
        "adam_beta1": 0.9,
        "adam_beta2": 0.999,
        "adam_eps": 1e-5,
        "gamma": config.adapter.gamma,
        "gae_lambda": p.gae_lambda,
        "clip_coef": p.clip_range,
        "vf_clip_coef": p.clip_range,
        "vf_coef": p.vf_coef,
        "ent_coef": p.ent_coef,
        "max_grad_norm": p.max_grad_norm,
        "vtrace_rho_clip": 1.0,
        "vtrace_c_clip": 1.0,
        "prio_alpha": 0.0,  # uniform: every row is equally likely
        "prio_beta0": 1.0,
    }


class PufferRunner(AgentSlotsRunner):
    """PufferLib's trainer on the agent slots of one batch."""

    def __init__(self, config: TrainConfig, run_id: str):
        super().__init__(config, run_id)
        if not pufferl._C_AVAILABLE:
            pufferl.compute_puff_advantage = advantages_by_numpy
        torch.manual_seed(config.run.seed & 0x7FFFFFFF)
        self.env, policy = AgentSlotsEnv(self.slots), SandlotPolicy(self.actor_critic)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "In CPU autocast")  # it enables autocast to float32
            kind = Trainer if config.adapter.dashboard else QuietTrainer
            self.trainer = kind(_settings(config, self.slots.rows), self.env, policy)
        # it enters autocast at every minibatch and never leaves it, which would leak into our own trainer
        self.trainer.amp_context = nullcontext()
        if not config.adapter.dashboard:
            self.trainer.utilization.stop()  # a thread that measures the machine for the dashboard

    def learn(self) -> Metrics:
        trainer = self.trainer
        trainer.config["ent_coef"] = self.ent_coef
        for group in trainer.optimizer.param_groups:
            group["lr"] = self.learning_rate
        if isinstance(trainer, QuietTrainer):
            trainer.last_log_time = 0.0  # metrics of every update, not four times a second
        trainer.evaluate()
        trainer.train()
        metrics = rename_metrics(trainer.losses, METRIC_NAMES)
        return metrics | {"learning_rate": self.learning_rate, "updates": trainer.epoch}

    def close(self) -> None:
        """End the watching thread and close the worlds."""
        self.trainer.utilization.stop()
        super().close()

    def save(self) -> dict[str, Any]:
        optimizer = self.trainer.optimizer.state_dict()
        counts = {"updates": self.trainer.epoch, "global_step": self.trainer.global_step}
        return {"optimizer": optimizer} | counts

    def restore(self, saved: dict[str, Any]) -> None:
        self.trainer.optimizer.load_state_dict(saved["optimizer"])
        self.trainer.epoch, self.trainer.global_step = saved["updates"], saved["global_step"]

    def reseed(self, seed: int) -> None:
        self.env.reset(seed)
