"""Action heads: how a network's outputs become an action, and how likely that action was.

A head works on `outputs` [rows, size] and on *choices*, what it drew: whole numbers [rows] for a categorical
head, floats [rows, k] for a Gaussian one. `actions(choices)` is what a world takes.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from ..errors import UnknownName
from ..games import Spec

ILLEGAL = -1e30  # the logit of an action that a mask forbids
LOG_STD_BOUNDS = (-4.0, 1.5)  # of a Gaussian head, so that no number is ever certain or lost
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


class Head(Protocol):
    size: int  # outputs it reads

    def sample(
        self, outputs: torch.Tensor, masks: torch.Tensor | None, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Choices and their log-probabilities."""
        ...

    def judge(
        self, outputs: torch.Tensor, choices: torch.Tensor, masks: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probability of the choices and entropy, a row each."""
        ...

    def best(self, outputs: torch.Tensor, masks: torch.Tensor | None) -> torch.Tensor:
        """The likeliest choices."""
        ...

    def actions(self, choices: torch.Tensor) -> np.ndarray:
        """Choices as a world takes them."""
        ...


class Categorical(nn.Module):
    """One of `count` actions. With a table [count, k], one of `count` points of a continuous action space."""

    table: torch.Tensor | None

    def __init__(self, count: int, table: np.ndarray | None = None):
        super().__init__()
        self.size = count
        self.register_buffer("table", None if table is None else torch.as_tensor(table, dtype=torch.float32))

    def logits(self, outputs: torch.Tensor, masks: torch.Tensor | None) -> torch.Tensor:
        logits = outputs[:, : self.size].float()
        return logits if masks is None else logits.masked_fill(masks == 0, ILLEGAL)

    @torch.no_grad()
    def sample(
        self, outputs: torch.Tensor, masks: torch.Tensor | None, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        log_probs = torch.log_softmax(self.logits(outputs, masks), dim=1)
        choices = torch.multinomial(log_probs.exp(), 1, generator=rng)
        return choices[:, 0].int(), log_probs.gather(1, choices)[:, 0]

    def judge(
        self, outputs: torch.Tensor, choices: torch.Tensor, masks: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        log_probs = torch.log_softmax(self.logits(outputs, masks), dim=1)
        entropy = -(log_probs.exp() * log_probs.clamp(min=-80.0)).sum(dim=1)
        return log_probs.gather(1, choices.long()[:, None])[:, 0], entropy

    def best(self, outputs: torch.Tensor, masks: torch.Tensor | None) -> torch.Tensor:
        return self.logits(outputs, masks).argmax(dim=1).int()

    def actions(self, choices: torch.Tensor) -> np.ndarray:
        chosen = choices if self.table is None else self.table[choices.long()]
        return chosen.detach().cpu().numpy()


class Gaussian(nn.Module):
    """`count` numbers around a mean, each with its own spread that does not depend on the observation.

    What lies outside -1..1 is cut off when the action is taken, not when its probability is judged.
    """

    def __init__(self, count: int, log_spread: float = -0.5):
        super().__init__()
        self.size = count
        self.log_spread = nn.Parameter(torch.full((count,), log_spread))

    def log_of_spread(self) -> torch.Tensor:
        """Log of the standard deviation. The parameter itself is brought back into its bounds after a step
        that left them: clamping what is read from it would leave it without a gradient outside, for good."""
        self.log_spread.data.clamp_(*LOG_STD_BOUNDS)
        return self.log_spread

    @torch.no_grad()
    def sample(
        self, outputs: torch.Tensor, masks: torch.Tensor | None, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        mean = outputs[:, : self.size].float()
        noise = torch.randn(mean.shape, generator=rng, device=mean.device)
        choices = mean + self.log_of_spread().exp() * noise
        return choices, self.judge(outputs, choices, masks)[0]

    def judge(
        self, outputs: torch.Tensor, choices: torch.Tensor, masks: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        spread = self.log_of_spread()
        apart = (choices - outputs[:, : self.size].float()) * (-spread).exp()
        log_prob = -(0.5 * apart * apart + spread + HALF_LOG_TAU).sum(dim=1)
        entropy = (spread + HALF_LOG_TAU + 0.5).sum()
        return log_prob, entropy.expand(len(outputs))

    def best(self, outputs: torch.Tensor, masks: torch.Tensor | None) -> torch.Tensor:
        return outputs[:, : self.size].float()

    def actions(self, choices: torch.Tensor) -> np.ndarray:
        return choices.clamp(-1.0, 1.0).detach().cpu().numpy()


class Mixed(nn.Module):
    """Numbers and buttons: the first `numbers` entries are Gaussian, the others on (1) or off (-1)."""

    def __init__(self, numbers: int, buttons: int):
        super().__init__()
        self.gaussian = Gaussian(numbers)
        self.numbers, self.size = numbers, numbers + buttons

    @torch.no_grad()
    def sample(
        self, outputs: torch.Tensor, masks: torch.Tensor | None, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        numbers, _ = self.gaussian.sample(outputs, masks, rng)
        chance = torch.sigmoid(outputs[:, self.numbers : self.size].float())
        pressed = torch.rand(chance.shape, generator=rng, device=chance.device) < chance
        choices = torch.cat([numbers, pressed.float() * 2 - 1], dim=1)
        return choices, self.judge(outputs, choices, masks)[0]

    def judge(
        self, outputs: torch.Tensor, choices: torch.Tensor, masks: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        log_prob, entropy = self.gaussian.judge(outputs, choices[:, : self.numbers], masks)
        logit = outputs[:, self.numbers : self.size].float()
        sign = choices[:, self.numbers :]
        log_prob = log_prob + nn.functional.logsigmoid(logit * sign).sum(dim=1)
        chance = torch.sigmoid(logit)
        button = nn.functional.softplus(logit) - logit * chance
        return log_prob, entropy + button.sum(dim=1)

    def best(self, outputs: torch.Tensor, masks: torch.Tensor | None) -> torch.Tensor:
        buttons = torch.where(outputs[:, self.numbers : self.size] > 0, 1.0, -1.0)
        return torch.cat([outputs[:, : self.numbers].float(), buttons], dim=1)

    def actions(self, choices: torch.Tensor) -> np.ndarray:
        return choices.clamp(-1.0, 1.0).detach().cpu().numpy()


HEADS = ("auto", "table", "gaussian", "mixed")


def head_for(spec: Spec, kind: str = "auto", directions: int = 16) -> Categorical | Gaussian | Mixed:
    """The head for a game. A discrete game has one; a continuous one may choose.

    `table` (the default where a game moves by a stick): so many directions and rest, with and without each
    button. It learns fastest. `mixed`: a free stick and buttons. `gaussian`: everything is a number.
    """
    if kind not in HEADS:
        raise UnknownName("action head", kind, HEADS)
    if spec.discrete:
        return Categorical(spec.action_count)
    groups = [action["group"] for action in spec.json["actions"]][: spec.action_size]
    stick = groups.count("move") == 2
    if kind == "gaussian" or (kind == "auto" and not stick):
        return Gaussian(spec.action_size)
    numbers = sum(group != "jump" for group in groups)
    if kind == "mixed":
        return Mixed(numbers, len(groups) - numbers)
    table = stick_table(groups, directions)
    return Categorical(len(table), table)


def stick_table(groups: list[Any], directions: int) -> np.ndarray:
    """Every direction of a stick and rest, times every button and three speeds of every further axis."""
    angles = np.arange(directions) * (2 * np.pi / directions)
    moves = [
        (0.0, 0.0),
        *zip(np.sin(angles), -np.cos(angles), strict=True),
    ]  # rest, then forward and round to the right
    rows: list[tuple[float, ...]] = [tuple(move) for move in moves]
    for group in groups[2:]:
        settings = (-1.0, 1.0) if group == "jump" else (-1.0, 0.0, 1.0)
        rows = [(*row, value) for value in settings for row in rows]
    return np.clip(np.array(rows, np.float32), -1.0, 1.0)
