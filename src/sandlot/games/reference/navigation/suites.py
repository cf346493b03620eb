"""Suites of actions for the parity harness: scripts that exercise every rule of navigation.

A script reads the twin's whole state, which no walker can. It yields one array [3] per step, for as long as
the episode lasts.
"""

import math
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from ..base import action, held_actions, random_actions
from ..interface import Suite
from .twin import NavigationTwin
from .world import middle_of

Actions = Iterator[np.ndarray]  # float32 [3] per step
EXTREMES = (-1.0, -0.7, -0.1, -1e-4, 0.0, 0.1, 0.10001, 0.7, 1.0)


def _toward(twin: NavigationTwin, x: float, z: float, pace: float, rotate: float = 0.0) -> np.ndarray:
    """A place of the world as commands."""
    p = twin.world.pose
    dx, dz = x - float(p.x), z - float(p.z)
    length = max(math.hypot(dx, dz), 1e-6)
    s, c = math.sin(2 * math.pi * float(p.yaw)), math.cos(2 * math.pi * float(p.yaw))
    dx, dz = pace * dx / length, pace * dz / length
    return action(dx * c - dz * s, -dx * s - dz * c, rotate)


def _circles(twin: NavigationTwin, rng: Random) -> Actions:
    """Full speed ahead while turning hard: the head leans too far."""
    turn = rng.choice((-1.0, 1.0))
    while True:
        yield action(0.0, 1.0, turn)


def _straight(twin: NavigationTwin, rng: Random) -> Actions:
    """Straight to the goal, sliding along what is in the way, with some noise."""
    while True:
        w = twin.world
        x, z = float(w.goal_x) + rng.uniform(-1, 1), float(w.goal_z) + rng.uniform(-1, 1)
        yield _toward(twin, x, z, 1.0)


def _into(cells: str) -> Callable[[NavigationTwin, Random], Actions]:
    """To the nearest wall or pit again and again, backing off between."""

    def play(twin: NavigationTwin, rng: Random) -> Actions:
        while True:
            w, rules = twin.world, twin.rules
            goals = getattr(w, cells) or {(rules.cells // 2, 0)}

            def far(cell: tuple[int, int]) -> float:
                x, z = (float(middle_of(rules, v)) for v in cell)  # noqa: B023
                return math.hypot(x - float(w.pose.x), z - float(w.pose.z))  # noqa: B023

            near = sorted(goals, key=far)[:3]
            x, z = (float(middle_of(rules, v)) + rng.uniform(-0.9, 0.9) for v in rng.choice(near))
            for _ in range(rng.randint(15, 40)):
                yield _toward(twin, x, z, 1.0)
            for _ in range(8):
                yield _toward(twin, 2 * float(w.pose.x) - x, 2 * float(w.pose.z) - z, 1.0, 0.5)

    return play


def _standing(twin: NavigationTwin, rng: Random) -> Actions:
    """Within the dead zone, until the time is over."""
    while True:
        yield action(*(rng.uniform(-0.1, 0.1) for _ in range(3)))


SUITES = (
    Suite("random", random_actions(3, EXTREMES)),
    Suite("held", held_actions(3, 3, 30)),
    Suite("circles", _circles),
    Suite("straight", _straight),
    Suite("walls", _into("walls")),
    Suite("pits", _into("holes")),
    Suite("standing", _standing),
    Suite("pathfollower", bot="pathfollower"),
    Suite("greedy_goal", bot="greedy_goal"),
)
