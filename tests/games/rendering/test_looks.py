"""Moments of real matches look as they did when somebody last looked at them."""

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from pictures import assert_looks_as_before, keep
from PIL import Image

import sandlot
from sandlot.games import bot
from sandlot.games.rendering import View

BOTS = {game: sandlot.load_spec(game).default_bots for game in sandlot.games()}
BOTS["prospector"] = {"pilot": "greedy_miner"}
KEPT = Path(__file__).parent / "pictures"
MOMENTS = {  # game, settings, seed, steps played before the picture
    "tag_start": ("tag", {}, 3, 0),
    "tag_chase": ("tag", {}, 3, 45),
    "tag_switch": ("tag", {"mode": "switch", "time_limit": 20}, 5, 90),
    "tag_teams": ("tag", {"seekers": 3, "hiders": 5}, 7, 60),
    "tag_won": ("tag", {"time_limit": 3}, 4, 10_000),
    "prospector_start": ("prospector", {}, 2, 0),
    "prospector_field": ("prospector", {}, 2, 40),
    "prospector_later": ("prospector", {}, 11, 400),
    "prospector_over": ("prospector", {"time_max": 400}, 5, 10_000),
    "landing_approach": ("landing", {"start_tilt": 10, "altitude_min": 200, "altitude_max": 250}, 4, 60),
    "landing_over": (
        "landing",
        {"altitude_min": 100, "altitude_max": 120, "start_fall": 5, "start_offset": 20},
        3,
        10_000,
    ),
    "landing_crash": ("landing", {"fuel": 20, "altitude_min": 200, "altitude_max": 250}, 6, 10_000),
    "navigation_walk": ("navigation", {"layout": "maze", "pits": 0.3}, 5, 60),
    "navigation_goal": ("navigation", {"max_goal_distance": 10}, 4, 10_000),
    "navigation_late": ("navigation", {"time_limit": 5}, 2, 10_000),
}


def players(spec):
    """A scripted player for each role, with the rows it plays."""
    roles = np.array(spec.roles)
    config = {"profile": spec.profile, **spec.config}
    for role in dict.fromkeys(spec.roles):
        yield bot(spec.game, BOTS[spec.game][role], config=config), np.flatnonzero(roles == role)


@contextmanager
def played(name):
    """The view of a match that has been played so far, every step of it drawn."""
    game, settings, seed, steps = MOMENTS[name]
    with sandlot.make(game, config=settings, autoreset=False) as world:
        world.reset(seed)
        view, slots = View(world, "rgb_array"), list(players(world.spec))
        states = [player.start(len(rows), seed) for player, rows in slots]
        for _ in range(steps):
            for i, (player, rows) in enumerate(slots):
                masks = None if world.masks is None else world.masks[rows]
                world.actions[rows], states[i] = player.act(world.observations[rows], masks, states[i])
            if world.step():
                break
            view.of_world()  # trails and routes are made of the pictures before
        yield view


def picture(name):
    with played(name) as view:
        return Image.fromarray(view.of_world())


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_looks_as_it_did_when_it_was_last_looked_at(name):
    assert_looks_as_before(picture(name), KEPT / f"{name}.png")


if __name__ == "__main__":  # PYTHONPATH=tests python tests/games/rendering/test_looks.py
    for each in MOMENTS:
        keep(picture(each), KEPT / f"{each}.png")
