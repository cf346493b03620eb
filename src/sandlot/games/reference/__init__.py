"""Slow, plain Python twins of the cores: written from the rules pages, used only to prove the cores right."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ...errors import UnknownName
from .kit import Kit, Twin

# The games that have a twin; each keeps its KIT in a module of this room.
KITS = {"prospector": ".prospector.kit", "tag": ".tag.kit"}


def kit(game: str) -> Kit:
    """What the parity harness needs of a game."""
    if game not in KITS:
        raise UnknownName("game with a twin", game, KITS)
    return importlib.import_module(KITS[game], __name__).KIT


def twin(game: str, config: Mapping[str, Any] | None = None) -> Twin:
    """A game's twin, set up like `sandlot.make(game, config=config)`."""
    return kit(game).make(config or {})


__all__ = ["Kit", "Twin", "kit", "twin"]
