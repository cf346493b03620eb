"""The state of a landing, the terrain under it, and what is measured of them."""

from dataclasses import dataclass, field

from .. import math32
from ..base import SoloProgress
from ..math32 import HALF, ONE, ZERO, cos_turns, f32, sin_turns, sqrt
from .rules import ERROR_HALF, FLAT, LAST_SPEED, LAST_TIME, NEARNESS, RISE, Rules

ENDINGS = ("none", "soft_landing", "hard_landing", "crash", "out_of_bounds", "timeout")


@dataclass
class Potential:
    """What shaping pays differences of."""

    distance: f32  # to the pad, metres
    nearness: f32  # on the ground, 0..1
    error: f32  # of the velocity, 0..1
    lean: f32  # 0 upright, 1 upside down


@dataclass
class World(SoloProgress):
    """One episode in progress. A position is the centre of mass; angles are in turns."""

    x: f32
    y: f32
    z: f32
    vx: f32
    vy: f32
    vz: f32
    phase_x: f32
    phase_z: f32
    pitch: f32
    roll: f32
    pitch_rate: f32  # rad/s
    roll_rate: f32
    fuel: f32
    ideal_fuel: f32 = ZERO
    potential: Potential = field(default_factory=lambda: Potential(ZERO, ZERO, ZERO, ZERO))


def speed_of(w: World) -> f32:
    """Metres per second."""
    return sqrt((w.vx * w.vx + w.vy * w.vy) + w.vz * w.vz)


def pad_distance(w: World) -> f32:
    """Metres to the pad's centre on the ground."""
    return sqrt(w.x * w.x + w.z * w.z)


def tilt_cos(w: World) -> f32:
    """Cosine of the angle between the craft's nose and up."""
    return cos_turns(w.pitch) * cos_turns(w.roll)


def degrees(cosine: f32) -> f32:
    """An angle by its cosine, by a polynomial."""
    c = math32.lesser(math32.magnitude(cosine), ONE)
    p = f32(-0.0187293)
    for coefficient in (0.0742610, -0.2121144, 1.5707288):
        p = f32(coefficient) + c * p
    angle = sqrt(ONE - c) * p * f32(57.29577951)
    return f32(180.0) - angle if cosine < 0 else angle


def terrain(rules: Rules, w: World, x: f32, z: f32) -> f32:
    """Height of the terrain at a place."""
    away = math32.clamp((sqrt(x * x + z * z) - FLAT) / RISE, ZERO, ONE)
    rise = away * away * (f32(3.0) - f32(2.0) * away)
    waves = sin_turns(x * rules.wave + w.phase_x) + sin_turns(z * rules.wave + w.phase_z)
    return rules.half_height * rise * waves


def velocity_error(rules: Rules, w: World) -> f32:
    """How far the velocity is from the wanted one, m/s."""
    height = math32.greater(w.y - rules.leg_length, ZERO)
    descent = math32.greater(sqrt(f32(2.0) * rules.glide * height), LAST_SPEED)
    time = math32.greater(sqrt(f32(2.0) * height / rules.glide), LAST_TIME)
    ex, ey, ez = w.vx + w.x / time, w.vy + descent, w.vz + w.z / time
    return sqrt((ex * ex + ey * ey) + ez * ez)


def potential_of(rules: Rules, w: World) -> Potential:
    """The potentials of a state."""
    aside, error = w.x * w.x + w.z * w.z, velocity_error(rules, w)
    return Potential(
        distance=sqrt(aside + w.y * w.y),
        nearness=NEARNESS / (NEARNESS + sqrt(aside)),
        error=error / (error + ERROR_HALF),
        lean=HALF * (ONE - tilt_cos(w)),
    )
