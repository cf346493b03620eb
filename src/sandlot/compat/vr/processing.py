"""Observations and actions between a game and a policy.

A raw observation is 48 numbers in metres, m/s and rad/s, in the order of FIELDS. A policy sees them divided
by fixed scales, so that a saved model needs no statistics besides its configuration.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import BadMessage
from .config import ActionsConfig, RLConfig

# Names as the HTTP API gives them, each with its size; None: as many as there are rays.
FIELDS: tuple[tuple[str, int | None], ...] = (
    ("camera_position", 3),
    ("camera_rotation", 4),
    ("camera_velocity", 3),
    ("camera_angular_velocity", 3),
    ("ray_sensors", None),
    ("left_controller_position", 3),
    ("right_controller_position", 3),
    ("left_controller_velocity", 3),
    ("right_controller_velocity", 3),
    ("goal_position", 3),
    ("goal_distance", 1),
    ("goal_direction", 3),
)
FAR = 30.0  # m, the scale of positions
CLAMP = 10.0  # no processed entry is beyond this, whatever a game says
ACTIONS = ("move_horizontal", "move_vertical", "rotate")


def slices(num_rays: int) -> dict[str, slice]:
    """Where each field lies in a raw observation."""
    found, begin = {}, 0
    for name, size in FIELDS:
        end = begin + (num_rays if size is None else size)
        found[name] = slice(begin, end)
        begin = end
    return found


class ObservationProcessor:
    """Raw observations into what a policy sees."""

    def __init__(self, config: RLConfig):
        o, a = config.observations, config.actions
        self.slices = slices(o.num_ray_sensors)
        self.size = self.slices["goal_direction"].stop
        self.normalize = o.normalize_observations
        self.scale = np.ones(self.size, np.float32)
        if self.normalize:
            turning = math.radians(a.max_rotation_speed)
            scales = {"camera_angular_velocity": 1 / turning, "ray_sensors": 1 / o.ray_length}
            for name, where in self.slices.items():
                if name.endswith("_velocity"):
                    self.scale[where] = scales.get(name, 1 / a.max_movement_speed)
                elif name.endswith(("_position", "_distance")):
                    self.scale[where] = 1 / FAR
                else:
                    self.scale[where] = scales.get(name, 1.0)

    def process(self, raw: np.ndarray) -> np.ndarray:
        """Scaled and within ±10; without normalization as it is. What is not a number becomes 0."""
        clean = np.nan_to_num(np.asarray(raw, np.float32), nan=0.0, posinf=1e6, neginf=-1e6) * self.scale
        return np.clip(clean, -CLAMP, CLAMP) if self.normalize else clean

    def from_fields(self, fields: Mapping[str, Any]) -> np.ndarray:
        """A raw observation from the named fields of the HTTP API; BadMessage for one that does not fit."""
        raw = np.zeros(self.size, np.float32)
        for name, where in self.slices.items():
            values = fields.get(name)
            if isinstance(values, Mapping):  # {"x": …, "y": …}, as an engine writes vectors
                values = [values[key] for key in "xyzw" if key in values]
            try:
                found = np.asarray(values, np.float32).reshape(-1)
            except (TypeError, ValueError):
                found = np.empty(0, np.float32)
            expected = where.stop - where.start
            if found.size != expected:
                raise BadMessage(f"The observation's {name} is {values!r}: expected {expected} numbers.")
            raw[where] = found
        return raw


class ActionPostProcessor:
    """Raw commands in -1..1 into smooth ones; `scale` gives speeds.

    The native game does the same inside, tick by tick; a game behind HTTP receives commands that went
    through here.
    """

    def __init__(self, actions: ActionsConfig):
        self._actions = actions
        self.reset()

    def reset(self) -> None:
        """Forget the commands of the last episode."""
        self.command = np.zeros(len(ACTIONS), np.float32)

    def process(self, action: Any) -> np.ndarray:
        """Dead zone, movement no longer than 1, then a share of the old command kept."""
        a = self._actions
        raw = np.clip(np.nan_to_num(np.asarray(action, np.float32)), -1.0, 1.0)
        wanted = np.sign(raw) * np.maximum(np.abs(raw) - a.dead_zone, 0.0) / (1.0 - a.dead_zone)
        wanted[:2] /= max(1.0, float(np.hypot(*wanted[:2])))
        self.command = (a.action_smoothing * self.command + (1 - a.action_smoothing) * wanted).astype(
            np.float32
        )
        return self.command

    def scale(self, command: np.ndarray) -> np.ndarray:
        """Commands as m/s to the right, m/s ahead and degrees/s to the right."""
        a = self._actions
        return command * np.array([a.max_movement_speed] * 2 + [a.max_rotation_speed], np.float32)
