"""Learning from demonstrations: behavior cloning before the first rollout, then a term in the loss of PPO.

Both maximize the probability of the demonstrated actions. Standard deviations are not fitted: those of a
demonstration would end exploration.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from ..policies import Categorical, Composed, Policy
from ..policies.heads import Head
from .config import ImitationConfig
from .demonstrations import Demonstrations
from .ppo import Metrics

LENGTH = 32  # steps over which a recurrent policy is unrolled, from an empty state


class Imitation:
    """The demonstrations of one role, for one policy."""

    def __init__(self, policy: Policy, shown: Demonstrations, config: ImitationConfig):
        self.policy, self.config = policy, config
        self.observations = torch.from_numpy(shown.observations).to(policy.device)
        self.actions = to_head(policy.head, shown.actions).to(policy.device)
        self.sequences = _sequences(shown.last) if policy.network.recurrent_size else None

    def clone_behavior(self, rng: np.random.Generator) -> Metrics:
        """Behavior cloning: `epochs` passes over the demonstrations."""
        policy, c = self.policy, self.config
        if policy.normalizer is not None:
            policy.normalizer.update(self.observations.cpu().numpy())
        optimizer = torch.optim.Adam(policy.network.parameters(), lr=c.learning_rate)
        losses = []
        for _ in range(max(1, c.epochs * len(self.observations) // c.batch_size)):
            loss = self.loss(rng)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(policy.network.parameters(), 0.5)
            optimizer.step()
            losses.append(float(loss.detach()))
        return {"cloning_loss": float(np.mean(losses[-10:])), "cloning_steps": float(len(losses))}

    def loss(self, rng: np.random.Generator) -> Tensor:
        """Minus the mean log-probability of a minibatch of demonstrated actions."""
        count = self.config.batch_size
        if self.sequences is None:
            rows = torch.from_numpy(rng.integers(0, len(self.observations), count)).to(self.policy.device)
            outputs, _ = self.policy.network(self.policy.normalize(self.observations[rows]))
            return -self._log_probs(outputs, rows).mean()
        drawn = rng.integers(0, len(self.sequences), max(1, count // LENGTH))
        steps = torch.from_numpy(self.sequences[drawn].T).to(self.policy.device)  # [LENGTH, rows]
        there = steps >= 0  # shorter episodes have fewer steps
        outputs = self._unrolled(steps.clamp(min=0))
        log_probs = self._log_probs(outputs.flatten(0, 1), steps.clamp(min=0).flatten())
        return -(log_probs * there.flatten()).sum() / there.sum()

    def _unrolled(self, steps: Tensor) -> Tensor:
        """Outputs of steps that follow one another, [LENGTH, rows, outputs + 1]."""
        state, found = None, []
        for rows in steps:
            outputs, state = self.policy.network(self.policy.normalize(self.observations[rows]), state)
            found.append(outputs)
        return torch.stack(found)

    def _log_probs(self, outputs: Tensor, rows: Tensor) -> Tensor:
        with _fixed(self.policy.head):
            return self.policy.head.evaluate_actions(outputs.float(), self.actions[rows], None)[0]


@contextmanager
def _fixed(head: Head) -> Iterator[None]:
    """Without a gradient for the head's own weights."""
    for weights in head.parameters():
        weights.requires_grad_(False)
    try:
        yield
    finally:
        for weights in head.parameters():
            weights.requires_grad_(True)


def to_head(head: Head, actions: np.ndarray) -> Tensor:
    """A world's actions, [steps, entries], as the head samples them: the inverse of to_env()."""
    given = torch.from_numpy(np.ascontiguousarray(actions, np.float32))
    if isinstance(head, Categorical):
        if head.table is None:
            return given[:, 0].int()
        return torch.cdist(given, head.table.cpu()).argmin(dim=1).int()  # the nearest row
    if isinstance(head, Composed):
        given[:, head.buttons] = torch.where(given[:, head.buttons] > 0, 1.0, -1.0)
        return head.clipped(given)
    return given.clamp(-1.0, 1.0)


def _sequences(last: np.ndarray) -> np.ndarray:
    """Steps of each sequence, int64 [sequences, LENGTH], -1 behind the end of a shorter episode."""
    made, first = [], 0
    for end in (np.flatnonzero(last) + 1).tolist():
        for start in range(first, end, LENGTH):
            row = np.full(LENGTH, -1, np.int64)
            steps = np.arange(start, min(start + LENGTH, end))
            row[: len(steps)] = steps
            made.append(row)
        first = end
    return np.array(made)
