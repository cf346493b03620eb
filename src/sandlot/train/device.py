"""The device that learns: the CPU, or a GPU that PyTorch can use.

Networks, rollouts and the optimizer live there. Worlds, advantages and opponents stay on the CPU: the engine
writes worlds there, and an opponent's few rows are faster on the CPU than sent to a GPU.
"""

import torch

from ..errors import ConfigError


def device_of(name: str) -> torch.device:
    """The device of that name (cpu, cuda, cuda:1), if this machine has it."""
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):
        raise ConfigError(f"run.device = {name!r}: expected cpu, cuda, or cuda:N for one of several GPUs.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigError(
            f"run.device = {name!r}: PyTorch {torch.__version__} sees {torch.cuda.device_count()} GPUs. "
            "Train with run.device = cpu, or install a PyTorch build for CUDA and the GPU's driver."
        )
    return device
