"""The PPO update: clipped surrogate loss, value loss and entropy bonus over minibatches of whole steps."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import TrainingFailed
from ..policies import Categorical, Policy
from ..policies.kernels import MOST_ACTIONS, ClippedLoss
from .config import PPOConfig
from .critic import Critic
from .rollout import Rollout

Metrics = dict[str, float]
KL_TOLERANCE = 1.5  # times target_kl, as in Stable-Baselines3: a minibatch beyond it ends the update


def update(
    policy: Policy,
    critic: Critic | None,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: np.ndarray,
    returns: np.ndarray,
    config: PPOConfig,
    ent_coef: float,
    rng: np.random.Generator,
    imitation: Callable[[], Tensor] | None = None,
) -> Metrics:
    """One update from a rollout. Returns the mean metrics of its minibatches.

    imitation: a term of the loss that is added in each of them.
    """
    advantage_std = float(advantages.std())
    centered = advantages - advantages.mean(dtype=np.float64).astype(np.float32)
    normalized_advantages = centered / (advantage_std + 1e-8)
    targets = {
        "advantages": torch.from_numpy(normalized_advantages).to(rollout.device),
        "returns": torch.from_numpy(returns).to(rollout.device),
        "ended": torch.from_numpy(rollout.ended()).to(rollout.device),
    }
    history: list[Metrics] = []
    for _ in range(config.update_epochs):
        for steps in minibatches(rollout.num_steps, config.num_minibatches, rng):
            batch = batch_of(rollout, targets, steps, config, ent_coef)
            history.append(_step(policy, critic, optimizer, batch, config, imitation))
            if not history[-1]["stepped"]:
                break  # approx_kl is too large for this data
        if not history[-1]["stepped"]:
            break
    metrics = mean_metrics(history)
    del metrics["stepped"]
    metrics["updates"] = sum(each["stepped"] for each in history)
    metrics["advantage_mean"], metrics["advantage_std"] = float(advantages.mean()), advantage_std
    metrics["explained_variance"] = explained_variance(returns, rollout.values[:-1])
    return metrics


def mean_metrics(history: list[Metrics]) -> Metrics:
    """Means by name, over the updates that have the name."""
    return {name: float(np.mean([each[name] for each in history if name in each])) for name in history[0]}


def explained_variance(returns: np.ndarray, values: np.ndarray) -> float:
    """1 - Var(returns - values) / Var(returns): 1 is perfect, 0 is no better than the mean."""
    variance = float(np.var(returns))
    return 1.0 - float(np.var(returns - values)) / variance if variance > 0 else 0.0


def minibatches(num_steps: int, count: int, rng: np.random.Generator) -> Iterator[slice]:
    """Consecutive steps in random order: views, not copies. Rows of a step are independent worlds."""
    edges = np.linspace(0, num_steps, count + 1).astype(int)
    for i in rng.permutation(count):
        yield slice(edges[i], edges[i + 1])


def batch_of(
    rollout: Rollout, targets: dict[str, Tensor], steps: slice, config: PPOConfig, ent_coef: float
) -> dict[str, Any]:
    """One minibatch: tensors of its steps, flattened unless a recurrent network needs them in order."""
    return {
        "observations": rollout.observations[steps],
        "recurrent_states": None if rollout.recurrent_states is None else rollout.recurrent_states[steps],
        "ended": targets["ended"][steps],
        "privileged": None if rollout.privileged is None else rollout.privileged[steps].flatten(0, 1),
        "masks": None if rollout.masks is None else rollout.masks[steps].flatten(0, 1),
        "actions": rollout.actions[steps].flatten(0, 1),
        "log_probs": rollout.log_probs[steps].flatten(),
        "advantages": targets["advantages"][steps].flatten(),
        "returns": targets["returns"][steps].flatten(),
        "clip_range": config.clip_range,
        "vf_coef": config.vf_coef,
        "ent_coef": ent_coef,
    }


def _step(
    policy: Policy,
    critic: Critic | None,
    optimizer: torch.optim.Optimizer,
    batch: dict[str, Any],
    config: PPOConfig,
    imitation: Callable[[], Tensor] | None = None,
) -> Metrics:
    """One optimizer step on a minibatch; `stepped` is 0 if approx_kl was already too large."""
    metrics: Metrics = {}
    with autocast(config, policy.device):
        features = features_of(policy, batch)
        outputs = policy.network.last(features).float()
    if uses_kernels(policy):
        loss = ClippedLoss.apply(outputs, batch, metrics)
    else:
        loss = clipped_loss(policy, outputs, batch, metrics)
    if critic is not None:
        loss = loss + critic_loss(policy, critic, features, batch, config)
    if imitation is not None:
        imitation_loss = imitation()
        metrics["imitation_loss"] = float(imitation_loss.detach())
        loss = loss + imitation_loss
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    grad_norm = torch.nn.utils.clip_grad_norm_(weights, config.max_grad_norm)
    too_far = config.target_kl > 0 and metrics["approx_kl"] > KL_TOLERANCE * config.target_kl
    broken = too_far and not all(bool(torch.isfinite(weight).all()) for weight in weights)
    check_finite(float(loss.detach()), np.nan if broken else float(grad_norm), policy, batch)
    if too_far:
        return metrics | {"stepped": 0.0}
    optimizer.step()
    return metrics | {"grad_norm": float(grad_norm), "stepped": 1.0}


def critic_loss(
    policy: Policy, critic: Critic, features: Tensor, batch: dict[str, Any], config: PPOConfig
) -> Tensor:
    """What a privileged critic adds to the loss."""
    with autocast(config, policy.device):
        value_error = critic(features, batch["privileged"]) - batch["returns"]
    return config.vf_coef * 0.5 * value_error.square().mean()


def uses_kernels(policy: Policy) -> bool:
    """Whether the engine's C kernels sample and compute the loss: categorical heads on the CPU."""
    head = policy.head
    return isinstance(head, Categorical) and head.size <= MOST_ACTIONS and policy.device.type == "cpu"


def autocast(config: PPOConfig, device: torch.device) -> torch.autocast:
    """Matrix products in bfloat16 if the configuration says so. Weights stay float32."""
    enabled = config.precision == "bfloat16" or (config.precision == "auto" and bfloat16_pays(device.type))
    # PyTorch's cache of cast weights is shared by all threads, and leaving the context clears it: with it, a
    # recurrent network's gradients would depend on the timing of other threads.
    return torch.autocast(device.type, torch.bfloat16, enabled=enabled, cache_enabled=False)


@functools.cache
def bfloat16_pays(device: str) -> bool:
    """Whether bfloat16 is faster there: on CPUs with instructions for it. On a GPU these small products are
    bound by kernel launches."""
    if device != "cpu":
        return False
    capabilities = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def features_of(policy: Policy, batch: dict[str, Any]) -> Tensor:
    """All but the network's last layer, [steps * rows, units]; a GRU is unrolled over the steps."""
    observations = batch["observations"]
    if batch["recurrent_states"] is None:
        return policy.network.features(observations.flatten(0, 1))[0]
    state = batch["recurrent_states"][0]
    features = []
    for step, ended in zip(observations, batch["ended"], strict=True):
        row, state = policy.network.features(step, state)
        features.append(row)
        state = state * (~ended)[:, None]  # reset where an episode ended
    return torch.cat(features)


def clipped_loss(policy: Policy, outputs: Tensor, batch: dict[str, Any], metrics: Metrics) -> Tensor:
    """The same loss as the engine's kernel, in plain PyTorch: any head, any device."""
    loss, scalars = clipped_terms(policy, outputs, batch)
    values = torch.stack([value.detach() for value in scalars.values()]).tolist()  # one transfer for all
    metrics.update(zip(scalars, values, strict=True))
    return loss


def clipped_terms(policy: Policy, outputs: Tensor, batch: dict[str, Any]) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss, and its parts by name, as tensors."""
    log_probs, entropy = policy.head.evaluate_actions(outputs, batch["actions"], batch["masks"])
    log_ratio = log_probs - batch["log_probs"]
    ratio = log_ratio.clamp(-20, 20).exp()
    unclipped = ratio * batch["advantages"]
    clipped = ratio.clamp(1 - batch["clip_range"], 1 + batch["clip_range"]) * batch["advantages"]
    policy_loss = -torch.minimum(unclipped, clipped).mean()
    value_loss = 0.5 * (outputs[:, -1] - batch["returns"]).square().mean()
    mean_entropy = entropy.mean()
    scalars = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": mean_entropy,
        "approx_kl": (ratio - 1 - log_ratio).mean(),
        "clip_fraction": ((ratio - 1).abs() > batch["clip_range"]).float().mean(),
    }
    loss = policy_loss + batch["vf_coef"] * value_loss - batch["ent_coef"] * mean_entropy
    return loss, scalars


def check_finite(loss: float, grad_norm: float, policy: Policy, batch: dict[str, Any]) -> None:
    """Raise TrainingFailed at the first NaN or infinity, naming its source."""
    if np.isfinite(loss) and np.isfinite(grad_norm):
        return
    tensors = ("observations", "advantages", "returns", "log_probs")
    inputs = [name for name in tensors if not torch.isfinite(batch[name]).all()]
    weights = [name for name, w in policy.network.named_parameters() if not torch.isfinite(w).all()]
    if inputs:
        cause = f"{inputs[0]} hold NaN or infinity"
    elif weights:
        cause = f"weights {weights[0]} hold NaN or infinity"
    else:
        cause = "the step was too large"
    raise TrainingFailed(
        f"The update gave loss {loss} and gradient norm {grad_norm}: {cause}. "
        "Lower ppo.learning_rate, or check the game's rewards; the last checkpoint is intact."
    )
