"""Draws a recorded match of a native game by the renderer that its environments use: no Godot, no screen."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ..evaluate.replay_reader import open_world
from ..games import rendering
from ..media.clips import Shot, files_digest
from ..media.env_clip import draw_pictures
from ..runs import Replay

Tell = Callable[[int, int], None]  # pictures done, of how many


def digest(replay: Replay) -> str:
    """Of everything that decides how a match looks."""
    folder = Path(rendering.__file__).parent
    return files_digest(
        {path.name: path.read_bytes() for path in folder.glob("*.py")}, replay.header.spec_hash
    )


def draw(replay: Replay, shot: Shot, target: Path, limit_s: float, tell: Tell | None = None) -> Path:
    """The shot as a film at `target`, whole or not at all."""
    del limit_s  # of an engine that may hang; a picture takes milliseconds here
    return draw_pictures(replay, shot, target, pictures(replay, shot.first_step), tell)


def pictures(replay: Replay, first: int) -> Iterator[tuple[int, np.ndarray]]:
    """Steps played and what the world looks like then, from a step on."""
    with open_world(replay) as world:
        view = rendering.View(world, "rgb_array")
        for step in range(replay.end.steps + 1):
            if step >= first:
                yield step, view.of_world()
            if step < replay.end.steps:
                world.actions[...] = replay.actions[step]
                world.step()
