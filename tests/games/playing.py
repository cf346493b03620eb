"""What the tests of the Python door share: short games, and ways to play them."""

import numpy as np

import sandlot

GAMES = tuple(sandlot.games())
SHORT = {  # episodes of some twenty steps, fifty at most
    "tag": {"time_limit": 1.0},
    "prospector": {"time_max": 40},
    "landing": {"time_limit": 5.0, "altitude_min": 40.0, "altitude_max": 90.0, "ticks_per_step": 18},
    "navigation": {"time_limit": 2.0, "max_goal_distance": 10.0, "goal_radius": 2.0},
}
ARRAYS = ("observations", "final_observations", "rewards", "terminated", "truncated", "masks", "ticks")


def random_actions(world, rng):
    """Anything a caller may write; in a discrete game also ids that do not exist."""
    if world.spec.discrete:
        return rng.integers(-3, world.spec.action_count + 3, world.rows, dtype=np.int32)
    return rng.uniform(-1, 1, world.actions.shape).astype(np.float32)


def legal_actions(world, rng):
    """Drawn from the mask, evenly."""
    return (rng.random(world.masks.shape) * world.masks).argmax(axis=1).astype(np.int32)


def hashes(world):
    return [world.hash(index) for index in world]


def seen(world):
    """Copies of all that a step writes; last observations of rows that did not end mean nothing: zeroed."""
    ended = world.terminated | world.truncated
    arrays = {name: getattr(world, name) for name in ARRAYS}
    copies = {name: array.copy() for name, array in arrays.items() if array is not None}
    copies["final_observations"][~ended] = 0
    return copies


def assert_same(left, right):
    """Two results of `seen` are equal to the last bit."""
    for name in left:
        assert left[name].tobytes() == right[name].tobytes(), f"{name} differs"
