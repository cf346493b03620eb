"""Action heads: distributions over actions, parameterized by the network's outputs.

A head works on `outputs` [rows, size] and on sampled `actions`: indices [rows] for a categorical head, floats
[rows, k] for a Gaussian one. `to_env(actions)` is what a world takes.
"""

import math
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import UnknownName
from ..spec import Spec

TwoTensors = tuple[Tensor, Tensor]
ILLEGAL = -1e30  # the logit of an action that a mask forbids
LOG_STD_BOUNDS = (-4.0, 1.5)  # of a Gaussian head, so that it neither collapses nor explodes
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


class Head(Protocol):
    """What every head can do."""

    size: int  # outputs it reads

    def sample(self, outputs: Tensor, masks: Tensor | None, rng: torch.Generator) -> TwoTensors:
        """Sampled actions and their log-probabilities."""

    def evaluate_actions(self, outputs: Tensor, actions: Tensor, masks: Tensor | None) -> TwoTensors:
        """Log-probability of the actions and entropy, per row."""

    def mode(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """The likeliest actions."""

    def to_env(self, actions: Tensor) -> np.ndarray:
        """Actions as a world takes them."""


class Categorical(nn.Module):
    """One of `count` actions. With a table [count, k], one of `count` points of a continuous action space."""

    table: Tensor | None

    def __init__(self, count: int, table: np.ndarray | None = None):
        super().__init__()
        self.size = count
        self.register_buffer("table", None if table is None else torch.as_tensor(table, dtype=torch.float32))

    def logits(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """Logits of the legal actions, a very low number for the others."""
        logits = outputs[:, : self.size].float()
        return logits if masks is None else logits.masked_fill(masks == 0, ILLEGAL)

    @torch.no_grad()
    def sample(self, outputs: Tensor, masks: Tensor | None, rng: torch.Generator) -> TwoTensors:
        """Sampled actions and their log-probabilities."""
        log_probs = torch.log_softmax(self.logits(outputs, masks), dim=1)
        actions = torch.multinomial(log_probs.exp(), 1, generator=rng)
        return actions[:, 0].int(), log_probs.gather(1, actions)[:, 0]

    def evaluate_actions(self, outputs: Tensor, actions: Tensor, masks: Tensor | None) -> TwoTensors:
        """Log-probability of the actions and entropy, per row."""
        log_probs = torch.log_softmax(self.logits(outputs, masks), dim=1)
        entropy = -(log_probs.exp() * log_probs.clamp(min=-80.0)).sum(dim=1)
        return log_probs.gather(1, actions.long()[:, None])[:, 0], entropy

    def mode(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """The likeliest actions."""
        return self.logits(outputs, masks).argmax(dim=1).int()

    def to_env(self, actions: Tensor) -> np.ndarray:
        """Actions as a world takes them."""
        chosen = actions if self.table is None else self.table[actions.long()]
        return chosen.detach().cpu().numpy()


class Gaussian(nn.Module):
    """`count` independent normals, each with a standard deviation that does not depend on the observation.

    Actions are clipped to -1..1 when a world takes them, not when their probability is evaluated.
    """

    def __init__(self, count: int, log_std: float = -0.5):
        super().__init__()
        self.size = count
        self.log_std = nn.Parameter(torch.full((count,), log_std))

    def clamped_log_std(self) -> Tensor:
        """The parameter, clamped in place: clamping only what is read from it would leave it without a
        gradient once it is out of bounds."""
        self.log_std.data.clamp_(*LOG_STD_BOUNDS)
        return self.log_std

    @torch.no_grad()
    def sample(self, outputs: Tensor, masks: Tensor | None, rng: torch.Generator) -> TwoTensors:
        """Sampled actions and their log-probabilities."""
        mean = outputs[:, : self.size].float()
        noise = torch.randn(mean.shape, generator=rng, device=mean.device)
        actions = mean + self.clamped_log_std().exp() * noise
        return actions, self.evaluate_actions(outputs, actions, masks)[0]

    def evaluate_actions(self, outputs: Tensor, actions: Tensor, masks: Tensor | None) -> TwoTensors:
        """Log-probability of the actions and entropy, per row."""
        log_std = self.clamped_log_std()
        z = (actions - outputs[:, : self.size].float()) * (-log_std).exp()
        log_prob = -(0.5 * z * z + log_std + HALF_LOG_TAU).sum(dim=1)
        entropy = (log_std + HALF_LOG_TAU + 0.5).sum()
        return log_prob, entropy.expand(len(outputs))

    def mode(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """The likeliest actions."""
        return outputs[:, : self.size].float()

    def to_env(self, actions: Tensor) -> np.ndarray:
        """Actions as a world takes them."""
        return actions.clamp(-1.0, 1.0).detach().cpu().numpy()


class Mixed(nn.Module):
    """Numbers and buttons: the first `numbers` entries are Gaussian, the others on (1) or off (-1)."""

    def __init__(self, numbers: int, buttons: int):
        super().__init__()
        self.gaussian = Gaussian(numbers)
        self.numbers, self.size = numbers, numbers + buttons

    @torch.no_grad()
    def sample(self, outputs: Tensor, masks: Tensor | None, rng: torch.Generator) -> TwoTensors:
        """Sampled actions and their log-probabilities."""
        numbers, _ = self.gaussian.sample(outputs, masks, rng)
        probability = torch.sigmoid(outputs[:, self.numbers : self.size].float())
        pressed = torch.rand(probability.shape, generator=rng, device=probability.device) < probability
        actions = torch.cat([numbers, pressed.float() * 2 - 1], dim=1)
        return actions, self.evaluate_actions(outputs, actions, masks)[0]

    def evaluate_actions(self, outputs: Tensor, actions: Tensor, masks: Tensor | None) -> TwoTensors:
        """Log-probability of the actions and entropy, per row."""
        log_prob, entropy = self.gaussian.evaluate_actions(outputs, actions[:, : self.numbers], masks)
        logit = outputs[:, self.numbers : self.size].float()
        sign = actions[:, self.numbers :]
        log_prob = log_prob + nn.functional.logsigmoid(logit * sign).sum(dim=1)
        probability = torch.sigmoid(logit)
        button_entropy = nn.functional.softplus(logit) - logit * probability
        return log_prob, entropy + button_entropy.sum(dim=1)

    def mode(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """The likeliest actions."""
        buttons = torch.where(outputs[:, self.numbers : self.size] > 0, 1.0, -1.0)
        return torch.cat([outputs[:, : self.numbers].float(), buttons], dim=1)

    def to_env(self, actions: Tensor) -> np.ndarray:
        """Actions as a world takes them."""
        return actions.clamp(-1.0, 1.0).detach().cpu().numpy()


HEADS = ("auto", "table", "gaussian", "mixed")


def head_for(spec: Spec, kind: str = "auto", num_directions: int = 16) -> Categorical | Gaussian | Mixed:
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
    table = stick_table(groups, num_directions)
    return Categorical(len(table), table)


def stick_table(groups: list[Any], num_directions: int) -> np.ndarray:
    """Every direction of a stick and rest, times every button and three speeds of every further axis."""
    angles = np.arange(num_directions) * (2 * np.pi / num_directions)
    # rest, then forward and round to the right
    moves = [(0.0, 0.0), *zip(np.sin(angles), -np.cos(angles), strict=True)]
    rows: list[tuple[float, ...]] = [tuple(move) for move in moves]
    for group in groups[2:]:
        settings = (-1.0, 1.0) if group == "jump" else (-1.0, 0.0, 1.0)
        rows = [(*row, value) for value in settings for row in rows]
    return np.clip(np.array(rows, np.float32), -1.0, 1.0)
