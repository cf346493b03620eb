"""A learner whose worlds are on its device: it waits for the device a few times per update, never per step or
minibatch.

The same PPO as learner.py and ppo.py, on tensors from the observation to the optimizer's step. What differs:
final observations of truncated episodes are kept and valued after the rollout; the rule that ends an update
early is a factor on the device; metrics are fetched once per update.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..policies import Policy
from ..spec import Spec
from ..worlds import World
from .config import PPOConfig
from .critic import Critic
from .learner import Learner
from .ppo import (
    KL_TOLERANCE,
    Metrics,
    autocast,
    batch_of,
    check_finite,
    clipped_terms,
    critic_loss,
    features_of,
    minibatches,
)
from .rollout import Rollout


class DeviceRollout(Rollout):
    """[time, row, …] of everything an update needs, as tensors."""

    def __init__(self, spec: Spec, policy: Policy, num_steps: int, rows: int, privileged_size: int = 0):
        super().__init__(spec, policy, num_steps, rows, privileged_size)
        kept = ("values", "final_values", "rewards", "ticks", "terminated", "truncated")
        for name in kept:  # the same arrays, on the device
            setattr(self, name, torch.from_numpy(getattr(self, name)).to(self.device))
        seen = policy.spec.observation_size + privileged_size
        self.final_observations = torch.zeros(num_steps, rows, seen, device=self.device)
        self.next_states = None if self.recurrent_states is None else torch.zeros_like(self.recurrent_states)

    def keep_raw(self, observations: Tensor) -> None:
        """A sample of what was observed, as it was, for the normalizer."""
        self.raw_observations.append(observations.clone())  # type: ignore[arg-type]  # numpy at take_raw()

    def take_raw(self) -> np.ndarray:
        """All that was kept since the last call."""
        kept: Any = self.raw_observations
        joined = torch.cat(kept).cpu().numpy()
        self.raw_observations.clear()
        return joined


class DeviceLearner(Learner):
    """Collects rollouts on rows of worlds that are on its device, and learns from them."""

    rollout_type = DeviceRollout
    rollout: DeviceRollout
    full_rollout: DeviceRollout

    def __init__(self, policy: Policy, world: World, rows: np.ndarray, config: PPOConfig, seed: int):
        # nothing is gained from collecting beside learning: both wait for the same device
        one_rollout = config.replace(rollouts_per_iteration=1)
        super().__init__(policy, world, rows, one_rollout, seed)
        self.uses_kernels = False  # the engine's kernels of learning are the CPU's
        self._index = self._index.to(self.device)
        self._rows: Any = slice(None) if self.all_rows else self._index
        self.running_returns: Any = torch.from_numpy(self.running_returns).to(self.device)

    # ------------------------------------------------------------ collecting

    @torch.no_grad()
    def act(self, world: World, t: int) -> None:
        """Sample the actions of step t and write them into the world."""
        r, head = self.rollout, self.policy.head
        outputs, values, masks = self._evaluate(t)
        actions, log_probs = head.sample(outputs, masks, self.generator)
        tensors: Any = r
        tensors.actions[t], tensors.log_probs[t], tensors.values[t] = actions, log_probs, values
        if r.next_states is not None and self.recurrent_state is not None:
            r.next_states[t] = self.recurrent_state
        given: Any = head.to_world(actions)
        world.act(self._rows, given)

    @torch.no_grad()
    def record(self, world: World, t: int) -> None:
        """Store the outcome of step t."""
        r: Any = self.rollout
        for name in ("rewards", "ticks", "terminated", "truncated"):
            getattr(r, name)[t] = self._own(getattr(world, name))
        r.final_observations[t] = self._own(world.final_observations)[:, : self.seen]
        self._reset_recurrent_state(r.terminated[t] | r.truncated[t])

    @torch.no_grad()
    def finish_rollout(self) -> None:
        """Value the observation after the last step, and those after which an episode was truncated."""
        r: Any = self.rollout
        privileged = None if r.privileged is None else r.privileged[-1]
        r.values[-1] = self._forward(r.observations[-1], privileged, self.recurrent_state)[1]
        steps, rows = torch.nonzero(r.truncated & ~r.terminated, as_tuple=True)
        if not len(steps):
            return
        final = r.final_observations[steps, rows]
        observations = self.policy.normalize(final[:, : self.observation_size])
        state = None if r.next_states is None else r.next_states[steps, rows]
        values = self._forward(observations, final[:, self.observation_size :], state)[1]
        r.final_values[steps, rows] = values

    def reset_rows(self, rows: np.ndarray) -> None:
        """Between two rollouts some rows of the world, [rows] bool, were given a new episode."""
        begun = self._own(torch.from_numpy(rows).to(self.device))
        self._reset_recurrent_state(begun)
        self.running_returns[begun] = 0.0

    def _reset_recurrent_state(self, ended: Any) -> None:
        if self.recurrent_state is not None:
            self.recurrent_state = self.recurrent_state * ~ended[:, None]

    def _own(self, array: Any) -> Any:
        return self._gather(array)

    # ------------------------------------------------------------ learning

    def _update_return_scale(self) -> float:
        """Add the rollout's discounted returns to their statistics; returns the standard deviation."""
        r: Any = self.full_rollout
        discounts = self.config.gamma ** r.ticks.float()
        going_on = ~(r.terminated | r.truncated)
        returns = torch.empty_like(r.rewards)
        for t in range(r.num_steps):
            returns[t] = self.running_returns * discounts[t] + r.rewards[t]
            self.running_returns = returns[t] * going_on[t]
        exact = returns.double()
        mean, sum_squares = torch.stack([exact.mean(), exact.var(correction=0) * exact.numel()]).tolist()
        self.return_scale.merge(exact.numel(), mean, sum_squares)
        return self.return_scale.std

    def load(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave."""
        super().load(state)
        self.running_returns = torch.from_numpy(self.running_returns).to(self.device)

    @staticmethod
    def advantages(
        rewards: Tensor, values: Tensor, terminated: Tensor, truncated: Tensor, final_values: Tensor,
        ticks: Tensor, gamma: float, gae_lambda: float,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Advantages and returns as advantages.py computes them, [T, rows] each."""
        discounts = gamma ** ticks.float()
        next_values = torch.where(truncated, final_values, values[1:]) * ~terminated
        td_errors = rewards + discounts * next_values - values[:-1]
        decays = discounts * gae_lambda * ~(terminated | truncated)
        result, advantage = torch.empty_like(rewards), torch.zeros_like(rewards[0])
        for t in range(len(rewards) - 1, -1, -1):
            advantage = td_errors[t] + decays[t] * advantage
            result[t] = advantage
        return result, result + values[:-1]

    @staticmethod
    def update(
        policy: Policy,
        critic: Critic | None,
        optimizer: torch.optim.Optimizer,
        rollout: Any,
        advantages: Tensor,
        returns: Tensor,
        config: PPOConfig,
        ent_coef: float,
        rng: np.random.Generator,
        imitation: Callable[[], Tensor] | None = None,
    ) -> Metrics:
        """One update from a rollout, as ppo.update makes it, that waits for the device at its end alone."""
        std, mean = advantages.std(correction=0), advantages.mean()
        targets = {
            "advantages": (advantages - mean) / (std + 1e-8),
            "returns": returns,
            "ended": rollout.terminated | rollout.truncated,
        }
        run = _Minibatches(policy, critic, optimizer, config, imitation)
        for _ in range(config.update_epochs):
            for steps in minibatches(rollout.num_steps, config.num_minibatches, rng):
                run.step(batch_of(rollout, targets, steps, config, ent_coef))
        error = (returns - rollout.values[:-1]).var(correction=0) / returns.var(correction=0)
        return run.metrics({"advantage_mean": mean, "advantage_std": std, "explained_variance": 1 - error})


class _Minibatches:
    """The optimizer steps of one update; what would need a decision per step is a factor on the device."""

    def __init__(
        self,
        policy: Policy,
        critic: Critic | None,
        optimizer: torch.optim.Optimizer,
        config: PPOConfig,
        imitation: Callable[[], Tensor] | None,
    ):
        self.policy, self.critic, self.optimizer = policy, critic, optimizer
        self.config, self.imitation = config, imitation
        self.weights = [weight for group in optimizer.param_groups for weight in group["params"]]
        self.going = torch.ones((), device=policy.device)  # 0 once the policy has moved too far
        self.sums: dict[str, Tensor] = {}
        self.counted = torch.zeros((), device=policy.device)  # minibatches whose metrics count
        self.stepped = torch.zeros((), device=policy.device)
        self.batch: dict[str, Any] = {}

    def step(self, batch: dict[str, Any]) -> None:
        """One minibatch; the optimizer leaves the weights where the policy has moved too far."""
        config, counts = self.config, self.going
        with autocast(config, self.policy.device):
            features = features_of(self.policy, batch)
            outputs = self.policy.network.last(features).float()
        loss, scalars = clipped_terms(self.policy, outputs, batch)
        if self.critic is not None:
            loss = loss + critic_loss(self.policy, self.critic, features, batch, config)
        if self.imitation is not None:
            scalars["imitation_loss"] = self.imitation()
            loss = loss + scalars["imitation_loss"]
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        grad_norm = torch.nn.utils.clip_grad_norm_(self.weights, config.max_grad_norm)
        if config.target_kl > 0:
            too_far = scalars["approx_kl"].detach() > KL_TOLERANCE * config.target_kl
            self.going = torch.where(too_far, torch.zeros_like(self.going), self.going)
        fused: Any = self.optimizer
        fused.found_inf = 1 - self.going  # a fused optimizer does not step where it is 1
        self.optimizer.step()
        self._add({**scalars, "loss": loss}, counts)
        self._add({"grad_norm": grad_norm}, self.going)
        self.counted, self.stepped, self.batch = self.counted + counts, self.stepped + self.going, batch

    def _add(self, scalars: dict[str, Tensor], counts: Tensor) -> None:
        for name, value in scalars.items():
            some = torch.where(counts > 0, value.detach(), torch.zeros_like(counts))
            self.sums[name] = self.sums[name] + some if name in self.sums else some

    def metrics(self, more: dict[str, Tensor]) -> Metrics:
        """Means over the minibatches that counted, fetched at once; TrainingFailed where one is no number."""
        means = {name: total / self.counted for name, total in self.sums.items()}
        means["grad_norm"] = self.sums["grad_norm"] / self.stepped.clamp(min=1)
        tensors = {**means, **more, "updates": self.stepped}
        values = torch.stack([value.detach().float() for value in tensors.values()]).tolist()
        found = dict(zip(tensors, values, strict=True))
        check_finite(found.pop("loss"), found["grad_norm"], self.policy, self.batch)
        return found
