"""A configuration that trains in a second, and one training that several tests look at."""

import pytest

pytest.importorskip("stable_baselines3")

from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.training import train


def tiny(user_dir, **training) -> RLConfig:
    """Sixty-four steps a rollout, a network of sixteen units."""
    values = {
        "network": {"net_arch": [16]},
        "ppo": {"n_steps": 64, "batch_size": 32, "n_epochs": 1},
        "environment": {"max_episode_steps": 20},
        "training": {"total_timesteps": 256, "save_freq": 100, "eval_freq": 150, "eval_episodes": 2,
                     "device": "cpu", "user_dir": str(user_dir)} | training,
    }  # fmt: skip
    return RLConfig.from_dict(values)


@pytest.fixture
def config(tmp_path):
    return tiny(tmp_path / "user")


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A short training: its configuration, its result, and the lines that it printed."""
    config, lines = tiny(tmp_path_factory.mktemp("trained") / "user"), []
    return config, train(config, print_line=lines.append), lines
