"""A smaller policy taught by a larger one: for browsers, engines and phones.

The student learns what the teacher would do in the teacher's own play, and, from the second round on, in its
own: where a student errs it gets into places that the teacher never shows. Nothing here knows rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from .. import seeding
from ..errors import ConfigError
from .compare import Play, own_play
from .heads import Categorical, Gaussian, Mixed
from .policy import Policy

WORLDS = 64
STEPS = 64  # a world plays in a round; also the length over which memory is taught
PASSES = 6  # over the collected play, a round
MINIBATCH = 16  # worlds
CLOSE = 0.1  # two continuous actions closer than this count as agreement
MOST_UNITS, MOST_LAYERS = 4096, 8

Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Lesson:
    """What came of it, on play that neither of the two has been taught with."""

    hidden: tuple[int, ...]
    parameters: int
    teacher_parameters: int
    rows: int  # observations that the student learned from
    agreement: float  # share of rows where both take the same likeliest action

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "hidden": list(self.hidden)}


def check_hidden(hidden: tuple[int, ...]) -> tuple[int, ...]:
    good = 1 <= len(hidden) <= MOST_LAYERS and all(1 <= units <= MOST_UNITS for units in hidden)
    if not good:
        raise ConfigError(
            f"A student of layers {list(hidden)}: expected 1 to {MOST_LAYERS} layers of 1 to "
            f"{MOST_UNITS} units, for example 64,64."
        )
    return hidden


def distill(
    teacher: Policy,
    hidden: tuple[int, ...],
    rounds: int = 60,
    seed: int = 1,
    rivals: Mapping[str, Any] | None = None,
    tell: Tell | None = None,
) -> tuple[Policy, Lesson]:
    """A student with these layers, and how well it learned; it has memory where the teacher has."""
    if rounds < 1:
        raise ConfigError(f"rounds = {rounds}: expected at least 1.")
    memory = min(teacher.shape.memory, max(hidden)) if teacher.shape.memory else 0
    student = Policy(
        teacher.spec, teacher.role, replace(teacher.shape, hidden=check_hidden(hidden), memory=memory)
    )
    _inherit(student, teacher)
    optimiser = torch.optim.Adam(student.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, rounds * PASSES, eta_min=1e-4)
    rows = 0
    for i in range(rounds):
        mover = student if i % 2 else teacher
        play = own_play(teacher, WORLDS, STEPS, seeding.split(seed, i), rivals, mover)
        rows += play.ended.size
        wanted = _answers(teacher, play)
        for p in range(PASSES):
            _one_pass(student, optimiser, play, wanted, np.random.default_rng((seed, i, p)))
            schedule.step()
        if tell:
            tell(i + 1, rounds)
    judged = own_play(teacher, WORLDS, STEPS, seeding.split(seed, rounds), rivals)
    lesson = Lesson(hidden, _size(student), _size(teacher), rows, agreement(teacher, student, judged))
    return student, lesson


def agreement(teacher: Policy, student: Policy, play: Play) -> float:
    """Share of rows where both take the same likeliest action (a continuous one: within 0.1)."""
    ours, theirs = _answers(teacher, play), _answers(student, play)
    same = []
    for t in range(len(play.observations)):
        masks = None if play.masks is None else torch.from_numpy(play.masks[t])
        a, b = (head.best(out[t], masks) for head, out in ((teacher.head, ours), (student.head, theirs)))
        if a.dtype == torch.int32:
            same.append((a == b).float())
        else:
            same.append(((a.clamp(-1, 1) - b.clamp(-1, 1)).abs() <= CLOSE).all(dim=1).float())
    return float(torch.cat(same).mean())


def _inherit(student: Policy, teacher: Policy) -> None:
    """What need not be learned: how observations are scaled, how far numbers spread, the table of actions."""
    if student.normaliser is not None and teacher.normaliser is not None:
        student.normaliser.load(teacher.normaliser.state())
    student.head.load_state_dict({k: v.detach().cpu() for k, v in teacher.head.state_dict().items()})


def _size(policy: Policy) -> int:
    return sum(p.numel() for p in policy.parameters())


@torch.no_grad()
def _answers(policy: Policy, play: Play) -> torch.Tensor:
    """Outputs and value at every step, [T, R, size + 1], with memory carried along."""
    return _outputs(policy, torch.from_numpy(play.observations), torch.from_numpy(play.ended)).cpu()


def _outputs(policy: Policy, seen: torch.Tensor, ended: torch.Tensor) -> torch.Tensor:
    if policy.network.cell is None:
        outputs, _ = policy.network(policy.normalised(seen.reshape(-1, seen.shape[-1])))
        return outputs.reshape(*seen.shape[:2], -1)
    state, found = None, []
    for t in range(len(seen)):
        if state is not None:
            state = state * (~ended[t])[:, None].to(state.dtype)
        outputs, state = policy.network(policy.normalised(seen[t]), state)
        found.append(outputs)
    return torch.stack(found)


def _one_pass(
    student: Policy,
    optimiser: torch.optim.Optimizer,
    play: Play,
    wanted: torch.Tensor,
    random: np.random.Generator,
) -> None:
    order = random.permutation(play.ended.shape[1])
    for start in range(0, len(order), MINIBATCH):
        rows = order[start : start + MINIBATCH]
        seen, ended = (torch.from_numpy(x[:, rows]) for x in (play.observations, play.ended))
        masks = None if play.masks is None else torch.from_numpy(play.masks[:, rows])
        loss = _loss(student, _outputs(student, seen, ended), wanted[:, rows], masks)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()


def _loss(
    student: Policy, found: torch.Tensor, wanted: torch.Tensor, masks: torch.Tensor | None
) -> torch.Tensor:
    """How far the student's choices are from the teacher's, and its value from the teacher's value."""
    found, wanted = found.flatten(0, 1), wanted.flatten(0, 1)
    head = student.head
    value = 0.1 * torch.nn.functional.smooth_l1_loss(found[:, -1], wanted[:, -1])
    if isinstance(head, Categorical):
        legal = None if masks is None else masks.flatten(0, 1)
        target, guess = (torch.log_softmax(head.logits(x, legal), dim=1) for x in (wanted, found))
        return torch.nn.functional.kl_div(guess, target, reduction="batchmean", log_target=True) + value
    numbers = head.numbers if isinstance(head, Mixed) else head.size
    spread = (head.gaussian if isinstance(head, Mixed) else head).log_of_spread().detach()
    loss = (((found - wanted)[:, :numbers] * (-spread).exp()) ** 2).mean() + value
    if isinstance(head, Gaussian):
        return loss
    chance = torch.sigmoid(wanted[:, numbers : head.size])
    return loss + torch.nn.functional.binary_cross_entropy_with_logits(found[:, numbers : head.size], chance)
