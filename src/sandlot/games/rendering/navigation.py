"""Navigation from above: north (-Z) is up. Walls, pits, the goal, the walker with its rays and its way."""

import math
from collections import deque
from typing import Any

import numpy as np

from ...spec import Spec
from .canvas import Canvas, Point, colour

SIZE = 400  # pixels, both ways
TRAIL = 400  # past places, one per picture

FLOOR, WALL, PIT = colour("#7d6444"), colour("#7f939e"), colour("#14100c")
GOAL, BODY, HAND, GAZE = colour("#7fd48a"), colour("#36b8e0"), colour("#ebe8e0"), colour("#36b8e0", 0.18)
TRACK, SHADE = colour("#efe6d2", 0.5), colour("#000000", 0.35)
PAPER, HAZE, INK, BAD = colour("#ebe8e0"), colour("#0b0f12", 0.72), colour("#101519"), colour("#ff6a42")


def cells_of(rows: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Columns and rows of the cells in a block of 12 cells per number."""
    return [(i, j) for j in range(count) for i in range(count) if int(rows[j, i // 12]) >> (i % 12) & 1]


class NavigationRenderer:
    """One walk. Walls and pits are drawn once per episode, the rest in every picture."""

    def __init__(self, spec: Spec):
        self.fps = spec.config["tick_rate"] / spec.config["ticks_per_step"]
        self._endings = next(f.labels for f in spec.render if f.name == "ending")
        self._ground: tuple[bytes, Canvas] | None = None
        self._trail: deque[Point] = deque(maxlen=TRAIL)
        self._tick = math.inf

    def draw(self, scene: dict[str, Any]) -> np.ndarray:
        """The picture of a scene, uint8 [SIZE, SIZE, 3]."""
        cells, edge = int(scene["grid"][0]), float(scene["grid"][1])
        self._metre, self._half = SIZE / (cells * edge), cells * edge / 2
        canvas = Canvas.over(self._floor(scene, cells, edge))
        x, _, z = (float(v) for v in scene["position"])
        if scene["tick"] < self._tick:
            self._trail.clear()
        self._tick = scene["tick"]
        self._trail.append(self._at(x, z))
        goal = self._at(*(float(v) for v in scene["goal"]))
        canvas.circle(goal, max(3.0, float(scene["goal_radius"]) * self._metre), GOAL, INK, 1)
        if len(self._trail) > 1:
            canvas.line(list(self._trail), TRACK, 1.5)
        self._walker(canvas, scene, x, z)
        self._words(canvas, scene)
        return canvas.pixels()

    def _at(self, x: float, z: float) -> Point:
        return (x + self._half) * self._metre, (z + self._half) * self._metre

    def _floor(self, scene: dict[str, Any], cells: int, edge: float) -> Canvas:
        key = scene["walls"].tobytes() + scene["holes"].tobytes()
        if self._ground is None or self._ground[0] != key:
            canvas, side = Canvas(SIZE, SIZE, FLOOR), edge * self._metre
            for block, tint in ((scene["holes"], PIT), (scene["walls"], WALL)):
                for i, j in cells_of(block, cells):
                    canvas.rectangle(i * side, j * side, (i + 1) * side - 1, (j + 1) * side - 1, tint)
            self._ground = key, canvas
        return self._ground[1]

    def _walker(self, canvas: Canvas, scene: dict[str, Any], x: float, z: float) -> None:
        angles = np.arange(len(scene["rays"])) * (2 * math.pi / len(scene["rays"]))
        ends = [
            self._at(x + far * math.cos(a), z + far * math.sin(a))
            for a, far in zip(angles.tolist(), scene["rays"].tolist(), strict=True)
        ]
        canvas.polygon(ends, GAZE)
        place, radius = self._at(x, z), max(4.0, float(scene["player_radius"]) * self._metre)
        yaw = float(scene["head"][0])
        nose = place[0] - 2 * radius * math.sin(yaw), place[1] - 2 * radius * math.cos(yaw)
        canvas.line([place, nose], BODY, 2)
        canvas.circle(place, radius, BODY, INK, 1)
        for hand in ("left_hand", "right_hand"):
            canvas.circle(self._at(float(scene[hand][0]), float(scene[hand][2])), 1.5, HAND)

    def _words(self, canvas: Canvas, scene: dict[str, Any]) -> None:
        if scene["vignette"] > 0.01:
            wide = 40 * float(scene["vignette"])
            canvas.rectangle(0, 0, SIZE, wide, SHADE)
            canvas.rectangle(0, SIZE - wide, SIZE, SIZE, SHADE)
        canvas.rectangle(8, 8, 150, 28, HAZE, radius=5)
        words = f"{scene['time_left']:.0f} s · comfort {scene['comfort_score']:.2f}"
        canvas.text((16, 18), words, PAPER, 12, "lm")
        ending = int(scene["ending"])
        if ending:
            canvas.rectangle(110, SIZE / 2 - 22, SIZE - 110, SIZE / 2 + 22, HAZE, radius=8)
            title = self._endings[ending].capitalize()
            canvas.text((SIZE / 2, SIZE / 2), title, GOAL if ending == 1 else BAD, 22, "mm")
