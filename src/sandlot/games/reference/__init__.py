"""Slow reference implementations of the games in plain Python ("twins"), written from docs/games/.

The parity harness plays the engine against them. They compute in 32 bits, operation by operation as the
rules pages say, so that both sides agree to the bit.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from ...errors import ConfigError, UnknownName
from ...worlds import games
from .interface import ParitySetup, Twin

# The module that holds each game's PARITY_SETUP. Imported on demand: a twin needs numpy 2.
SETUP_MODULES = {
    "landing": ".landing.parity_setup",
    "navigation": ".navigation.parity_setup",
    "prospector": ".prospector.parity_setup",
    "tag": ".tag.parity_setup",
}


def has_twin(game: str) -> bool:
    """Whether there is a Python twin of this game."""
    return game in SETUP_MODULES


def parity_setup(game: str) -> ParitySetup:
    """How the parity harness plays and compares a game; ConfigError for a game without a twin."""
    if not has_twin(game):
        if game not in games():
            raise UnknownName("game", game, games())
        raise ConfigError(f"{game} has no Python twin to compare it with.")
    return importlib.import_module(SETUP_MODULES[game], __name__).PARITY_SETUP


def twin(game: str, config: Mapping[str, Any] | None = None) -> Twin:
    """A game's twin, set up like `sandlot.make(game, config=config)`."""
    return parity_setup(game).make(config or {})
