"""A learner: one policy, the rows it plays, its rollouts and its optimizer.

With several rollouts per iteration it learns in one thread while it collects in another: a copy of the
policy, the behavior policy, acts and fills a second rollout. `sync_behavior_policy` and `swap_rollouts`
exchange the two; they are called while neither thread is running.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .. import seeding
from ..policies import Policy
from ..policies.kernels import sample
from ..policies.normalize import ReturnScale
from ..spec import Spec
from ..worlds import World
from .advantages import advantages
from .config import PPOConfig, TrainConfig
from .critic import Critic
from .device import device_of
from .generators import restore_generator, restore_rng, rng_state
from .imitation import Imitation
from .ppo import Metrics, autocast, update, uses_kernels
from .rollout import Rollout

NORMALIZER_STEPS = 8  # steps between two samples for the normalizer
NORMALIZER_ROWS = 256  # rows of a sample, about


def new_policy(config: TrainConfig, spec: Spec, role: str, index: int = 0) -> Policy:
    """A fresh policy on the device that learns; the same for the same seed and index."""
    seed = seeding.split(config.run.seed, 100 + index) & 0x7FFFFFFF
    return Policy(spec, role, config.network, seed=seed).to(device_of(config.run.device))


class Learner:
    """Collects rollouts on its rows of the worlds, and learns from them."""

    rollout_type = Rollout
    advantages: Any = staticmethod(advantages)
    update: Any = staticmethod(update)

    def __init__(self, policy: Policy, world: World, rows: np.ndarray, config: PPOConfig, seed: int):
        self.policy, self.rows, self.config, self.device = policy, rows, config, policy.device
        self.all_rows = len(rows) == world.rows  # a slice needs no copy
        self.seen = world.spec.for_role(
            policy.role
        ).observation_size  # rows are as long as the longest role's
        self.observation_size = policy.spec.observation_size  # of the policy; a privileged critic sees more
        privileged_size = world.spec.for_role(policy.role).observation_size - self.observation_size
        self.critic: Critic | None = None
        if privileged_size:
            self.critic = Critic(policy.network, privileged_size, seed & 0x7FFFFFFF).to(self.device)
        self.overlaps = config.rollouts_per_iteration > 1
        self.behavior_policy = Policy.from_state(policy.state()).to(self.device) if self.overlaps else policy
        self.behavior_critic = copy.deepcopy(self.critic) if self.overlaps else self.critic
        rollout = (policy.spec, policy, config.num_steps, len(rows), privileged_size)
        self.rollout = self.rollout_type(*rollout)  # being filled
        self.full_rollout = self.rollout_type(*rollout) if self.overlaps else self.rollout  # to learn from
        self.optimizer = torch.optim.Adam(self.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
        self.return_scale = ReturnScale()
        self.running_returns = np.zeros(len(rows), np.float32)  # discounted, of the episodes in progress
        self.recurrent_state = (
            policy.network.initial_state(len(rows), self.device) if policy.network.recurrent_size else None
        )
        self.sampler_state = seed  # of the PCG32 that samples actions in the engine's kernel
        self.generator = torch.Generator(self.device).manual_seed(seed & 0x7FFFFFFF)  # the same in PyTorch
        self.minibatch_rng = np.random.default_rng(seed)
        self.imitation: Imitation | None = None  # if there are demonstrations
        self.uses_kernels = uses_kernels(policy)
        self._observations = torch.as_tensor(world.shared("observations"))
        self._masks = torch.as_tensor(world.shared("masks")) if world.spec.masked else None
        self._index = torch.from_numpy(rows)

    def parameters(self) -> list[torch.nn.Parameter]:
        """The optimized parameters: the policy's and, if there is one, its critic's."""
        return [*self.policy.parameters(), *(self.critic.parameters() if self.critic else ())]

    # ------------------------------------------------------------ between collecting and learning

    def sync_behavior_policy(self) -> None:
        """Copy the latest weights to the behavior policy."""
        if not self.overlaps:
            return
        self.behavior_policy.copy_from(self.policy)
        if self.critic is not None and self.behavior_critic is not None:
            self.behavior_critic.load_state_dict(self.critic.state_dict())

    def swap_rollouts(self) -> None:
        """Swap: the rollout just collected is learned from, the other one is filled next."""
        self.rollout, self.full_rollout = self.full_rollout, self.rollout

    # ------------------------------------------------------------ collecting

    def observe(self, t: int) -> None:
        """Store the world's observations as those before step t."""
        rows = self._gather(self._observations)
        if self.policy.normalizer is not None and t % NORMALIZER_STEPS == 0 and t < self.rollout.num_steps:
            some = rows[:: max(1, len(rows) // NORMALIZER_ROWS), : self.observation_size]
            self.rollout.keep_raw(some)
        rows = rows.to(self.device)
        if self.rollout.privileged is not None:
            self.rollout.privileged[t] = rows[:, self.observation_size : self.seen]
        self.behavior_policy.normalize(rows[:, : self.observation_size], out=self.rollout.observations[t])

    @torch.no_grad()
    def act(self, world: World, t: int) -> None:
        """Sample the actions of step t and write them into the world."""
        r, head = self.rollout, self.behavior_policy.head
        outputs, values, masks = self._evaluate(t)
        if self.uses_kernels:
            actions, log_probs, self.sampler_state = sample(outputs, masks, head.size, self.sampler_state)
        else:
            actions, log_probs = head.sample(outputs, masks, self.generator)
        r.actions[t], r.log_probs[t], r.values[t] = actions, log_probs, values.cpu().numpy()
        world.act(slice(None) if self.all_rows else self.rows, head.to_env(actions))

    def _evaluate(self, t: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Outputs, values and masks of step t; the recurrent state moves on."""
        r = self.rollout
        if r.recurrent_states is not None and self.recurrent_state is not None:
            r.recurrent_states[t] = self.recurrent_state
        privileged = None if r.privileged is None else r.privileged[t]
        before = self.recurrent_state
        outputs, values, self.recurrent_state = self._forward(r.observations[t], privileged, before)
        masks = None
        if r.masks is not None and self._masks is not None:
            masks = r.masks[t]
            masks.copy_(self._gather(self._masks)[:, : masks.shape[1]])
        return outputs, values, masks

    @torch.no_grad()
    def record(self, world: World, t: int) -> None:
        """Store the outcome of step t."""
        r = self.rollout
        r.rewards[t], r.ticks[t] = self._own(world.rewards), self._own(world.ticks)
        r.terminated[t], r.truncated[t] = self._own(world.terminated), self._own(world.truncated)
        cut = np.flatnonzero(r.truncated[t] & ~r.terminated[t])
        if len(cut):
            self._bootstrap(world, t, cut)
        self._reset_recurrent_state(r.terminated[t] | r.truncated[t])

    @torch.no_grad()
    def finish_rollout(self) -> None:
        """Value the observation after the last step."""
        r = self.rollout
        privileged = None if r.privileged is None else r.privileged[-1]
        _, values, _ = self._forward(r.observations[-1], privileged, self.recurrent_state)
        r.values[-1] = values.cpu().numpy()

    def reset_rows(self, rows: np.ndarray) -> None:
        """Forget the episodes of some rows, [rows] bool, whose worlds were reset between two rollouts."""
        self._reset_recurrent_state(self._own(rows))
        self.running_returns[self._own(rows)] = 0.0

    def _forward(
        self, observations: torch.Tensor, privileged: torch.Tensor | None, state: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Outputs and values of one step, and the next recurrent state."""
        network = self.behavior_policy.network
        with autocast(self.config, self.device):
            features, state = network.features(observations, state)
            outputs = network.last(features).float().contiguous()
            if self.behavior_critic is None:
                return outputs, outputs[:, -1], state
            return outputs, self.behavior_critic(features, privileged), state

    def _bootstrap(self, world: World, t: int, rows: np.ndarray) -> None:
        """Value the final observation of truncated episodes: they would have gone on."""
        final = torch.as_tensor(self._own(world.final_observations)[rows], device=self.device)
        observations = self.behavior_policy.normalize(final[:, : self.observation_size])
        state = None if self.recurrent_state is None else self.recurrent_state[rows]
        _, values, _ = self._forward(observations, final[:, self.observation_size : self.seen], state)
        self.rollout.final_values[t, rows] = values.cpu().numpy()

    def _reset_recurrent_state(self, ended: np.ndarray) -> None:
        if self.recurrent_state is not None:
            self.policy.restart(self.recurrent_state, ended)

    def _own(self, array: np.ndarray) -> np.ndarray:
        return array if self.all_rows else array[self.rows]

    def _gather(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor if self.all_rows else tensor.index_select(0, self._index)

    # ------------------------------------------------------------ learning

    def learn(self, progress: float) -> Metrics:
        """One update; progress goes from 0 to 1 over the run and anneals the learning rate and ent_coef."""
        c, r = self.config, self.full_rollout
        learning_rate, ent_coef = c.learning_rate_at(progress), c.ent_coef_at(progress)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        rewards = r.rewards / np.float32(self._update_return_scale()) if c.normalize_rewards else r.rewards
        ends = (r.terminated, r.truncated, r.final_values)
        gae, returns = self.advantages(rewards, r.values, *ends, r.ticks, c.gamma, c.gae_lambda)
        learned = (self.policy, self.critic, self.optimizer)
        imitation = self._imitation_term(progress)
        metrics = self.update(*learned, r, gae, returns, c, ent_coef, self.minibatch_rng, imitation)
        metrics["learning_rate"], metrics["ent_coef"] = learning_rate, ent_coef
        if self.policy.normalizer is not None:
            self.policy.normalizer.update(r.take_raw())
        return metrics

    def clone_behavior(self) -> None:
        """Behavior cloning before the first rollout, if there are demonstrations."""
        if self.imitation is not None and self.imitation.config.epochs:
            self.imitation.clone_behavior(self.minibatch_rng)

    def _imitation_term(self, progress: float) -> Callable[[], torch.Tensor] | None:
        """The imitation term of the loss, annealed over the run; None once it is 0."""
        imitation = self.imitation
        coef = imitation.config.coef_at(progress) if imitation else 0.0
        if imitation is None or not coef:
            return None
        return lambda: coef * imitation.loss(self.minibatch_rng)

    def _update_return_scale(self) -> float:
        """Add the rollout's discounted returns to the statistics; returns their standard deviation."""
        r = self.full_rollout
        discounts = np.power(np.float32(self.config.gamma), r.ticks, dtype=np.float32)
        returns = np.empty_like(r.rewards)
        for t in range(r.num_steps):
            self.running_returns = self.running_returns * discounts[t] + r.rewards[t]
            returns[t] = self.running_returns
            self.running_returns[r.terminated[t] | r.truncated[t]] = 0.0
        self.return_scale.update(returns)
        return self.return_scale.std

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """Everything a resumed learner needs to continue bit for bit."""
        return {
            "policy": self.policy.state(),
            "critic": self.critic.state_dict() if self.critic else None,
            "optimizer": self.optimizer.state_dict(),
            "return_scale": self.return_scale.state(),
            "running_returns": torch.as_tensor(self.running_returns).cpu().clone(),
            "recurrent_state": None if self.recurrent_state is None else self.recurrent_state.cpu(),
            "sampler_state": str(self.sampler_state),
            "generator": self.generator.get_state(),
            "minibatch_rng": rng_state(self.minibatch_rng),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave."""
        self.policy.copy_from(Policy.from_state(state["policy"]))
        if self.critic is not None:
            self.critic.load_state_dict(state["critic"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.return_scale.load(state["return_scale"])
        self.running_returns = state["running_returns"].numpy().copy()
        saved = state["recurrent_state"]
        self.recurrent_state = None if saved is None else saved.to(self.device)
        self.sampler_state = int(state["sampler_state"])
        restore_generator(self.generator, state["generator"])
        restore_rng(self.minibatch_rng, state["minibatch_rng"])
