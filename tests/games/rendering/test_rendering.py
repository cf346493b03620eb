"""Pictures of every game: right things in right places, and sentences where there can be none."""

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import sandlot
from sandlot.errors import UnknownName
from sandlot.games import rendering
from sandlot.games.rendering import View, prospector, tag, tiled, values
from sandlot.games.rendering.canvas import SCALE, Canvas

GAMES = tuple(sandlot.games())
SIZES = {
    "tag": (400, 400, 3),
    "prospector": (400, 640, 3),
    "landing": (400, 400, 3),
    "navigation": (400, 400, 3),
}


def near(pixel, tint, within=40):
    return np.abs(np.asarray(pixel, int) - np.array(tint[:3])).max() <= within


def pixel_at(picture, place):
    x, y = place
    return picture[round(y), round(x)]


# ------------------------------------------------------------ every game


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_is_of_the_promised_kind_and_changes_as_the_world_does(game):
    with sandlot.make(game) as world:
        view = View(world, "rgb_array")
        world.reset(seed=3)
        first = view.of_world(0)
        assert first.shape == SIZES[game] and first.dtype == np.uint8
        assert len(np.unique(first.reshape(-1, 3), axis=0)) > 100, "more than a blank"
        legal = (
            np.flatnonzero(world.masks[0])[:1]
            if world.masks is not None
            else np.full(world.actions.shape, -0.9)
        )
        for _ in range(5):
            world.step(legal.astype(world.actions.dtype))
        assert (view.of_world(0) != first).any()


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_depends_on_the_world_alone(game):
    with sandlot.make(game, 3) as world:
        view = View(world, "rgb_array")
        world.reset(seeds=[5, 6, 5])
        one, other, same = view.of_all()
        assert (one == same).all() and (one != other).any()


def test_every_game_has_a_renderer():
    assert set(rendering.RENDERERS) == set(GAMES)


def test_a_game_without_a_renderer_shows_its_numbers_by_name(monkeypatch):
    monkeypatch.delitem(rendering.RENDERERS, "landing")
    with sandlot.make("landing") as world:
        world.reset(seed=1)
        view = View(world, "rgb_array")
        first = view.of_world(0)
        assert first.dtype == np.uint8 and first.shape[1] == values.WIDTH and first.shape[0] % 2 == 0
        lines = 1 + min(values.MAX_LINES, world.spec.shape.render)
        assert first.shape[0] >= values.LINE * lines and len(np.unique(first)) > 10
        world.actions[:] = -0.9
        world.step()
        assert (view.of_world(0) != first).any(), "the numbers changed"
    with sandlot.make("prospector") as world:
        world.reset(seed=1)
        assert "fuel" in View(world, "ansi").of_world(0), "its numbers by name, in letters"


def test_a_bar_is_as_long_as_its_number_is_far_in_its_range():
    spec = sandlot.load_spec("landing")
    renderer = values.ValuesRenderer(spec)
    scene = {field.name: np.zeros(field.shape) for field in spec.render}
    line = next(i for i, (f, _) in enumerate(renderer._lines) if f.low is not None and not f.labels)
    field, entry = renderer._lines[line]
    scene[field.name].ravel()[entry] = (field.low + field.high) / 2
    y = round(values.TITLE + values.LINE * (line + 0.5))
    row = renderer.draw(scene)[y, values.BAR_LEFT : values.BAR_RIGHT]
    filled = (np.abs(row.astype(int) - values.BAR[:3]).max(axis=1) < 20).mean()
    assert filled == pytest.approx(0.5, abs=0.03)


def test_a_mode_that_does_not_exist_names_those_that_do():
    with sandlot.make("tag") as world, pytest.raises(UnknownName, match="rgb_array"):
        View(world, "rgb")


@pytest.mark.parametrize(
    ("package", "mode", "extra"), [("PIL", "rgb_array", "gym"), ("pygame", "human", "render")]
)
def test_a_missing_library_names_its_extra(package, mode, extra):
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"import gymnasium, sandlot; gymnasium.make('sandlot/Tag-v0', render_mode={mode!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1 and f"pip install 'sandlot[{extra}]'" in done.stderr


def test_neither_pillow_nor_pygame_comes_with_sandlot():
    program = "import sandlot, sandlot.wrappers.gym, sys; print({'PIL', 'pygame'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "set()\n"


def test_tiles_fill_a_grid_in_reading_order():
    tiles = [np.full((2, 3, 3), shade, np.uint8) for shade in (10, 20, 30)]
    grid = tiled(tiles)
    assert grid.shape == (4, 6, 3)
    assert grid[0, 0, 0] == 10 and grid[0, 3, 0] == 20 and grid[2, 0, 0] == 30 and grid[2, 3, 0] == 0


def test_a_canvas_halves_what_was_drawn_and_leaves_the_one_below_alone():
    below = Canvas(20, 10, (10, 20, 30, 255))
    above = Canvas.over(below)
    above.rectangle(5, 2, 10, 8, (200, 100, 0, 255))
    assert (below.pixels() == (10, 20, 30)).all()
    picture = above.pixels()
    assert picture.shape == (10, 20, 3) and below.image.size == (20 * SCALE, 10 * SCALE)
    assert tuple(picture[5, 7]) == (200, 100, 0) and tuple(picture[5, 14]) == (10, 20, 30)


# ------------------------------------------------------------ windows


def test_a_window_shows_the_picture_and_the_game_plays_on_when_it_is_closed():
    import pygame

    with sandlot.make("tag", 2) as world:
        world.reset(seed=1)
        view = View(world, "human")
        view.show()
        screen = pygame.display.get_surface()
        shown = pygame.surfarray.array3d(screen).swapaxes(0, 1)
        assert (
            shown == tiled([View(world, "rgb_array").of_world(0), View(world, "rgb_array").of_all()[1]])
        ).all()
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        view.show()
        assert pygame.display.get_surface() is None, "whoever closes it sees no more"
        view.show()
        world.step(np.zeros_like(world.actions))
        view.close()
        view.close()
        assert pygame.display.get_surface() is None


# ------------------------------------------------------------ tag


def tag_scene(**config):
    world = sandlot.make("tag", config=config, autoreset=False)
    world.reset(seed=8)
    return world, View(world, "rgb_array")


def test_agents_and_boxes_are_where_the_game_has_them():
    world, view = tag_scene(hiders=2)
    picture, scene = view.of_world(0), world.render(0)
    renderer = tag.TagRenderer(world.spec)
    for (x, _, z), (fx, fz), seeks in zip(scene["position"], scene["facing"], scene["seeker"], strict=True):
        back = renderer._at(x - 0.3 * fx, z - 0.3 * fz)  # behind the eyes
        assert near(pixel_at(picture, back), tag.ROLES[bool(seeks)], 70)
    for x1, _, z1, x2, top, z2 in scene["boxes"][: int(scene["box_count"])]:
        inside = renderer._at(x1 + 0.4 * (x2 - x1), z1 + 0.5 * (z2 - z1))
        assert near(pixel_at(picture, inside), tag.LOW_BOX if top < 1.5 else tag.TALL_BOX, 75)


def test_an_agent_sees_to_where_its_rays_end():
    """Just before the end of a ray the ground is tinted, behind the agent it is not."""
    world, view = tag_scene(obstacles=0, hiders=1)
    picture, scene = view.of_world(0).astype(int), world.render(0)
    renderer = tag.TagRenderer(world.spec)
    (x, _, z), (fx, fz) = scene["position"][0].astype(float), scene["facing"][0].astype(float)
    far = float(scene["ray_distance"][0, 18])
    ahead = pixel_at(picture, renderer._at(x + fx * far * 0.6, z + fz * far * 0.6))
    plain = tag.TagRenderer(world.spec)._lot(scene).pixels().astype(int)
    before = pixel_at(plain, renderer._at(x + fx * far * 0.6, z + fz * far * 0.6))
    assert (ahead != before).any() and ahead[0] > before[0], "the seeker's light is red"


def test_the_trail_begins_anew_with_a_match():
    world, view = tag_scene()
    first = view.of_world(0)
    for _ in range(20):
        world.step(np.tile(np.array([0, -1, 0], np.float32), (2, 1)))
        view.of_world(0)
    world.reset(seed=8)
    assert (view.of_world(0) == first).all()


def test_who_won_is_written_across_the_picture():
    world, view = tag_scene(time_limit=1.0)
    while not world.terminated.any():
        before = view.of_world(0)
        world.step(np.zeros_like(world.actions))
    middle = np.s_[180:220, 120:280]
    assert (view.of_world(0)[middle] != before[middle]).mean() > 0.5


# ------------------------------------------------------------ prospector


def test_a_gauge_is_as_long_as_what_it_measures():
    with sandlot.make("prospector") as world:
        world.reset(seed=2)
        scene = world.render(0)
        lengths = []
        for fuel in (1000.0, 500.0, 250.0):
            row = prospector.ProspectorRenderer(world.spec).draw(scene | {"fuel": fuel})[60 + 17]
            lengths.append(sum(near(pixel, prospector.GOLD) for pixel in row[414:515]))
        assert lengths[0] == pytest.approx(100, abs=3)
        assert lengths[1] == pytest.approx(50, abs=3) and lengths[2] == pytest.approx(25, abs=3)


def test_the_station_is_in_the_middle_and_the_belt_around_it():
    with sandlot.make("prospector") as world:
        world.reset(seed=2)
        scene = world.render(0)
        known = {int(node) for node in np.flatnonzero(scene["nodes"][:, 0] > 0)}
        edges = prospector.known_edges(scene["edges"], known)
        places, rings = prospector.layout(known, edges)
        assert rings == 1 and len(places) == len(known) >= 3 and edges.keys() == {(0, n) for n in known - {0}}
        middle = places[0]
        for node in known - {0}:
            assert np.hypot(*np.subtract(places[node], middle)) == pytest.approx(prospector.REACH)
        picture = View(world, "rgb_array").of_world(0)
        assert near(pixel_at(picture, (middle[0] - 6, middle[1] - 6)), prospector.GOOD)


def test_places_of_different_nodes_are_apart_all_through_an_episode():
    with sandlot.make("prospector") as world:
        world.reset(seed=4)
        bot = sandlot.bot("prospector", "greedy_miner")
        state, view = bot.start(1), View(world, "rgb_array")
        for _ in range(300):
            actions, state = bot.act(world.observations, world.masks, state)
            world.step(actions)
        scene = world.render(0)
        known = {int(node) for node in np.flatnonzero(scene["nodes"][:, 0] > 0)}
        places, _ = prospector.layout(known, prospector.known_edges(scene["edges"], known))
        assert len({(round(x), round(y)) for x, y in places.values()}) == len(known) > 3
        assert all(0 < x < prospector.MAP and 0 < y < prospector.HEIGHT for x, y in places.values())
        view.of_world(0)


def test_an_ending_is_named():
    with sandlot.make("prospector", config={"time_max": 5}, autoreset=False) as world:
        world.reset(seed=2)
        view = View(world, "rgb_array")
        while not (world.terminated | world.truncated).any():
            world.step(np.array([6], np.int32))
        assert prospector.ProspectorRenderer(world.spec)._last(world.render(0)) == "Ended: time"
        assert view.of_world(0).any()


def test_pictures_can_be_saved(tmp_path):
    with sandlot.make("tag") as world:
        world.reset(seed=1)
        Image.fromarray(View(world, "rgb_array").of_world(0)).save(tmp_path / "tag.png")
        assert Image.open(tmp_path / "tag.png").size == (400, 400)
