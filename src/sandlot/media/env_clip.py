"""Clips of episodes that are played again from seed and actions: Gymnasium envs, drawn by the env itself, and
native games, whose pictures the caller brings."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConfigError, MissingExtra, SpecMismatch
from ..runs import Replay
from ..spec import Spec
from ..worlds import World, make
from .clips import Shot, match_seconds
from .mp4 import CLIP_QUALITY, Mp4

MARGIN = (9, 11, 17)  # around a picture of another shape than the film

Tell = Callable[[int, int], None]  # pictures done, of how many
Pictures = Iterator[tuple[int, np.ndarray]]  # steps played, and what is to be seen then


def check_drawable(replay: Replay) -> None:
    """Refuse an env that cannot draw itself, or does not repeat itself, before anything is drawn."""
    with _opened(replay) as world:
        capabilities = world.capabilities
    game = replay.header.game
    if not capabilities.picture:
        raise ConfigError(
            f"{game} cannot draw itself (its render_modes lack rgb_array): it cannot be filmed."
        )
    if not capabilities.deterministic:
        raise ConfigError(
            f"{game} is registered as nondeterministic: an episode cannot be played again to film it."
        )


def draw(replay: Replay, shot: Shot, target: Path, tell: Tell | None = None) -> Path:
    """The shot as a film at `target`, drawn by the env."""
    return draw_pictures(replay, shot, target, _pictures(replay, shot.first_step), tell)


def draw_pictures(
    replay: Replay, shot: Shot, target: Path, pictures: Pictures, tell: Tell | None = None
) -> Path:
    """The shot as a film at `target`, whole or not at all."""
    preset = "medium" if shot.video.quality == "high" else "veryfast"
    rate = replay.end.steps / max(1e-9, match_seconds(replay))  # steps per second of the film
    last = replay.end.steps
    with Mp4(target, shot.video.size, shot.video.fps, CLIP_QUALITY, shot.note, preset) as film:
        step, picture = next(pictures)
        for number in range(shot.frames):
            wanted = min(last, shot.first_step + int(number * rate / shot.video.fps))
            while step < wanted:
                step, picture = next(pictures)
            film.add(fitted(picture, shot.video.size))
            if tell:
                tell(number + 1, shot.frames)
    return target


def _opened(replay: Replay, **options: Any) -> World:
    spec = Spec.restored(replay.header.spec)
    return make(spec.address, config=spec.settings, autoreset=False, **options)


def _pictures(replay: Replay, first: int) -> Pictures:
    """Steps played and what the env shows then, from a step on; SpecMismatch where it plays otherwise."""
    with _opened(replay, pictures=True) as world:
        world.reset(replay.header.seed)
        kept = replay.frames
        for step in range(replay.end.steps + 1):
            if step >= first:
                yield step, world.rgb_array(0)  # type: ignore[attr-defined]  # of a GymWorld
            if step < replay.end.steps:
                world.actions[...] = replay.actions[step]
                world.step()
                if kept is not None and world.rewards[0] != kept.rewards[step, 0]:
                    raise SpecMismatch(
                        f"{replay.header.replay_id} plays otherwise here than when it was recorded, first "
                        f"at step {step}. Use the version of the env that recorded it."
                    )


def fitted(picture: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """A picture as large as fits into width and height, in the middle."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("Filming", "pillow", "gym") from None
    width, height = size
    scale = min(width / picture.shape[1], height / picture.shape[0])
    inner = max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale))
    method = Image.Resampling.NEAREST if scale >= 4 else Image.Resampling.BICUBIC
    made = Image.new("RGB", size, MARGIN)
    made.paste(
        Image.fromarray(picture).resize(inner, method), ((width - inner[0]) // 2, (height - inner[1]) // 2)
    )
    return np.asarray(made)
