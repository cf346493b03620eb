"""How the tests of the bridge start the other end: a real process, a real socket."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from sandlot.worlds.remote import RemoteWorld

REFERENCE_GAME = str(Path(__file__).parents[2] / "examples" / "bridge_game" / "reference_game.py")


def reference(env):
    """The reference game in a process of its own."""
    return subprocess.Popen(
        [sys.executable, REFERENCE_GAME],
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
    )


def script(text):
    """A launcher of a small Python program that gets the url in its environment."""

    def launch(env):
        return subprocess.Popen([sys.executable, "-c", text], env={**os.environ, **env})

    return launch


def remote(game="tag", **options):
    return RemoteWorld(game, launch=options.pop("launch", reference), **options)


def random_actions(spec, rows, rng):
    if spec.discrete:
        return rng.integers(0, spec.action_count, rows).astype(np.int32)
    return rng.uniform(-1, 1, (rows, spec.action_size)).astype(np.float32)
