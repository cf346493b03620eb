"""The PPO update: clipped policy loss, value loss, entropy bonus, over minibatches of whole steps."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from ..errors import TrainingFailed
from ..policies import Categorical, Policy
from ..policies.kernels import MOST_ACTIONS, ClippedLoss
from .config import PPOConfig
from .critic import Critic
from .rollout import Rollout

Figures = dict[str, float]
KL_SLACK = 1.5  # times the target, as in Stable-Baselines3: a minibatch beyond it ends the update


def update(
    policy: Policy,
    critic: Critic | None,
    optimiser: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: np.ndarray,
    returns: np.ndarray,
    config: PPOConfig,
    entropy_weight: float,
    rng: np.random.Generator,
    teacher_weight: float = 0.0,
) -> Figures:
    """One round of learning from a rollout. Returns the mean figures of its minibatches."""
    spread = float(advantages.std())
    scaled = (advantages - advantages.mean(dtype=np.float64).astype(np.float32)) / (spread + 1e-8)
    gains, targets, ended = (
        torch.from_numpy(array).to(rollout.device) for array in (scaled, returns, rollout.ended())
    )
    metrics: list[Figures] = []
    for part in (p for _ in range(config.epochs) for p in _parts(rollout, config.minibatches, rng)):
        batch = _batch(rollout, gains, targets, ended, part, config, entropy_weight)
        batch["teacher_weight"] = teacher_weight
        metrics.append(_step(policy, critic, optimiser, batch, config))
        if not metrics[-1]["stepped"]:
            break  # the policy has moved as far as this data can be trusted
    figures = mean_figures(metrics)
    del figures["stepped"]
    figures["updates"] = sum(each["stepped"] for each in metrics)
    figures["advantage_mean"], figures["advantage_std"] = float(advantages.mean()), spread
    figures["explained"] = explained(returns, rollout.values[:-1])
    return figures


def mean_figures(metrics: list[Figures]) -> Figures:
    """Name by name, as the first of them knows them, over those that have it."""
    return {name: float(np.mean([each[name] for each in metrics if name in each])) for name in metrics[0]}


def explained(returns: np.ndarray, values: np.ndarray) -> float:
    """Share of the returns' variance that the value foresaw: 1 is perfect, 0 is no better than their mean."""
    variance = float(np.var(returns))
    return 1.0 - float(np.var(returns - values)) / variance if variance > 0 else 0.0


def _parts(rollout: Rollout, count: int, rng: np.random.Generator) -> Iterator[slice]:
    """Runs of whole steps in random order: views, not copies. Rows of a step are independent worlds."""
    edges = np.linspace(0, rollout.horizon, count + 1).astype(int)
    for i in rng.permutation(count):
        yield slice(edges[i], edges[i + 1])


def _batch(
    rollout: Rollout,
    advantages: torch.Tensor,
    returns: torch.Tensor,
    ended: torch.Tensor,
    part: slice,
    config: PPOConfig,
    entropy_weight: float,
) -> dict[str, Any]:
    return {
        "observations": rollout.observations[part],
        "told": None if rollout.told is None else rollout.told[part].flatten(0, 1),
        "masks": None if rollout.masks is None else rollout.masks[part].flatten(0, 1),
        "choices": rollout.choices[part].flatten(0, 1),
        "log_probs": rollout.log_probs[part].flatten(),
        "advantages": advantages[part].flatten(),
        "returns": returns[part].flatten(),
        "memories": None if rollout.memories is None else rollout.memories[part],
        "ended": ended[part],
        "taught": None if rollout.taught is None else rollout.taught[part].flatten(),
        "clip": config.clip,
        "value_weight": config.value_weight,
        "entropy_weight": entropy_weight,
    }


def _step(
    policy: Policy,
    critic: Critic | None,
    optimiser: torch.optim.Optimizer,
    batch: dict[str, Any],
    config: PPOConfig,
) -> Figures:
    """One optimiser step on a minibatch; `stepped` is 0 where the policy had already moved too far."""
    figures: Figures = {}
    with rounding(config, policy.device):
        features = _features(policy, batch)
        outputs = policy.network.last(features).float()
    loss = (
        ClippedLoss.apply(outputs, batch, figures)
        if has_loops(policy)
        else clipped_loss(policy, outputs, batch, figures)
    )
    if batch["taught"] is not None and batch["teacher_weight"] > 0:
        log_probs, _ = policy.head.judge(outputs, batch["taught"], batch["masks"])
        figures["imitation"] = -float(log_probs.detach().mean())
        loss = loss - batch["teacher_weight"] * log_probs.mean()
    if critic is not None:
        with rounding(config, policy.device):
            wrong = critic(features, batch["told"]) - batch["returns"]
        loss = loss + config.value_weight * 0.5 * wrong.square().mean()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    learned = [weight for group in optimiser.param_groups for weight in group["params"]]
    norm = torch.nn.utils.clip_grad_norm_(learned, config.gradient_cap)
    too_far = config.target_kl > 0 and figures["kl"] > KL_SLACK * config.target_kl
    broken = too_far and not all(bool(torch.isfinite(weight).all()) for weight in learned)
    _guard(float(loss.detach()), np.nan if broken else float(norm), policy, batch)
    if too_far:
        return figures | {"stepped": 0.0}
    optimiser.step()
    return figures | {"gradient_norm": float(norm), "stepped": 1.0}


def has_loops(policy: Policy) -> bool:
    """Whether the engine's loops draw and judge for it: categorical heads on the processor."""
    head = policy.head
    return isinstance(head, Categorical) and head.size <= MOST_ACTIONS and policy.device.type == "cpu"


def rounding(config: PPOConfig, device: torch.device) -> torch.autocast:
    """Within it, matrices are multiplied in bfloat16 if the configuration says so. Weights stay float32."""
    rounded = config.precision == "bfloat16" or (config.precision == "auto" and bfloat16_pays(device.type))
    # PyTorch's cache of rounded weights is one for all threads, and whoever leaves empties it: with it, what
    # a memory learns would depend on the pace of the others.
    return torch.autocast(device.type, torch.bfloat16, enabled=rounded, cache_enabled=False)


@functools.cache
def bfloat16_pays(device: str) -> bool:
    """Whether it is faster there: on processors with instructions for it. A graphics card spends its time on
    beginning these small products, not on computing them."""
    if device != "cpu":
        return False
    told = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return bool(told.get("avx512_bf16") or told.get("amx_bf16"))


def _features(policy: Policy, batch: dict[str, Any]) -> torch.Tensor:
    """All but the network's last layer over a run of steps, [steps * rows, units]."""
    observations = batch["observations"]
    if batch["memories"] is None:
        return policy.network.features(observations.flatten(0, 1))[0]
    state = batch["memories"][0]
    told = []
    for step, ended in zip(observations, batch["ended"], strict=True):
        features, state = policy.network.features(step, state)
        told.append(features)
        state = state * (~ended)[:, None]  # an ended episode is not remembered
    return torch.cat(told)


def clipped_loss(
    policy: Policy, outputs: torch.Tensor, batch: dict[str, Any], figures: Figures
) -> torch.Tensor:
    """The same loss as the engine's loop, in plain PyTorch: any head, any device."""
    log_probs, entropy = policy.head.judge(outputs, batch["choices"], batch["masks"])
    log_ratio = log_probs - batch["log_probs"]
    ratio = log_ratio.clamp(-20, 20).exp()
    free = ratio * batch["advantages"]
    held = ratio.clamp(1 - batch["clip"], 1 + batch["clip"]) * batch["advantages"]
    policy_loss = -torch.minimum(free, held).mean()
    value_loss = 0.5 * (outputs[:, -1] - batch["returns"]).square().mean()
    mean_entropy = entropy.mean()
    told = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": mean_entropy,
        "kl": (ratio - 1 - log_ratio).mean(),
        "clipped": ((ratio - 1).abs() > batch["clip"]).float().mean(),
    }
    values = torch.stack([value.detach() for value in told.values()]).tolist()  # one wait for all of them
    figures.update(zip(told, values, strict=True))
    return policy_loss + batch["value_weight"] * value_loss - batch["entropy_weight"] * mean_entropy


def _guard(loss: float, norm: float, policy: Policy, batch: dict[str, Any]) -> None:
    """Stop at the first number that is none, and name where it came from."""
    if np.isfinite(loss) and np.isfinite(norm):
        return
    suspects = [
        name
        for name in ("observations", "advantages", "returns", "log_probs")
        if not torch.isfinite(batch[name]).all()
    ]
    weights = [name for name, w in policy.network.named_parameters() if not torch.isfinite(w).all()]
    culprit = (
        f"{suspects[0]} hold NaN or infinity"
        if suspects
        else f"weights {weights[0]} hold NaN or infinity"
        if weights
        else ""
    )
    raise TrainingFailed(
        f"The update gave loss {loss} and gradient norm {norm}: {culprit or 'the step was too large'}. "
        "Lower ppo.learning_rate, or check the game's rewards; the last checkpoint is intact."
    )
