"""Something to do for a soak: python -m sandlot.gates.soak_work GAME ENGINE

Opens worlds, plays in them with random actions, and closes them, over and over.
"""

import sys

from ..games.random_policy import RandomPolicy
from ..worlds import load_spec, make

WORLDS, STEPS = 16, 300


def work(game: str, engine: str, rounds: int | None = None) -> None:
    """Play so many rounds; without a number, until somebody ends the process."""
    spec, done = load_spec(game), 0
    while rounds is None or done < rounds:
        with make(game, WORLDS if engine == "native" else 1, engine=engine) as world:
            world.reset(done)
            policy = RandomPolicy(spec, done)
            for _ in range(STEPS):
                world.actions[...], _ = policy.act(world.observations, world.masks)
                world.step()
                world.finished()
        done += 1


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2])
