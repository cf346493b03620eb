"""The path map: where each agent went in one match, seen from above."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .plotting import DOTS_PER_INCH, FAINT, INK, STYLE, headline, pyplot, save
from .role_styles import role_colours

LOW_BOX_M = 1.5  # one can jump onto boxes below this height


def has_paths(game: str, state: Mapping[str, Any]) -> bool:
    """Whether what a game renders has what a path map shows."""
    return {"position", "boxes", "box_count", "arena_half"} <= set(state) and bool(_flagged(game, state))


def _flagged(game: str, state: Mapping[str, Any]) -> str | None:
    """The role whose flag the state holds: a field with its name, 1 for each agent that plays it."""
    return next((role for role in role_colours(game) if role in state), None)


def draw_paths(
    path: Path,
    game: str,
    states: Sequence[Mapping[str, Any]],
    title: str,
    note: str,
    dpi: int = DOTS_PER_INCH,
) -> Path:
    """states: what a replay renders, step by step."""
    colours, flagged = role_colours(game), str(_flagged(game, states[0]))
    others = [role for role in colours if role != flagged]
    plt = pyplot()
    places = np.array([state["position"] for state in states])  # [steps, agents, xyz]
    flags = np.array([state[flagged] for state in states]) > 0  # [steps, agents]
    roles = np.where(flags, flagged, others[0])
    with plt.rc_context(STYLE):
        figure = plt.figure(figsize=(6.6, 7.4))
        headline(figure, title, note)
        axes = figure.add_axes((0.12, 0.07, 0.86, 0.80))
        _draw_arena(axes, states[0])
        for agent in range(places.shape[1]):
            _draw_path(axes, places[:, agent, 0], places[:, agent, 2], roles[:, agent], colours)
        save(figure, path, dpi)
    return path


def _draw_arena(axes: Any, state: Mapping[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    half = float(np.ravel(state["arena_half"])[0])
    axes.add_patch(Rectangle((-half, -half), 2 * half, 2 * half, fill=False, edgecolor=INK, linewidth=1.6))
    for box in np.array(state["boxes"])[: int(np.ravel(state["box_count"])[0])]:
        x, z, width, depth = box[0], box[2], box[3] - box[0], box[5] - box[2]
        colour = FAINT if box[4] < LOW_BOX_M else "#c3ccd6"
        axes.add_patch(Rectangle((x, z), width, depth, facecolor=colour, edgecolor="#aab4c0", linewidth=0.8))
    edge = half + 0.4
    axes.set(xlim=(-edge, edge), ylim=(edge, -edge), aspect="equal", xlabel="x, metres", ylabel="z, metres")
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)


def _draw_path(axes: Any, x: np.ndarray, z: np.ndarray, roles: np.ndarray, colour: Mapping[str, str]) -> None:
    """Fading in from the start; a dot where it begins, a cross where it ends."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patheffects import withStroke

    points = np.stack([x, z], axis=1)
    strength = np.linspace(0.25, 1.0, max(1, len(points) - 1))
    colours = [to_rgba(colour[role], a) for role, a in zip(roles[1:], strength, strict=False)]
    segments = list(np.stack([points[:-1], points[1:]], axis=1))
    axes.add_collection(LineCollection(segments, colors=colours, linewidths=2.2))
    axes.plot(x[0], z[0], "o", color=colour[roles[0]], markersize=8)
    axes.plot(x[-1], z[-1], "X", color=colour[roles[-1]], markersize=11, markeredgecolor="white")
    outline = [withStroke(linewidth=3, foreground="white")]
    axes.annotate(roles[0], (x[0], z[0]), xytext=(9, -14), textcoords="offset points", fontsize=9.5,
                  fontweight="bold", color=colour[roles[0]], path_effects=outline)  # fmt: skip
