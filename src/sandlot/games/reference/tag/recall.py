"""What an agent remembers of the last body it saw, from its own rays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..math32 import HALF, ONE, ZERO, clamp, f32
from .rules import RAYS, Rules
from .world import Agent, Recall, World

NONE, WALL, AGENT = 0, 1, 2

SLOWING = f32(0.93)  # a believed velocity, from step to step
FADING = f32(0.95)  # how fresh a sight is, from step to step
FRESH = f32(0.55)  # a sight this fresh and a new one give a velocity
SURPRISE = f32(0.4)  # share of a wrong belief that goes into the velocity
DEPTH = f32(1.5)  # metres; neighbouring rays this much longer still met the same body


@dataclass
class Sight:
    """What the rays of one agent met."""

    distance: np.ndarray  # float32 [36] metres
    kind: np.ndarray  # [36] NONE, WALL or AGENT


def remember(rules: Rules, world: World, me: Agent, sight: Sight) -> None:
    if me.recall.fresh > ZERO:
        carry(rules, me.recall)
    found = find(rules, me, sight)
    if found is None:
        return
    world.note("remembered a velocity" if me.recall.fresh > FRESH else "saw somebody anew")
    notice(rules, me.recall, *found)


def find(rules: Rules, me: Agent, sight: Sight) -> tuple[f32, f32] | None:
    """Where the nearest body in view is: behind the middle one of the rays that met it."""
    bodies = np.flatnonzero(sight.kind == AGENT)
    if not len(bodies):
        return None
    nearest = int(bodies[np.argmin(sight.distance[bodies])])

    def same(ray: int) -> bool:
        near = 0 <= ray < RAYS and sight.kind[ray] == AGENT
        return bool(near and sight.distance[ray] < sight.distance[nearest] + DEPTH)

    first = last = nearest
    while same(first - 1):
        first -= 1
    while same(last + 1):
        last += 1
    cos, sin = rules.ray_cos[(first + last) // 2], rules.ray_sin[(first + last) // 2]
    far = sight.distance[nearest] + rules.half
    return me.x + (me.fx * cos + me.fz * sin) * far, me.z + (me.fz * cos - me.fx * sin) * far


def carry(rules: Rules, belief: Recall) -> None:
    """What is out of sight runs on, ever slower, and never through the walls."""
    belief.x = clamp(belief.x + belief.vx * rules.step_s, -rules.wall, rules.wall)
    belief.z = clamp(belief.z + belief.vz * rules.step_s, -rules.wall, rules.wall)
    belief.vx *= SLOWING
    belief.vz *= SLOWING
    belief.fresh *= FADING


def notice(rules: Rules, belief: Recall, x: f32, z: f32) -> None:
    top, pull = rules.max_speed, SURPRISE / rules.step_s
    again = belief.fresh > FRESH
    belief.vx = clamp(belief.vx + pull * (x - belief.x), -top, top) if again else ZERO
    belief.vz = clamp(belief.vz + pull * (z - belief.z), -top, top) if again else ZERO
    belief.x, belief.z, belief.fresh = x, z, ONE


def recall_entries(rules: Rules, me: Agent) -> list[f32]:
    """Bearing, distance and velocity in the frame of the eyes, and how fresh they are."""
    belief = me.recall
    dx, dz = belief.x - me.x, belief.z - me.z
    far = np.sqrt(dx * dx + dz * dz)
    inverse = ONE / max(far, f32(1e-3))
    place = [
        clamp((dx * me.fx + dz * me.fz) * inverse, -ONE, ONE),
        clamp((dz * me.fx - dx * me.fz) * inverse, -ONE, ONE),
        min(far * (HALF * rules.inv_arena), ONE),
    ]
    return [
        *(place if belief.fresh > ZERO else [ZERO] * 3),
        clamp((belief.vx * me.fx + belief.vz * me.fz) * rules.inv_speed, -ONE, ONE),
        clamp((belief.vz * me.fx - belief.vx * me.fz) * rules.inv_speed, -ONE, ONE),
        belief.fresh,
    ]
