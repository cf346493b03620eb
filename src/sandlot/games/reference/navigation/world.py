"""The state of a walk, its grid, and what rays meet there."""

from dataclasses import dataclass, field, replace

import numpy as np

from .. import math32
from ..base import SoloProgress
from ..math32 import HALF, ONE, ZERO, cos_turns, f32, sin_turns, sqrt
from ..rng import Pcg32
from .rules import CELL, LEAST_GOAL, NEAR, RAY, RAYS, SPAWN, TASKS, Rules

ENDINGS = ("none", "goal", "fell", "collisions", "timeout")

_QUARTER = (1.0, 0.923879533, 0.707106781, 0.382683432, 1e-6)  # cosines; none is zero
_COSINES = (*_QUARTER, *(-c for c in _QUARTER[3:0:-1]))  # of half a turn
RAY_X = np.array([*_COSINES, *(-c if abs(c) > 1e-5 else c for c in _COSINES)], np.float32)
RAY_Z = np.array([RAY_X[(k - 4) % RAYS] for k in range(RAYS)], np.float32)


@dataclass
class Pose:
    """Where a body is at the end of a tick."""

    x: f32 = ZERO
    y: f32 = ZERO
    z: f32 = ZERO
    yaw: f32 = ZERO  # turns
    roll: f32 = ZERO  # rad
    walked: f32 = ZERO  # metres


@dataclass
class World(SoloProgress):
    """One episode in progress."""

    layout: str = "open"
    walls: set[tuple[int, int]] = field(default_factory=set)  # column, row
    holes: set[tuple[int, int]] = field(default_factory=set)
    pose: Pose = field(default_factory=Pose)
    before: Pose = field(default_factory=Pose)
    goal_x: f32 = ZERO
    goal_z: f32 = ZERO
    distance: f32 = ZERO
    start_distance: f32 = ZERO
    collisions: int = 0
    since_contact: int = 0
    snap_turns: int = 0
    snap_wait: int = 0
    falling: bool = False
    fall_speed: f32 = ZERO
    vx: f32 = ZERO
    vz: f32 = ZERO
    ax: f32 = ZERO
    az: f32 = ZERO
    yaw_rate: f32 = ZERO
    roll_rate: f32 = ZERO
    strafe: f32 = ZERO
    ahead: f32 = ZERO
    rotate: f32 = ZERO
    vignette: f32 = ZERO
    bonus_left: f32 = ZERO
    score_sum: f32 = ZERO
    vignette_sum: f32 = ZERO
    vignette_peak: f32 = ZERO
    vignette_ticks: int = 0
    hard_ticks: int = 0
    jolt_ticks: int = 0


def cell_of(rules: Rules, v: f32) -> int:
    """The column or row of a coordinate, never outside the grid."""
    return max(0, min(int((v + rules.half) / CELL), rules.cells - 1))


def middle_of(rules: Rules, cell: int) -> f32:
    """The coordinate of a cell's middle."""
    return (f32(cell) + HALF) * CELL - rules.half


def goal_distance(w: World) -> f32:
    """Metres to the goal on the floor."""
    dx, dz = w.goal_x - w.pose.x, w.goal_z - w.pose.z
    return sqrt(dx * dx + dz * dz)


# ---- how an episode begins ---------------------------------------------------------------------------------


def start(rules: Rules, seed: int) -> World:
    """The world of a seed."""
    rng, w = Pcg32(seed), World()
    _build(rules, w, rng)
    angle, far = rng.unit(), SPAWN * rng.unit()
    w.pose.x, w.pose.z = _place(rules, w, far * cos_turns(angle), far * sin_turns(angle))
    w.pose.yaw = rng.uniform(-HALF, HALF)
    angle, far = rng.unit(), rng.uniform(LEAST_GOAL, rules.max_goal_distance)
    w.goal_x, w.goal_z = _place(rules, w, far * cos_turns(angle), far * sin_turns(angle))
    w.before = replace(w.pose)
    w.distance = w.start_distance = goal_distance(w)
    w.since_contact = rules.apart_ticks
    w.bonus_left = rules.comfort_bonus
    return w


def _build(rules: Rules, w: World, rng: Pcg32) -> None:
    w.layout = TASKS[rng.integer(0, len(TASKS) - 1)] if rules.kind == "any" else rules.kind
    last = rules.cells - 1
    border = w.holes if rules.edge else w.walls
    border |= {(i, j) for i in range(last + 1) for j in range(last + 1) if i in (0, last) or j in (0, last)}
    if w.layout == "open":
        return
    for j in range(2, last, 2):
        for i in range(2, last, 2):
            _post(rules, w, rng, i, j)


def _post(rules: Rules, w: World, rng: Pcg32, i: int, j: int) -> None:
    pit, share, maze = rng.unit() < rules.pits, rng.unit(), w.layout == "maze"
    if pit:
        w.holes.add((i, j))
    elif maze or share < rules.obstacles:
        w.walls.add((i, j))
    if not pit and maze and share >= rules.openness:
        _topple(w, rng, i, j)


def _topple(w: World, rng: Pcg32, i: int, j: int) -> None:
    """A post falls to the right, down, left, or up in the first row, but not onto a wall."""
    ways = [(i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)][: 4 if j == 2 else 3]
    first = rng.integer(0, len(ways) - 1)
    for cell in ways[first:] + ways[:first]:
        if cell not in w.walls:
            w.walls.add(cell)
            return


def _place(rules: Rules, w: World, x: f32, z: f32) -> tuple[f32, f32]:
    """A place where a body stands free; else the middle of the nearest room."""
    i, j = cell_of(rules, x), cell_of(rules, z)
    room = HALF * CELL - rules.player_radius
    dx, dz = math32.magnitude(x - middle_of(rules, i)), math32.magnitude(z - middle_of(rules, j))
    if (i, j) not in w.walls and (i, j) not in w.holes and dx < room and dz < room:
        return x, z
    w.note("moved to a room")
    return middle_of(rules, min(i | 1, rules.cells - 2)), middle_of(rules, min(j | 1, rules.cells - 2))


# ---- rays --------------------------------------------------------------------------------------------------


def rays_of(rules: Rules, w: World) -> np.ndarray:
    """Metres of free floor along each ray."""
    ci, cj = cell_of(rules, w.pose.x), cell_of(rules, w.pose.z)
    found = np.full(RAYS, RAY, np.float32)
    for j in range(max(cj - NEAR, 0), min(cj + NEAR, rules.cells - 1) + 1):
        low_z = (f32(j) * CELL - rules.half) - w.pose.z
        for i in range(max(ci - NEAR, 0), min(ci + NEAR, rules.cells - 1) + 1):
            if (i, j) in w.walls or (i, j) in w.holes:
                found = _nearer(found, (f32(i) * CELL - rules.half) - w.pose.x, low_z)
    return found


def _nearer(found: np.ndarray, low_x: f32, low_z: f32) -> np.ndarray:
    """The rays after one more cell, whose corner is at low_x, low_z from the body."""
    ix, iz = ONE / RAY_X, ONE / RAY_Z
    a, b, c, d = low_x * ix, (low_x + CELL) * ix, low_z * iz, (low_z + CELL) * iz
    enter = np.maximum(np.minimum(a, b), np.minimum(c, d))
    leave = np.minimum(np.maximum(a, b), np.maximum(c, d))
    return np.where((enter <= leave) & (enter > 0) & (enter < found), enter, found)
