"""Every line of tag's picture, and what changes it."""

import numpy as np
import pytest
from drawing_calls import Recorder, check, keep, last_picture
from test_looks import MOMENTS, played

import sandlot
from sandlot.games.rendering import tag
from sandlot.games.rendering.tag import ROLES, SIZE, TagRenderer

SCENES = ("tag_start", "tag_switch", "tag_teams", "tag_won")


def calls(name):
    with played(name) as view:
        return last_picture(view, "_ground")


@pytest.mark.parametrize("name", SCENES)
def test_every_shape_of_a_moment_is_where_it_was(name):
    assert MOMENTS[name][0] == "tag"
    check(name, calls(name))


@pytest.fixture
def scene():
    with sandlot.make("tag", config={"tick_rate": 60, "ticks_per_step": 3, "time_limit": 8}) as world:
        world.reset(seed=8)
        yield TagRenderer(world.spec), world.render(0)


def texts(lines):
    return [line.split("words=")[1].split(" ")[0] for line in lines if line.startswith("text")]


def drawn(renderer, scene, **changes):
    with Recorder() as recorder:
        renderer.draw(scene | changes)
    return recorder.lines


def test_a_film_runs_at_the_pace_of_the_game(scene):
    assert scene[0].fps == 20.0


def test_the_middle_of_the_arena_is_the_middle_of_the_picture(scene):
    renderer, _ = scene
    assert renderer._at(0, 0) == (200, 200)
    assert renderer._at(10, -10) == pytest.approx((SIZE - tag.MARGIN, tag.MARGIN))


@pytest.mark.parametrize(("left", "end"), [(8.0, "392.00"), (4.0, "200.00"), (0.0, "8.00"), (-1.0, "8")])
def test_the_bar_of_time_is_as_long_as_what_is_left(scene, left, end):
    lines = drawn(*scene, time_left=left)
    bars = [line for line in lines if f"top={SIZE - 9} " in line]
    assert len(bars) == 2 and f"right={end} " in bars[1]
    assert f"{left:.1f}_s" in texts(lines)


def test_the_winner_is_named_in_its_colour(scene):
    for winner, words in ((1.0, "Seeker_wins"), (2.0, "Hider_wins")):
        lines = drawn(*scene, winner=winner)
        (line,) = [line for line in lines if f"words={words} " in line]
        assert f"fill=({','.join(map(str, ROLES[winner == 1]))})" in line
    assert not any("wins" in text for text in texts(drawn(*scene, winner=0.0)))


def test_an_agent_that_is_out_is_a_cross_without_sight_or_body(scene):
    renderer, plain = scene
    here = drawn(renderer, plain)
    gone = drawn(renderer, plain, out=np.array([0.0, 1.0]))
    crosses = [line for line in gone if line.startswith("line") and "width=2" in line]
    assert len(crosses) == 2 and len(gone) < len(here)
    polygons = [sum(line.startswith("polygon") for line in lines) for lines in (here, gone)]
    assert polygons[0] - polygons[1] == 4, "sight, shadow, body and its light"


@pytest.mark.parametrize(("top", "low"), [(1.49, True), (1.5, False)])
def test_a_box_that_can_be_jumped_on_has_planks_and_a_tall_one_a_cross(scene, top, low):
    renderer, _ = scene
    canvas = tag.Canvas(SIZE, SIZE)
    with Recorder() as recorder:
        renderer._box(canvas, -1.0, 0.0, -1.0, 1.0, top, 1.0)
    shadow, box, *lines = recorder.lines
    assert f"fill=({','.join(map(str, tag.LOW_BOX if low else tag.TALL_BOX))})" in box
    left, right = f"{renderer._at(-1, 0)[0]:.2f}", f"{renderer._at(1, 0)[0]:.2f}"
    ends = [line.split("points=")[1].split(" ")[0] for line in lines]
    assert len(lines) == 2 and all(end.startswith(f"(({left},") and f"({right}," in end for end in ends)
    levels = [len({point.split(",")[1] for point in end.strip("()").split("),(")}) for end in ends]
    assert levels == ([1, 1] if low else [2, 2]), "level planks, or slanted lines"
    drop = 2 + 3 * top
    assert shadow.startswith(f"rectangle left={renderer._at(-1, 0)[0] + drop:.2f} ")


def test_an_immune_agent_has_a_ring(scene):
    renderer, plain = scene
    with_ring = drawn(renderer, plain, immunity=np.array([0.5, 0.0]))
    without = drawn(renderer, plain, immunity=np.array([0.0, 0.0]))
    assert len(with_ring) > 0
    rings = [sum(line.startswith("circle") for line in lines) for lines in (with_ring, without)]
    assert rings[0] - rings[1] >= 1


def test_the_highest_agent_is_drawn_last(scene):
    renderer, plain = scene
    drawn(renderer, plain)  # the ground
    for heights, last in (((0.5, 2.0), 1), ((2.0, 0.5), 0)):
        position = plain["position"].copy()
        position[:, 1] = heights
        bodies = [
            line
            for line in drawn(renderer, plain, position=position)
            if "line=(16,21,25,255) width=1" in line
        ]
        tint = ",".join(map(str, ROLES[bool(plain["seeker"][last])]))
        assert f"fill=({tint})" in bodies[-1]


def test_the_ground_is_drawn_once_for_the_same_boxes(scene):
    renderer, plain = scene
    assert drawn(renderer, plain)[0].startswith("init ")
    again = drawn(renderer, plain)
    assert not any(line.startswith("init ") for line in again)
    boxes = plain["boxes"].copy()
    boxes[0, 4] += 0.25
    assert drawn(renderer, plain, boxes=boxes)[0].startswith("init ")


def test_a_trail_keeps_its_last_places_and_no_place_twice(scene):
    renderer, plain = scene
    position = plain["position"].copy()
    for step in range(40):
        position = position.copy()
        position[0, 0] = step / 10
        renderer.draw(plain | {"tick": step, "position": position})
    assert [len(trail) for trail in renderer._trails] == [tag.TRAIL, 1]
    assert renderer._trails[0][-1] == pytest.approx(renderer._at(3.9, position[0, 2]), abs=1e-4)
    renderer.draw(plain | {"tick": 39})
    assert len(renderer._trails[0]) == tag.TRAIL, "the same tick goes on"
    renderer.draw(plain | {"tick": 3})
    assert [len(trail) for trail in renderer._trails] == [1, 1]


if __name__ == "__main__":  # PYTHONPATH=tests python tests/games/rendering/test_tag.py
    for each in SCENES:
        keep(each, calls(each))
