"""Slow reference implementations of the games in plain Python ("twins"), written from docs/games/.

The parity harness plays the engine against them. They compute in 32 bits, operation by operation as the
rules pages say, so that both sides agree to the bit.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from ...errors import UnknownName
from .interface import ParitySetup, Twin

# The module that holds each game's PARITY_SETUP. Imported on demand: a twin needs numpy 2.
SETUP_MODULES = {
    "landing": ".landing.parity_setup",
    "navigation": ".navigation.parity_setup",
    "prospector": ".prospector.parity_setup",
    "tag": ".tag.parity_setup",
}


def parity_setup(game: str) -> ParitySetup:
    """How the parity harness plays and compares a game; UnknownName for a game without a twin."""
    if game not in SETUP_MODULES:
        raise UnknownName("game with a twin", game, SETUP_MODULES)
    return importlib.import_module(SETUP_MODULES[game], __name__).PARITY_SETUP


def twin(game: str, config: Mapping[str, Any] | None = None) -> Twin:
    """A game's twin, set up like `sandlot.make(game, config=config)`."""
    return parity_setup(game).make(config or {})
