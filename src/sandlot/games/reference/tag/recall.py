"""The `recall` block: an agent's estimate of where the last body it saw is now, from its own rays."""

from dataclasses import dataclass

import numpy as np

from ..math32 import HALF, ONE, ZERO, clamp, f32
from .rules import RAYS, Rules
from .world import Agent, Recall, World

NONE, WALL, AGENT = 0, 1, 2

VELOCITY_DECAY = f32(0.93)  # per step
FRESHNESS_DECAY = f32(0.95)  # per step
MIN_FRESHNESS = f32(0.55)  # above it a new sight corrects the velocity, else it starts at 0
VELOCITY_GAIN = f32(0.4)  # share of the position error that goes into the velocity
SAME_BODY_DEPTH = f32(1.5)  # metres; neighbouring rays less than this longer hit the same body


@dataclass
class Sight:
    """What the rays of one agent hit."""

    distance: np.ndarray  # float32 [36] metres
    kind: np.ndarray  # [36] NONE, WALL or AGENT


def remember(rules: Rules, world: World, me: Agent, sight: Sight) -> None:
    """Advance the agent's estimate by one step and correct it by what the rays hit now."""
    if me.recall.fresh > ZERO:
        _extrapolate(rules, me.recall)
    found = _locate_body(rules, me, sight)
    if found is None:
        return
    world.note("remembered a velocity" if me.recall.fresh > MIN_FRESHNESS else "saw somebody anew")
    _update(rules, me.recall, *found)


def _locate_body(rules: Rules, me: Agent, sight: Sight) -> tuple[f32, f32] | None:
    """Position (x, z) of the nearest body in view: half an edge behind its surface, on its middle ray."""
    bodies = np.flatnonzero(sight.kind == AGENT)
    if not len(bodies):
        return None
    nearest = int(bodies[np.argmin(sight.distance[bodies])])

    def same(ray: int) -> bool:
        near = 0 <= ray < RAYS and sight.kind[ray] == AGENT
        return bool(near and sight.distance[ray] < sight.distance[nearest] + SAME_BODY_DEPTH)

    first = last = nearest
    while same(first - 1):
        first -= 1
    while same(last + 1):
        last += 1
    cos, sin = rules.ray_cos[(first + last) // 2], rules.ray_sin[(first + last) // 2]
    far = sight.distance[nearest] + rules.half
    return me.x + (me.fx * cos + me.fz * sin) * far, me.z + (me.fz * cos - me.fx * sin) * far


def _extrapolate(rules: Rules, estimate: Recall) -> None:
    """Advance the estimate by one step at a decaying velocity, within the walls."""
    estimate.x = clamp(estimate.x + estimate.vx * rules.step_s, -rules.wall, rules.wall)
    estimate.z = clamp(estimate.z + estimate.vz * rules.step_s, -rules.wall, rules.wall)
    estimate.vx *= VELOCITY_DECAY
    estimate.vz *= VELOCITY_DECAY
    estimate.fresh *= FRESHNESS_DECAY


def _update(rules: Rules, estimate: Recall, x: f32, z: f32) -> None:
    top, pull = rules.max_speed, VELOCITY_GAIN / rules.step_s
    again = estimate.fresh > MIN_FRESHNESS
    estimate.vx = clamp(estimate.vx + pull * (x - estimate.x), -top, top) if again else ZERO
    estimate.vz = clamp(estimate.vz + pull * (z - estimate.z), -top, top) if again else ZERO
    estimate.x, estimate.z, estimate.fresh = x, z, ONE


def recall_entries(rules: Rules, me: Agent) -> list[f32]:
    """Six entries: bearing (ahead, right), distance, velocity (ahead, right), freshness; eye frame."""
    estimate = me.recall
    dx, dz = estimate.x - me.x, estimate.z - me.z
    far = np.sqrt(dx * dx + dz * dz)
    inverse = ONE / max(far, f32(1e-3))
    place = [
        clamp((dx * me.fx + dz * me.fz) * inverse, -ONE, ONE),
        clamp((dz * me.fx - dx * me.fz) * inverse, -ONE, ONE),
        min(far * (HALF * rules.inv_arena), ONE),
    ]
    return [
        *(place if estimate.fresh > ZERO else [ZERO] * 3),
        clamp((estimate.vx * me.fx + estimate.vz * me.fz) * rules.inv_speed, -ONE, ONE),
        clamp((estimate.vz * me.fx - estimate.vx * me.fz) * rules.inv_speed, -ONE, ONE),
        estimate.fresh,
    ]
