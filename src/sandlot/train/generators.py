"""Saving and restoring random generators as plain text, which any file format carries without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch


def words(rng: np.random.Generator) -> dict[str, str]:
    state: Any = rng.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": str(state["has_uint32"]),
        "uinteger": str(state["uinteger"]),
    }


def restore(rng: np.random.Generator, told: dict[str, str]) -> None:
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(told["state"]), "inc": int(told["inc"])},
        "has_uint32": int(told["has_uint32"]),
        "uinteger": int(told["uinteger"]),
    }


def restore_dice(dice: torch.Generator, state: torch.Tensor) -> None:
    """Go on where PyTorch's dice stood; those of another kind of device count otherwise and begin anew."""
    if len(state) == len(dice.get_state()):
        dice.set_state(state)
