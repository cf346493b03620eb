"""A world's running figures as Gymnasium and PettingZoo give them: typed, with the mask and the events."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spec import Field
from ..vector import VectorGame

# Figures that are no floats; the frozen interface of the prospector asks for just these types.
KINDS: dict[str, type] = {
    "action": int,
    "dt": int,
    "invalid_action": bool,
    "terminated": bool,
    "truncated": bool,
    "tick": int,
    "steps": int,
    "tags": int,
}


def of_world(world: VectorGame, index: int = 0) -> dict[str, Any]:
    """The named figures of one world, what happened in its last step, and where it has one its mask."""
    figures = typed(world.spec.info, world.info(index))
    if world.masks is not None:
        figures["action_mask"] = world.masks[index].copy()
    figures["events"] = world.events(index)
    return figures


def typed(fields: tuple[Field, ...], figures: dict[str, Any]) -> dict[str, Any]:
    """The engine's floats as what they mean; a figure whose values have labels becomes its label."""
    return {field.name: _typed(field, figures[field.name]) for field in fields}


def _typed(field: Field, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    if field.labels:
        return field.labels[int(value)]
    return KINDS.get(field.name, float)(value)
