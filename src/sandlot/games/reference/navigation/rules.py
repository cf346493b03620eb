"""The settings of a walk and the constants derived from them: 'The numbers' of docs/games/navigation.md."""

from ....spec import Spec
from .. import math32
from ..knobs import Knobs
from ..math32 import HALF, ONE, ZERO, f32

TAU = f32(6.283185307179586)
CELL = f32(2.0)  # metres
RAYS = 16
RAY = f32(5.0)  # metres
NEAR = 3  # cells around one's own that a ray can reach
SPAWN = f32(5.0)  # metres from the centre at most
LEAST_GOAL = f32(10.0)  # metres from the centre at least
FELL = f32(-10.0)
GRAVITY = f32(9.8)

TASKS = ("open", "course", "maze")
LAYOUTS = (*TASKS, "any")


class Rules(Knobs):
    """Every knob under its own name (floats in 32 bits, the rest as ints), and the derived constants."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.kind = LAYOUTS[self.layout]
        self._derive_clock()
        self._derive_place()
        self._derive_body()

    def _derive_clock(self) -> None:
        self.inv_dt = f32(self.tick_rate)
        self.dt = ONE / self.inv_dt
        self.limit = int(self.time_limit * self.inv_dt + HALF)
        self.apart_ticks = int(f32(0.5) * self.inv_dt + HALF)
        self.fall = GRAVITY * self.dt
        self.lean_blend = math32.lesser(f32(8.0) * self.dt, ONE)
        self.vignette_blend = math32.lesser(f32(5.0) * self.dt, ONE)
        self.lose = self.discomfort * self.dt

    def _derive_place(self) -> None:
        self.cells = int((f32(2.0) * (self.max_goal_distance + f32(4.0))) / CELL) | 1
        self.half = HALF * CELL * f32(self.cells)

    def _derive_body(self) -> None:
        share = self.max_rotation_speed / f32(360.0)
        self.speed = self.max_movement_speed
        self.fast = f32(0.8) * self.speed
        self.turn = share * TAU
        self.turn_dt = share * self.dt
        self.snap = self.snap_angle / f32(360.0)
        self.snap_ticks = int(self.snap_cooldown * self.inv_dt + HALF)
        self.stretch = ONE / (ONE - self.dead_zone)
        self.blend = ONE
        if self.action_smoothing > ZERO:
            self.blend = ONE - math32.exp(math32.log(self.action_smoothing) / f32(self.ticks_per_step))
