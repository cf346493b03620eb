"""The device that learns: the CPU, or a GPU that PyTorch can use.

Networks, rollouts and the optimizer live there. Worlds, advantages and opponents stay on the CPU, where the
engine writes worlds, unless run.engine is cuda: then they are on the GPU too (device_learner.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ..errors import ConfigError, OutOfMemory, SandlotError, TrainingFailed


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


@contextmanager
def gpu_errors(device: torch.device, size: str) -> Iterator[None]:
    """Say what happened where a GPU has no memory left, or is gone. size: of what is computed."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise OutOfMemory(
            f"{device} has no memory for {size}. Lower ppo.num_envs or ppo.num_steps, or raise "
            "ppo.num_minibatches; the last checkpoint is intact."
        ) from None
    except SandlotError:
        raise
    except RuntimeError as problem:
        first = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        if "CUDA" not in first:
            raise
        raise TrainingFailed(
            f"The GPU stopped answering ({first[:160]}). Everything up to the last commit is saved: go on "
            "with --resume, on the CPU with --device cpu."
        ) from problem
