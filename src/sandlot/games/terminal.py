"""Pictures of native games in the letters of a terminal, for `sandlot demo`."""

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.text import Text

WIDTH, HEIGHT = 61, 25  # characters; two columns to a row keep the arena square


def tag_picture(state: dict[str, Any]) -> Text:
    """The arena from above: boxes as shades, the seeker red, the hider blue, each with a nose."""
    half = state["arena_half"]
    grid = np.full((HEIGHT, WIDTH), " ", dtype="<U1")

    def cell(x: float, z: float) -> tuple[int, int]:
        return (
            int(np.clip((z / half + 1) / 2 * (HEIGHT - 1) + 0.5, 0, HEIGHT - 1)),
            int(np.clip((x / half + 1) / 2 * (WIDTH - 1) + 0.5, 0, WIDTH - 1)),
        )

    for box in state["boxes"][: int(state["box_count"])]:
        (top, left), (bottom, right) = cell(box[0], box[2]), cell(box[3], box[5])
        grid[top : bottom + 1, left : right + 1] = "▒" if box[4] < 1.5 else "█"
    styles = {}
    for place, facing, seeker in zip(state["position"], state["facing"], state["seeker"], strict=True):
        nose = cell(place[0] + facing[0], place[2] + facing[1])
        body = cell(place[0], place[2])
        grid[nose], grid[body] = "·", "S" if seeker else "H"
        styles[body] = styles[nose] = "bold red" if seeker else "bold blue"
    text = Text("┌" + "─" * WIDTH + "┐\n")
    for i, row in enumerate(grid):
        text.append("│")
        for j, mark in enumerate(row):
            text.append(str(mark), styles.get((i, j), ""))
        text.append("│\n")
    return text.append("└" + "─" * WIDTH + f"┘ {state['time_left']:4.1f} s left")


# By game: what draws its render state. A game without one is played without a picture.
PICTURES: dict[str, Callable[[dict[str, Any]], Text]] = {"tag": tag_picture}
