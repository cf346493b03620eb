"""Where learning happens: this machine's processor, or a graphics card that PyTorch can use.

Networks, what they saw and the optimiser live there. Worlds, advantages and rivals stay on the processor:
worlds are written by the engine, and a rival's few rows are answered sooner than a card is asked.
"""

from __future__ import annotations

import torch

from ..errors import ConfigError


def device_of(name: str) -> torch.device:
    """The device of that name (cpu, cuda, cuda:1), if it is there."""
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):
        raise ConfigError(f"run.device = {name!r}: expected cpu, cuda, or cuda:N for one of several cards.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigError(
            f"run.device = {name!r}: PyTorch {torch.__version__} sees {torch.cuda.device_count()} cards. "
            "Train with run.device = cpu, or install a PyTorch build for CUDA and the card's driver."
        )
    return device
