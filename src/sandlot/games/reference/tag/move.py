"""How a body turns, speeds up and moves: one agent, one tick."""

from __future__ import annotations

from dataclasses import dataclass

from .. import math32
from ..math32 import HALF, ONE, ZERO, f32, greater, lesser, magnitude
from .rules import HALF_SKIN, Rules
from .world import Agent, Box, World

# Below this the square of a wanted direction counts as none.
STILL = f32(1e-6)


@dataclass
class Intent:
    """What an agent wants of one step, in the frame of the world."""

    want_x: f32 = ZERO  # m/s
    want_z: f32 = ZERO
    moving: bool = False
    to_x: f32 = ZERO  # where the eyes turn, when moving
    to_z: f32 = ZERO
    leap: bool = False
    spin_cos: f32 = ONE  # the turn of each tick, with turn_control
    spin_sin: f32 = ZERO


def decide(rules: Rules, world: World, me: Agent, action: list[f32]) -> Intent:
    mx, mz, jump = action[:3]
    turn = action[3] if rules.turn_control else ZERO
    if me.seeker and world.tick < rules.head_start_ticks:
        mx = mz = jump = turn = ZERO
        world.note("held by the head start")
    strength = mx * mx + mz * mz
    if strength > 1:
        length = math32.sqrt(strength)
        mx, mz = mx / length, mz / length
    wx = -(mx * me.fz) - mz * me.fx
    wz = mx * me.fx - mz * me.fz
    intent = Intent(leap=bool(jump > HALF))
    strength = wx * wx + wz * wz
    if strength > STILL:
        length = math32.sqrt(strength)
        intent.moving = True
        intent.to_x, intent.to_z = wx / length, wz / length
        intent.want_x, intent.want_z = wx * rules.speed[me.seeker], wz * rules.speed[me.seeker]
    if rules.turn_control:
        intent.spin_cos = math32.cos_turns(turn * rules.turn)
        intent.spin_sin = math32.sin_turns(turn * rules.turn)
    return intent


def move(rules: Rules, world: World, me: Agent, intent: Intent) -> None:
    if me.immunity > 0:
        me.immunity -= 1
    turn_eyes(rules, world, me, intent)
    dx, dz = push(rules, me, intent)
    if intent.leap and me.coyote > 0:
        leap(rules, world, me)
    dy = fall(rules, me)
    move_sideways(rules, world, me, "x", dx)
    move_sideways(rules, world, me, "z", dz)
    if dy > 0:
        rise(rules, world, me, dy)
    else:
        sink(rules, world, me, dy)
    me.coyote = rules.coyote_ticks + 1 if me.on_floor else max(me.coyote - 1, 0)


# ---- eyes --------------------------------------------------------------------------------------------------


def unit(fx: f32, fz: f32) -> tuple[f32, f32]:
    """One Newton step toward length 1, for a vector that is nearly there."""
    k = f32(1.5) - HALF * (fx * fx + fz * fz)
    return fx * k, fz * k


def rotate(me: Agent, c: f32, s: f32) -> None:
    """A positive sine turns right."""
    me.fx, me.fz = unit(me.fx * c - me.fz * s, me.fz * c + me.fx * s)


def turn_eyes(rules: Rules, world: World, me: Agent, intent: Intent) -> None:
    if rules.turn_control:
        world.note("turned by the fourth action")
        rotate(me, intent.spin_cos, intent.spin_sin)
    elif intent.moving:
        dot = me.fx * intent.to_x + me.fz * intent.to_z
        cross = me.fx * intent.to_z - me.fz * intent.to_x
        if dot >= rules.turn_cos:
            me.fx, me.fz = intent.to_x, intent.to_z
        else:
            right = cross > 0
            world.note("turned right" if right else "turned left")
            rotate(me, rules.turn_cos, rules.turn_sin if right else -rules.turn_sin)


# ---- speed -------------------------------------------------------------------------------------------------


def push(rules: Rules, me: Agent, intent: Intent) -> tuple[f32, f32]:
    """Change the horizontal velocity; how far the body would go: the mean of old and new, times dt."""
    ex, ez = intent.want_x - me.vx, intent.want_z - me.vz
    lack = math32.sqrt(ex * ex + ez * ez)
    most = rules.accelerate if intent.moving else rules.brake
    if lack <= most:
        nx, nz = intent.want_x, intent.want_z
    else:
        k = most / lack
        nx, nz = me.vx + ex * k, me.vz + ez * k
    dx, dz = rules.half_dt * (me.vx + nx), rules.half_dt * (me.vz + nz)
    me.vx, me.vz = nx, nz
    return dx, dz


def leap(rules: Rules, world: World, me: Agent) -> None:
    world.note("jumped" if me.on_floor else "jumped in coyote time")
    world.jumps += 1
    me.vy = rules.jump_speed
    me.coyote = 0


def fall(rules: Rules, me: Agent) -> f32:
    ny = me.vy - rules.fall
    dy = rules.half_dt * (me.vy + ny)
    me.vy = ny
    return dy


# ---- sweeping ----------------------------------------------------------------------------------------------


def move_sideways(rules: Rules, world: World, me: Agent, axis: str, delta: f32) -> None:
    """Sweep along X or Z up to the first wall, box or body."""
    if delta == 0:
        return
    at = getattr(me, axis)
    goal = at + delta
    end, stopped_by = (
        forward(rules, world, me, axis, goal) if delta > 0 else backward(rules, world, me, axis, goal)
    )
    if end != goal:
        setattr(me, "v" + axis, ZERO)
        world.note(f"stopped by {stopped_by} on {'+' if delta > 0 else '-'}{axis}")
    setattr(me, axis, end)


def forward(rules: Rules, world: World, me: Agent, axis: str, goal: f32) -> tuple[f32, str]:
    at = getattr(me, axis)
    end, by = lesser(goal, rules.wall), "a wall"
    for box in world.boxes:
        lo = getattr(box, "lo_" + axis)
        if beside_box(me, box, axis) and at <= lo:
            stop = greater(lo - HALF_SKIN, at)
            end, by = (stop, "a box") if stop < end else (end, by)
    for other in world.others(me):
        there = getattr(other, axis)
        if beside_body(rules, me, other, axis) and there > at:
            stop = greater(there - rules.apart, at)
            end, by = (stop, "a body") if stop < end else (end, by)
    return end, by


def backward(rules: Rules, world: World, me: Agent, axis: str, goal: f32) -> tuple[f32, str]:
    """The mirror image of forward."""
    at = getattr(me, axis)
    end, by = greater(goal, -rules.wall), "a wall"
    for box in world.boxes:
        hi = getattr(box, "hi_" + axis)
        if beside_box(me, box, axis) and at >= hi:
            stop = lesser(hi + HALF_SKIN, at)
            end, by = (stop, "a box") if stop > end else (end, by)
    for other in world.others(me):
        there = getattr(other, axis)
        if beside_body(rules, me, other, axis) and there < at:
            stop = lesser(there + rules.apart, at)
            end, by = (stop, "a body") if stop > end else (end, by)
    return end, by


def across(axis: str) -> str:
    return "z" if axis == "x" else "x"


def beside_box(me: Agent, box: Box, axis: str) -> bool:
    """Would a way along the axis lead into the box?"""
    other = across(axis)
    at = getattr(me, other)
    return bool(getattr(box, "lo_" + other) < at < getattr(box, "hi_" + other) and me.y < box.top)


def beside_body(rules: Rules, me: Agent, other: Agent, axis: str) -> bool:
    cross = across(axis)
    apart = magnitude(getattr(me, cross) - getattr(other, cross))
    return bool(apart < rules.beside and magnitude(me.y - other.y) < rules.over)


def stacked_box(me: Agent, box: Box) -> bool:
    return bool(box.lo_x < me.x < box.hi_x and box.lo_z < me.z < box.hi_z)


def stacked_body(rules: Rules, me: Agent, other: Agent) -> bool:
    return bool(magnitude(me.x - other.x) < rules.beside and magnitude(me.z - other.z) < rules.beside)


def sink(rules: Rules, world: World, me: Agent, dy: f32) -> None:
    """Down to the highest thing under the body: the floor, a box, or somebody's head."""
    ground, by = ZERO, "the floor"
    for box in world.boxes:
        if stacked_box(me, box) and box.top > ground:
            ground, by = box.top, "a box"
    for other in world.others(me):
        if stacked_body(rules, me, other) and me.y - other.y >= rules.half and other.y + rules.edge > ground:
            ground, by = other.y + rules.edge, "a body"
    goal = me.y + dy
    if goal <= ground:
        if not me.on_floor:
            world.note(f"landed on {by}")
        me.y, me.vy, me.on_floor = ground, ZERO, True
    else:
        if me.on_floor:
            world.note("walked off an edge")
        me.y, me.on_floor = goal, False


def rise(rules: Rules, world: World, me: Agent, dy: f32) -> None:
    """Up, where only the feet of somebody above can be in the way."""
    goal = me.y + dy
    end = goal
    for other in world.others(me):
        if stacked_body(rules, me, other) and other.y - me.y >= rules.half:
            end = lesser(end, greater(other.y - rules.edge, me.y))
    if end < goal:
        me.vy = ZERO
        world.note("bumped the head")
    me.y, me.on_floor = end, False
