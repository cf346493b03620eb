"""Draws docs/pictures/overview.png: the packages at a glance, a match of tag and a prospector's belt.

Needs matplotlib (the extra `train`). What is drawn below the diagram comes from the render block of the
engine; nothing is staged but the choice of seeds.

    .venv/bin/python docs/pictures/draw.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle
from PIL import Image

import sandlot

HERE = Path(__file__).parent
PAPER, INK, FAINT = "#fbfaf7", "#22252b", "#8b8f98"
SEEKER, HIDER, SIGHT, SPACE = "#d1462f", "#2f6fd1", "#e8b04a", "#1d2231"
FRAME = np.array([[0.07, 0.17], [0.93, 0.93]])  # of the belt, in its panel
TAG_FIRST_STEP = 60  # of a match from which a moment may be drawn
BELT_SEED, BELT_TICKS, LAYOUT_SEED = 3, 4000, 4
TAG_NOTE = "Light boxes can be jumped on. 36 rays over 120°; red ones meet the hider."
BELT_NOTE = "Filled: visited, larger with more asteroids. Ring: seen from next door. Red: hazard."
GAUGES = {
    "fuel": ("fuel", 1000),
    "hull": ("hull", 100),
    "heat": ("heat", 100),
    "tool": ("tool", 100),
    "hold": ("cargo_total", 200),
}
SLOTS = 6  # edges a node may have
SEE_AGENT = 2  # ray types: none, wall, agent


# ---------------------------------------------------------------- the packages


def box(
    axes: Axes, x: float, y: float, width: float, height: float, title: str, text: str, color: str
) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x, y), width, height, boxstyle="round,pad=0,rounding_size=0.12", fc=color, ec=INK, lw=1.1
        )
    )
    axes.text(
        x + width / 2,
        y + height * 0.64,
        title,
        ha="center",
        va="center",
        fontsize=11.5,
        weight="bold",
        color=INK,
    )
    axes.text(x + width / 2, y + height * 0.28, text, ha="center", va="center", fontsize=9, color=INK)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=13, color=INK, lw=1.2))


def draw_house(axes: Axes) -> None:
    axes.set(xlim=(0, 20), ylim=(0, 2.7))
    axes.axis("off")
    box(axes, 0.1, 1.45, 4.0, 1.1, "tag", "cubes with eyes, in C", "#f6ded8")
    box(axes, 0.1, 0.15, 4.0, 1.1, "prospector", "one ship, 69 actions, in C", "#dde8f7")
    box(
        axes,
        6.0,
        0.55,
        4.7,
        1.6,
        "libsandlot",
        "N worlds over your arrays,\nthreads, snapshots, hashes",
        "#efe9d9",
    )
    arrow(axes, (4.15, 2.0), (5.95, 1.55))
    arrow(axes, (4.15, 0.7), (5.95, 1.15))
    interfaces = ("Python arrays", "Gymnasium, PettingZoo, PufferLib", "WebAssembly")
    for i, name in enumerate(interfaces):
        y = 1.95 - 0.9 * i
        axes.add_patch(
            FancyBboxPatch(
                (12.9, y), 6.9, 0.65, boxstyle="round,pad=0,rounding_size=0.1", fc="white", ec=INK, lw=1
            )
        )
        axes.text(16.35, y + 0.325, name, ha="center", va="center", fontsize=10.5, color=INK)
        arrow(axes, (10.75, 1.35), (12.85, y + 0.325))
    axes.text(
        8.35, 0.2, "same seed and actions, same bits", ha="center", fontsize=9, style="italic", color=FAINT
    )


# ---------------------------------------------------------------- tag


def play_tag() -> tuple[dict[str, Any], np.ndarray]:
    """The first moment worth drawing, and where everybody was until then, [steps, agents, 3]."""
    for seed in range(1000):
        with sandlot.make("tag", seed=seed) as world:
            world.reset(seed)
            players = [sandlot.bot("tag", "chase"), sandlot.bot("tag", "evade")]
            memories: list[Any] = [None, None]
            trail = [world.render()["position"]]
            over = 0
            while not over:
                for row, player in enumerate(players):
                    rows = slice(row, row + 1)
                    world.actions[rows], memories[row] = player.act(
                        world.observations[rows], state=memories[row]
                    )
                over = world.step()
                state = world.render()
                trail.append(state["position"])
                if not over and len(trail) > TAG_FIRST_STEP and worth_drawing(state):
                    return state, np.array(trail)
    raise SystemExit("No match has a moment worth drawing; look at worth_drawing().")


def worth_drawing(state: dict[str, Any]) -> bool:
    """The hider in view but not yet caught, boxes in the way of other rays, both well inside the arena."""
    places = state["position"][:, [0, 2]]
    hits = (state["ray_type"][0] == SEE_AGENT).sum()
    blocked = (state["ray_distance"][0] < 6).sum()
    apart = np.hypot(*(places[0] - places[1]))
    return bool(hits >= 4 and 8 <= blocked <= 20 and 4 < apart < 8 and np.abs(places).max() < 7)


def draw_tag(axes: Axes) -> None:
    state, trail = play_tag()
    half = state["arena_half"]
    axes.set(xlim=(-half - 0.35, half + 0.35), ylim=(half + 0.35, -half - 0.35), aspect="equal")
    axes.axis("off")
    axes.add_patch(
        Rectangle((-half - 0.35, -half - 0.35), 2 * half + 0.7, 2 * half + 0.7, fc="#5b5f68", ec="none")
    )
    axes.add_patch(Rectangle((-half, -half), 2 * half, 2 * half, fc="#f3f1ea", ec="none"))
    draw_sight(axes, state)
    for low_x, _, low_z, high_x, top, high_z in state["boxes"][: int(state["box_count"])]:
        shade = "#c9c4b6" if top < 1.5 else "#8f8b80"
        axes.add_patch(
            Rectangle((low_x, low_z), high_x - low_x, high_z - low_z, fc=shade, ec="white", lw=1.2)
        )
    for agent, color in enumerate((SEEKER, HIDER)):
        axes.plot(
            trail[:, agent, 0], trail[:, agent, 2], color=color, lw=2, alpha=0.45, solid_capstyle="round"
        )
        draw_body(axes, state, agent, color)


def draw_sight(axes: Axes, state: dict[str, Any]) -> None:
    """The fan of the seeker's rays, brighter where one of them meets an agent."""
    x, _, z = state["position"][0]
    face_x, face_z = state["facing"][0]
    turn = np.radians(120 * (np.arange(36) / 35 - 0.5))  # to the left
    ray_x = face_x * np.cos(turn) + face_z * np.sin(turn)
    ray_z = face_z * np.cos(turn) - face_x * np.sin(turn)
    ends = np.stack([x + ray_x * state["ray_distance"][0], z + ray_z * state["ray_distance"][0]], axis=1)
    axes.add_patch(Polygon([(x, z), *ends], fc=SIGHT, alpha=0.22, ec="none"))
    for end, kind in zip(ends, state["ray_type"][0], strict=True):
        color, width = (SEEKER, 1.5) if int(kind) == SEE_AGENT else (SIGHT, 0.7)
        axes.plot([x, end[0]], [z, end[1]], color=color, lw=width, alpha=0.8)


def draw_body(axes: Axes, state: dict[str, Any], agent: int, color: str) -> None:
    x, _, z = state["position"][agent]
    edge, (face_x, face_z) = state["body_edge"], state["facing"][agent]
    axes.add_patch(
        Rectangle((x - edge / 2, z - edge / 2), edge, edge, fc=color, ec="white", lw=1.4, zorder=5)
    )
    for side in (-0.22, 0.22):
        eye = (x + 0.24 * face_x - side * face_z, z + 0.24 * face_z + side * face_x)
        axes.plot(*eye, "o", ms=3.4, color="white", zorder=6)


# ---------------------------------------------------------------- prospector


def play_belt() -> dict[str, Any]:
    """What the `tour` bot knows of the belt after a while, at work."""
    with sandlot.make("prospector", seed=BELT_SEED) as world:
        world.reset(BELT_SEED)
        pilot, memory = sandlot.bot("prospector", "tour"), None
        state = world.render()
        while state["ticks"] < BELT_TICKS or state["cargo_total"] < 60:
            world.actions[:], memory = pilot.act(world.observations, world.masks, memory)
            if world.step():
                break
            state = world.render()
        return state


def edges_of(state: dict[str, Any]) -> list[tuple[int, int]]:
    """Both ends of every known edge, once."""
    slots = enumerate(state["edges"][:, 0])
    ends = {frozenset((slot // SLOTS, int(neighbor))) for slot, neighbor in slots if neighbor >= 0}
    return sorted((min(pair), max(pair)) for pair in ends)


def lay_out(nodes: list[int], edges: list[tuple[int, int]]) -> dict[int, np.ndarray]:
    """Springs along edges and a push between all: near what it is joined to, away from the rest."""
    places = np.random.default_rng(LAYOUT_SEED).normal(size=(len(nodes), 2))
    joined = np.zeros((len(nodes), len(nodes)))
    for a, b in edges:
        joined[nodes.index(a), nodes.index(b)] = joined[nodes.index(b), nodes.index(a)] = 1
    for heat in np.linspace(0.25, 0.005, 2500):
        gap = places[:, None] - places[None]
        distance = np.maximum(np.hypot(gap[..., 0], gap[..., 1]), 0.05)
        pull = 0.6 / distance**2 - joined * 0.8 * (distance - 0.8)
        push = (gap / distance[..., None] * pull[..., None]).sum(1)
        places += heat * push / np.maximum(1.0, np.hypot(push[:, 0], push[:, 1]))[:, None]
    return dict(zip(nodes, places, strict=True))


def draw_belt(axes: Axes) -> None:
    state = play_belt()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
    axes.add_patch(Rectangle((0, 0), 1, 1, fc=SPACE, ec="none"))
    stars = np.random.default_rng(1).uniform(0.01, 0.99, (140, 2))
    axes.scatter(*stars.T, s=np.tile([0.4, 0.8, 1.6], 47)[:140], color="white", alpha=0.35, lw=0)
    nodes = [int(i) for i in np.flatnonzero(state["nodes"][:, 0] > 0)]
    edges = edges_of(state)
    place = into_frame(lay_out(nodes, edges))
    for a, b in edges:
        axes.plot(*zip(place[a], place[b], strict=True), color="#5d6a86", lw=1.8, zorder=1)
    for node in nodes:
        draw_node(axes, state, node, place[node])
    draw_gauges(axes, state)


def into_frame(place: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    """Stretched over the panel, above the gauges."""
    points = np.array(list(place.values()))
    low, high = points.min(0), points.max(0)
    return {node: FRAME[0] + (at - low) / (high - low) * (FRAME[1] - FRAME[0]) for node, at in place.items()}


def draw_node(axes: Axes, state: dict[str, Any], node: int, place: np.ndarray) -> None:
    known, kind, _, asteroids = state["nodes"][node]
    color = {0: "white", 1: "#7db4f0", 2: "#ef6f57"}.get(int(kind), FAINT)
    size = 15 if kind == 0 else 11 + 0.9 * max(0.0, asteroids)
    fill = color if known > 1 else SPACE
    axes.plot(*place, "s" if kind == 0 else "o", ms=size, mfc=fill, mec=color, mew=1.8, zorder=3)
    if kind == 0:
        axes.annotate("station", place, (13, -3), textcoords="offset points", color="white", fontsize=9)
    if node == int(state["node"]):
        look = {"color": SIGHT, "fontsize": 9.5, "weight": "bold", "ha": "center"}
        axes.annotate("▲ ship", place, (0, size / 2 + 5), textcoords="offset points", **look)


def draw_gauges(axes: Axes, state: dict[str, Any]) -> None:
    for i, (name, (field, most)) in enumerate(GAUGES.items()):
        x, share = 0.05 + 0.185 * i, float(np.clip(state[field] / most, 0, 1))
        axes.add_patch(Rectangle((x, 0.045), 0.15, 0.022, fc="#3a4257", ec="none"))
        axes.add_patch(Rectangle((x, 0.045), 0.15 * share, 0.022, fc=SIGHT, ec="none"))
        axes.text(x, 0.08, name, color="white", fontsize=9)


def caption(figure: plt.Figure, x: float, title: str, notes: str) -> None:
    figure.text(x, 0.768, title, fontsize=13, weight="bold", color=INK)
    figure.text(x, 0.055, notes, fontsize=9.5, color="#6b6f78", va="top", linespacing=1.5)


def main() -> None:
    plt.rcParams["font.family"] = "DejaVu Sans"
    figure = plt.figure(figsize=(12, 8.4), facecolor=PAPER)
    draw_house(figure.add_axes((0.03, 0.81, 0.94, 0.18)))
    width, height = 0.475, 0.475 * 12 / 8.4  # two squares
    draw_tag(figure.add_axes((0.015, 0.075, width, height)))
    draw_belt(figure.add_axes((0.51, 0.075, width, height)))
    caption(figure, 0.015, "Tag: what the seeker sees", TAG_NOTE)
    caption(figure, 0.51, "Prospector: what the pilot knows", BELT_NOTE)
    figure.savefig(HERE / "overview.png", dpi=110, facecolor=PAPER)
    with Image.open(HERE / "overview.png") as drawn:  # a palette makes it a third of the size
        small = drawn.convert("RGB").quantize(128)
    small.save(HERE / "overview.png", optimize=True)
    print(f"{HERE.name}/overview.png written")


if __name__ == "__main__":
    main()
