"""The settings of a match and the constants derived from them, as 'The numbers' of docs/games/tag.md says."""

import numpy as np

from ....spec import Spec
from .. import math32
from ..knobs import Knobs
from ..math32 import HALF, ONE, f32

RAYS = 36

SKIN = f32(0.001)  # metres kept between a body and what stopped it on X or Z
HALF_SKIN = f32(0.0005)
MAX_CELLS = 8  # per side of the lattice of fallback places

HIDER, SEEKER = 0, 1


class Rules(Knobs):
    """Every knob under its own name (floats in 32 bits, the rest as ints), and the derived constants."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.mode: str = spec.config["mode"]
        self.reference_layout = spec.config["layout"] == "reference84"
        self.agents: int = self.seekers + self.hiders
        self._derive_clocks()
        self._derive_motion()
        self._derive_bodies()
        self._derive_vision()
        self._derive_places()
        self._derive_scales()

    def _in_ticks(self, seconds: f32) -> int:
        return int(seconds * f32(self.tick_rate) + HALF)

    def _derive_clocks(self) -> None:
        self.dt = ONE / f32(self.tick_rate)
        self.half_dt = HALF * self.dt
        self.step_s = f32(self.ticks_per_step) * self.dt
        self.limit = self._in_ticks(self.time_limit)
        self.immune_ticks = self._in_ticks(self.immunity_s)
        self.coyote_ticks = self._in_ticks(self.coyote_s)
        self.head_start_ticks = self._in_ticks(self.head_start_s)

    def _derive_motion(self) -> None:
        self.accelerate = self.acceleration * self.dt
        self.brake = self.deceleration * self.dt
        self.fall = self.gravity * self.dt
        self.speed = {SEEKER: self.top_speed * self.seeker_speed, HIDER: self.top_speed * self.hider_speed}
        self.max_speed = math32.greater(self.speed[SEEKER], self.speed[HIDER])
        self.turn = (self.turn_rate * self.dt) / f32(360.0)
        self.turn_cos = math32.cos_turns(self.turn)
        self.turn_sin = math32.sin_turns(self.turn)

    def _derive_bodies(self) -> None:
        self.edge = self.body_edge
        self.half = HALF * self.edge
        self.wall = self.arena_half - (self.half + SKIN)
        self.grow = self.half + HALF_SKIN
        self.beside = self.edge + HALF_SKIN
        self.apart = self.edge + SKIN
        self.over = self.edge - HALF_SKIN
        self.touch = self.edge + self.reach

    def _derive_vision(self) -> None:
        shares = np.arange(RAYS, dtype=np.float32) / f32(RAYS - 1)
        angles = (self.field_of_view * (shares - HALF)) / f32(360.0)
        self.ray_cos = np.array([math32.cos_turns(angle) for angle in angles], np.float32)
        self.ray_sin = np.array([math32.sin_turns(angle) for angle in angles], np.float32)

    def _derive_places(self) -> None:
        self.spawn_half = self.arena_half - self.spawn_margin
        self.gap = f32(1.3) * self.edge
        span = f32(2.0) * self.spawn_half
        self.cells = min(int(span / (self.spawn_separation * f32(1.0001))) + 1, MAX_CELLS)
        self.spacing = span / f32(self.cells - 1) if self.cells > 1 else f32(0.0)

    def _derive_scales(self) -> None:
        self.inv_arena = ONE / self.arena_half
        self.inv_speed = ONE / self.max_speed
        self.inv_range = ONE / self.vision_range
        self.inv_limit = ONE / f32(self.limit)
        self.inv_immune = ONE / f32(self.immune_ticks) if self.immune_ticks > 0 else f32(0.0)
