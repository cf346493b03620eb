"""The prospector: the known belt as a map around its station, and the ship's instruments beside it."""

import itertools
import math
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...spec import Spec
from .canvas import Canvas, Colour, Point, colour, mixed

HEIGHT, MAP, WIDTH = 400, 400, 640  # pixels: the map is a square on the left
REACH = 158.0  # pixels from the station to the outermost ring
ROUTE = 8  # nodes of the way flown that are shown
SLOTS = 6  # neighbours a node has at most

SPACE, RING, PANEL = colour("#070b12"), colour("#1b2935"), colour("#101519")
SUNKEN, LINE, INK, SOFT, FAINT = (colour(c) for c in ("#1e262c", "#2b353c", "#ebe8e0", "#b0b8bd", "#8f9aa1"))
GOLD, GOOD, WARN, BAD = (colour(c) for c in ("#e8c47a", "#7ccf8c", "#f0b84a", "#ff8f8f"))
CLUSTER, UNSEEN, SHIP, DARK = (colour(c) for c in ("#9fb4c2", "#7d909d", "#ff9a4d", "#06121a"))
GOODS = [colour(c) for c in ("#b0795a", "#9fb4c2", "#7cc7e8", "#e8c47a", "#b79bf0", "#7ccf8c")]
GAUGES = (  # name, its largest value, whether much of it is good
    ("fuel", 1000.0, True), ("hull", 100.0, True), ("tool", 100.0, True),
    ("cargo_total", 200.0, True), ("heat", 100.0, False), ("alert", 100.0, False),
)  # fmt: skip


def threat_colour(threat: float) -> Colour:
    """Green, amber or red."""
    return BAD if threat >= 0.75 else WARN if threat >= 0.45 else GOOD


class ProspectorRenderer:
    """One ship. Stars and rings stay; the map is laid out anew when more of the belt is known."""

    fps = 10.0  # decisions; they last 1 to 8 ticks each

    def __init__(self, spec: Spec):
        self._actions = spec.action_names
        labels = {field.name: field.labels for field in spec.render}
        self._goods, self._endings = labels["cargo"], labels["ending"]
        self._route: deque[int] = deque(maxlen=ROUTE)
        self._ticks = math.inf
        self._map: tuple[bytes, dict[int, Point], Canvas] | None = None

    def draw(self, scene: dict[str, Any]) -> np.ndarray:
        """The picture of a scene, uint8 [HEIGHT, WIDTH, 3]."""
        if scene["ticks"] < self._ticks:
            self._route.clear()
        self._ticks, here = scene["ticks"], int(scene["node"])
        if not self._route or self._route[-1] != here:
            self._route.append(here)
        places, ground = self._charted(scene)
        canvas = Canvas.over(ground)
        self._ways(canvas, scene, places, here)
        for node in set(self._route):
            self._node(canvas, places[node], node, scene["nodes"][node])
        self._ship(canvas, places[here])
        self._rocks(canvas, scene)
        self._panel(canvas, scene)
        return canvas.pixels()

    # ------------------------------------------------------------ the map

    def _charted(self, scene: dict[str, Any]) -> tuple[dict[int, Point], Canvas]:
        """Where the known nodes lie, and the part of the picture that changes only with what is known."""
        key = scene["nodes"].tobytes() + scene["edges"].tobytes()
        if self._map is None or self._map[0] != key:
            known = {int(node) for node in np.flatnonzero(scene["nodes"][:, 0] > 0)}
            edges = known_edges(scene["edges"], known)
            places, rings = layout(known, edges)
            canvas = Canvas(WIDTH, HEIGHT, SPACE)
            self._sky(canvas, rings)
            for (one, other), threat in edges.items():
                self._edge(canvas, places[one], places[other], threat)
            for node in sorted(known):
                self._node(canvas, places[node], node, scene["nodes"][node])
            canvas.rectangle(MAP, 0, WIDTH, HEIGHT, PANEL)
            canvas.line([(MAP, 0), (MAP, HEIGHT)], LINE, 1)
            self._map = key, places, canvas
        return self._map[1], self._map[2]

    def _sky(self, canvas: Canvas, rings: int) -> None:
        for i in range(140):  # the same stars in every picture
            x, y, size = (math.modf(math.sin(i * k) * 43758.5453)[0] % 1.0 for k in (12.9898, 78.233, 39.425))
            canvas.circle((x * MAP, y * HEIGHT), 0.4 + 0.7 * size, mixed(SPACE, SOFT, 0.2 + 0.5 * size))
        for ring in range(1, rings + 1):
            canvas.circle((MAP / 2, HEIGHT / 2 - 8), REACH * ring / rings, None, RING, 1)

    def _edge(self, canvas: Canvas, start: Point, end: Point, threat: float) -> None:
        tint = (*threat_colour(threat)[:3], 115)
        if threat < 0.45:
            canvas.line([start, end], tint, 1.2)
        else:  # dashed too, for people who cannot distinguish red from green
            canvas.dashes(start, end, tint, 1.2, *((2, 4) if threat >= 0.75 else (6, 4)))

    def _node(self, canvas: Canvas, at: Point, node: int, row: np.ndarray) -> None:
        (x, y), visited, kind = at, row[0] == 2, int(row[1])
        tint = (GOOD, CLUSTER, WARN)[max(kind, 0)]
        fill, line, ink = (tint, DARK, DARK) if visited else (SPACE, tint if kind else UNSEEN, SOFT)
        if kind == 0:
            canvas.rectangle(x - 9, y - 9, x + 9, y + 9, fill, line, 1.2, radius=3)
        elif kind == 2:
            canvas.polygon([(x, y - 11), (x + 11, y + 8), (x - 11, y + 8)], fill, line, 1.2)
        else:
            canvas.circle(at, 9, fill, line, 1.2)
        canvas.text((x, y + (1.5 if kind == 2 else 0)), str(node), ink, 8, "mm")

    def _ways(self, canvas: Canvas, scene: dict[str, Any], places: dict[int, Point], here: int) -> None:
        """The path flown, and the edges that lead on with the numbers of their slots."""
        flown = [places[node] for node in self._route if node in places]
        for i, (one, other) in enumerate(itertools.pairwise(flown)):
            canvas.line([one, other], (*SHIP[:3], round(220 * (i + 1) / len(flown))), 3)
        home = int(scene["way_home"])
        for slot, (neighbour, _, _, threat) in enumerate(scene["edges"].reshape(-1, SLOTS, 4)[here].tolist()):
            if neighbour < 0 or int(neighbour) not in places:
                continue
            start, end = places[here], places[int(neighbour)]
            length = math.dist(start, end) or 1.0
            share = min(0.5, 26 / length)
            at = start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
            tint = GOLD if slot == home else threat_colour(threat)
            canvas.circle(at, 6.5, DARK, tint, 2 if slot == home else 1.2)
            canvas.text(at, str(slot + 1), INK, 8, "mm")

    def _ship(self, canvas: Canvas, at: Point) -> None:
        canvas.circle(at, 15, None, SHIP, 2.2)
        x, y = at[0] + 15, at[1] - 15
        hull = [(x, y - 7), (x + 5, y + 6), (x, y + 3), (x - 5, y + 6)]
        canvas.polygon(hull, SHIP, DARK, 1)

    def _rocks(self, canvas: Canvas, scene: dict[str, Any]) -> None:
        """The asteroids at hand in a row: as large as they are rich, hollow as far as they are mined."""
        rocks = scene["asteroids"]
        for slot in np.flatnonzero(rocks[:, 0] > 0).tolist():
            row, at = rocks[slot], (16 + 24.5 * slot, HEIGHT - 20.0)
            size = 4.5 + 3.0 * min(float(row[11]), 2.0)
            tint = mixed(colour("#5c4a3c"), GOODS[int(np.argmax(row[1:7]))], 0.25 + 0.75 * float(row[9]))
            canvas.circle(at, size, tint, DARK, 1)
            canvas.circle(at, size * math.sqrt(min(max(float(row[8]), 0.0), 1.0)), SPACE)
            if row[10] > 0:
                canvas.circle(at, size + 3, None, GOLD, 1.6)

    # ------------------------------------------------------------ the panel

    def _panel(self, canvas: Canvas, scene: dict[str, Any]) -> None:
        left, right = MAP + 14, WIDTH - 14
        kind = ("station", "cluster", "hazard")[int(scene["node_type"])]
        place = "Station" if kind == "station" else f"{kind.capitalize()} {int(scene['node'])}"
        canvas.text((left, 14), place, INK, 14)
        canvas.text((right, 17), f"{scene['time_remaining']:,.0f} ticks left", SOFT, 10, "ra")
        canvas.text((left, 36), self._last(scene), GOLD if not scene["invalid_action"] else BAD, 11)
        for i, (name, most, much_is_good) in enumerate(GAUGES):
            x, y, width = left + (i % 2) * 112, 60 + (i // 2) * 34, 100
            value = float(scene[name])
            share = min(value / most, 1.0)
            bad = share < 0.2 if much_is_good and name != "cargo_total" else not much_is_good and share > 0.7
            canvas.text((x, y), name.removesuffix("_total").capitalize(), SOFT, 10)
            canvas.text((x + width, y), f"{value:.0f}", INK, 10, "ra")
            canvas.rectangle(x, y + 14, x + width, y + 21, SUNKEN, radius=3.5)
            if share > 0.01:
                canvas.rectangle(x, y + 14, x + width * share, y + 21, BAD if bad else GOLD, radius=3.5)
        self._money(canvas, scene, left, right)
        self._market(canvas, scene, left, right)

    def _last(self, scene: dict[str, Any]) -> str:
        ending = int(scene["ending"])
        if ending:
            return f"Ended: {self._endings[ending].replace('_', ' ')}"
        action = int(scene["action"])
        if action < 0:
            return "Before the first action"
        name = self._actions[action].replace("_", " ").capitalize()
        return f"{name} (invalid)" if scene["invalid_action"] else name

    def _money(self, canvas: Canvas, scene: dict[str, Any], left: float, right: float) -> None:
        canvas.line([(left, 166), (right, 166)], LINE, 1)
        profit = scene["net_profit"]
        rows = (
            ("Credits", scene["credits"], INK),
            ("Net profit", profit, GOOD if profit >= 0 else BAD),
            ("Cargo worth", scene["cargo_value"], INK),
        )
        for i, (name, value, tint) in enumerate(rows):
            canvas.text((left, 176 + 17 * i), name, SOFT, 11)
            canvas.text((right, 176 + 17 * i), f"{value:,.0f} cr", tint, 11, "ra")
        names = ("repair_kits", "stabilizers", "decoys")
        supplies = [f"{int(scene[name])} {name.replace('_', ' ')}" for name in names]
        canvas.text((left, 229), " · ".join(supplies), FAINT, 9)

    def _market(self, canvas: Canvas, scene: dict[str, Any], left: float, right: float) -> None:
        """One row per commodity: the amount aboard, and the price next to its base."""
        canvas.line([(left, 248), (right, 248)], LINE, 1)
        for at, words in ((left + 92, "aboard"), (right - 34, "price"), (right, "base")):
            canvas.text((at, 255), words, FAINT, 9, "la" if words == "aboard" else "ra")
        for i, name in enumerate(self._goods):
            aboard, price, base = scene["cargo"][i], scene["price"][i], scene["price_base"][i]
            y, start = 270 + 20 * i, left + 92
            canvas.rectangle(left, y + 2, left + 8, y + 10, GOODS[i], radius=2)
            canvas.text((left + 13, y), name.replace("_", " "), SOFT, 10)
            canvas.rectangle(start, y + 2, start + 52, y + 10, SUNKEN, radius=3)
            if aboard > 1:
                canvas.rectangle(start, y + 2, start + 52 * min(aboard / 100, 1), y + 10, GOODS[i], radius=3)
            tint = GOOD if price > 1.1 * base else BAD if price < 0.9 * base else INK
            canvas.text((right - 34, y), f"{price:.0f}", tint, 10, "ra")
            canvas.text((right, y), f"{base:.0f}", FAINT, 10, "ra")


# ------------------------------------------------------------ where nodes lie


def known_edges(rows: np.ndarray, known: set[int]) -> dict[tuple[int, int], float]:
    """Every edge between known nodes once, with its threat as known from the end that was listened at."""
    edges: dict[tuple[int, int], float] = {}
    for node, slots in enumerate(rows.reshape(-1, SLOTS, 4).tolist()):
        for neighbour, _, _, threat in slots:
            if neighbour < 0 or node not in known or int(neighbour) not in known:
                continue
            pair = min(node, int(neighbour)), max(node, int(neighbour))
            if pair not in edges or abs(edges[pair] - 0.5) < abs(threat - 0.5):
                edges[pair] = threat
    return edges


def layout(known: set[int], edges: dict[tuple[int, int], float]) -> tuple[dict[int, Point], int]:
    """Places in pixels and the number of rings: the station in the middle, each ring a hop further out.

    The tree of shortest ways from the station; every branch has room for its leaves, so its ways never cross.
    """
    children, depth = _tree(known, edges)
    leaves: dict[int, int] = {}
    for node in sorted(depth, key=lambda one: -depth[one]):
        leaves[node] = sum(leaves[child] for child in children[node]) or 1
    rings = max(1, *depth.values())
    places: dict[int, Point] = {}
    shares = {0: (0.0, 1.0)}
    for node in sorted(depth, key=lambda one: depth[one]):
        start, end = shares[node]
        angle, reach = (start + end) * math.pi - math.pi / 2, REACH * depth[node] / rings
        places[node] = MAP / 2 + math.cos(angle) * reach, HEIGHT / 2 - 8 + math.sin(angle) * reach
        per_leaf = (end - start) / leaves[node]
        for child in children[node]:
            until = start + per_leaf * leaves[child]
            shares[child], start = (start, until), until
    for node in known - places.keys():  # known, but without a known edge: outside the picture
        places[node] = (-50.0, -50.0)
    return places, rings


def _tree(known: set[int], edges: Iterable[tuple[int, int]]) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Children and depth of each node on the tree of shortest ways from the station, node 0."""
    next_to: dict[int, set[int]] = {node: set() for node in known | {0}}
    for one, other in edges:
        next_to[one].add(other)
        next_to[other].add(one)
    children: dict[int, list[int]] = {0: []}
    depth, queue = {0: 0}, deque([0])
    while queue:
        node = queue.popleft()
        for neighbour in sorted(next_to[node]):
            if neighbour not in depth:
                depth[neighbour] = depth[node] + 1
                children[neighbour] = []
                children[node].append(neighbour)
                queue.append(neighbour)
    return children, depth
