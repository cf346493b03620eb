"""The network: dense layers, an optional GRU, and one last layer for action outputs and value together."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..errors import UnknownName

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Network(nn.Module):
    """observation → hidden … → (GRU) → action outputs and one value, [rows, outputs + 1]."""

    def __init__(
        self,
        observation_size: int,
        outputs: int,
        hidden_sizes: Sequence[int] = (128, 128),
        activation: str = "relu",
        recurrent_size: int = 0,
    ):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise UnknownName("activation", activation, ACTIVATIONS)
        self.observation_size, self.outputs, self.recurrent_size = observation_size, outputs, recurrent_size
        layers: list[nn.Module] = []
        width = observation_size
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
        return self.last(features), state

    def features(self, observations: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """All but the last layer, and the next recurrent state."""
        hidden = self.torso(observations)
        if self.cell is None:
            return hidden, state
        state = self.initial_state(len(hidden), hidden.device) if state is None else state
        with torch.autocast(hidden.device.type, enabled=False):  # rounding would add up over time
            state = self.cell(hidden.float(), state)
        return state, state

    def initial_state(self, rows: int, device: torch.device | str = "cpu") -> Tensor:
        """The recurrent state at the start of an episode, [rows, recurrent_size]."""
        return torch.zeros(rows, self.recurrent_size, device=device)


def dense(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights and no bias at first."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
