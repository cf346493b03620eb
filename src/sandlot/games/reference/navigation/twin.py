"""Navigation in plain Python, written from docs/games/navigation.md: bit for bit the engine's numbers."""

from typing import Any

import numpy as np

from ..base import BaseTwin
from ..math32 import HALF, ONE, ZERO, cos_turns, f32, sin_turns, sqrt, sum32
from .rules import FELL, TASKS, Rules
from .walk import Intent, decide, hands_of, tick
from .world import ENDINGS, World, goal_distance, rays_of, start


class NavigationTwin(BaseTwin):
    """One walk. `reset(seed)`, then `step(action)` with [move_horizontal, move_vertical, rotate]."""

    game, make_rules = "navigation", Rules
    rules: Rules
    world: World

    def reset(self, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the episode of this seed; observation [48, or 51] and info."""
        self.world = start(self.rules, seed)
        return self._observe(), self.info()

    def step(self, action: Any) -> tuple[np.ndarray, f32, bool, bool, dict[str, Any]]:
        """One decision: ticks, score, look. Running out of time truncates, the rest terminates."""
        rules, w = self.rules, self.world
        if w.steps:  # notes of the reset are kept for the first step
            w.notes.clear()
        intent = decide(rules, w, [f32(value) for value in np.asarray(action).reshape(-1)])
        distance, collisions, before, loss = w.distance, w.collisions, w.tick, ZERO
        while not w.over and w.tick - before < rules.ticks_per_step:
            loss = loss + self._tick(intent)
        w.steps += 1
        reward = self._score(distance, w.collisions - collisions, loss)
        timeout = w.ending == "timeout"
        return self._observe(), reward, w.over and not timeout, timeout, self.info()

    def _tick(self, intent: Intent) -> f32:
        rules, w = self.rules, self.world
        loss = tick(rules, w, intent)
        w.distance = goal_distance(w)
        if not w.falling and w.distance <= rules.goal_radius:
            w.ending = "goal"
        elif w.pose.y + rules.head_height < FELL:
            w.ending = "fell"
        elif w.collisions >= rules.max_collisions:
            w.ending = "collisions"
        elif w.tick >= rules.limit:
            w.ending = "timeout"
        if w.over:
            w.note(f"ended by {w.ending}")
        return loss

    def _score(self, before: f32, collided: int, loss: f32) -> f32:
        rules, w = self.rules, self.world
        terms = {
            "progress": rules.progress * (before - w.distance),
            "comfort": -loss,
            "goal": rules.goal_reached if w.ending == "goal" else ZERO,
            "collision": -(rules.collision_penalty * f32(collided)),
            "fall": -rules.fall_penalty if w.ending == "fell" else ZERO,
            "timeout": -rules.timeout_penalty if w.ending == "timeout" else ZERO,
        }
        return w.pay(terms)

    def _observe(self) -> np.ndarray:
        rules, w = self.rules, self.world
        now, before = hands_of(rules, w.pose), hands_of(rules, w.before)
        moved = [
            (a - b) * rules.inv_dt
            for hand, old in zip(now, before, strict=True)
            for a, b in zip(hand, old, strict=True)
        ]
        entries = [
            *self._camera(),
            *rays_of(rules, w),
            *now[0],
            *now[1],
            *moved,
            *self._goal(),
            *self._task(),
        ]
        return np.array(entries, np.float32)

    def _camera(self) -> list[f32]:
        rules, w, p = self.rules, self.world, self.world.pose
        half_roll = p.roll * f32(0.0795774715)
        sy, cy = sin_turns(HALF * p.yaw), cos_turns(HALF * p.yaw)
        sr, cr = sin_turns(half_roll), cos_turns(half_roll)
        climb = (p.y - w.before.y) * rules.inv_dt
        spin = [w.roll_rate * sin_turns(p.yaw), w.yaw_rate, w.roll_rate * cos_turns(p.yaw)]
        rotation = [sy * sr, sy * cr, cy * sr, cy * cr]
        return [p.x, p.y + rules.head_height, p.z, *rotation, w.vx, climb, w.vz, *spin]

    def _goal(self) -> list[f32]:
        w = self.world
        distance = goal_distance(w)
        scale = ZERO if distance < f32(0.001) else ONE / distance
        x, z = w.goal_x - w.pose.x, w.goal_z - w.pose.z
        return [x, -w.pose.y, z, distance, x * scale, ZERO, z * scale]

    def _task(self) -> list[f32]:
        return [f32(name == self.world.layout) for name in TASKS] if self.rules.task_id else []

    def _mean(self, total: f32) -> f32:
        return total / f32(self.world.tick) if self.world.tick else ZERO

    def info(self) -> dict[str, Any]:
        """The engine's info block under the same names."""
        rules, w = self.rules, self.world
        return {
            "tick": w.tick,
            "steps": w.steps,
            "time_elapsed": self.seconds(w.tick),
            "time_left": self.seconds(rules.limit - w.tick),
            "ending": ENDINGS.index(w.ending),
            "position": [w.pose.x, w.pose.y, w.pose.z],
            "speed": sqrt(w.vx * w.vx + w.vz * w.vz),
            "distance": w.distance,
            "collisions": w.collisions,
            "comfort_score": self._mean(w.score_sum) if w.tick else ONE,
            "vignette": w.vignette,
            "falling": w.falling,
        }

    def episode(self) -> dict[str, Any]:
        """The row that the engine stores when this episode ends."""
        w, info = self.world, self.info()
        return {
            "return": sum32(w.sums.values()),
            "ending": info["ending"],
            "success": w.ending == "goal",
            "comfort_score": info["comfort_score"],
            "vignette_share": self._mean(f32(w.vignette_ticks)),
            "vignette_mean": self._mean(w.vignette_sum),
            "vignette_peak": w.vignette_peak,
            "hard_acceleration_share": self._mean(f32(w.hard_ticks)),
            "jerk_share": self._mean(f32(w.jolt_ticks)),
            "snap_turns": w.snap_turns,
            "collisions": w.collisions,
            "start_distance": w.start_distance,
            "distance": w.distance,
            "walked": w.pose.walked,
            "steps": w.steps,
            "ticks": w.tick,
            "duration_s": info["time_elapsed"],
            "terms": list(w.sums.values()),
        }
