"""What commands that draw in Godot share: how long drawing takes, its progress, and the finished film."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from .show import as_json, out

# Seconds a picture takes without a graphics card: a fixed part, and one per million pixels.
# Measured on one free core.
PICTURE_COST_S = {"high": (0.08, 0.5), "low": (0.03, 0.2)}
START_S = 5.0  # the engine's start, for each match
RATE_OVER = 60  # pictures that the time left is estimated from
LEAST_PICTURES = 3  # before the time left is shown


def check_target(target: Path | None) -> None:
    """Refuse a file that cannot be written before an hour of drawing, not after it."""
    if target is None:
        return
    if target.suffix.lower() != ".mp4" or target.is_dir():
        raise ConfigError(f"--out {target}: expected the name of a file that ends in .mp4.")
    if not target.absolute().parent.is_dir():
        raise ConfigError(f"--out {target}: there is no folder {target.absolute().parent}.")


def describe_replay(replay: Any) -> str:
    """Which match it is and who won it, in a few words."""
    header, end = replay.header, replay.end
    if "winner" not in end.episode and "return" in end.episode:
        return f"{header.replay_id}, window {header.window_id}, return {end.episode['return']:.4g}"
    winner = end.episode.get("winner", "nobody")
    won = "nobody won" if winner == "nobody" else f"won by the {winner}"
    return f"{header.replay_id}, window {header.window_id}, {won}"


def drawing_cost_s(pictures: int, quality: str, size: tuple[int, int]) -> float:
    """Seconds that drawing one match takes on one free core, the engine's start included."""
    fixed_s, megapixel_s = PICTURE_COST_S[quality]
    return START_S + pictures * (fixed_s + megapixel_s * size[0] * size[1] / 1e6)


def estimate(shots: list[Any]) -> str:
    """How long drawing these shots will take, as the end of a sentence."""
    costs = (drawing_cost_s(shot.frames, shot.video.quality, shot.video.size) for shot in shots)
    return f", {format_estimate(sum(costs))}"


def format_estimate(seconds: float) -> str:
    """`about 20 s on one free core without a graphics card`."""
    return f"about {format_duration(seconds)} on one free core without a graphics card"


def format_duration(seconds: float) -> str:
    """Five-second steps below a minute and a half, then minutes."""
    return f"{max(5, round(seconds / 5) * 5)} s" if seconds < 90 else f"{round(seconds / 60)} minutes"


def picture_progress(show: Any, total: int, before: int = 0) -> Callable[[int, int], None]:
    """Counts pictures; the time left is what the last ones took. before: pictures of earlier matches."""
    times: list[float] = []

    def count(done: int, _total: int) -> None:
        times.append(time.monotonic())
        left = total - before - done
        pace_s = (times[-1] - times[0]) / max(1, len(times) - 1)
        text = f"{format_duration(left * pace_s)} left" if len(times) > LEAST_PICTURES else ""
        show(text, before + done, total)
        if len(times) > RATE_OVER:
            del times[0]

    return count


def print_film(path: Path, frames: int, fps: int, as_machine: bool) -> None:
    """The path of a finished film, or all about it for machines."""
    if as_machine:
        as_json({"film": str(path), "frames": frames, "fps": fps, "seconds": frames / fps})
    else:
        out.print_line(str(path))
