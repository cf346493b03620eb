"""A world in letters, for render_mode="ansi": tag as a map from above, other games as a list of numbers."""

from typing import Any

import numpy as np

from ...spec import Field
from ...worlds import World

CELL_M = 1.0  # a letter is one metre, and drawn twice as wide as high so that the map looks square
LOW_BOX_M = 1.5  # lower boxes can be jumped on


def table(world: World, index: int = 0) -> str:
    """One line per number: its name and its value or label."""
    values = world.info(index)
    return "".join(f"{f.name:24}{_words(f, values[f.name])}\n" for f in world.spec.info)


def _words(field: Field, value: Any) -> str:
    if isinstance(value, np.ndarray):
        return " ".join(f"{number:.6g}" for number in value.ravel())
    if field.labels:
        return field.labels[int(value)]
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def arena(world: World, index: int = 0) -> str:
    """Tag. North (-Z) is up. S and H are seekers and hiders, # boxes, + boxes that can be jumped on."""
    seen = world.render(index)
    half = seen["arena_half"]
    cells = int(np.ceil(2 * half / CELL_M))
    ground = np.full((cells, cells), ".")

    def cell(metres: float) -> int:
        return min(max(int((metres + half) / CELL_M), 0), cells - 1)

    for min_x, _, min_z, max_x, height, max_z in seen["boxes"][: int(seen["box_count"])].tolist():
        letter = "+" if height < LOW_BOX_M else "#"
        ground[cell(min_z) : cell(max_z) + 1, cell(min_x) : cell(max_x) + 1] = letter
    for (x, _, z), seeks, out in zip(seen["position"], seen["seeker"], seen["out"], strict=True):
        if not out:
            ground[cell(z), cell(x)] = "S" if seeks else "H"
    rows = "".join(" ".join(row) + "\n" for row in ground)
    return f"{seen['time_left']:.1f} s left\n{rows}"
