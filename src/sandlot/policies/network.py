"""The network: convolutions for pictures, dense layers, an optional GRU, and one last layer for action
outputs and value together.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..errors import UnknownName

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}
PICTURE_FEATURES = 128  # numbers that a picture becomes
# Convolutions by the shorter side of a picture, the largest first: channels, kernel and stride of each.
CONVOLUTIONS = (
    (36, ((16, 8, 4), (32, 4, 2))),
    (14, ((16, 4, 2), (32, 3, 1))),
    (5, ((16, 3, 1), (32, 3, 1))),
)


class Network(nn.Module):
    """observation → hidden … → (GRU) → action outputs and one value, [rows, outputs + 1].

    pictures: shapes (height, width, channels) of pictures that lie in the observation behind its numbers.
    """

    def __init__(
        self,
        observation_size: int,
        outputs: int,
        hidden_sizes: Sequence[int] = (128, 128),
        activation: str = "relu",
        recurrent_size: int = 0,
        pictures: Sequence[tuple[int, int, int]] = (),
        squash: bool = False,
    ):
        super().__init__()
        self.squash = squash  # tanh over the action outputs
        if activation not in ACTIVATIONS:
            raise UnknownName("activation", activation, ACTIVATIONS)
        self.numbers, self.pictures = observation_size, tuple(pictures)  # of numbers beside the pictures
        self.observation_size = observation_size + sum(math.prod(shape) for shape in self.pictures)
        self.outputs, self.recurrent_size = outputs, recurrent_size
        self.encoders = nn.ModuleList(encoder(shape) for shape in self.pictures)
        layers: list[nn.Module] = []
        width = observation_size + PICTURE_FEATURES * len(self.pictures)
        for size in hidden_sizes:
            layers += [dense(width, size, 2**0.5), ACTIVATIONS[activation]()]
            width = size
        self.torso = nn.Sequential(*layers)
        self.cell = nn.GRUCell(width, recurrent_size) if recurrent_size else None
        self.last = dense(recurrent_size or width, outputs + 1, 1.0)
        with torch.no_grad():
            self.last.weight[:outputs] *= 0.01  # begin with about equally likely actions

    def forward(self, observations: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Outputs [rows, outputs + 1] and the next recurrent state."""
        features, state = self.features(observations, state)
        outputs = self.last(features)
        if self.squash:
            outputs = torch.cat([torch.tanh(outputs[:, :-1]), outputs[:, -1:]], dim=1)
        return outputs, state

    def features(self, observations: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """All but the last layer, and the next recurrent state."""
        hidden = self.torso(self._encoded(observations) if self.pictures else observations)
        if self.cell is None:
            return hidden, state
        state = self.initial_state(len(hidden), hidden.device) if state is None else state
        with torch.autocast(hidden.device.type, enabled=False):  # rounding would add up over time
            state = self.cell(hidden.float(), state)
        return state, state

    def _encoded(self, observations: Tensor) -> Tensor:
        """Numbers as they are, each picture as PICTURE_FEATURES numbers."""
        parts, first = [observations[:, : self.numbers]], self.numbers
        for shape, layers in zip(self.pictures, self.encoders, strict=True):
            size = math.prod(shape)
            picture = observations[:, first : first + size].unflatten(1, shape)
            parts.append(layers(picture.permute(0, 3, 1, 2)))
            first += size
        return torch.cat(parts, dim=1)

    def initial_state(self, rows: int, device: torch.device | str = "cpu") -> Tensor:
        """The recurrent state at the start of an episode, [rows, recurrent_size]."""
        return torch.zeros(rows, self.recurrent_size, device=device)


def encoder(shape: tuple[int, int, int]) -> nn.Sequential:
    """Convolutions that fit a picture of this height, width and channels, and one dense layer."""
    height, width, channels = shape
    layers: list[nn.Module] = []
    fitting = (plan for least, plan in CONVOLUTIONS if min(height, width) >= least)
    for outputs, kernel, stride in next(fitting, ()):
        layer = nn.Conv2d(channels, outputs, kernel, stride)
        nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.zeros_(layer.bias)  # type: ignore[arg-type]  # there is one
        layers += [layer, nn.ReLU()]
        height, width, channels = (height - kernel) // stride + 1, (width - kernel) // stride + 1, outputs
    return nn.Sequential(
        *layers, nn.Flatten(), dense(height * width * channels, PICTURE_FEATURES, 2**0.5), nn.ReLU()
    )


def dense(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights and no bias at first."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
