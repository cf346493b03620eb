"""Pictures a second that each game's renderer draws on one core: `.venv/bin/python benchmarks/rendering.py`.

The scripted players play; only drawing is timed, in rounds, and the median round is printed with its range.
"""

import statistics
import time

import numpy as np

import sandlot
from sandlot.games.rendering import View

PLAYERS = {"tag": "chase", "prospector": "greedy_miner"}
ROUNDS, FRAMES = 7, 100


def rates(game: str) -> list[float]:
    """Pictures a second of each round."""
    bot = sandlot.bot(game, PLAYERS[game])
    measured = []
    with sandlot.make(game, seed=1) as world:
        world.reset()
        view, memory = View(world, "rgb_array"), bot.start(world.rows)
        for _ in range(ROUNDS):
            spent = 0.0
            for _ in range(FRAMES):
                actions, memory = bot.act(world.observations, world.masks, memory)
                world.step(actions)
                started = time.perf_counter()
                view.of_world(0)
                spent += time.perf_counter() - started
            measured.append(FRAMES / spent)
    return measured


def main() -> None:
    print("| game | pixels | pictures a second | range |\n|---|---|---:|---|")
    for game in sandlot.games():
        measured = rates(game)
        with sandlot.make(game) as world:
            world.reset()
            height, width, _ = np.shape(View(world, "rgb_array").of_world(0))
        row = f"{statistics.median(measured):.0f} | {min(measured):.0f}–{max(measured):.0f}"
        print(f"| {game} | {width} × {height} | {row} |")


if __name__ == "__main__":
    main()
