"""Shapes lie where they were asked for, to the pixel, with smooth edges."""

import numpy as np
import pytest

from sandlot.games.rendering.canvas import SCALE, Canvas, colour, font, lettered, mixed

WHITE, RED = (255, 255, 255, 255), (255, 0, 0, 255)


@pytest.fixture
def canvas():
    return Canvas(40, 30)


def lit(canvas):
    """Left, top, right and bottom of everything that is not black, in whole pixels."""
    rows, columns = np.nonzero(canvas.pixels().any(axis=2))
    return columns.min(), rows.min(), columns.max(), rows.max()


def test_colours_are_read_from_their_usual_writing():
    assert colour("#e8c47a") == (232, 196, 122, 255) and colour("#000010", 0.5) == (0, 0, 16, 128)
    assert mixed((0, 100, 200, 255), (100, 0, 200, 255), 0.25) == (25, 75, 200, 255)


def test_a_blank_canvas_is_black_or_of_its_ground(canvas):
    assert not canvas.pixels().any() and canvas.pixels().shape == (30, 40, 3)
    assert (Canvas(4, 3, (9, 8, 7, 255)).pixels() == (9, 8, 7)).all()
    assert SCALE == 2


def test_a_rectangle_reaches_from_corner_to_corner(canvas):
    canvas.rectangle(5, 6, 15, 16, WHITE)
    assert lit(canvas) == (5, 6, 15, 16)
    assert (canvas.pixels()[6:16, 5:15] == 255).all()


def test_a_rectangle_whose_end_lies_before_its_start_is_hardly_there(canvas):
    """Pillow would raise; a gauge of less than nothing must not."""
    canvas.rectangle(5, 6, 3, 4, WHITE)
    assert canvas.pixels().any(axis=2).sum() <= 1


def test_an_outline_has_its_width_and_a_radius_takes_the_corners(canvas):
    canvas.rectangle(5, 5, 25, 25, None, RED, 2)
    pixels = canvas.pixels()
    assert tuple(pixels[5, 5]) == (255, 0, 0) and not pixels[15, 15].any()
    assert tuple(pixels[15, 6]) == (255, 0, 0) and not pixels[15, 8].any()
    round_one = Canvas(40, 30)
    round_one.rectangle(5, 5, 25, 25, WHITE, radius=6)
    assert not round_one.pixels()[5, 5].any() and (round_one.pixels()[15, 5] == 255).all()
    plain = Canvas(40, 30)
    plain.rectangle(5, 5, 25, 25, WHITE)
    assert (plain.pixels()[5, 5] == 255).all()


def test_a_circle_lies_around_its_middle(canvas):
    canvas.circle((20, 15), 8, WHITE)
    assert lit(canvas) == (12, 7, 28, 23)
    assert (canvas.pixels()[15, 20] == 255).all() and not canvas.pixels()[8, 13].any()
    ring = Canvas(40, 30)
    ring.circle((20, 15), 8, None, RED, 2)
    assert not ring.pixels()[15, 20].any() and tuple(ring.pixels()[15, 13]) == (255, 0, 0)
    bare = Canvas(40, 30)
    bare.circle((20, 15), 8, None, RED)
    assert not bare.pixels().any(), "a line of no width is none"


def test_a_polygon_is_filled_and_its_line_is_closed(canvas):
    corners = [(5, 5), (25, 5), (25, 25), (5, 25)]
    canvas.polygon(corners, WHITE)
    assert lit(canvas) == (5, 5, 25, 25)
    canvas.polygon(corners, WHITE, RED, 2)
    pixels = canvas.pixels()
    assert tuple(pixels[15, 5]) == (255, 0, 0), "from the last corner back to the first"
    assert tuple(pixels[5, 15]) == (255, 0, 0) and tuple(pixels[15, 15]) == (255, 255, 255)


def test_a_line_has_its_width_and_mixes_by_its_opacity(canvas):
    canvas.line([(0, 15), (40, 15)], (255, 255, 255, 128), 4)
    column = canvas.pixels()[:, 20, 0].astype(int)
    assert np.flatnonzero(column).tolist() == [13, 14, 15, 16, 17] and abs(column[15] - 128) <= 2
    assert column[13] + column[17] == pytest.approx(column[15], abs=2), "four pixels in all"


def test_dashes_are_on_and_off_and_end_with_the_line(canvas):
    canvas.dashes((2, 15), (36, 15), WHITE, 2, on=6, off=4)
    row = canvas.pixels()[15, :, 0] > 0
    wanted = [x for start in (2, 12, 22, 32) for x in range(start, min(start + 6, 36))]
    assert sorted(set(wanted) - set(np.flatnonzero(row).tolist())) == []
    assert not row[9:12].any() and not row[19:22].any() and not row[38:].any()
    nothing = Canvas(40, 30)
    nothing.dashes((5, 5), (5, 5), WHITE, 2, 3, 3)
    assert not nothing.pixels().any()


def test_slanted_dashes_follow_their_line(canvas):
    canvas.dashes((5, 5), (23, 23), WHITE, 1, on=3, off=3)
    rows, columns = np.nonzero(canvas.pixels().any(axis=2))
    assert np.abs(rows - columns).max() <= 1 and rows.min() >= 4 and rows.max() <= 24


@pytest.mark.parametrize(
    ("anchor", "inside"),
    [("la", (0, 1, 0, 1)), ("mm", (-1, 1, -1, 1)), ("ra", (-1, 0, 0, 1)), ("ls", (0, 1, -1, 0))],
)
def test_a_text_lies_at_its_anchor(anchor, inside):
    canvas = Canvas(120, 60)
    canvas.text((60, 30), "HHHH", WHITE, 14, anchor)
    left, top, right, bottom = lit(canvas)
    if inside[:2] == (0, 1):
        assert 58 <= left <= 63
    elif inside[:2] == (-1, 0):
        assert 57 <= right <= 61
    else:
        assert abs((left + right) / 2 - 60) <= 1
    if inside[2:] == (0, 1):
        assert 30 <= top <= 36
    elif inside[2:] == (-1, 0):
        assert 28 <= bottom <= 30
    else:
        assert abs((top + bottom) / 2 - 30) <= 2


def test_letters_are_as_large_as_asked_and_of_their_colour():
    small, large = (Canvas(200, 60) for _ in range(2))
    small.text((5, 5), "Hello", RED, 10)
    large.text((5, 5), "Hello", RED, 20)
    widths = [lit(canvas)[2] - lit(canvas)[0] for canvas in (small, large)]
    assert widths[1] == pytest.approx(2 * widths[0], abs=3)
    brightest = small.pixels().reshape(-1, 3).max(axis=0).tolist()
    assert brightest[0] > 240 and brightest[1:] == [0, 0]
    assert font(10).size == 20


def test_an_empty_text_draws_nothing(canvas):
    canvas.text((5, 5), "", WHITE, 10)
    assert not canvas.pixels().any() and lettered("", 10, "la")[0].size == (1, 1)
