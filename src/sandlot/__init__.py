"""Sandlot trains game agents fast in native worlds, proves them in the real engine, and shows them to people.

import sandlot
world = sandlot.make("tag", worlds=1024, seed=7)
world.reset()
world.actions[:] = 0
world.step()
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .games import Bot, Episodes, Spec, VectorGame, bot, games, make
from .games.make import add_engine as _add_engine
from .version import __version__
from .wrappers import register as _register

if TYPE_CHECKING:
    from .policies import Policy


def load_policy(path: str | Path, role: str | None = None) -> "Policy":
    """A trained policy from a run folder, a checkpoint or a policy file (.pt, .onnx); needs PyTorch."""
    from .policies import load_policy as load  # on demand: worlds work without PyTorch

    return load(path, role)


def _open_godot(*args: Any, **options: Any) -> VectorGame:
    from .bridge.godot_game import GodotGame  # on demand: it needs the package websockets

    return GodotGame(*args, **options)


__all__ = ["Bot", "Episodes", "Spec", "VectorGame", "__version__", "bot", "games", "load_policy", "make"]

_register()
_add_engine("godot", _open_godot)
