"""`sandlot demo`: a first look, in the terminal."""

from __future__ import annotations

import time
from typing import Annotated, Any

import numpy as np
import typer
from rich.live import Live
from rich.text import Text

from ..games import bot, make
from .show import out

WIDTH, HEIGHT = 61, 25  # characters; two columns to a row keep the arena square


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Which match.")] = 11,
    speed: Annotated[float, typer.Option(min=0.1, max=100, help="1 is real time.")] = 2.0,
) -> None:
    """Watch a scripted seeker chase a scripted hider, seen from above.

    Example: sandlot demo --seed 4
    """
    with make("tag", seed=seed) as world:
        world.reset(seed)
        players = [bot("tag", "chase"), bot("tag", "evade")]
        memories: list[Any] = [None, None]
        pause = world.spec.config["ticks_per_step"] / world.spec.config["tick_rate"] / speed
        with Live(console=out, auto_refresh=False, transient=not out.is_terminal) as live:
            while True:
                for row, player in enumerate(players):
                    world.actions[row : row + 1], memories[row] = player.act(
                        world.observations[row : row + 1], None, memories[row]
                    )
                picture = _picture(world.render())
                if world.step():
                    break
                if out.is_terminal:
                    live.update(picture, refresh=True)
                    time.sleep(pause)
        episode = world.finished()[0]
    winner = {1: "the seeker", 2: "the hider"}[int(episode["winner"])]
    out.print(f"After {episode['duration_s']:.1f} s {winner} wins.")
    out.print("Next: [bold]sandlot games tag[/], [bold]sandlot bots tag[/], [bold]sandlot bench[/].")


def _picture(state: dict) -> Text:
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
