"""Vision and observations. Rays are computed as arrays: numpy rounds each element as it rounds a scalar."""

from dataclasses import dataclass

import numpy as np

from ..math32 import HALF, ONE, ZERO, clamp, f32
from .recall import AGENT, NONE, WALL, Sight, recall_entries, remember
from .rules import RAYS, Rules
from .world import Agent, World, nearest, opponents_of

KINDS = ("none", "wall", "agent")
MIN_COMPONENT = f32(1e-6)  # of a ray's direction, so that its inverse stays finite
FAR = f32(1e9)  # metres; nothing was hit

REFERENCE_METRES = f32(15.0)
REFERENCE_SPEED = f32(10.0)


@dataclass
class Rays:
    """36 horizontal rays from one eye."""

    x: f32
    z: f32
    inverse_x: np.ndarray  # float32 [36], 1 / direction
    inverse_z: np.ndarray

    def to_slab(self, min_x: f32, max_x: f32, min_z: f32, max_z: f32) -> np.ndarray:
        """Distance to an axis-aligned box from outside, float32 [36]; FAR where the ray misses it."""
        a, b = (min_x - self.x) * self.inverse_x, (max_x - self.x) * self.inverse_x
        c, d = (min_z - self.z) * self.inverse_z, (max_z - self.z) * self.inverse_z
        near = np.maximum(np.minimum(a, b), np.minimum(c, d))
        far = np.minimum(np.maximum(a, b), np.maximum(c, d))
        return np.where((near <= far) & (near > 0), near, FAR)

    def to_walls(self, half: f32) -> np.ndarray:
        """Distance to the walls of the square arena around the eye, float32 [36]."""
        x_face = np.maximum((half - self.x) * self.inverse_x, (-half - self.x) * self.inverse_x)
        z_face = np.maximum((half - self.z) * self.inverse_z, (-half - self.z) * self.inverse_z)
        return np.minimum(x_face, z_face)


def _cast_rays(rules: Rules, me: Agent) -> Rays:
    dx = me.fx * rules.ray_cos + me.fz * rules.ray_sin
    dz = me.fz * rules.ray_cos - me.fx * rules.ray_sin
    dx = np.where(np.abs(dx) < MIN_COMPONENT, MIN_COMPONENT, dx)
    dz = np.where(np.abs(dz) < MIN_COMPONENT, MIN_COMPONENT, dz)
    return Rays(me.x, me.z, ONE / dx, ONE / dz)


def _look(rules: Rules, world: World, me: Agent) -> Sight:
    """Cast the rays and set `me.sees`; an agent that is out sees nothing."""
    if not me.in_play:
        me.sees = set()
        return Sight(np.full(RAYS, rules.vision_range, np.float32), np.full(RAYS, NONE))
    rays, eye = _cast_rays(rules, me), me.y + rules.half
    wall = _nearest_wall(rules, world, rays, eye)
    bodies = {j.index: _to_body(rules, rays, j) for j in world.others(me) if _at_height(rules, j, eye)}
    agent = np.minimum.reduce([np.full(RAYS, FAR, np.float32), *bodies.values()])
    agent_seen = (agent < wall) & (agent < rules.vision_range)
    wall_seen = ~agent_seen & (wall < rules.vision_range)
    kind = np.where(agent_seen, AGENT, np.where(wall_seen, WALL, NONE))
    distance = np.where(agent_seen, agent, np.where(wall_seen, wall, rules.vision_range))
    me.sees = {j for j, t in bodies.items() if np.any(agent_seen & (t <= agent))}
    _note_sight(world, me, kind, bodies, agent_seen)
    return Sight(distance, kind)


def _nearest_wall(rules: Rules, world: World, rays: Rays, eye: f32) -> np.ndarray:
    wall = rays.to_walls(rules.arena_half)
    for box in world.boxes:
        if box.top > eye:
            wall = np.minimum(wall, rays.to_slab(box.min_x, box.max_x, box.min_z, box.max_z))
        else:
            world.note("looked over a box")
    return wall


def _at_height(rules: Rules, other: Agent, eye: f32) -> bool:
    return bool(other.y < eye and other.y + rules.edge > eye)


def _to_body(rules: Rules, rays: Rays, other: Agent) -> np.ndarray:
    half = rules.half
    return rays.to_slab(other.x - half, other.x + half, other.z - half, other.z + half)


def _note_sight(world: World, me: Agent, kind: np.ndarray, bodies: dict, agent_seen: np.ndarray) -> None:
    for code, name in enumerate(KINDS):
        if np.any(kind == code):
            world.note(f"saw {name}")
    if any(np.any((t < FAR) & ~agent_seen) for t in bodies.values()):
        world.note("somebody behind a wall or out of range")


# ---- the observation ---------------------------------------------------------------------------------------


def observe(rules: Rules, world: World) -> np.ndarray:
    """The observations of all agents, float32 [agents, D]; updates what each one sees and recalls."""
    return np.array([_observation_row(rules, world, agent) for agent in world.agents], np.float32)


def _observation_row(rules: Rules, world: World, me: Agent) -> list[f32]:
    sight = _look(rules, world, me)
    if rules.recall and world.steps:  # remembering begins with the first step
        remember(rules, world, me, sight)
    opponent = nearest(me, opponents_of(world, me))
    if rules.reference_layout:
        entries = _reference_entries(rules, me, opponent, sight)
    else:
        entries = _own_entries(rules, world, me) + _ray_entries(rules, sight)
    entries += recall_entries(rules, me) if rules.recall else []
    return entries + (_privileged_entries(rules, me, opponent) if rules.privileged else [])


def _clamp_unit(value: f32) -> f32:
    return clamp(value, -ONE, ONE)


def _own_entries(rules: Rules, world: World, me: Agent) -> list[f32]:
    return [
        _clamp_unit(me.x * rules.inv_arena),
        _clamp_unit(me.y * f32(0.25)),
        _clamp_unit(me.z * rules.inv_arena),
        _clamp_unit(me.vx * rules.inv_speed),
        _clamp_unit(me.vy * f32(0.1)),
        _clamp_unit(me.vz * rules.inv_speed),
        f32(me.on_floor),
        _clamp_unit(me.fx),
        _clamp_unit(me.fz),
        f32(rules.limit - world.tick) * rules.inv_limit,
        f32(me.seeker),
        f32(me.immunity) * rules.inv_immune,
    ]


def _ray_entries(rules: Rules, sight: Sight) -> list[f32]:
    one_hot = sight.kind[:, None] == np.array([NONE, WALL, AGENT])
    return list(np.column_stack([sight.distance * rules.inv_range, one_hot]).ravel())


def _privileged_entries(rules: Rules, me: Agent, opponent: Agent | None) -> list[f32]:
    if opponent is None:
        return [ZERO] * 4
    place, speed = HALF * rules.inv_arena, HALF * rules.inv_speed
    return [
        _clamp_unit((opponent.x - me.x) * place),
        _clamp_unit((opponent.z - me.z) * place),
        _clamp_unit((opponent.vx - me.vx) * speed),
        _clamp_unit((opponent.vz - me.vz) * speed),
    ]


def _reference_entries(rules: Rules, me: Agent, opponent: Agent | None, sight: Sight) -> list[f32]:
    entries = [me.x / REFERENCE_METRES, me.z / REFERENCE_METRES]
    entries += [me.vx / REFERENCE_SPEED, me.vz / REFERENCE_SPEED]
    if opponent is None:
        entries += [ZERO] * 4
    else:
        entries += [(opponent.x - me.x) / REFERENCE_METRES, (opponent.z - me.z) / REFERENCE_METRES]
        entries += [(opponent.vx - me.vx) / REFERENCE_SPEED, (opponent.vz - me.vz) / REFERENCE_SPEED]
    entries += [f32(me.seeker), f32(opponent.seeker) if opponent else ZERO, me.fx, me.fz]
    rays = np.column_stack([sight.distance * rules.inv_range, sight.kind == AGENT])
    return entries + list(rays.ravel())
