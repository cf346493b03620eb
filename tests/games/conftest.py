import os

import pytest
from playing import GAMES, SHORT

import sandlot

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows that nobody sees


@pytest.fixture(params=GAMES)
def game(request):
    return request.param


@pytest.fixture
def make(game):
    """sandlot.make for this game, with short episodes; closes what it made."""
    made = []

    def make_short(worlds=1, *, config=None, **options):
        made.append(sandlot.make(game, worlds, config=SHORT[game] | (config or {}), **options))
        return made[-1]

    yield make_short
    for world in made:
        world.close()
