"""What agents see. Rays are swept as arrays: numpy rounds each element as a scalar would."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..math32 import HALF, ONE, ZERO, clamp, f32
from .recall import AGENT, NONE, WALL, Sight, recall_entries, remember
from .rules import RAYS, Rules
from .world import Agent, World, nearest, rivals_now

KINDS = ("none", "wall", "agent")
STEEPEST = f32(1e-6)  # a direction's least component, so that its inverse stays finite
FAR = f32(1e9)  # metres; nothing was met

REFERENCE_METRES = f32(15.0)
REFERENCE_SPEED = f32(10.0)


@dataclass
class Rays:
    """36 horizontal half-lines from one eye."""

    x: f32
    z: f32
    inverse_x: np.ndarray  # float32 [36], 1 / direction
    inverse_z: np.ndarray

    def to_slab(self, min_x: f32, max_x: f32, min_z: f32, max_z: f32) -> np.ndarray:
        """Distance to an upright block from outside; FAR where it is missed."""
        a, b = (min_x - self.x) * self.inverse_x, (max_x - self.x) * self.inverse_x
        c, d = (min_z - self.z) * self.inverse_z, (max_z - self.z) * self.inverse_z
        near = np.maximum(np.minimum(a, b), np.minimum(c, d))
        far = np.minimum(np.maximum(a, b), np.maximum(c, d))
        return np.where((near <= far) & (near > 0), near, FAR)

    def to_walls(self, half: f32) -> np.ndarray:
        """Distance to the square that the eye is inside of."""
        x_face = np.maximum((half - self.x) * self.inverse_x, (-half - self.x) * self.inverse_x)
        z_face = np.maximum((half - self.z) * self.inverse_z, (-half - self.z) * self.inverse_z)
        return np.minimum(x_face, z_face)


def cast(rules: Rules, me: Agent) -> Rays:
    dx = me.fx * rules.ray_cos + me.fz * rules.ray_sin
    dz = me.fz * rules.ray_cos - me.fx * rules.ray_sin
    dx = np.where(np.abs(dx) < STEEPEST, STEEPEST, dx)
    dz = np.where(np.abs(dz) < STEEPEST, STEEPEST, dz)
    return Rays(me.x, me.z, ONE / dx, ONE / dz)


def look(rules: Rules, world: World, me: Agent) -> Sight:
    """Cast the rays and remember whom they met."""
    if not me.in_play:
        me.sees = set()
        return Sight(np.full(RAYS, rules.vision_range, np.float32), np.full(RAYS, NONE))
    rays, eye = cast(rules, me), me.y + rules.half
    wall = nearest_wall(rules, world, rays, eye)
    bodies = {j.index: to_body(rules, rays, j) for j in world.others(me) if at_height(rules, j, eye)}
    agent = np.minimum.reduce([np.full(RAYS, FAR, np.float32), *bodies.values()])
    agent_seen = (agent < wall) & (agent < rules.vision_range)
    wall_seen = ~agent_seen & (wall < rules.vision_range)
    kind = np.where(agent_seen, AGENT, np.where(wall_seen, WALL, NONE))
    distance = np.where(agent_seen, agent, np.where(wall_seen, wall, rules.vision_range))
    me.sees = {j for j, t in bodies.items() if np.any(agent_seen & (t <= agent))}
    note_sight(world, me, kind, bodies, agent_seen)
    return Sight(distance, kind)


def nearest_wall(rules: Rules, world: World, rays: Rays, eye: f32) -> np.ndarray:
    wall = rays.to_walls(rules.arena_half)
    for box in world.boxes:
        if box.top > eye:
            wall = np.minimum(wall, rays.to_slab(box.min_x, box.max_x, box.min_z, box.max_z))
        else:
            world.note("looked over a box")
    return wall


def at_height(rules: Rules, other: Agent, eye: f32) -> bool:
    return bool(other.y < eye and other.y + rules.edge > eye)


def to_body(rules: Rules, rays: Rays, other: Agent) -> np.ndarray:
    half = rules.half
    return rays.to_slab(other.x - half, other.x + half, other.z - half, other.z + half)


def note_sight(world: World, me: Agent, kind: np.ndarray, bodies: dict, agent_seen: np.ndarray) -> None:
    for code, name in enumerate(KINDS):
        if np.any(kind == code):
            world.note(f"saw {name}")
    if any(np.any((t < FAR) & ~agent_seen) for t in bodies.values()):
        world.note("somebody behind a wall or out of range")


# ---- the observation ---------------------------------------------------------------------------------------


def observe(rules: Rules, world: World) -> np.ndarray:
    """float32 [agents, D]"""
    return np.array([row(rules, world, agent) for agent in world.agents], np.float32)


def row(rules: Rules, world: World, me: Agent) -> list[f32]:
    sight = look(rules, world, me)
    if rules.recall and world.steps:  # looking begins with the first step
        remember(rules, world, me, sight)
    rival = nearest(me, rivals_now(world, me))
    if rules.reference_layout:
        entries = reference_entries(rules, me, rival, sight)
    else:
        entries = own_entries(rules, world, me) + ray_entries(rules, sight)
    entries += recall_entries(rules, me) if rules.recall else []
    return entries + (privileged_entries(rules, me, rival) if rules.privileged else [])


def to_one(value: f32) -> f32:
    return clamp(value, -ONE, ONE)


def own_entries(rules: Rules, world: World, me: Agent) -> list[f32]:
    return [
        to_one(me.x * rules.inv_arena),
        to_one(me.y * f32(0.25)),
        to_one(me.z * rules.inv_arena),
        to_one(me.vx * rules.inv_speed),
        to_one(me.vy * f32(0.1)),
        to_one(me.vz * rules.inv_speed),
        f32(me.on_floor),
        to_one(me.fx),
        to_one(me.fz),
        f32(rules.limit - world.tick) * rules.inv_limit,
        f32(me.seeker),
        f32(me.immunity) * rules.inv_immune,
    ]


def ray_entries(rules: Rules, sight: Sight) -> list[f32]:
    one_hot = sight.kind[:, None] == np.array([NONE, WALL, AGENT])
    return list(np.column_stack([sight.distance * rules.inv_range, one_hot]).ravel())


def privileged_entries(rules: Rules, me: Agent, rival: Agent | None) -> list[f32]:
    if rival is None:
        return [ZERO] * 4
    place, speed = HALF * rules.inv_arena, HALF * rules.inv_speed
    return [
        to_one((rival.x - me.x) * place),
        to_one((rival.z - me.z) * place),
        to_one((rival.vx - me.vx) * speed),
        to_one((rival.vz - me.vz) * speed),
    ]


def reference_entries(rules: Rules, me: Agent, rival: Agent | None, sight: Sight) -> list[f32]:
    entries = [
        me.x / REFERENCE_METRES,
        me.z / REFERENCE_METRES,
        me.vx / REFERENCE_SPEED,
        me.vz / REFERENCE_SPEED,
    ]
    if rival is None:
        entries += [ZERO] * 4
    else:
        entries += [(rival.x - me.x) / REFERENCE_METRES, (rival.z - me.z) / REFERENCE_METRES]
        entries += [(rival.vx - me.vx) / REFERENCE_SPEED, (rival.vz - me.vz) / REFERENCE_SPEED]
    entries += [f32(me.seeker), f32(rival.seeker) if rival else ZERO, me.fx, me.fz]
    rays = np.column_stack([sight.distance * rules.inv_range, sight.kind == AGENT])
    return entries + list(rays.ravel())
