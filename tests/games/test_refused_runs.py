"""Recorded actions that the engine refuses move nothing and are not counted."""

import numpy as np
import pytest

import sandlot
from sandlot.errors import NotReset


@pytest.mark.parametrize("game", sandlot.games())
def test_actions_for_worlds_that_were_never_reset_are_refused_and_not_counted(game):
    with sandlot.make(game, 2) as world:
        recorded = np.zeros((3, *world.actions.shape), world.actions.dtype)
        with pytest.raises(NotReset):
            world.run(recorded)
        assert world.steps == 0
        world.reset(1)
        world.run(recorded)
        assert world.steps == 3
