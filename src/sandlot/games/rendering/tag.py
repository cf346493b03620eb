"""Tag from above, in the colours of the site at dusk: north is up."""

import itertools
import math
from collections import deque
from typing import Any

import numpy as np

from ...spec import Spec
from .canvas import Canvas, Colour, Point, colour, mixed

SIZE = 400  # pixels, both ways
MARGIN = 22.0  # pixels of ground beyond the fence
TRAIL = 30  # past positions, one per picture
LOW_BOX_M = 1.5  # lower boxes can be jumped on

GRASS, FENCE, RAIL = colour("#26352f"), colour("#637884"), colour("#9db4bf")
SAND, SAND_LIT = colour("#7d6444"), colour("#a98a5e")
GRID, CHALK = colour("#000000", 0.09), colour("#efe6d2")
LOW_BOX, TALL_BOX, BOX_LINE = colour("#c79a5b"), colour("#7f939e"), colour("#1e160a", 0.45)
SHADOW, HAZE = colour("#000000", 0.32), colour("#0b0f12", 0.72)
INK, PAPER = colour("#101519"), colour("#ebe8e0")
ROLES = {True: colour("#ff6a42"), False: colour("#36b8e0")}  # by whether it seeks


def faded(one: Colour, opacity: float) -> Colour:
    """A colour with another opacity."""
    return *one[:3], round(255 * opacity)


class TagRenderer:
    """One match. Ground and boxes are drawn once per match, the rest in every picture."""

    def __init__(self, spec: Spec):
        self.fps = spec.config["tick_rate"] / spec.config["ticks_per_step"]
        self._limit = spec.config["time_limit"]
        rays = next(f.shape[1] for f in spec.render if f.name == "ray_type")
        angles = (np.arange(rays) / (rays - 1) - 0.5) * math.radians(spec.config["field_of_view"])
        self._cos, self._sin = np.cos(angles), np.sin(angles)  # from the right edge of the view to the left
        self._half = spec.config["arena_half"]
        self._metre = (SIZE / 2 - MARGIN) / self._half  # pixels
        self._ground: tuple[bytes, Canvas] | None = None
        self._trails: list[deque[Point]] = [deque(maxlen=TRAIL) for _ in range(spec.agents)]
        self._tick = math.inf

    def draw(self, scene: dict[str, Any]) -> np.ndarray:
        """The picture of a scene, uint8 [SIZE, SIZE, 3]."""
        canvas = Canvas.over(self._lot(scene))
        places = [self._at(x, z) for x, _, z in scene["position"].tolist()]
        self._remember(scene, places)
        for agent in np.flatnonzero(scene["out"] == 0).tolist():
            self._sight(canvas, scene, agent)
        for agent, place in enumerate(places):
            self._trail(canvas, agent, ROLES[bool(scene["seeker"][agent])])
            if scene["out"][agent]:
                self._cross(canvas, place)
        upright = sorted(np.flatnonzero(scene["out"] == 0).tolist(), key=lambda i: scene["position"][i, 1])
        for agent in upright:
            self._body(canvas, scene, agent, places[agent])
        self._clock(canvas, scene)
        return canvas.pixels()

    def _at(self, x: float, z: float) -> Point:
        return SIZE / 2 + x * self._metre, SIZE / 2 + z * self._metre

    def _remember(self, scene: dict[str, Any], places: list[Point]) -> None:
        if scene["tick"] < self._tick:
            for trail in self._trails:
                trail.clear()
        self._tick = scene["tick"]
        for trail, place in zip(self._trails, places, strict=True):
            if not trail or trail[-1] != place:
                trail.append(place)

    # ------------------------------------------------------------ what stays

    def _lot(self, scene: dict[str, Any]) -> Canvas:
        boxes = scene["boxes"][: int(scene["box_count"])]
        if self._ground is None or self._ground[0] != boxes.tobytes():
            canvas = Canvas(SIZE, SIZE, GRASS)
            self._floor(canvas)
            for box in sorted(boxes.tolist(), key=lambda one: one[4]):
                self._box(canvas, *box)
            self._ground = boxes.tobytes(), canvas
        return self._ground[1]

    def _floor(self, canvas: Canvas) -> None:
        near, far, middle = MARGIN, SIZE - MARGIN, (SIZE / 2, SIZE / 2)
        canvas.rectangle(near - 7, near - 7, far + 7, far + 7, FENCE, radius=3)
        canvas.rectangle(near - 7, near - 7, far + 7, far + 7, None, RAIL, 2, radius=3)
        canvas.rectangle(near, near, far, far, SAND)
        for i in range(24, 0, -1):  # light falls into the middle
            lit = mixed(SAND, SAND_LIT, 1 - i / 24)
            reach = (SIZE / 2 - MARGIN) * i / 24
            canvas.circle(middle, reach, lit)
        for metre in range(-int(self._half), int(self._half) + 1):
            x, _ = self._at(metre, 0)
            canvas.line([(x, near), (x, far)], GRID, 1)
            canvas.line([(near, x), (far, x)], GRID, 1)
        edge = near + 0.55 * self._metre
        canvas.rectangle(edge, edge, SIZE - edge, SIZE - edge, None, CHALK, 1.5)
        reach, chalk = self._half * 0.62, faded(CHALK, 0.5)
        diamond = [self._at(x * reach, z * reach) for x, z in ((0, -1), (1, 0), (0, 1), (-1, 0), (0, -1))]
        canvas.line(diamond, chalk, 1.5)
        canvas.circle(middle, 1.6 * self._metre, None, chalk, 1.5)

    def _box(self, canvas: Canvas, x1: float, _: float, z1: float, x2: float, top: float, z2: float) -> None:
        (left, upper), (right, lower), drop = self._at(x1, z1), self._at(x2, z2), 2 + 3 * top
        canvas.rectangle(left + drop, upper + drop, right + drop, lower + drop, SHADOW, radius=2)
        fill = LOW_BOX if top < LOW_BOX_M else TALL_BOX
        canvas.rectangle(left, upper, right, lower, fill, BOX_LINE, 1.5, radius=1)
        if top < LOW_BOX_M:  # planks: it can be jumped on
            for share in (1 / 3, 2 / 3):
                y = upper + (lower - upper) * share
                canvas.line([(left, y), (right, y)], BOX_LINE, 1)
        else:
            canvas.line([(left, upper), (right, lower)], BOX_LINE, 1)
            canvas.line([(left, lower), (right, upper)], BOX_LINE, 1)

    # ------------------------------------------------------------ what moves

    def _sight(self, canvas: Canvas, scene: dict[str, Any], agent: int) -> None:
        """The area that the rays reach, and a line to each agent that they hit."""
        tint = ROLES[bool(scene["seeker"][agent])]
        (fx, fz), (x, _, z) = scene["facing"][agent].tolist(), scene["position"][agent].tolist()
        far = scene["ray_distance"][agent]
        ends_x = x + (fx * self._cos + fz * self._sin) * far
        ends_z = z + (fz * self._cos - fx * self._sin) * far
        ends = [self._at(a, b) for a, b in zip(ends_x.tolist(), ends_z.tolist(), strict=True)]
        canvas.polygon([self._at(x, z), *ends], faded(tint, 0.2))
        for end, kind in zip(ends, scene["ray_type"][agent].tolist(), strict=True):
            if kind == 2:
                canvas.line([self._at(x, z), end], faded(tint, 0.75), 1)

    def _trail(self, canvas: Canvas, agent: int, tint: Colour) -> None:
        trail = list(self._trails[agent])
        for i, (one, other) in enumerate(itertools.pairwise(trail)):
            canvas.line([one, other], faded(tint, 0.6 * (i + 1) / len(trail)), 2.5)

    def _cross(self, canvas: Canvas, place: Point) -> None:
        (x, y), r = place, 5
        for side in (-r, r):
            canvas.line([(x - r, y - side), (x + r, y + side)], faded(PAPER, 0.6), 2)

    def _body(self, canvas: Canvas, scene: dict[str, Any], agent: int, place: Point) -> None:
        (fx, fz), height = scene["facing"][agent].tolist(), float(scene["position"][agent, 1])
        tint, half = ROLES[bool(scene["seeker"][agent])], scene["body_edge"] * self._metre / 2
        drop = 2 + 5 * height
        half *= 1 + 0.12 * height  # nearer to the camera above

        def corner(ahead: float, aside: float, shift: float = 0.0) -> Point:
            """`ahead` and `aside` in half edges, in the frame of the eyes."""
            dx, dz = fx * ahead - fz * aside, fz * ahead + fx * aside
            return place[0] + dx * half + shift, place[1] + dz * half + shift

        square = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        canvas.polygon([corner(*c, drop) for c in square], SHADOW)
        if scene["immunity"][agent] > 0:
            canvas.circle(place, half * 1.9, None, faded(PAPER, 0.8), 1.5)
        canvas.polygon([corner(*c) for c in square], tint, INK, 1)
        canvas.polygon([corner(a * 0.55 - 0.35, s * 0.75) for a, s in square], faded(PAPER, 0.18))
        for side in (-0.45, 0.45):
            canvas.circle(corner(0.5, side), half * 0.34, PAPER, INK, 0.5)
            canvas.circle(corner(0.66, side), half * 0.16, INK)

    def _clock(self, canvas: Canvas, scene: dict[str, Any]) -> None:
        left, share = scene["time_left"], scene["time_left"] / self._limit
        canvas.rectangle(8, 6, 72, 28, HAZE, radius=5)
        canvas.text((40, 17), f"{left:.1f} s", PAPER, 13, "mm")
        canvas.rectangle(8, SIZE - 9, SIZE - 8, SIZE - 5, HAZE, radius=2)
        canvas.rectangle(8, SIZE - 9, 8 + (SIZE - 16) * max(share, 0), SIZE - 5, CHALK, radius=2)
        for i, (seeks, role) in enumerate(((True, "seeker"), (False, "hider"))):
            x = SIZE - 152 + 76 * i
            canvas.rectangle(x, 6, x + 70, 28, HAZE, radius=5)
            canvas.rectangle(x + 8, 12, x + 18, 22, ROLES[seeks], radius=2)
            canvas.text((x + 24, 17), role, PAPER, 11, "lm")
        winner = int(scene["winner"])
        if winner:
            canvas.rectangle(110, SIZE / 2 - 22, SIZE - 110, SIZE / 2 + 22, HAZE, radius=8)
            words = ("", "Seeker wins", "Hider wins")[winner]
            canvas.text((SIZE / 2, SIZE / 2), words, ROLES[winner == 1], 22, "mm")
