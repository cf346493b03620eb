"""How an agent turns, accelerates and moves in one tick."""

from dataclasses import dataclass

from .. import math32
from ..math32 import HALF, ONE, ZERO, f32, greater, lesser, magnitude
from .rules import HALF_SKIN, Rules
from .world import Agent, Box, World

MIN_SQUARED_INPUT = f32(1e-6)  # a movement whose squared length is not above this counts as none


@dataclass
class Intent:
    """An agent's action of one step, in the frame of the world."""

    want_x: f32 = ZERO  # m/s
    want_z: f32 = ZERO
    moving: bool = False
    to_x: f32 = ZERO  # direction to which the facing turns, when moving
    to_z: f32 = ZERO
    jump: bool = False
    spin_cos: f32 = ONE  # the turn of each tick, with turn_control
    spin_sin: f32 = ZERO


def decide(rules: Rules, world: World, me: Agent, action: list[f32]) -> Intent:
    """An action row [move_x, move_z, jump(, turn)] as an intent; a seeker rests during the head start."""
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
    intent = Intent(jump=bool(jump > HALF))
    strength = wx * wx + wz * wz
    if strength > MIN_SQUARED_INPUT:
        length = math32.sqrt(strength)
        intent.moving = True
        intent.to_x, intent.to_z = wx / length, wz / length
        intent.want_x, intent.want_z = wx * rules.speed[me.seeker], wz * rules.speed[me.seeker]
    if rules.turn_control:
        intent.spin_cos = math32.cos_turns(turn * rules.turn)
        intent.spin_sin = math32.sin_turns(turn * rules.turn)
    return intent


def move(rules: Rules, world: World, me: Agent, intent: Intent) -> None:
    """Advance one agent by one tick: facing, velocity, jump, gravity, then X, Z and Y."""
    if me.immunity > 0:
        me.immunity -= 1
    _turn_facing(rules, world, me, intent)
    dx, dz = _accelerate(rules, me, intent)
    if intent.jump and me.coyote > 0:
        _jump(rules, world, me)
    dy = _fall(rules, me)
    _move_sideways(rules, world, me, "x", dx)
    _move_sideways(rules, world, me, "z", dz)
    if dy > 0:
        _move_up(rules, world, me, dy)
    else:
        _move_down(rules, world, me, dy)
    me.coyote = rules.coyote_ticks + 1 if me.on_floor else max(me.coyote - 1, 0)


# ---- facing ------------------------------------------------------------------------------------------------


def unit(fx: f32, fz: f32) -> tuple[f32, f32]:
    """Normalise a vector whose length is nearly 1, by one Newton step."""
    k = f32(1.5) - HALF * (fx * fx + fz * fz)
    return fx * k, fz * k


def rotate(me: Agent, c: f32, s: f32) -> None:
    """Turn the facing by the angle with cosine c and sine s; a positive sine turns right."""
    me.fx, me.fz = unit(me.fx * c - me.fz * s, me.fz * c + me.fx * s)


def _turn_facing(rules: Rules, world: World, me: Agent, intent: Intent) -> None:
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


# ---- velocity ----------------------------------------------------------------------------------------------


def _accelerate(rules: Rules, me: Agent, intent: Intent) -> tuple[f32, f32]:
    """Change the horizontal velocity; returns the displacement in metres: mean of old and new times dt."""
    ex, ez = intent.want_x - me.vx, intent.want_z - me.vz
    missing = math32.sqrt(ex * ex + ez * ez)
    most = rules.accelerate if intent.moving else rules.brake
    if missing <= most:
        nx, nz = intent.want_x, intent.want_z
    else:
        k = most / missing
        nx, nz = me.vx + ex * k, me.vz + ez * k
    dx, dz = rules.half_dt * (me.vx + nx), rules.half_dt * (me.vz + nz)
    me.vx, me.vz = nx, nz
    return dx, dz


def _jump(rules: Rules, world: World, me: Agent) -> None:
    world.note("jumped" if me.on_floor else "jumped in coyote time")
    world.jumps += 1
    me.vy = rules.jump_speed
    me.coyote = 0


def _fall(rules: Rules, me: Agent) -> f32:
    """Apply gravity; returns the vertical displacement in metres."""
    ny = me.vy - rules.fall
    dy = rules.half_dt * (me.vy + ny)
    me.vy = ny
    return dy


# ---- collisions --------------------------------------------------------------------------------------------


def _move_sideways(rules: Rules, world: World, me: Agent, axis: str, delta: f32) -> None:
    """Sweep along X or Z up to the first wall, box or body."""
    if delta == 0:
        return
    goal = getattr(me, axis) + delta
    end, stopped_by = _sweep(rules, world, me, axis, goal, ONE if delta > 0 else -ONE)
    if end != goal:
        setattr(me, "v" + axis, ZERO)
        world.note(f"stopped by {stopped_by} on {'+' if delta > 0 else '-'}{axis}")
    setattr(me, axis, end)


def _sweep(rules: Rules, world: World, me: Agent, axis: str, goal: f32, sign: f32) -> tuple[f32, str]:
    """The end of a movement along an axis, and what stopped it. Towards -axis (sign -1) all is mirrored."""
    at, end, by = sign * getattr(me, axis), lesser(sign * goal, rules.wall), "a wall"
    for box in world.boxes:
        face = sign * getattr(box, f"lo_{axis}" if sign > 0 else f"hi_{axis}")
        if _box_in_the_way(me, box, axis) and at <= face:
            stop = greater(face - HALF_SKIN, at)
            end, by = (stop, "a box") if stop < end else (end, by)
    for other in world.others(me):
        there = sign * getattr(other, axis)
        if _body_in_the_way(rules, me, other, axis) and there > at:
            stop = greater(there - rules.apart, at)
            end, by = (stop, "a body") if stop < end else (end, by)
    return sign * end, by


def _other_axis(axis: str) -> str:
    return "z" if axis == "x" else "x"


def _box_in_the_way(me: Agent, box: Box, axis: str) -> bool:
    """Whether a movement along the axis could hit the box: they overlap across it, and in height."""
    other = _other_axis(axis)
    at = getattr(me, other)
    return bool(getattr(box, "lo_" + other) < at < getattr(box, "hi_" + other) and me.y < box.top)


def _body_in_the_way(rules: Rules, me: Agent, other: Agent, axis: str) -> bool:
    cross = _other_axis(axis)
    apart = magnitude(getattr(me, cross) - getattr(other, cross))
    return bool(apart < rules.beside and magnitude(me.y - other.y) < rules.over)


def _over_box(me: Agent, box: Box) -> bool:
    return bool(box.lo_x < me.x < box.hi_x and box.lo_z < me.z < box.hi_z)


def _stacked(rules: Rules, me: Agent, other: Agent) -> bool:
    return bool(magnitude(me.x - other.x) < rules.beside and magnitude(me.z - other.z) < rules.beside)


def _move_down(rules: Rules, world: World, me: Agent, dy: f32) -> None:
    """Fall or stand: stops at the highest support below, which is the floor, a box or another body."""
    ground, by = ZERO, "the floor"
    for box in world.boxes:
        if _over_box(me, box) and box.top > ground:
            ground, by = box.top, "a box"
    for other in world.others(me):
        if _stacked(rules, me, other) and me.y - other.y >= rules.half and other.y + rules.edge > ground:
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


def _move_up(rules: Rules, world: World, me: Agent, dy: f32) -> None:
    """Rise; only a body above can be in the way."""
    goal = me.y + dy
    end = goal
    for other in world.others(me):
        if _stacked(rules, me, other) and other.y - me.y >= rules.half:
            end = lesser(end, greater(other.y - rules.edge, me.y))
    if end < goal:
        me.vy = ZERO
        world.note("bumped the head")
    me.y, me.on_floor = end, False
