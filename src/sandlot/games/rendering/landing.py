"""Landing from the south: X to the right, height up; a small map from above in the corner."""

import math
from collections import deque
from typing import Any

import numpy as np

from ...spec import Spec
from .canvas import Canvas, Point, colour, mixed

SIZE = 400  # pixels, both ways
GROUND = 40.0  # pixels below the height of the pad
MAP = 92.0  # pixels, both ways, of the map
CLOSEST = 60.0  # metres across the picture at least
TRAIL = 60  # past places, one per picture
FLAME = 9.0  # metres of flame at full thrust

SPACE, DUSK = colour("#0b1016"), colour("#2a3440")
SOIL, CREST, PAD = colour("#4a4038"), colour("#8d7a66"), colour("#e8c47a")
HULL, LEG, FIRE = colour("#d8dee4"), colour("#8c99a5"), colour("#ff8a3c")
PAPER, HAZE, TRACK = colour("#ebe8e0"), colour("#0b0f12", 0.72), colour("#36b8e0", 0.6)
GOOD, BAD = colour("#7fd48a"), colour("#ff6a42")


def terrain_height(scene: dict[str, Any], x: np.ndarray, z: float) -> np.ndarray:
    """Metres of terrain at places x and one z, from the scene's own numbers."""
    height, wavelength, phase_x, phase_z, flat, rise = (float(v) for v in scene["terrain"])
    away = np.clip((np.hypot(x, z) - flat) / rise, 0, 1)
    waves = np.sin(2 * np.pi * (x / wavelength + phase_x)) + np.sin(2 * np.pi * (z / wavelength + phase_z))
    return 0.5 * height * away * away * (3 - 2 * away) * waves


class LandingRenderer:
    """One landing. The view closes in as the craft comes down."""

    def __init__(self, spec: Spec):
        self.fps = spec.config["tick_rate"] / spec.config["ticks_per_step"]
        self._endings = next(f.labels for f in spec.render if f.name == "ending")
        self._trail: deque[Point] = deque(maxlen=TRAIL)  # x and y in metres
        self._tick = math.inf

    def draw(self, scene: dict[str, Any]) -> np.ndarray:
        """The picture of a scene, uint8 [SIZE, SIZE, 3]."""
        x, y, z = (float(v) for v in scene["position"])
        if scene["tick"] < self._tick:
            self._trail.clear()
        self._tick = scene["tick"]
        self._trail.append((x, y))
        across = max(1.25 * y, 2.4 * abs(x), CLOSEST)
        self._metre, self._middle = SIZE / across, x / 2  # pixels; metres at the middle of the picture
        canvas = Canvas(SIZE, SIZE, SPACE)
        for i in range(8):
            canvas.rectangle(0, SIZE * i / 8, SIZE, SIZE * (i + 1) / 8, mixed(SPACE, DUSK, i / 8))
        self._land(canvas, scene, z)
        if len(self._trail) > 1:
            canvas.line([self._at(*place) for place in self._trail], TRACK, 1.5)
        self._craft(canvas, scene)
        self._map(canvas, scene, x, z)
        self._words(canvas, scene)
        return canvas.pixels()

    def _at(self, x: float, y: float) -> Point:
        return SIZE / 2 + (x - self._middle) * self._metre, SIZE - GROUND - y * self._metre

    def _land(self, canvas: Canvas, scene: dict[str, Any], z: float) -> None:
        half = SIZE / self._metre / 2
        xs = np.linspace(self._middle - half, self._middle + half, 81)
        line = [self._at(float(a), float(h)) for a, h in zip(xs, terrain_height(scene, xs, z), strict=True)]
        canvas.polygon([(0, SIZE), *line, (SIZE, SIZE)], SOIL)
        canvas.line(line, CREST, 2)
        radius = max(float(scene["pad_radius"]), 4 / self._metre)
        canvas.line([self._at(-radius, 0), self._at(radius, 0)], PAD, 4)

    def _craft(self, canvas: Canvas, scene: dict[str, Any]) -> None:
        (x, y, _), (pitch, roll) = scene["position"].tolist(), scene["attitude"].tolist()
        scale = max(1.0, 6 / self._metre)  # never smaller than a few pixels
        nose = (-math.sin(roll), math.cos(pitch) * math.cos(roll))
        side = (math.cos(roll), math.cos(pitch) * math.sin(roll))

        def place(right: float, up: float) -> Point:
            """Metres in the craft's own frame, seen from the south."""
            return self._at(
                x + scale * (right * side[0] + up * nose[0]), y + scale * (right * side[1] + up * nose[1])
            )

        length, spread = (float(v) for v in scene["legs"])
        thrust = scene["thrust"].tolist()
        if max(map(abs, thrust)) > 0.01 and scene["fuel_left"] > 0:
            tip = place(-thrust[0] * FLAME / scale, -0.8 - thrust[1] * FLAME / scale)
            canvas.polygon([place(-0.5, -0.8), tip, place(0.5, -0.8)], FIRE)
        for foot in (-spread, spread):
            canvas.line([place(0.6 * math.copysign(1, foot), -0.6), place(foot, -length)], LEG, 2)
        canvas.polygon(
            [place(-0.8, -0.8), place(-0.8, 0.5), place(0, 1.4), place(0.8, 0.5), place(0.8, -0.8)], HULL
        )

    def _map(self, canvas: Canvas, scene: dict[str, Any], x: float, z: float) -> None:
        reach = max(30.0, 1.2 * max(abs(x), abs(z)))
        left, top = SIZE - MAP - 8, 8.0
        middle = left + MAP / 2, top + MAP / 2
        canvas.rectangle(left, top, left + MAP, top + MAP, HAZE, radius=6)
        metre = MAP / 2 / reach
        canvas.circle(middle, max(2.0, float(scene["pad_radius"]) * metre), PAD)
        canvas.circle((middle[0] + x * metre, middle[1] + z * metre), 2.5, HULL)
        canvas.text((left + 5, top + MAP - 14), f"{reach:.0f} m", PAPER, 9)

    def _words(self, canvas: Canvas, scene: dict[str, Any]) -> None:
        speed = float(np.linalg.norm(scene["velocity"]))
        lines = (
            f"{scene['position'][1]:.0f} m",
            f"{speed:.1f} m/s",
            f"fuel {100 * scene['fuel_left']:.0f} %",
            f"{scene['time_left']:.0f} s",
        )
        canvas.rectangle(8, 8, 96, 82, HAZE, radius=6)
        for i, words in enumerate(lines):
            canvas.text((16, 14 + 17 * i), words, PAPER, 12)
        ending = int(scene["ending"])
        if ending:
            words = self._endings[ending].replace("_", " ").capitalize()
            canvas.rectangle(100, SIZE / 2 - 22, SIZE - 100, SIZE / 2 + 22, HAZE, radius=8)
            canvas.text((SIZE / 2, SIZE / 2), words, GOOD if ending == 1 else BAD, 22, "mm")
