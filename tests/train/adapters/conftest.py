"""A run so small that every library trains it in seconds."""

import pytest

from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

TINY = (
    "ppo.num_envs=16", "ppo.num_steps=16", "ppo.num_minibatches=2", "run.threads=1",
    "run.window_env_steps=4000", "network.hidden_sizes=[32, 32]", "evaluation.episodes=4", "run.windows=2",
)  # fmt: skip


@pytest.fixture
def tiny():
    """tiny("tag", "sb3", "adapter.role=hider"): the configuration of a tiny run."""
    return lambda game, trainer, *words: compose(game, "quick", None, [f"trainer={trainer}", *TINY, *words])


@pytest.fixture
def trained(tiny, tmp_path):
    """trained(…): that run, trained to its end."""

    def train(game, trainer, *words, stop=None):
        config = tiny(game, trainer, *words)
        run = begin(Store(tmp_path / "runs"), config)
        with run:
            Loop(config, run, stop=stop).go()
        return run

    return train
