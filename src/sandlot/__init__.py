"""Sandlot trains game agents fast in native worlds, proves them in the real engine, and shows them to people.

import sandlot
world = sandlot.make("tag", worlds=1024, seed=7)
world.reset()
world.actions[:] = 0
world.step()
"""

from .games import Bot, Episodes, Spec, VectorGame, bot, games, make
from .games.faces import register as _register
from .version import __version__

__all__ = ["Bot", "Episodes", "Spec", "VectorGame", "__version__", "bot", "games", "make"]

_register()
