"""Sandlot trains game agents fast in native worlds, proves them in the real engine, and shows them to people.

import sandlot
world = sandlot.make("tag", worlds=1024, seed=7)
world.reset()
world.actions[:] = 0
world.step()
"""

from pathlib import Path
from typing import TYPE_CHECKING

from .version import __version__
from .wrappers import register as _register

try:
    from .games import Bot, bot
    from .spec import Spec
    from .worlds import Episodes, NativeWorld, World, games, load_spec, make
except ModuleNotFoundError as _missing:
    # trainer/server.py answers with random actions where there are only websockets and numpy
    if _missing.name != "pydantic":
        raise

if TYPE_CHECKING:
    from .policies import Policy


def load_policy(path: str | Path, role: str | None = None) -> "Policy":
    """A trained policy from a run folder, a checkpoint or a policy file (.pt, .onnx); needs PyTorch."""
    from .policies import load_policy as load  # on demand: worlds work without PyTorch

    return load(path, role)


__all__ = [
    "Bot",
    "Episodes",
    "NativeWorld",
    "Spec",
    "World",
    "__version__",
    "bot",
    "games",
    "load_policy",
    "load_spec",
    "make",
]

_register()
