"""A path map: the arena, its boxes and where each agent went, read from the axes."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Rectangle

from sandlot.media.paths import draw_paths
from sandlot.media.plotting import FAINT
from sandlot.media.role_styles import role_colours

from .drawn_figures import keep_figures, points, texts

ROLE_COLOURS = role_colours("tag")
BOXES = [[-3, 0, -2, -1, 1.49, 0], [1, 0, 1, 2, 1.5, 3], [9, 9, 9, 9, 9, 9]]
FIRST = [(0.0, 0.0, 1.0), (1.0, 0.5, 2.0), (2.0, 0.0, 3.0), (3.0, 0.0, 4.0)]
SECOND = [(-1.0, 0.0, -1.0), (-2.0, 0.0, -2.0), (-3.0, 0.0, -2.5), (-4.0, 0.0, -3.0)]


@pytest.fixture
def axes(monkeypatch):
    states = [
        {
            "position": [FIRST[i], SECOND[i]], "seeker": [i < 2, i >= 2], "boxes": BOXES, "box_count": [2],
            "arena_half": [6.0],
        }
        for i in range(4)
    ]  # fmt: skip
    figures = keep_figures(monkeypatch)
    draw_paths("x.png", "tag", states, "Paths", "window 3")
    assert texts(figures[0]) == ["Paths", "window 3"]
    yield figures[0].axes[0]
    plt.close("all")


def test_the_arena_and_the_boxes_in_use_are_drawn_to_scale(axes):
    arena, *boxes = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert (arena.get_xy(), arena.get_width(), arena.get_height()) == ((-6, -6), 12, 12)
    assert not arena.get_fill()
    assert [(b.get_xy(), b.get_width(), b.get_height()) for b in boxes] == [
        ((-3, -2), 2, 2), ((1, 1), 1, 2),
    ]  # fmt: skip
    assert [to_hex(b.get_facecolor()) for b in boxes] == [FAINT, "#c3ccd6"], "low ones are lighter"
    assert axes.get_xlim() == pytest.approx((-6.4, 6.4)) and axes.get_ylim() == pytest.approx((6.4, -6.4))
    assert not any(spine.get_visible() for spine in axes.spines.values())
    assert not any(tick.gridline.get_visible() for tick in axes.yaxis.get_major_ticks())
    assert axes.get_aspect() == 1 and (axes.get_xlabel(), axes.get_ylabel()) == ("x, metres", "z, metres")


def test_each_path_fades_in_and_changes_its_colour_with_the_role(axes):
    first, second = axes.collections
    assert [segment.tolist() for segment in first.get_segments()] == [
        [[0, 1], [1, 2]], [[1, 2], [2, 3]], [[2, 3], [3, 4]],
    ]  # fmt: skip
    roles = ("seeker", "hider", "hider")
    wanted = [to_rgba(ROLE_COLOURS[r], a) for r, a in zip(roles, (0.25, 0.625, 1.0), strict=True)]
    assert np.allclose(first.get_colors(), wanted)
    roles = ("hider", "seeker", "seeker")
    wanted = [to_rgba(ROLE_COLOURS[r], a) for r, a in zip(roles, (0.25, 0.625, 1.0), strict=True)]
    assert np.allclose(second.get_colors(), wanted)


def test_a_path_has_a_dot_where_it_begins_a_cross_where_it_ends_and_a_name(axes):
    marks = [(line.get_marker(), line.get_color(), points(*line.get_data())) for line in axes.lines]
    assert marks == [
        ("o", ROLE_COLOURS["seeker"], [(0, 1)]), ("X", ROLE_COLOURS["hider"], [(3, 4)]),
        ("o", ROLE_COLOURS["hider"], [(-1, -1)]), ("X", ROLE_COLOURS["seeker"], [(-4, -3)]),
    ]  # fmt: skip
    named = {text.get_text(): (text.xy, text.get_color()) for text in axes.texts}
    assert named == {
        "seeker": ((0.0, 1.0), ROLE_COLOURS["seeker"]),
        "hider": ((-1.0, -1.0), ROLE_COLOURS["hider"]),
    }


def test_a_match_of_one_moment_is_drawn_too(monkeypatch):
    figures = keep_figures(monkeypatch)
    state = {"position": [FIRST[0]], "seeker": [1.0], "boxes": [], "box_count": 0, "arena_half": 6.0}
    draw_paths("x.png", "tag", [state], "Paths", "")
    (axes,) = figures[0].axes
    assert [len(c.get_segments()) for c in axes.collections] == [0]
    plt.close("all")
