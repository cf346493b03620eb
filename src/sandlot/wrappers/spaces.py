"""A game's spec as Gymnasium spaces."""

import numpy as np

from ..errors import ConfigError, MissingExtra
from ..spec import Spec

try:
    from gymnasium import spaces
except ImportError:
    raise MissingExtra("This wrapper", "gymnasium", "gym") from None


def observation_space(spec: Spec) -> spaces.Box:
    """One Box for the whole row, with the widest bounds of any field; `spec.observation` has each field's."""
    if not spec.observation:
        raise ConfigError(
            f"The roles of {spec.game} see different things, and this wrapper has one space for all agents. "
            "GameEnv, GameVectorEnv and parallel_env play such games."
        )
    lows = [-np.inf if f.low is None else f.low for f in spec.observation]
    highs = [np.inf if f.high is None else f.high for f in spec.observation]
    return spaces.Box(min(lows), max(highs), (spec.observation_size,), np.float32)


def action_space(spec: Spec) -> spaces.Discrete | spaces.Box:
    """Discrete ids, or a Box of floats in -1..1."""
    if spec.discrete:
        return spaces.Discrete(spec.action_count)
    return spaces.Box(-1.0, 1.0, (spec.action_size,), np.float32)
