"""Every line of the prospector's picture: the map, the ways, the instruments."""

import math

import numpy as np
import pytest
from drawing_calls import Recorder, check, keep, last_picture
from test_looks import MOMENTS, played

import sandlot
from sandlot.games.rendering import prospector
from sandlot.games.rendering.prospector import (
    BAD,
    GOLD,
    GOOD,
    HEIGHT,
    INK,
    MAP,
    REACH,
    WARN,
    ProspectorRenderer,
    known_edges,
    layout,
    threat_colour,
)

SCENES = ("prospector_start", "prospector_field", "prospector_later", "prospector_over")


def calls(name):
    with played(name) as view:
        return last_picture(view, "_map")


@pytest.mark.parametrize("name", SCENES)
def test_every_shape_of_a_moment_is_where_it_was(name):
    assert MOMENTS[name][0] == "prospector"
    check(name, calls(name))


@pytest.fixture
def scene():
    with sandlot.make("prospector") as world:
        world.reset(seed=2)
        yield ProspectorRenderer(world.spec), world.render(0)


def drawn(renderer, scene, **changes):
    with Recorder() as recorder:
        renderer.draw(scene | changes)
    return recorder.lines


def written(lines, words):
    """Colour of a text."""
    (line,) = [line for line in lines if f"words={words} " in line]
    return tuple(map(int, line.split("fill=(")[1].split(")")[0].split(",")))


def test_a_film_shows_ten_decisions_a_second(scene):
    assert scene[0].fps == 10.0


@pytest.mark.parametrize(
    ("threat", "tint"), [(0.0, GOOD), (0.44, GOOD), (0.45, WARN), (0.74, WARN), (0.75, BAD), (1.0, BAD)]
)
def test_a_threat_has_its_colour(threat, tint):
    assert threat_colour(threat) == tint


@pytest.mark.parametrize(
    ("threat", "shape", "pattern"),
    [
        (0.44, "line", ""),
        (0.45, "dashes", "on=6 off=4"),
        (0.74, "dashes", "on=6 off=4"),
        (0.75, "dashes", "on=2 off=4"),
    ],
)
def test_a_dangerous_way_is_dashed_and_a_very_dangerous_one_dotted(scene, threat, shape, pattern):
    renderer, _ = scene
    canvas = prospector.Canvas(40, 40)
    with Recorder() as recorder:
        renderer._edge(canvas, (0, 0), (30, 30), threat)
    assert recorder.lines[0].startswith(shape) and recorder.lines[0].endswith(pattern)
    assert f"fill=({','.join(map(str, threat_colour(threat)[:3]))},115)" in recorder.lines[0]


@pytest.mark.parametrize(
    ("name", "value", "bad"),
    [
        ("fuel", 199.0, True), ("fuel", 200.0, False), ("hull", 19.0, True), ("hull", 20.0, False),
        ("tool", 19.0, True), ("cargo_total", 1.0, None), ("cargo_total", 10.0, False),
        ("heat", 70.0, False), ("heat", 71.0, True), ("alert", 71.0, True), ("alert", 0.0, None),
        ("fuel", 5000.0, False),
    ],
)  # fmt: skip
def test_a_gauge_is_as_long_as_its_value_and_red_where_that_is_bad(scene, name, value, bad):
    """None: there is too little of it for a bar."""
    gauges = [gauge[0] for gauge in prospector.GAUGES]
    place = gauges.index(name)
    most = prospector.GAUGES[place][1]
    left, top = MAP + 14 + (place % 2) * 112, 60 + (place // 2) * 34 + 14
    lines = drawn(*scene, **{name: value})
    bars = [line for line in lines if line.startswith(f"rectangle left={left} top={top} ")]
    assert len(bars) == (1 if bad is None else 2)
    if bad is not None:
        tint = ",".join(map(str, BAD if bad else GOLD))
        assert f"fill=({tint})" in bars[1]
        assert f"right={left + 100 * min(value / most, 1):.2f} " in bars[1]


def test_the_last_action_is_named_and_red_where_it_was_invalid(scene):
    renderer, plain = scene
    assert written(drawn(renderer, plain), "Before_the_first_action") == GOLD
    name = renderer._actions[6].replace("_", " ").capitalize()
    assert written(drawn(renderer, plain, action=6.0), name.replace(" ", "_")) == GOLD
    lines = drawn(renderer, plain, action=6.0, invalid_action=1.0)
    assert written(lines, f"{name} (invalid)".replace(" ", "_")) == BAD
    assert renderer._last(plain | {"action": 0.0}) == renderer._actions[0].replace("_", " ").capitalize()
    assert renderer._last(plain | {"ending": 3.0, "action": 0.0}) == "Ended: cash out"


def test_money_is_red_below_zero(scene):
    for profit, tint in ((-1.0, BAD), (0.0, GOOD), (1234.0, GOOD)):
        lines = drawn(*scene, net_profit=profit, credits=77.0, cargo_value=88.0)
        assert written(lines, f"{profit:,.0f}_cr") == tint
        assert written(lines, "77_cr") == written(lines, "88_cr") == INK


def test_a_price_is_green_well_above_its_base_and_red_well_below(scene):
    renderer, plain = scene
    base, price = np.full(6, 100.0), np.array([111.0, 110.0, 91.0, 90.0, 89.0, 100.0])
    lines = drawn(renderer, plain, price=price, price_base=base)
    found = [written(lines, f"{value:.0f}") for value in (111, 110, 91, 90, 89)]
    assert found == [GOOD, INK, INK, INK, BAD]


def test_what_is_aboard_is_a_bar_from_one_unit_to_a_hundred(scene):
    renderer, plain = scene
    lines = drawn(renderer, plain, cargo=np.array([0.0, 1.0, 1.5, 50.0, 100.0, 150.0]))
    start = MAP + 14 + 92
    counts = [
        sum(f"rectangle left={start} top={270 + 20 * i + 2} " in line for line in lines) for i in range(6)
    ]
    assert counts == [1, 1, 2, 2, 2, 2]
    ends = [line.split("right=")[1].split(" ")[0] for line in lines if f"rectangle left={start} " in line]
    assert ends[-1] == f"{start + 52}" or ends[-1] == f"{start + 52:.2f}"
    assert f"{start + 26:.2f}" in ends


def test_the_place_is_named_by_its_kind(scene):
    renderer, plain = scene
    for kind, words in ((0.0, "Station"), (1.0, "Cluster_0"), (2.0, "Hazard_0")):
        assert written(drawn(renderer, plain, node_type=kind), words) == INK


def test_rocks_are_as_large_as_rich_and_hollow_as_mined(scene):
    renderer, plain = scene
    rocks = np.zeros_like(plain["asteroids"])
    rocks[0, [0, 8, 10, 11]] = (1, 0.25, 1, 1.0)
    rocks[2, [0, 8, 11]] = (1, 2.0, 5.0)
    lines = drawn(renderer, plain, asteroids=rocks)
    circles = [line for line in lines if line.startswith("circle") and f",{HEIGHT - 20.0:.2f})" in line]
    radii = [line.split("radius=")[1].split(" ")[0] for line in circles]
    assert radii == ["7.50", "3.75", "10.50", "10.50", "10.50"]
    places = [line.split("at=(")[1].split(",")[0] for line in circles]
    assert places == ["16.00"] * 3 + ["65.00"] * 2


def test_the_map_is_drawn_once_while_nothing_new_is_known(scene):
    renderer, plain = scene
    assert drawn(renderer, plain)[0].startswith("init ")
    assert not any(line.startswith("init ") for line in drawn(renderer, plain))
    nodes = plain["nodes"].copy()
    nodes[0, 1] = 2
    assert drawn(renderer, plain, nodes=nodes)[0].startswith("init ")


def test_the_way_flown_is_the_last_places_and_begins_anew_with_an_episode(scene):
    renderer, plain = scene
    near = int(plain["edges"].reshape(-1, prospector.SLOTS, 4)[0, 0, 0])
    for tick, node in enumerate((0, 0, near, 0, near, 0, near, 0, near, 0, near)):
        renderer.draw(plain | {"ticks": float(tick), "node": float(node)})
    assert list(renderer._route) == [0, near] * 4 and len(renderer._route) == prospector.ROUTE
    renderer.draw(plain | {"ticks": 10.0, "node": 0.0})
    assert len(renderer._route) == prospector.ROUTE
    renderer.draw(plain | {"ticks": 0.0, "node": 0.0})
    assert list(renderer._route) == [0]


def test_the_way_home_is_marked_among_the_ways_on(scene):
    renderer, plain = scene
    slots = [int(s) for s in np.flatnonzero(plain["edges"].reshape(-1, prospector.SLOTS, 4)[0, :, 0] >= 0)]
    lines = drawn(renderer, plain, way_home=float(slots[0]))
    rings = [line for line in lines if line.startswith("circle") and "radius=6.50" in line]
    assert len(rings) == len(slots)
    assert [f"line=({','.join(map(str, GOLD))}) width=2" in ring for ring in rings] == [True] + [False] * (
        len(rings) - 1
    )


# ---------------------------------------------------------------- where nodes lie


def rows(*edges, nodes=5):
    """Edges (node, slot, neighbour, threat) as the game lays them out."""
    made = np.full((nodes, prospector.SLOTS, 4), -1.0)
    for node, slot, neighbour, threat in edges:
        made[node, slot] = (neighbour, 1, 1, threat)
    return made.reshape(nodes, -1)


def test_an_edge_is_known_once_with_the_threat_that_is_furthest_from_a_guess():
    found = known_edges(rows((0, 0, 1, 0.5), (1, 2, 0, 0.9), (1, 0, 2, 0.2), (2, 0, 1, 0.5)), {0, 1, 2})
    assert found == {(0, 1): 0.9, (1, 2): 0.2}
    assert known_edges(rows((0, 0, 1, 0.8), (1, 0, 0, 0.2)), {0, 1}) == {(0, 1): 0.8}, "the first of equals"


def test_edges_to_unknown_nodes_are_not_drawn():
    assert known_edges(rows((0, 0, 1, 0.5), (0, 1, 3, 0.5), (4, 0, 0, 0.5)), {0, 1}) == {(0, 1): 0.5}


def place(angle, reach):
    return pytest.approx((MAP / 2 + math.cos(angle) * reach, HEIGHT / 2 - 8 + math.sin(angle) * reach))


def test_every_branch_has_room_for_its_leaves():
    """Station 0 with 1 (leaves 3 and 4) and 2: the first branch has two thirds of the circle."""
    edges = {(0, 1): 0.1, (0, 2): 0.1, (1, 3): 0.1, (1, 4): 0.1}
    places, rings = layout({0, 1, 2, 3, 4}, edges)
    up = -math.pi / 2
    assert rings == 2 and places[0] == (MAP / 2, HEIGHT / 2 - 8)
    assert places[1] == place(up + 2 * math.pi / 3, REACH / 2)
    assert places[2] == place(up + 2 * math.pi * 5 / 6, REACH / 2)
    assert places[3] == place(up + 2 * math.pi / 6, REACH)
    assert places[4] == place(up + math.pi, REACH)


def test_a_station_alone_has_one_ring_and_a_node_without_a_way_is_out_of_the_picture():
    places, rings = layout({0, 3}, {})
    assert rings == 1 and places == {0: (MAP / 2, HEIGHT / 2 - 8), 3: (-50.0, -50.0)}


def test_a_node_lies_on_the_ring_of_its_shortest_way():
    edges = {(0, 1): 0.1, (1, 2): 0.1, (0, 2): 0.1, (2, 3): 0.1}
    children, depth = prospector._tree({0, 1, 2, 3}, edges)
    assert depth == {0: 0, 1: 1, 2: 1, 3: 2} and children == {0: [1, 2], 1: [], 2: [3], 3: []}


if (
    __name__ == "__main__"
):  # PYTHONPATH=tests:tests/games/rendering python tests/games/rendering/test_prospector.py
    for each in SCENES:
        keep(each, calls(each))
