"""Every line of landing's picture, and what changes it."""

import numpy as np
import pytest
from drawing_calls import Recorder, check, keep, last_picture
from test_looks import MOMENTS, played

import sandlot
from sandlot.games.rendering import landing
from sandlot.games.rendering.landing import BAD, GOOD, SIZE, LandingRenderer, terrain_height

SCENES = ("landing_approach", "landing_over", "landing_crash")


def calls(name):
    with played(name) as view:
        return last_picture(view)


@pytest.mark.parametrize("name", SCENES)
def test_every_shape_of_a_moment_is_where_it_was(name):
    assert MOMENTS[name][0] == "landing"
    check(name, calls(name))


@pytest.fixture
def scene():
    with sandlot.make("landing", config={"tick_rate": 60, "ticks_per_step": 3}) as world:
        world.reset(seed=8)
        yield LandingRenderer(world.spec), world.render(0)


def drawn(renderer, scene, **changes):
    with Recorder() as recorder:
        renderer.draw(scene | changes)
    return recorder.lines


def flames(lines):
    tint = ",".join(map(str, landing.FIRE))
    return [line for line in lines if line.startswith("polygon") and f"fill=({tint})" in line]


def test_a_film_runs_at_the_pace_of_the_game(scene):
    assert scene[0].fps == 20.0


def test_the_terrain_is_that_on_which_the_craft_stands():
    """Where a craft has come down, its feet are on the drawn surface, not in it."""
    with played("landing_crash") as view:
        scene = view._world.render(0)
    x, y, z = (float(v) for v in scene["position"])
    assert 0 <= y - terrain_height(scene, np.array([x]), z)[0] <= scene["legs"][0] + 1


def test_the_pad_is_flat_and_the_terrain_is_smooth_around_it(scene):
    _, scene = scene
    flat, rise = (float(v) for v in scene["terrain"][4:])
    near = terrain_height(scene, np.linspace(-0.7 * flat, 0.7 * flat, 9), 0.7 * flat)
    assert near.tolist() == [0.0] * 9
    far = terrain_height(scene, np.linspace(flat + rise, flat + rise + 500, 200), 0.0)
    height = float(scene["terrain"][0])
    assert 0.5 * height < np.abs(far).max() <= height
    again = terrain_height(scene, np.linspace(flat + rise, flat + rise + 500, 200) + scene["terrain"][1], 0.0)
    assert np.allclose(far, again, atol=1e-3), "one wavelength further it looks the same"


def test_the_view_closes_in_as_the_craft_comes_down_but_never_closer_than_so_many_metres(scene):
    renderer, scene = scene
    metres = []
    for place in ((0, 800, 0), (0, 100, 0), (0, 2, 0), (500, 2, 0)):
        renderer.draw(scene | {"position": np.array(place, np.float32)})
        metres.append(SIZE / renderer._metre)
    assert metres == pytest.approx([1000, 125, landing.CLOSEST, 1200])
    assert renderer._middle == 250, "between craft and pad"


@pytest.mark.parametrize(
    ("thrust", "fuel", "burning"),
    [
        ((0, 1, 0), 0.5, 1),
        ((0, 1, 0), 0.0, 0),
        ((0, 0, 0), 0.5, 0),
        ((0.02, 0, 0), 0.5, 1),
        ((0, 0.005, 0), 1, 0),
    ],
)
def test_a_flame_shows_thrust_while_there_is_fuel(scene, thrust, fuel, burning):
    lines = drawn(*scene, thrust=np.array(thrust, np.float32), fuel_left=np.float32(fuel))
    assert len(flames(lines)) == burning


def test_a_trail_is_of_this_landing_alone(scene):
    renderer, scene = scene
    for tick in range(landing.TRAIL + 5):
        renderer.draw(scene | {"tick": np.int32(tick)})
    assert len(renderer._trail) == landing.TRAIL
    renderer.draw(scene | {"tick": np.int32(0)})
    assert len(renderer._trail) == 1


@pytest.mark.parametrize(
    ("ending", "words", "tint"),
    [(1, "Soft_landing", GOOD), (2, "Hard_landing", BAD), (3, "Crash", BAD), (4, "Out_of_bounds", BAD)],
)
def test_an_ending_is_written_across_the_picture(scene, ending, words, tint):
    assert not [line for line in drawn(*scene) if "size=22" in line]
    (line,) = [line for line in drawn(*scene, ending=np.int32(ending)) if "size=22" in line]
    assert f"words={words} " in line and f"fill=({','.join(map(str, tint))})" in line


if (
    __name__ == "__main__"
):  # PYTHONPATH=tests:tests/games/rendering python tests/games/rendering/test_landing.py
    for each in SCENES:
        keep(each, calls(each))
