"""Episodes of a saved model, one after the other, with the likeliest action."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...worlds.make import NATIVE
from . import models
from .tasks import PORT, SEED, Task
from .worlds import open_worlds


@dataclass(frozen=True)
class Episode:
    """One episode that was played. success: None where the game declares none."""

    number: int
    reward: float
    steps: int
    success: bool | None
    results: dict[str, Any] = field(default_factory=dict)  # every number that the game counts


def play(
    model_path: Path,
    episodes: int,
    seed: int = SEED,
    engine: str = "",
    port: int = PORT,
    window: bool = False,
    task: Task | None = None,
) -> Iterator[Episode]:
    """Play so many episodes; the first has this seed, the others follow from it.

    task: that the model must have been trained for. window: watch it in real time, where an engine plays.
    """
    if episodes < 1:
        raise ConfigError(f"--episodes {episodes}: expected at least 1.")
    saved = models.find(model_path, task)
    engine = engine or saved.engine
    env = open_worlds(saved.task, engine, 1, port, seed, window and engine != NATIVE)
    try:
        model = models.load(saved, env, device="cpu")
        seen = env.reset()
        for number in range(1, episodes + 1):
            done = False
            while not done:
                action, _ = model.predict(seen, deterministic=True)
                seen, _, dones, infos = env.step(action)
                done = bool(dones[0])
            info = infos[0]
            yield Episode(
                number, info["episode"]["r"], info["episode"]["l"], info.get("is_success"),
                info.get("report", {}),
            )  # fmt: skip
    finally:
        env.close()


def summary(episodes: list[Episode]) -> str:
    """A line about all of them."""
    rewards = [episode.reward for episode in episodes]
    text = f"{len(episodes)} episodes: mean reward {statistics.fmean(rewards):.2f}"
    if len(rewards) > 1:
        text += f" ± {statistics.stdev(rewards):.2f}"
    known = [episode.success for episode in episodes if episode.success is not None]
    return text + (f", success {sum(known) / len(known):.0%}" if known else "")
