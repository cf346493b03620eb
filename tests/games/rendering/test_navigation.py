"""Every line of navigation's picture, and what changes it."""

import math

import numpy as np
import pytest
from drawing_calls import Recorder, check, keep, last_picture
from test_looks import MOMENTS, played

import sandlot
from sandlot.games.rendering import navigation
from sandlot.games.rendering.navigation import BAD, GOAL, SIZE, NavigationRenderer, cells_of

SCENES = ("navigation_walk", "navigation_goal", "navigation_late")


def calls(name):
    with played(name) as view:
        return last_picture(view, "_ground")


@pytest.mark.parametrize("name", SCENES)
def test_every_shape_of_a_moment_is_where_it_was(name):
    assert MOMENTS[name][0] == "navigation"
    check(name, calls(name))


@pytest.fixture
def scene():
    with sandlot.make("navigation", config={"tick_rate": 60, "ticks_per_step": 3}) as world:
        world.reset(seed=8)
        yield NavigationRenderer(world.spec), world.render(0)


def drawn(renderer, scene, **changes):
    with Recorder() as recorder:
        renderer.draw(scene | changes)
    return recorder.lines


def test_a_film_runs_at_the_pace_of_the_game(scene):
    assert scene[0].fps == 20.0


def test_cells_are_the_bits_of_their_block():
    rows = np.zeros((3, 2), np.float32)
    rows[0, 0], rows[1, 1], rows[2, 0] = 1, 2, 2**11 + 1
    assert cells_of(rows, 3) == [(0, 0), (0, 2)]
    assert cells_of(np.vstack([rows, np.zeros((11, 2))]), 14) == [(0, 0), (13, 1), (0, 2), (11, 2)]


def test_the_middle_of_the_area_is_the_middle_of_the_picture_and_its_corner_the_corner(scene):
    renderer, scene = scene
    renderer.draw(scene)
    half = float(scene["grid"][0] * scene["grid"][1]) / 2
    assert renderer._at(0, 0) == pytest.approx((SIZE / 2, SIZE / 2))
    assert renderer._at(-half, half) == pytest.approx((0, SIZE))


def test_a_walker_looks_along_its_nose(scene):
    """Yaw 0 is north, up in the picture; a quarter turn to the left is west."""
    for yaw, (dx, dy) in ((0.0, (0, -1)), (math.pi / 2, (-1, 0))):
        lines = drawn(*scene, head=np.array([yaw, 0, 1.6], np.float32))
        (nose,) = [line for line in lines if line.startswith("line") and "width=2" in line]
        (x1, y1), (x2, y2) = (
            tuple(map(float, each.strip("()").split(",")))
            for each in nose.split("points=(")[1].split(") ")[0].split("),(")
        )
        away = math.hypot(x2 - x1, y2 - y1)
        assert ((x2 - x1) / away, (y2 - y1) / away) == pytest.approx((dx, dy), abs=0.01)


@pytest.mark.parametrize(("vignette", "wide"), [(0.0, None), (0.01, None), (0.5, "20.00"), (1.0, "40.00")])
def test_a_vignette_darkens_the_edges_by_its_strength(scene, vignette, wide):
    shade = f"fill=({','.join(map(str, navigation.SHADE))})"
    found = [line for line in drawn(*scene, vignette=np.float32(vignette)) if shade in line]
    assert len(found) == (2 if wide else 0)
    if wide:
        assert f"left=0 top=0 right={SIZE} bottom={wide} " in found[0]


def test_a_trail_is_of_this_walk_alone(scene):
    renderer, scene = scene
    for tick in range(navigation.TRAIL + 5):
        renderer.draw(scene | {"tick": np.int32(tick)})
    assert len(renderer._trail) == navigation.TRAIL == 400
    renderer.draw(scene | {"tick": np.int32(0)})
    assert len(renderer._trail) == 1


def test_walls_and_pits_are_drawn_again_when_they_change(scene):
    renderer, scene = scene
    first = renderer.draw(scene)
    assert (
        renderer._ground[1] is renderer._ground[1]
        and (renderer.draw(scene | {"tick": np.int32(0)}) == first).all()
    )
    kept = renderer._ground[1]
    renderer.draw(scene)
    assert renderer._ground[1] is kept
    for block in ("walls", "holes"):
        renderer.draw(scene | {block: np.full_like(scene[block], 4095)})
        assert renderer._ground[1] is not kept


@pytest.mark.parametrize(
    ("ending", "words", "tint"),
    [(1, "Goal", GOAL), (2, "Fell", BAD), (3, "Collisions", BAD), (4, "Timeout", BAD)],
)
def test_an_ending_is_written_across_the_picture(scene, ending, words, tint):
    assert not [line for line in drawn(*scene) if "size=22" in line]
    (line,) = [line for line in drawn(*scene, ending=np.int32(ending)) if "size=22" in line]
    assert f"words={words} " in line and f"fill=({','.join(map(str, tint))})" in line


if (
    __name__ == "__main__"
):  # PYTHONPATH=tests:tests/games/rendering python tests/games/rendering/test_navigation.py
    for each in SCENES:
        keep(each, calls(each))
