"""A world in letters: every sign where its thing is."""

import numpy as np
import pytest

import sandlot
from sandlot.games.rendering.text import arena, table


class Scene:
    """A world of tag whose picture is what the test says."""

    def __init__(self, **changes):
        self.scene = {
            "arena_half": 3.0, "boxes": np.zeros((4, 6)), "box_count": 0.0, "time_left": 4.25,
            "position": np.array([[-2.5, 0, -2.5], [2.5, 0, 1.5]]), "seeker": [1.0, 0.0], "out": [0.0, 0.0],
        } | changes  # fmt: skip

    def render(self, index):
        return self.scene


def grid(**changes):
    head, *rows = arena(Scene(**changes)).splitlines()
    return head, [row.split(" ") for row in rows]


def test_agents_stand_in_their_cells_north_above():
    head, cells = grid()
    assert head == "4.2 s left"
    assert len(cells) == 6 and all(len(row) == 6 for row in cells)
    assert cells[0][0] == "S" and cells[4][5] == "H"
    assert sum(cell != "." for row in cells for cell in row) == 2


def test_boxes_cover_their_cells_and_low_ones_have_another_sign():
    boxes = np.array([[-1, 0, -1, 0.5, 1.49, 0.5], [1, 0, 1, 1.5, 1.5, 1.5], [-3, 0, -3, 3, 9, 3]])
    _, cells = grid(boxes=boxes, box_count=2.0)
    low = {(r, c) for r, row in enumerate(cells) for c, cell in enumerate(row) if cell == "+"}
    assert low == {(2, 2), (2, 3), (3, 2), (3, 3)}
    assert [(r, c) for r, row in enumerate(cells) for c, cell in enumerate(row) if cell == "#"] == [(4, 4)]


def test_who_is_out_is_not_shown_and_nobody_leaves_the_map():
    _, cells = grid(out=[0.0, 1.0], position=np.array([[-9.0, 0, 9.0], [0, 0, 0]]))
    assert cells[5][0] == "S" and not any("H" in row for row in cells)
    _, cells = grid(position=np.array([[3.0, 0, -3.0], [0, 0, 0]]))
    assert cells[0][5] == "S"


def test_a_half_metre_more_is_a_cell_more():
    _, cells = grid(arena_half=3.25)
    assert len(cells) == 7


def test_other_games_are_a_list_of_numbers_and_labels():
    with sandlot.make("prospector") as world:
        world.reset(seed=2)
        rows = dict(line.split(None, 1) for line in table(world).splitlines())
        info = world.info(0)
    fields = {field.name: field for field in world.spec.info}
    assert rows.keys() == fields.keys()
    for name, field in fields.items():
        if field.labels:
            assert rows[name] == field.labels[int(info[name])]
        elif isinstance(info[name], float):
            assert float(rows[name]) == pytest.approx(info[name], rel=1e-5)


def test_a_list_is_aligned_and_of_the_world_that_was_asked_for():
    with sandlot.make("prospector", 2) as world:
        world.reset(seeds=[2, 3])
        world.step(np.array([6, 0], np.int32))
        first, second = table(world, 0), table(world, 1)
    assert first != second
    assert all(line[:24].strip() and line[23] == " " and line[24] != " " for line in first.splitlines())
