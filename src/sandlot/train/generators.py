"""Saving and restoring random generators as plain text, which any file format carries without loss."""

from typing import Any

import numpy as np
import torch


def rng_state(rng: np.random.Generator) -> dict[str, str]:
    """The state of NumPy's PCG64 as text."""
    state: Any = rng.bit_generator.state
    return {name: str(value) for name, value in (state | state["state"]).items() if name != "bit_generator"}


def restore_rng(rng: np.random.Generator, state: dict[str, str]) -> None:
    """Restore the state that `rng_state` returned."""
    numbers = {name: int(value) for name, value in state.items()}
    inner = {name: numbers.pop(name) for name in ("state", "inc")}
    rng.bit_generator.state = {"bit_generator": "PCG64", "state": inner, **numbers}


def restore_generator(generator: torch.Generator, state: torch.Tensor) -> None:
    """Restore a saved state; that of another kind of device has another size and is ignored."""
    if len(state) == len(generator.get_state()):
        generator.set_state(state)
