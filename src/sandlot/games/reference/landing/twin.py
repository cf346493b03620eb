"""Landing in plain Python, written from docs/games/landing.md: bit for bit the numbers of the engine."""

from typing import Any

import numpy as np

from .. import math32
from ..base import BaseTwin
from ..math32 import ZERO, clamp, cos_turns, f32, sin_turns, sqrt
from ..rng import Pcg32
from .fly import Intent, contact, decide, fly
from .rules import NO_HIT, RAY, SEEN_SPEED, SEEN_SPIN, Rules
from .world import ENDINGS, World, degrees, pad_distance, potential_of, speed_of, terrain, tilt_cos


class LandingTwin(BaseTwin):
    """One landing. `reset(seed)`, then `step(action)` with [thrust x, y, z, rcs pitch, roll]."""

    game, make_rules = "landing", Rules
    rules: Rules
    world: World

    def reset(self, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the episode of this seed; observation [14] and info."""
        rules, rng = self.rules, Pcg32(seed)

        def within(limit: f32) -> f32:
            return rng.uniform(-limit, limit)

        y = rng.uniform(rules.altitude_min, rules.altitude_max)
        x, z = within(rules.start_offset), within(rules.start_offset)
        vx, vz = within(rules.start_speed), within(rules.start_speed)
        vy = rng.uniform(-rules.start_fall, ZERO)
        phases = rng.unit(), rng.unit()
        angles = within(rules.tilt_turns), within(rules.tilt_turns)
        rates = within(rules.start_spin), within(rules.start_spin)
        self.world = World(x, y, z, vx, vy, vz, *phases, *angles, *rates, rules.fuel)
        self.world.ideal_fuel = self._ideal_fuel()
        self.world.potential = potential_of(rules, self.world)
        return self._observe(), self.info()

    def _ideal_fuel(self) -> f32:
        """Fuel of a vertical free fall and one burn at full thrust, at the mass of the start."""
        rules, w = self.rules, self.world
        strength = rules.max_thrust / rules.start_mass
        brake = strength - rules.gravity
        fallen = f32(2.0) * rules.gravity * (w.y - rules.leg_length)
        burn_way = (w.vy * w.vy + fallen) / (f32(2.0) * strength)
        return rules.flow * (sqrt(f32(2.0) * brake * burn_way) / brake)

    def step(self, action: Any) -> tuple[np.ndarray, f32, bool, bool, dict[str, Any]]:
        """One decision: ticks, score, look. Running out of time truncates, the rest terminates."""
        rules, w = self.rules, self.world
        w.notes.clear()
        intent = decide(rules, w, [f32(value) for value in np.asarray(action).reshape(-1)])
        fuel, before = w.fuel, w.tick
        while not w.over and w.tick - before < rules.ticks_per_step:
            self._tick(intent)
        w.steps += 1
        reward = self._score(fuel - w.fuel)
        timeout = w.ending == "timeout"
        return self._observe(), reward, w.over and not timeout, timeout, self.info()

    def _tick(self, intent: Intent) -> None:
        rules, w = self.rules, self.world
        w.tick += 1
        fly(rules, w, intent)
        if contact(rules, w):
            self._touch_down()
        elif (
            math32.magnitude(w.x) > rules.bounds
            or math32.magnitude(w.z) > rules.bounds
            or w.y > rules.ceiling
        ):
            w.ending = "out_of_bounds"
            w.note("out above" if w.y > rules.ceiling else "out sideways")
        elif w.tick >= rules.limit:
            w.ending = "timeout"
        if w.over:
            w.note(f"ended by {w.ending}")

    def _touch_down(self) -> None:
        rules, w = self.rules, self.world
        speed, tilt = speed_of(w), tilt_cos(w)
        if speed > rules.hard_speed or tilt < rules.upright_cos:
            w.ending = "crash"
            w.note("crashed by speed" if speed > rules.hard_speed else "crashed by attitude")
        else:
            w.ending = "hard_landing" if speed > rules.soft_speed else "soft_landing"
            w.note("on the pad" if self._on_pad() else "off the pad")

    def _on_pad(self) -> bool:
        w = self.world
        return w.ending in ("soft_landing", "hard_landing") and bool(pad_distance(w) <= self.rules.pad_radius)

    def _score(self, fuel_used: f32) -> f32:
        rules, w = self.rules, self.world
        was, now = w.potential, potential_of(rules, w)
        w.potential = now
        landed = {"soft_landing": rules.soft_bonus, "hard_landing": rules.hard_bonus}.get(w.ending, ZERO)
        terms = {
            "progress": rules.progress * (was.distance - now.distance),
            "centering": rules.centering * (now.nearness - was.nearness),
            "braking": rules.braking * (was.error - now.error),
            "upright": rules.upright * (was.lean - now.lean),
            "fuel": -(rules.fuel_cost * fuel_used),
            "landing": landed,
            "pad": rules.pad_bonus if self._on_pad() else ZERO,
            "crash": -rules.crash_penalty if w.ending == "crash" else ZERO,
            "out_of_bounds": -rules.out_penalty if w.ending == "out_of_bounds" else ZERO,
            "timeout": -rules.timeout_penalty if w.ending == "timeout" else ZERO,
        }
        return w.pay(terms)

    def _observe(self) -> np.ndarray:
        w = self.world
        distance = math32.greater(sqrt((w.x * w.x + w.z * w.z) + w.y * w.y), f32(0.001))
        below = w.y - terrain(self.rules, w, w.x, w.z)
        if below > RAY:
            below = NO_HIT
        else:
            below = math32.greater(below, ZERO)
            w.note("saw the terrain")
        entries = [
            clamp(w.y * f32(0.001), f32(-0.1), f32(5.0)),
            *(clamp(v * f32(0.02), -SEEN_SPEED, SEEN_SPEED) for v in (w.vx, w.vy, w.vz)),
            *(clamp(rate, -SEEN_SPIN, SEEN_SPIN) for rate in self._spin()),
            f32(2.0) * w.pitch,
            f32(2.0) * w.roll,
            *(-v / distance for v in (w.x, w.y, w.z)),
            distance * f32(0.001),
            below * f32(0.01),
        ]
        return np.array(entries, np.float32)

    def _spin(self) -> tuple[f32, f32, f32]:
        """Angular velocity in world axes, rad/s."""
        w = self.world
        return w.pitch_rate, -(sin_turns(w.pitch) * w.roll_rate), cos_turns(w.pitch) * w.roll_rate

    def info(self) -> dict[str, Any]:
        """The engine's info block under the same names."""
        rules, w = self.rules, self.world
        return {
            "tick": w.tick,
            "steps": w.steps,
            "time_elapsed": self.seconds(w.tick),
            "time_left": self.seconds(rules.limit - w.tick),
            "ending": ENDINGS.index(w.ending),
            "position": [w.x, w.y, w.z],
            "velocity": [w.vx, w.vy, w.vz],
            "speed": speed_of(w),
            "tilt": degrees(tilt_cos(w)),
            "distance_to_pad": pad_distance(w),
            "terrain_below": w.y - terrain(rules, w, w.x, w.z),
            "fuel": w.fuel,
            "mass": rules.dry_mass + w.fuel,
        }

    def episode(self) -> dict[str, Any]:
        """The row that the engine stores when this episode ends."""
        rules, w, info = self.rules, self.world, self.info()
        used, soft = rules.fuel - w.fuel, w.ending == "soft_landing"
        efficiency = w.ideal_fuel / used if used > w.ideal_fuel else f32(1.0)
        return {
            "return": math32.sum32(w.sums.values()),
            "ending": info["ending"],
            "success": soft and self._on_pad(),
            "soft_landing": soft,
            "distance_to_pad": info["distance_to_pad"],
            "touchdown_speed": info["speed"],
            "touchdown_tilt": info["tilt"],
            "fuel_used": used,
            "fuel_efficiency": efficiency if soft else ZERO,
            "steps": w.steps,
            "ticks": w.tick,
            "duration_s": info["time_elapsed"],
            "terms": list(w.sums.values()),
        }
