"""Random play: what every policy is compared with, and who plays a role that has no bot."""

from typing import Any

import numpy as np

from ..spec import Spec


class RandomPolicy:
    """Uniform random actions: what every policy is compared with in a game without scripted players."""

    name = "random"

    def __init__(self, spec: Spec, seed: int = 0):
        self.spec, self._rng = spec, np.random.default_rng(seed)

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[np.ndarray, Any]:
        """One legal action per row."""
        spec, rows, rng = self.spec, len(observations), self._rng
        if spec.discrete:
            weights = rng.random((rows, spec.action_count))
            return (weights if masks is None else np.where(masks, weights, -1.0)).argmax(axis=1), state
        columns = []
        for action in spec.actions:
            if action.kind == "choice":
                columns.append(rng.integers(0, len(action.options), rows).astype(np.float32))
            elif action.kind == "button":
                columns.append(rng.choice(np.array([-1.0, 1.0], np.float32), rows))
            else:
                columns.append(rng.uniform(-1.0, 1.0, rows).astype(np.float32))
        return np.stack(columns, axis=1), state

    def reseed(self, seed: int) -> None:
        """The same seed, the same actions."""
        self._rng = np.random.default_rng(seed)
