"""Runs with checkpoints in them, made by training for a moment."""

from pathlib import Path

import small

from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

WORDS = {
    "tag": ("ppo.num_envs=16", "ppo.num_steps=16", "run.window_env_steps=1000"),
    "prospector": (*small.PROSPECTOR, "run.window_env_steps=800", "settings.time_max=300"),
}


def train(root: Path, game: str, windows: int = 3, *more: str) -> str:
    """The id of a run that has just been trained."""
    words = (*WORDS[game], "ppo.num_minibatches=4", "run.threads=1", "network.hidden_sizes=[16]", *more)
    store = Store(root)
    with begin(store, compose(game, words=[f"run.windows={windows}", *words])) as run:
        Loop(compose(game, words=[f"run.windows={windows}", *words]), run).go()
        return run.run_id
