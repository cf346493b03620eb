"""The trainers people already use, behind the face of our own: they iterate, `train/loop.py` writes the run.

    sb3      Stable-Baselines3's PPO over one native batch
    puffer   PufferLib's trainer over its own buffers
    rllib    RLlib's PPO on Ray, in several processes or on several machines

Each is one file that imports its library when it is chosen. All of them train a Policy of ours, so a
checkpoint, an evaluation and a replay are the same whoever trained.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from ...errors import ConfigError, MissingExtra, UnknownName
from ..config import TrainConfig
from ..device import device_of
from ..trainer import Trainer

# Name of a trainer → module that must be there, its package, and our extra that brings it.
LIBRARIES = {
    "sb3": ("stable_baselines3", "stable-baselines3", "sb3"),
    "puffer": ("pufferlib", "pufferlib-core", "puffer"),
    "rllib": ("ray", "ray[rllib]", "rllib"),
}
TRAINERS = ("ppo", *LIBRARIES)

# What only our own PPO can do, and whether a configuration asks for it.
OURS_ALONE = (
    ("curriculum", lambda config: bool(config.curriculum)),
    ("teacher.bot", lambda config: bool(config.teacher.bot)),
    ("run.engine", lambda config: config.run.engine != "native"),
    ("network.memory", lambda config: config.network.memory > 0),
    ("ppo.precision = bfloat16", lambda config: config.ppo.precision == "bfloat16"),
)


def check_trainer(config: TrainConfig) -> None:
    """A trainer that exists, is installed and can do what is asked; asked before anything is written."""
    name = config.trainer
    if name == "rllib" and config.run.device != "cpu":
        raise ConfigError(
            f"run.device = {config.run.device!r} is not for --trainer rllib, which trains on the processor. "
            "Leave it out, or use --trainer ppo, sb3 or puffer."
        )
    device_of(config.run.device)
    if name not in TRAINERS:
        raise UnknownName("trainer", name, TRAINERS)
    if name == "ppo":
        return
    module, package, extra = LIBRARIES[name]
    if importlib.util.find_spec(module) is None:
        raise MissingExtra(f"--trainer {name}", package, extra)
    for what, asked in OURS_ALONE:
        if asked(config):
            raise ConfigError(
                f"{what} needs our own PPO, not --trainer {name}. Leave it out, or use --trainer ppo."
            )


def trainer_for(config: TrainConfig, run_id: str) -> Any:
    """What iterates for this configuration: ours, or another library's behind the same face."""
    check_trainer(config)
    if config.trainer == "ppo":
        return Trainer(config, run_id)
    return importlib.import_module(f".{config.trainer}", __name__).make(config, run_id)
