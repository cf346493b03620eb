"""The network: a few dense layers, an optional memory, and one last layer for all that is read off it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from ..errors import UnknownName

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Network(nn.Module):
    """observation → hidden … → (memory) → outputs and one value, [rows, outputs + 1]."""

    def __init__(
        self,
        observation: int,
        outputs: int,
        hidden: Sequence[int] = (128, 128),
        activation: str = "relu",
        memory: int = 0,
    ):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise UnknownName("activation", activation, ACTIVATIONS)
        self.observation, self.outputs, self.memory = observation, outputs, memory
        layers: list[nn.Module] = []
        width = observation
        for size in hidden:
            layers += [dense(width, size, 2**0.5), ACTIVATIONS[activation]()]
            width = size
        self.torso = nn.Sequential(*layers)
        self.cell = nn.GRUCell(width, memory) if memory else None
        self.last = dense(memory or width, outputs + 1, 1.0)
        with torch.no_grad():
            self.last.weight[:outputs] *= 0.01  # begin undecided: all actions about equally likely

    def forward(
        self, observations: torch.Tensor, state: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        features, state = self.features(observations, state)
        return self.last(features), state

    def features(
        self, observations: torch.Tensor, state: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """All but the last layer, and the memory afterwards."""
        hidden = self.torso(observations)
        if self.cell is None:
            return hidden, state
        state = self.start(len(hidden), hidden.device) if state is None else state
        with torch.autocast(hidden.device.type, enabled=False):  # what adds up over time stays exact
            state = self.cell(hidden.float(), state)
        return state, state

    def start(self, rows: int, device: torch.device | str = "cpu") -> torch.Tensor:
        """An empty memory, [rows, memory]."""
        return torch.zeros(rows, self.memory, device=device)


def dense(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
