"""A tick of flight: thrust, fuel, gravity, attitude, and when a foot or the hull meets the terrain."""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import math32
from ..math32 import ONE, ZERO, cos_turns, f32, sin_turns, sqrt
from .rules import HULL, Rules
from .world import World, terrain

Axes = tuple[tuple[f32, f32, f32], tuple[f32, f32, f32], tuple[f32, f32, f32]]  # X, Y and Z of the craft


@dataclass(frozen=True)
class Intent:
    """What one decision asks for, in the frame of the craft."""

    force: tuple[f32, f32, f32]  # N
    burn: f32  # kg per tick
    pitch: f32  # rad/s per tick, times kg
    roll: f32


def decide(rules: Rules, w: World, action: Sequence[f32]) -> Intent:
    """An action as force, fuel flow and torque."""
    tx, ty, tz = action[0], math32.greater(action[1], ZERO), action[2]
    w.note("thrust below zero" if action[1] < 0 else "thrust along the nose")
    length = sqrt(tx * tx + ty * ty + tz * tz)
    if length > ONE:
        tx, ty, tz, length = tx / length, ty / length, tz / length, ONE
        w.note("thrust cut to its limit")
    thrust = rules.max_thrust
    torque = rules.torque_dt
    return Intent(
        (tx * thrust, ty * thrust, tz * thrust), length * rules.burn, action[3] * torque, action[4] * torque
    )


def axes_of(pitch: f32, roll: f32) -> Axes:
    """The craft's axes in the world: pitch about X after roll about Z."""
    sp, cp, sr, cr = sin_turns(pitch), cos_turns(pitch), sin_turns(roll), cos_turns(roll)
    return (cr, cp * sr, sp * sr), (-sr, cp * cr, sp * cr), (ZERO, -sp, cp)


def _turned(turns: f32, rate: f32, turn_dt: f32) -> f32:
    t = turns + rate * turn_dt
    return t - math32.nearest(t)


def _burn(w: World, burn: f32) -> f32:
    """Take fuel for a tick; the share of the thrust that it is enough for."""
    share = ONE
    if burn > w.fuel:
        share, burn = w.fuel / burn, w.fuel
        w.note("thrust without fuel" if share == 0 else "the last fuel")
    w.fuel = w.fuel - burn
    return share


def fly(rules: Rules, w: World, intent: Intent) -> None:
    """One tick of motion."""
    mass = rules.dry_mass + w.fuel
    push = (rules.dt * _burn(w, intent.burn)) / mass
    (xx, xy, xz), (yx, yy, yz), (_, zy, zz) = axes_of(w.pitch, w.roll)
    fx, fy, fz = intent.force
    nx = w.vx + (fx * xx + fy * yx) * push
    ny = (w.vy + ((fx * xy + fy * yy) + fz * zy) * push) - rules.fall
    nz = w.vz + ((fx * xz + fy * yz) + fz * zz) * push
    w.x = w.x + rules.half_dt * (w.vx + nx)
    w.y = w.y + rules.half_dt * (w.vy + ny)
    w.z = w.z + rules.half_dt * (w.vz + nz)
    w.vx, w.vy, w.vz = nx, ny, nz
    w.pitch_rate = (w.pitch_rate + intent.pitch / mass) * rules.keep_spin
    w.roll_rate = (w.roll_rate + intent.roll / mass) * rules.keep_spin
    w.pitch = _turned(w.pitch, w.pitch_rate, rules.turn_dt)
    w.roll = _turned(w.roll, w.roll_rate, rules.turn_dt)


def _foot_down(rules: Rules, w: World, axes: Axes, side: int, front: int) -> bool:
    ox, oy, oz = f32(side) * rules.leg_spread, -rules.leg_length, f32(front) * rules.leg_spread
    (xx, xy, xz), (yx, yy, yz), (_, zy, zz) = axes
    x = w.x + (ox * xx + oy * yx)
    y = w.y + ((ox * xy + oy * yy) + oz * zy)
    z = w.z + ((ox * xz + oy * yz) + oz * zz)
    return bool(y <= terrain(rules, w, x, z))


def contact(rules: Rules, w: World) -> bool:
    """Whether one of the four feet or the hull is in the terrain."""
    if w.y - rules.reach > rules.terrain_height:
        return False
    if w.y - HULL <= terrain(rules, w, w.x, w.z):
        w.note("the hull touched")
        return True
    axes = axes_of(w.pitch, w.roll)
    feet = [_foot_down(rules, w, axes, side, front) for side in (-1, 1) for front in (-1, 1)]
    if any(feet):
        w.note("a foot touched" if sum(feet) < 4 else "all feet touched")
    return any(feet)
