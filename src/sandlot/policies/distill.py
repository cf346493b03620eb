"""Policy distillation: a smaller student for browsers, engines and phones.

The student learns the teacher's outputs on the teacher's own trajectories and, in every other round, on its
own (as in DAgger): a student's mistakes lead to states that the teacher never visits. No rewards are used.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import seeding
from ..errors import ConfigError
from .compare import Trajectory, record_trajectory, same_choice
from .heads import Categorical, Composed
from .policy import Policy

WORLDS = 64
STEPS = 64  # per world and round; also the length over which a GRU is unrolled
EPOCHS = 6  # over the trajectories of a round
MINIBATCH = 16  # worlds
CLOSE = 0.1  # continuous actions no further apart than this count as agreement
MAX_UNITS, MAX_LAYERS = 4096, 8

OnRound = Callable[[int, int], None]  # finished rounds, of how many


@dataclass(frozen=True)
class DistillationReport:
    """How well a student learned, on a trajectory that it was not trained with."""

    hidden: tuple[int, ...]
    parameters: int
    teacher_parameters: int
    rows: int  # observations that the student learned from
    agreement: float  # fraction of rows whose likeliest action is the same

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "hidden": list(self.hidden)}


def check_hidden_sizes(hidden: tuple[int, ...]) -> tuple[int, ...]:
    """Refuse a student without layers, or with too many or too large ones."""
    good = 1 <= len(hidden) <= MAX_LAYERS and all(1 <= units <= MAX_UNITS for units in hidden)
    if not good:
        raise ConfigError(
            f"A student of layers {list(hidden)}: expected 1 to {MAX_LAYERS} layers of 1 to "
            f"{MAX_UNITS} units, for example 64,64."
        )
    return hidden


def distill(
    teacher: Policy,
    hidden: tuple[int, ...],
    rounds: int = 60,
    seed: int = 1,
    opponents: Mapping[str, Any] | None = None,
    on_round: OnRound | None = None,
) -> tuple[Policy, DistillationReport]:
    """A student with these layers, and how well it learned; it is recurrent where the teacher is."""
    if rounds < 1:
        raise ConfigError(f"rounds = {rounds}: expected at least 1.")
    recurrent_size = min(teacher.config.recurrent_size, max(check_hidden_sizes(hidden)))
    config = teacher.config.replace(hidden_sizes=hidden, recurrent_size=recurrent_size)
    student = Policy(teacher.spec, teacher.role, config)
    _copy_fixed_parts(student, teacher)
    optimizer = torch.optim.Adam(student.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, rounds * EPOCHS, eta_min=1e-4)
    rows = 0
    for i in range(rounds):
        actor = student if i % 2 else teacher
        play = record_trajectory(teacher, WORLDS, STEPS, seeding.split(seed, i), opponents, actor)
        rows += play.ended.size
        targets = _all_outputs(teacher, play)
        for epoch in range(EPOCHS):
            _train_epoch(student, optimizer, play, targets, np.random.default_rng((seed, i, epoch)))
            schedule.step()
        if on_round:
            on_round(i + 1, rounds)
    held_out = record_trajectory(teacher, WORLDS, STEPS, seeding.split(seed, rounds), opponents)
    agreed = agreement(teacher, student, held_out)
    return student, DistillationReport(hidden, _size(student), _size(teacher), rows, agreed)


def agreement(teacher: Policy, student: Policy, play: Trajectory) -> float:
    """Fraction of rows whose likeliest action is the same (a continuous one: within 0.1)."""
    ours, theirs = _all_outputs(teacher, play), _all_outputs(student, play)
    same = []
    for t in range(len(play.observations)):
        masks = None if play.masks is None else torch.from_numpy(play.masks[t])
        a, b = (head.mode(out[t], masks) for head, out in ((teacher.head, ours), (student.head, theirs)))
        same.append(same_choice(a, b, CLOSE, teacher.head))
    return float(torch.cat(same).mean())


def _copy_fixed_parts(student: Policy, teacher: Policy) -> None:
    """What need not be learned: normalizer, standard deviations, the table of actions."""
    if student.normalizer is not None and teacher.normalizer is not None:
        student.normalizer.load(teacher.normalizer.state())
    student.head.load_state_dict({k: v.detach().cpu() for k, v in teacher.head.state_dict().items()})


def _size(policy: Policy) -> int:
    return sum(p.numel() for p in policy.parameters())


@torch.no_grad()
def _all_outputs(policy: Policy, play: Trajectory) -> Tensor:
    """Outputs and value at every step, [T, R, size + 1], with the recurrent state carried along."""
    return _outputs(policy, torch.from_numpy(play.observations), torch.from_numpy(play.ended)).cpu()


def _outputs(policy: Policy, observations: Tensor, ended: Tensor) -> Tensor:
    if policy.network.cell is None:
        outputs, _ = policy.network(policy.normalize(observations.reshape(-1, observations.shape[-1])))
        return outputs.reshape(*observations.shape[:2], -1)
    state, found = None, []
    for t in range(len(observations)):
        if state is not None:
            state = state * (~ended[t])[:, None].to(state.dtype)
        outputs, state = policy.network(policy.normalize(observations[t]), state)
        found.append(outputs)
    return torch.stack(found)


def _train_epoch(
    student: Policy,
    optimizer: torch.optim.Optimizer,
    play: Trajectory,
    targets: Tensor,
    rng: np.random.Generator,
) -> None:
    order = rng.permutation(play.ended.shape[1])
    for start in range(0, len(order), MINIBATCH):
        rows = order[start : start + MINIBATCH]
        observations, ended = (torch.from_numpy(x[:, rows]) for x in (play.observations, play.ended))
        masks = None if play.masks is None else torch.from_numpy(play.masks[:, rows])
        loss = _loss(student, _outputs(student, observations, ended), targets[:, rows], masks)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()


def _loss(student: Policy, outputs: Tensor, targets: Tensor, masks: Tensor | None) -> Tensor:
    """Distance of the student's action distribution from the teacher's, and of its value."""
    outputs, targets = outputs.flatten(0, 1), targets.flatten(0, 1)
    head, losses = student.head, torch.nn.functional
    value = 0.1 * losses.smooth_l1_loss(outputs[:, -1], targets[:, -1])
    if isinstance(head, Categorical):
        legal = None if masks is None else masks.flatten(0, 1)
        target, guess = (torch.log_softmax(head.logits(x, legal), dim=1) for x in (targets, outputs))
        return losses.kl_div(guess, target, reduction="batchmean", log_target=True) + value
    if isinstance(head, Composed):
        return _composed_loss(head, outputs, targets) + value
    scale = (-head.clamped_log_std().detach()).exp()
    return (((outputs - targets)[:, : head.size] * scale) ** 2).mean() + value


def _composed_loss(head: Composed, outputs: Tensor, targets: Tensor) -> Tensor:
    """Distance of each entry's distribution from the teacher's, added up."""
    losses = torch.nn.functional
    loss = outputs.new_zeros(())
    if head.gaussian is not None:
        scale = (-head.gaussian.clamped_log_std().detach()).exp()
        loss = loss + (((outputs - targets)[:, : head.numbers] * scale) ** 2).mean()
    if head.buttons:
        pressed = torch.sigmoid(head.button_logits(targets))
        loss = loss + losses.binary_cross_entropy_with_logits(head.button_logits(outputs), pressed)
    for guess, target in zip(head.choice_logits(outputs), head.choice_logits(targets), strict=True):
        logs = torch.log_softmax(guess, dim=1), torch.log_softmax(target, dim=1)
        loss = loss + losses.kl_div(*logs, reduction="batchmean", log_target=True)
    return loss
