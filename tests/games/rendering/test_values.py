"""Every line of the picture of a game that has none of its own."""

import numpy as np
import pytest
from drawing_calls import Recorder, check, keep

import sandlot
from sandlot.games.rendering import values
from sandlot.games.rendering.values import ValuesRenderer

GAMES = ("landing", "navigation")


def calls(game):
    with sandlot.make(game) as world, Recorder() as recorder:
        world.reset(seed=3)
        ValuesRenderer(world.spec).draw(world.render(0))
    return recorder.lines


@pytest.mark.parametrize("game", GAMES)
def test_every_number_is_where_it_was(game):
    check(f"values_{game}", calls(game))


def test_a_picture_has_so_many_lines_and_an_even_height():
    spec = sandlot.load_spec("navigation")
    assert spec.shape.render > values.MAX_LINES
    renderer = ValuesRenderer(spec)
    assert len(renderer._lines) == values.MAX_LINES and renderer._height % 2 == 0
    assert renderer.fps == 20.0


def test_a_number_outside_its_range_fills_the_bar_or_leaves_it_empty():
    spec = sandlot.load_spec("landing")
    renderer = ValuesRenderer(spec)
    index, field = next((i, f) for i, (f, _) in enumerate(renderer._lines) if f.low is not None)
    scene = {each.name: np.zeros(each.shape) for each in spec.render}
    ends = {}
    for value in (field.low - 1, field.high + 1, np.nan):
        with Recorder() as recorder:
            renderer._line(values.Canvas(values.WIDTH, 20), 10, field, 0, value)
        bars = [line for line in recorder.lines if line.startswith("rectangle")]
        ends[value] = [float(bar.split("right=")[1].split(" ")[0]) for bar in bars]
    assert list(ends.values()) == [[values.BAR_RIGHT, values.BAR_LEFT], [values.BAR_RIGHT] * 2, []]
    assert scene and index >= 0


if (
    __name__ == "__main__"
):  # PYTHONPATH=tests:tests/games/rendering python tests/games/rendering/test_values.py
    for each in GAMES:
        keep(f"values_{each}", calls(each))
