"""A world's info block as a dict for Gymnasium and PettingZoo: typed, with the mask and the events."""

from typing import Any

import numpy as np

from ..spec import Field
from ..worlds import World

# Entries that are not floats; prospector's fixed interface demands these types.
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


def of_world(world: World, index: int = 0) -> dict[str, Any]:
    """Info entries of one world, the events of its last step, and its action mask if the game has masks."""
    values = typed(world.spec.info, world.info(index))
    if world.masks is not None:
        values["action_mask"] = world.masks[index].copy()
    values["events"] = world.events(index)
    return values


def typed(fields: tuple[Field, ...], values: dict[str, Any]) -> dict[str, Any]:
    """The engine's floats as int, bool or float by name; an entry with labels becomes its label."""
    return {field.name: _typed(field, values[field.name]) for field in fields}


def _typed(field: Field, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    if field.labels:
        return field.labels[int(value)]
    return KINDS.get(field.name, float)(value)
