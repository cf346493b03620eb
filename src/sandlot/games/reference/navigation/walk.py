"""A tick of walking: commands, turning, walls, falling, comfort; and the mock hands."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .. import math32
from ..math32 import ONE, ZERO, cos_turns, f32, magnitude, sin_turns, sqrt
from .rules import CELL, GRAVITY, Rules
from .world import Pose, World, cell_of

Vector = tuple[f32, f32, f32]


@dataclass(frozen=True)
class Intent:
    """What one decision asks for, after the dead zone."""

    strafe: f32
    ahead: f32
    rotate: f32


def decide(rules: Rules, w: World, action: Sequence[f32]) -> Intent:
    """An action as commands."""
    strafe, ahead, rotate = (_command(rules, w, v) for v in action)
    s = strafe * strafe + ahead * ahead
    if s > ONE:
        length = sqrt(s)
        strafe, ahead = strafe / length, ahead / length
        w.note("a command cut to its limit")
    return Intent(strafe, ahead, rotate)


def _command(rules: Rules, w: World, v: f32) -> f32:
    beyond = math32.greater(magnitude(v) - rules.dead_zone, ZERO) * rules.stretch
    if beyond == 0:
        w.note("a command in the dead zone")
    return -beyond if v < 0 else beyond


def tick(rules: Rules, w: World, intent: Intent) -> f32:
    """One tick of motion; returns what it takes from the comfort bonus."""
    w.tick += 1
    w.before = replace(w.pose)
    w.strafe = w.strafe + (intent.strafe - w.strafe) * rules.blend
    w.ahead = w.ahead + (intent.ahead - w.ahead) * rules.blend
    if not rules.turning:
        w.rotate = w.rotate + (intent.rotate - w.rotate) * rules.blend
    _turn(rules, w)
    _snap(rules, w, intent.rotate)
    if w.falling:
        w.fall_speed = w.fall_speed - rules.fall
        w.pose.y = w.pose.y + w.fall_speed * rules.dt
    else:
        _contact(rules, w, _walk(rules, w))
        if (cell_of(rules, w.pose.x), cell_of(rules, w.pose.z)) in w.holes:
            w.falling = True
            w.note("stepped into a pit")
    return _feel(rules, w)


def _turn(rules: Rules, w: World) -> None:
    turns = w.pose.yaw - w.rotate * rules.turn_dt
    w.pose.yaw = turns - math32.nearest(turns)
    w.yaw_rate = -(w.rotate * rules.turn)
    lean = (w.yaw_rate * (w.ahead * rules.speed)) / GRAVITY
    w.pose.roll = w.pose.roll + (lean - w.pose.roll) * rules.lean_blend
    w.roll_rate = (w.pose.roll - w.before.roll) * rules.inv_dt


def _snap(rules: Rules, w: World, command: f32) -> None:
    """Turn by an angle at once; what the hands did before is seen turned too."""
    w.snap_wait = max(w.snap_wait - 1, 0)
    if not rules.turning or magnitude(command) <= rules.snap_threshold:
        return
    if w.snap_wait > 0:
        w.note("a snap turn that must wait")
        return
    turns = w.pose.yaw - rules.snap if command > 0 else w.pose.yaw + rules.snap
    w.pose.yaw = w.before.yaw = turns - math32.nearest(turns)
    w.snap_wait = rules.snap_ticks
    w.snap_turns += 1
    w.note("a snap turn")


def _walk(rules: Rules, w: World) -> bool:
    """Move, and stay out of walls; whether one was touched."""
    s, c, reach = sin_turns(w.pose.yaw), cos_turns(w.pose.yaw), rules.speed * rules.dt
    dx, dz = (w.strafe * c - w.ahead * s) * reach, (-(w.strafe * s) - w.ahead * c) * reach
    w.pose.x = w.pose.x + dx
    w.pose.z = w.pose.z + dz
    w.pose.walked = w.pose.walked + sqrt(dx * dx + dz * dz)
    return _collide(rules, w)


def _collide(rules: Rules, w: World) -> bool:
    p, last, radius = w.pose, rules.cells - 1, rules.player_radius
    i, j = cell_of(rules, p.x), cell_of(rules, p.z)
    low_x, low_z = f32(i) * CELL - rules.half, f32(j) * CELL - rules.half
    left, right, up, down = max(i - 1, 0), min(i + 1, last), max(j - 1, 0), min(j + 1, last)
    p.x, touched_x = _beside(p.x, low_x, radius, (left, j) in w.walls, (right, j) in w.walls)
    p.z, touched_z = _beside(p.z, low_z, radius, (i, up) in w.walls, (i, down) in w.walls)
    if touched_x or touched_z:
        w.note("touched a wall")
    touched = touched_x or touched_z
    high_x, high_z = low_x + CELL, low_z + CELL
    corners = [(left, up, low_x, low_z), (right, up, high_x, low_z)]
    corners += [(left, down, low_x, high_z), (right, down, high_x, high_z)]
    for column, row, x, z in corners:
        if (column, row) in w.walls and _corner(p, x, z, radius):
            touched = True
            w.note("touched a corner")
    return touched


def _beside(v: f32, low: f32, radius: f32, below: bool, above: bool) -> tuple[f32, bool]:
    """A coordinate kept a radius away from walls beside its cell, and whether that moved it."""
    if below and v - low < radius:
        return low + radius, True
    high = low + CELL
    if above and high - v < radius:
        return high - radius, True
    return v, False


def _corner(p: Pose, x: f32, z: f32, radius: f32) -> bool:
    dx, dz = p.x - x, p.z - z
    s = dx * dx + dz * dz
    if s >= radius * radius:
        return False
    k = radius / math32.greater(sqrt(s), f32(1e-6))
    p.x, p.z = x + dx * k, z + dz * k
    return True


def _contact(rules: Rules, w: World, touched: bool) -> None:
    """Count a contact after half a second without one as a collision."""
    fresh = touched and w.since_contact >= rules.apart_ticks
    w.since_contact = 0 if touched else w.since_contact + 1
    if fresh:
        w.collisions += 1
        w.note("a collision")
    elif touched:
        w.note("a contact that goes on")


# ---- comfort -----------------------------------------------------------------------------------------------


def _feel(rules: Rules, w: World) -> f32:
    inv_dt = rules.inv_dt
    vx, vz = (w.pose.x - w.before.x) * inv_dt, (w.pose.z - w.before.z) * inv_dt
    ax, az = (vx - w.vx) * inv_dt, (vz - w.vz) * inv_dt
    jx, jz = (ax - w.ax) * inv_dt, (az - w.az) * inv_dt
    acceleration, speed = sqrt(ax * ax + az * az), sqrt(vx * vx + vz * vz)
    w.hard_ticks += bool(acceleration > f32(20.0))
    w.jolt_ticks += bool(jx * jx + jz * jz > f32(10000.0))
    w.vx, w.vz, w.ax, w.az = vx, vz, ax, az
    _shade(rules, w, acceleration)
    score = _score(rules, w, speed)
    w.score_sum = w.score_sum + score
    loss = ((ONE - score) + f32(0.3) * w.vignette) * rules.lose
    loss = math32.lesser(loss, w.bonus_left)
    w.bonus_left = w.bonus_left - loss
    return loss


def _shade(rules: Rules, w: World, acceleration: f32) -> None:
    target = math32.clamp((acceleration - f32(5.0)) / f32(15.0), ZERO, ONE) * f32(0.7)
    was = w.vignette > f32(0.01)
    w.vignette = w.vignette + (target - w.vignette) * rules.vignette_blend
    now = w.vignette > f32(0.01)
    if now and not was:
        w.note("a vignette")
    w.vignette_ticks += bool(now)
    w.vignette_sum = w.vignette_sum + w.vignette
    w.vignette_peak = math32.greater(w.vignette_peak, w.vignette)


def _score(rules: Rules, w: World, speed: f32) -> f32:
    score = ONE
    if magnitude(w.rotate) > f32(0.7):
        score = score - f32(0.3)
        w.note("turned too fast for comfort")
    if speed > rules.fast:
        score = score - f32(0.2)
        w.note("walked too fast for comfort")
    if magnitude(w.pose.roll) > f32(0.3):
        score = score - f32(0.2)
        w.note("leaned too far for comfort")
    return score


# ---- mock hands --------------------------------------------------------------------------------------------


def hands_of(rules: Rules, p: Pose) -> tuple[Vector, Vector]:
    """Left and right hand."""
    s, c, side = sin_turns(p.yaw), cos_turns(p.yaw), f32(0.25)
    swing = f32(0.12) * sin_turns(p.walked / f32(1.4))
    left, right = f32(0.35) + swing, f32(0.35) - swing
    y = (p.y + rules.head_height) - f32(0.55)
    return (
        (p.x - side * c - left * s, y, p.z + side * s - left * c),
        (p.x + side * c - right * s, y, p.z - side * s - right * c),
    )
