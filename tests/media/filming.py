"""A run with real matches between scripted players, short enough to draw; and what a picture must show."""

import itertools
import os
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest
from lacking import lacking

from sandlot.bridge import godot_engine
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.games.scripted import bot
from sandlot.media.mp4 import Mp4

from .making import make_tag_run

MATCH_S = 1.5  # seconds of a match


def play(seed, window=0, run_id="", seconds=MATCH_S, seeker="chase", hider="evade", number=0):
    """One match; `number` orders those of a window as their time does in a real run."""
    config = {"time_limit": seconds}
    players = {
        "seeker": bot("tag", seeker, config=config),
        "hider": bot("tag", hider, config=config),
    }
    names = {role: f"{role} of window {window}" for role in players}
    replay = record("tag", players, seed, config, names, Origin(run_id, window) if run_id else None)
    changes = {
        "replay_id": f"replay-{window:06d}-{seed:08x}",
        "created_at": f"2026-01-01T00:{window:02d}:{number:02d}.000Z",
    }
    return replace(replay, header=replay.header.model_copy(update=changes))


def make_filmed_run(root, windows=3, each=2, **how):
    """Closed windows with judgements, and `each` recorded matches of every one."""
    run = make_tag_run(root, windows=windows)
    for window in range(windows):
        for number in range(each):
            run.add_replay(play(10 * window + number + 1, window, run.run_id, number=number, **how))
    return run


def make_clip(path, frames, size=(64, 36), fps=10, note="", colour=(200, 40, 40)):
    """A film of a bar that moves, one pixel a picture."""
    with Mp4(path, size, fps, note=note) as film:
        for number in range(frames):
            made = np.full((size[1], size[0], 3), colour, np.uint8)
            made[:, number % size[0]] = 255
            film.add(made)
    return path


def need_a_camera() -> None:
    """An engine and somewhere to draw, or the test is skipped; where everything must be there, it fails."""
    pytest.importorskip("av")
    if godot_engine.find() is None:
        lacking("no Godot: sandlot godot install")
    if sys.platform == "linux" and not os.environ.get("DISPLAY") and shutil.which("Xvfb") is None:
        lacking("needs Xvfb")


def check_pictures(every) -> None:
    """Not black, changing, and both cubes to be seen in most of them."""
    assert min(picture.std() for picture in every) > 10, "blank"
    moved = [np.abs(b - a).max() for a, b in itertools.pairwise(every)]
    assert np.mean([m > 40 for m in moved]) > 0.5, "nothing moves"
    assert np.mean([cubes_seen(picture) for picture in every]) > 0.8, "a cube is missing"


def cubes_seen(picture: np.ndarray) -> bool:
    height, width, _ = picture.shape
    middle = picture[int(height * 0.12) :, int(width * 0.22) : int(width * 0.78)]  # without panes
    red, green, blue = np.moveaxis(middle, -1, 0)
    seeker = (red > 180) & (red > 1.6 * green) & (red > 1.6 * blue)
    hider = (blue > 180) & (blue > 1.6 * red)
    return bool(seeker.sum() > 8 and hider.sum() > 8)
