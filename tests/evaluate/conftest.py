import pytest
from random_policy import RandomPolicy

from sandlot.evaluate.replay_recorder import record
from sandlot.worlds import games


@pytest.fixture(params=games())
def game(request):
    return request.param


@pytest.fixture
def replay(game):
    """An episode of random play."""
    return record(game, RandomPolicy(game), seed=7)
