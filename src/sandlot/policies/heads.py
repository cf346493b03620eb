"""Action heads: distributions over actions, parameterized by the network's outputs.

Every head can `sample` actions with their log-probabilities, `evaluate_actions` (log-probability and entropy
per row) and give the `mode`, the likeliest actions. It works on `outputs` [rows, size] and on sampled
`actions`: indices [rows] for a categorical head, floats [rows, k] for any other. `to_env(actions)` is what a
world takes. Which head a game has follows from the kinds of its actions: axis, button or choice.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ConfigError, UnknownName
from ..spec import Action, Spec

TwoTensors = tuple[Tensor, Tensor]
ILLEGAL = -1e30  # the logit of an action that a mask forbids
LOG_STD_BOUNDS = (-4.0, 1.5)  # of a Gaussian head, so that it neither collapses nor explodes
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
MOST_TABLE_ROWS = 256  # of a stick table that is chosen by itself


def draw(probabilities: Tensor, rng: torch.Generator) -> Tensor:
    """One index of each row by its probability, int64 [rows, 1].

    On a GPU by a race: `multinomial` would wait for the device, to check its argument.
    """
    if probabilities.device.type == "cpu":
        return torch.multinomial(probabilities, 1, generator=rng)
    return race(probabilities, rng)


def race(probabilities: Tensor, rng: torch.Generator) -> Tensor:
    """The index whose exponential clock rings first: it wins as often as its rate, its probability, says."""
    clocks = torch.empty_like(probabilities).exponential_(generator=rng)
    return (probabilities / clocks).argmax(dim=1, keepdim=True)


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
        actions = draw(log_probs.exp(), rng)
        return actions[:, 0].int(), log_probs.gather(1, actions)[:, 0]

    def evaluate_actions(self, outputs: Tensor, actions: Tensor, masks: Tensor | None) -> TwoTensors:
        """Log-probability of the actions and entropy, per row."""
        log_probs = torch.log_softmax(self.logits(outputs, masks), dim=1)
        entropy = -(log_probs.exp() * log_probs.clamp(min=-80.0)).sum(dim=1)
        return log_probs.gather(1, actions.long()[:, None])[:, 0], entropy

    def mode(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """The likeliest actions."""
        return self.logits(outputs, masks).argmax(dim=1).int()

    def to_world(self, actions: Tensor) -> Tensor:
        """Actions as a world takes them, where they are."""
        return actions if self.table is None else self.table[actions.long()]

    def to_env(self, actions: Tensor) -> np.ndarray:
        """The same in the CPU's memory."""
        return self.to_world(actions).detach().cpu().numpy()


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

    def to_world(self, actions: Tensor) -> Tensor:
        """Actions as a world takes them, where they are."""
        return actions.clamp(-1.0, 1.0)

    def to_env(self, actions: Tensor) -> np.ndarray:
        """The same in the CPU's memory."""
        return self.to_world(actions).detach().cpu().numpy()


class Composed(nn.Module):
    """Any mixture of axes, buttons and choices, independent of each other; actions: float32 [rows, entries].

    Outputs: a mean for each axis, a logit for each button, then a logit for each option of each choice. An
    entry of a choice is the number of its option.
    """

    def __init__(self, kinds: Sequence[int]):
        """kinds: of each entry in its order, 0 for an axis, 1 for a button, else the options of a choice."""
        super().__init__()
        self.kinds = tuple(int(kind) for kind in kinds)
        self.axes = [i for i, kind in enumerate(self.kinds) if kind == 0]
        self.buttons = [i for i, kind in enumerate(self.kinds) if kind == 1]
        self.choices = [i for i, kind in enumerate(self.kinds) if kind > 1]
        self.gaussian = Gaussian(len(self.axes)) if self.axes else None
        self.numbers = len(self.axes)
        self.size = self.numbers + len(self.buttons) + sum(self.kinds[i] for i in self.choices)

    def button_logits(self, outputs: Tensor) -> Tensor:
        """[rows, buttons]"""
        return outputs[:, self.numbers : self.numbers + len(self.buttons)].float()

    def choice_logits(self, outputs: Tensor) -> list[Tensor]:
        """One tensor [rows, options] per choice."""
        first = self.numbers + len(self.buttons)
        logits = outputs[:, first : self.size].float()
        return list(logits.split([self.kinds[i] for i in self.choices], dim=1)) if self.choices else []

    def _joined(self, outputs: Tensor, axes: Tensor | None, buttons: Tensor, choices: list[Tensor]) -> Tensor:
        """Parts in the order of the game's entries."""
        actions = torch.empty(len(outputs), len(self.kinds), device=outputs.device)
        if axes is not None:
            actions[:, self.axes] = axes
        actions[:, self.buttons] = buttons
        for column, chosen in zip(self.choices, choices, strict=True):
            actions[:, column] = chosen.float()
        return actions

    @torch.no_grad()
    def sample(self, outputs: Tensor, masks: Tensor | None, rng: torch.Generator) -> TwoTensors:
        """Sampled actions and their log-probabilities."""
        axes = None if self.gaussian is None else self.gaussian.sample(outputs, masks, rng)[0]
        probability = torch.sigmoid(self.button_logits(outputs))
        pressed = torch.rand(probability.shape, generator=rng, device=probability.device) < probability
        choices = [draw(torch.softmax(logits, dim=1), rng)[:, 0] for logits in self.choice_logits(outputs)]
        actions = self._joined(outputs, axes, pressed.float() * 2 - 1, choices)
        return actions, self.evaluate_actions(outputs, actions, masks)[0]

    def evaluate_actions(self, outputs: Tensor, actions: Tensor, masks: Tensor | None) -> TwoTensors:
        """Log-probability of the actions and entropy, per row: sums over the entries."""
        log_prob = entropy = torch.zeros(len(outputs), device=outputs.device)
        if self.gaussian is not None:
            log_prob, entropy = self.gaussian.evaluate_actions(outputs, actions[:, self.axes], masks)
        logit = self.button_logits(outputs)
        log_prob = log_prob + nn.functional.logsigmoid(logit * actions[:, self.buttons]).sum(dim=1)
        entropy = entropy + (nn.functional.softplus(logit) - logit * torch.sigmoid(logit)).sum(dim=1)
        for column, logits in zip(self.choices, self.choice_logits(outputs), strict=True):
            log_probs = torch.log_softmax(logits, dim=1)
            log_prob = log_prob + log_probs.gather(1, actions[:, column].long()[:, None])[:, 0]
            entropy = entropy - (log_probs.exp() * log_probs.clamp(min=-80.0)).sum(dim=1)
        return log_prob, entropy

    def mode(self, outputs: Tensor, masks: Tensor | None) -> Tensor:
        """The likeliest actions."""
        axes = outputs[:, : self.numbers].float() if self.axes else None
        buttons = torch.where(self.button_logits(outputs) > 0, 1.0, -1.0)
        choices = [logits.argmax(dim=1) for logits in self.choice_logits(outputs)]
        return self._joined(outputs, axes, buttons, choices)

    def clipped(self, actions: Tensor) -> Tensor:
        """Axes and buttons within -1..1; choices as they are."""
        made, bounded = actions.clone(), self.axes + self.buttons
        made[:, bounded] = made[:, bounded].clamp(-1.0, 1.0)
        return made

    def to_world(self, actions: Tensor) -> Tensor:
        """Actions as a world takes them, where they are."""
        return self.clipped(actions)

    def to_env(self, actions: Tensor) -> np.ndarray:
        """The same in the CPU's memory."""
        return self.to_world(actions).detach().cpu().numpy()


Head = Categorical | Gaussian | Composed
HEADS = ("auto", "table", "gaussian", "mixed")


def head_for(spec: Spec, kind: str = "auto", num_directions: int = 16) -> Head:
    """The head for a game. A game with one choice has one; a continuous one may choose.

    `table` (the default where a game moves by a stick: two axes of the group "move", and a button): so many
    directions and rest, with and without each button. It learns fastest. `mixed`: axes, buttons and choices
    as they are. `gaussian`: everything is a number.
    """
    if kind not in HEADS:
        raise UnknownName("action head", kind, HEADS)
    if spec.discrete:
        return Categorical(spec.action_count)
    actions = spec.actions
    if any(action.kind == "choice" for action in actions):
        if kind in ("gaussian", "table"):
            raise ConfigError(
                f"network.head = {kind!r} is for axes and buttons; {spec.game} also has choices. "
                "Leave network.head = auto."
            )
        return Composed(_kinds(actions))
    if kind == "gaussian":
        return Gaussian(len(actions))
    if kind == "table" or (kind == "auto" and _moves_by_stick(actions)):
        table = stick_table(actions, num_directions)
        if kind == "table" or len(table) <= MOST_TABLE_ROWS:
            return Categorical(len(table), table)
    only_axes = all(action.kind == "axis" for action in actions)
    return Gaussian(len(actions)) if only_axes and kind == "auto" else Composed(_kinds(actions))


def _kinds(actions: Sequence[Action]) -> list[int]:
    """The entries of a Composed head."""
    sizes = {"axis": 0, "button": 1}
    return [sizes.get(action.kind, len(action.options)) for action in actions]


def _moves_by_stick(actions: Sequence[Action]) -> bool:
    """Whether the first two actions, and no others, are the axes of a stick, and some other is a button."""
    stick = [action.group == "move" and action.kind == "axis" for action in actions]
    return stick[:2] == [True, True] and sum(stick) == 2 and any(a.kind == "button" for a in actions)


def stick_table(actions: Sequence[Action], num_directions: int) -> np.ndarray:
    """Every direction of a stick and rest, times every button and three speeds of every further axis."""
    if len(actions) < 2:
        raise ConfigError("network.head = 'table' is for a game with a stick: two axes first.")
    angles = np.arange(num_directions) * (2 * np.pi / num_directions)
    # rest, then forward and round to the right
    moves = [(0.0, 0.0), *zip(np.sin(angles), -np.cos(angles), strict=True)]
    rows: list[tuple[float, ...]] = [tuple(move) for move in moves]
    for action in actions[2:]:
        settings = (-1.0, 1.0) if action.kind == "button" else (-1.0, 0.0, 1.0)
        rows = [(*row, value) for value in settings for row in rows]
    return np.clip(np.array(rows, np.float32), -1.0, 1.0)
