"""A policy that plays any game without learning it."""

import numpy as np

from sandlot.worlds import load_spec


class RandomPolicy:
    """Legal actions at random; never the last one, which ends an episode of the prospector."""

    name = "random"

    def __init__(self, game, seed=1):
        self.spec = load_spec(game)
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks=None, state=None):
        if not self.spec.discrete:
            shape = (len(observations), self.spec.action_size)
            return self.rng.uniform(-1, 1, shape).astype(np.float32), state
        legal = masks.copy()
        legal[:, -1] = 0
        return (self.rng.random(legal.shape) * legal).argmax(axis=1).astype(np.int32), state
