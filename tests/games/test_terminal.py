"""The arena of tag in the letters of a terminal."""

import numpy as np

from sandlot.games.terminal import HEIGHT, PICTURES, WIDTH, tag_picture


def state(**changes):
    """A seeker in the middle that looks east, a hider in the north-west corner, no boxes; half is 10 m."""
    return {
        "arena_half": 10.0, "time_left": 7.5,
        "position": np.array([[0.0, 0.0, 0.0], [-10.0, 0.0, -10.0]]),
        "facing": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "seeker": np.array([True, False]),
        "boxes": np.zeros((2, 6)), "box_count": 0,
    } | changes  # fmt: skip


def lines(**changes):
    return tag_picture(state(**changes)).plain.split("\n")


def test_the_arena_has_a_frame_and_the_time():
    picture = lines()
    assert len(picture) == HEIGHT + 2 and {len(line) for line in picture[:-1]} == {WIDTH + 2}
    assert picture[0] == "┌" + "─" * WIDTH + "┐" and picture[-1] == "└" + "─" * WIDTH + "┘  7.5 s left"
    assert all(line[0] == line[-1] == "│" for line in picture[1:-1])


def test_north_is_above_and_a_nose_shows_where_an_agent_looks():
    picture = lines()
    assert picture[1 + 12][1 + 30] == "S" and picture[1][1] == "H"
    assert picture[1 + 12][1 + 33] == "·", "a metre to the east is three columns"
    assert picture[1 + 1][1] == "·", "a metre to the south is a row"
    assert sum(line.count("·") + line.count("S") + line.count("H") for line in picture) == 4


def test_a_box_covers_its_cells_and_a_low_one_is_lighter():
    boxes = np.array([[-10.0, 0.0, 5.0, 0.0, 1.49, 10.0], [0.0, 0.0, 5.0, 10.0, 1.5, 10.0], [0] * 6])
    picture = lines(boxes=boxes, box_count=2)
    low, tall = (sum(line.count(mark) for line in picture) for mark in "▒█")
    assert (low, tall) == (7 * 30, 7 * 31), "the tall one is drawn over the edge that they share"
    rows = [number for number, line in enumerate(picture) if "█" in line]
    assert (rows[0], rows[-1]) == (19, 25)
    assert not any(mark in line for line in lines(boxes=boxes) for mark in "▒█"), "box_count says how many"


def test_nobody_leaves_the_picture():
    places = np.array([[50.0, 0.0, 50.0], [-50.0, 0.0, -50.0]])
    picture = lines(position=places)
    assert picture[HEIGHT][WIDTH] == "S" and picture[1][1] == "H"


def test_roles_have_their_colours():
    text = tag_picture(state())
    spans = {str(span.style): text.plain[span.start : span.end] for span in text.spans}
    assert set(spans) == {"bold red", "bold blue"}
    styles = {(text.plain[span.start], str(span.style)) for span in text.spans}
    assert {("S", "bold red"), ("H", "bold blue"), ("·", "bold red"), ("·", "bold blue")} == styles


def test_tag_alone_is_drawn_in_letters():
    assert {"tag": tag_picture} == PICTURES
