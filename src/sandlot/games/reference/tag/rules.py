"""The settings of a match and what follows from them, in the page's order of float operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...spec import Spec
from .. import math32
from ..math32 import HALF, ONE, f32

RAYS = 36
MODES = ("timed", "switch")
LAYOUTS = ("rays", "reference84")

SKIN = f32(0.001)  # metres kept between a body and what stopped it on X or Z
HALF_SKIN = f32(0.0005)
MOST_CELLS = 8  # a side of the lattice of fallback places

HIDER, SEEKER = 0, 1


class Rules:
    """Every knob under its own name (floats in 32 bits, the rest as ints), and the derived rules."""

    def __init__(self, spec: Spec) -> None:
        self.knobs: dict[str, Any] = {
            knob.name: f32(value) if knob.kind == "float" else int(value)
            for knob, value in zip(spec.knobs, spec.knob_values, strict=True)
        }
        self.mode = MODES[self.knobs["mode"]]
        self.reference_layout = LAYOUTS[self.knobs["layout"]] == "reference84"
        self.agents: int = self.knobs["seekers"] + self.knobs["hiders"]
        self.derive_clocks()
        self.derive_motion()
        self.derive_bodies()
        self.derive_vision()
        self.derive_places()
        self.derive_scales()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["knobs"][name]
        except KeyError:
            raise AttributeError(f"tag has no knob and no derived rule {name!r}") from None

    def in_ticks(self, seconds: f32) -> int:
        return int(seconds * f32(self.tick_rate) + HALF)

    def derive_clocks(self) -> None:
        self.dt = ONE / f32(self.tick_rate)
        self.half_dt = HALF * self.dt
        self.step_s = f32(self.ticks_per_step) * self.dt
        self.limit = self.in_ticks(self.time_limit)
        self.immune_ticks = self.in_ticks(self.immunity_s)
        self.coyote_ticks = self.in_ticks(self.coyote_s)
        self.head_start_ticks = self.in_ticks(self.head_start_s)

    def derive_motion(self) -> None:
        self.accelerate = self.acceleration * self.dt
        self.brake = self.deceleration * self.dt
        self.fall = self.gravity * self.dt
        self.speed = {SEEKER: self.top_speed * self.seeker_speed, HIDER: self.top_speed * self.hider_speed}
        self.max_speed = math32.greater(self.speed[SEEKER], self.speed[HIDER])
        self.turn = (self.turn_rate * self.dt) / f32(360.0)
        self.turn_cos = math32.cos_turns(self.turn)
        self.turn_sin = math32.sin_turns(self.turn)

    def derive_bodies(self) -> None:
        self.edge = self.body_edge
        self.half = HALF * self.edge
        self.wall = self.arena_half - (self.half + SKIN)
        self.grow = self.half + HALF_SKIN
        self.beside = self.edge + HALF_SKIN
        self.apart = self.edge + SKIN
        self.over = self.edge - HALF_SKIN
        self.touch = self.edge + self.reach

    def derive_vision(self) -> None:
        shares = np.arange(RAYS, dtype=np.float32) / f32(RAYS - 1)
        angles = (self.field_of_view * (shares - HALF)) / f32(360.0)
        self.ray_cos = np.array([math32.cos_turns(angle) for angle in angles], np.float32)
        self.ray_sin = np.array([math32.sin_turns(angle) for angle in angles], np.float32)

    def derive_places(self) -> None:
        self.spawn_half = self.arena_half - self.spawn_margin
        self.gap = f32(1.3) * self.edge
        span = f32(2.0) * self.spawn_half
        self.cells = min(int(span / (self.spawn_separation * f32(1.0001))) + 1, MOST_CELLS)
        self.spacing = span / f32(self.cells - 1) if self.cells > 1 else f32(0.0)

    def derive_scales(self) -> None:
        self.inv_arena = ONE / self.arena_half
        self.inv_speed = ONE / self.max_speed
        self.inv_range = ONE / self.vision_range
        self.inv_limit = ONE / f32(self.limit)
        self.inv_immune = ONE / f32(self.immune_ticks) if self.immune_ticks > 0 else f32(0.0)
