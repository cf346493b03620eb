"""The settings of a landing and the constants derived from them: 'The numbers' of docs/games/landing.md."""

from ....spec import Spec
from .. import math32
from ..knobs import Knobs
from ..math32 import HALF, ONE, f32

TAU = f32(6.283185307179586)
RAY = f32(100.0)  # metres that the ray down to the terrain reaches
NO_HIT = f32(1000.0)
SEEN_SPEED = f32(10.0)  # in 50 m/s; a faster craft is seen as this fast
SEEN_SPIN = f32(50.0)  # rad/s, likewise
FLAT = f32(15.0)  # metres around the pad's centre that are level
RISE = f32(60.0)
HULL = f32(1.0)  # metres
NEARNESS = f32(10.0)  # metres from the pad at which nearness is one half
ERROR_HALF = f32(10.0)  # m/s off the wanted velocity at which half of braking is lost
LAST_SPEED = f32(1.0)  # m/s
LAST_TIME = f32(3.0)  # s


class Rules(Knobs):
    """Every knob under its own name (floats in 32 bits, the rest as ints), and the derived constants."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._derive_clock()
        self._derive_craft()
        self._derive_place()

    def _derive_clock(self) -> None:
        self.dt = ONE / f32(self.tick_rate)
        self.half_dt = HALF * self.dt
        self.turn_dt = self.dt / TAU
        self.limit = int(self.time_limit * f32(self.tick_rate) + HALF)

    def _derive_craft(self) -> None:
        self.fall = self.gravity * self.dt
        self.start_mass = self.dry_mass + self.fuel
        self.flow = self.max_thrust / self.exhaust_speed
        self.burn = self.flow * self.dt
        self.torque_dt = (self.rcs_torque * self.dt) / (self.gyration * self.gyration)
        self.keep_spin = ONE / (ONE + self.spin_damping * self.dt)
        self.reach = (self.leg_length + f32(1.5) * self.leg_spread) + f32(0.1)
        self.glide = self.descent * (self.max_thrust / self.start_mass - self.gravity)

    def _derive_place(self) -> None:
        self.tilt_turns = self.start_tilt / f32(360.0)
        self.half_height = HALF * self.terrain_height
        self.wave = ONE / self.terrain_wavelength
        self.upright_cos = math32.cos_turns(self.max_tilt / f32(360.0))
