"""Trainers of other libraries behind the interface of our own: they iterate, `train/loop.py` writes the run.

    sb3      Stable-Baselines3's PPO, SAC, TD3 and DQN over one batch, here or in several processes
    puffer   PufferLib's trainer over its own buffers
    rllib    RLlib's PPO on Ray, in several processes or on several machines

Each is one file, which imports its library only when it is chosen. All of them train a sandlot Policy, so
checkpoints, evaluations and replays do not depend on the trainer.
"""

import importlib
import importlib.util
from typing import Any

from ...errors import ConfigError, MissingExtra, UnknownName
from ...worlds.make import CUDA, NATIVE, engine_of
from ..config import TrainConfig
from ..device import device_of
from ..trainer import Trainer

# Trainer name → adapter class, required module, its package, the extra that installs it.
LIBRARIES = {
    "sb3": ("SB3Runner", "stable_baselines3", "stable-baselines3", "sb3"),
    "puffer": ("PufferRunner", "pufferlib", "pufferlib-core", "puffer"),
    "rllib": ("RLlibRunner", "ray", "ray[rllib]", "rllib"),
}
TRAINERS = ("ppo", *LIBRARIES)
NATIVE_ONLY = ("puffer",)  # it steps its buffers without a deadline
OFF_POLICY = ("sac", "td3", "dqn")  # algorithms of Stable-Baselines3 with a replay buffer

# Settings that only our own PPO supports, and whether a configuration uses them.
ONLY_OURS = (
    ("curriculum", lambda config: bool(config.curriculum)),
    ("imitation.demos", lambda config: bool(config.imitation.demos)),
    ("network.recurrent_size", lambda config: config.network.recurrent_size > 0),
    ("ppo.precision = bfloat16", lambda config: config.ppo.precision == "bfloat16"),
)


def check_trainer(config: TrainConfig) -> None:
    """Refuse a trainer that does not exist, is not installed or cannot do what the configuration asks for."""
    name = config.trainer
    if name == "rllib" and config.run.device != "cpu":
        raise ConfigError(
            f"run.device = {config.run.device!r} is not for --trainer rllib, which trains on the CPU. "
            "Leave it out, or use --trainer ppo, sb3 or puffer."
        )
    device_of(config.run.device)
    if name not in TRAINERS:
        raise UnknownName("trainer", name, TRAINERS)
    if config.network.squash:
        raise ConfigError("network.squash is what --algorithm sac and td3 set by themselves. Leave it out.")
    if config.adapter.algorithm != "ppo" and name != "sb3":
        raise ConfigError(
            f"adapter.algorithm = {config.adapter.algorithm!r} is Stable-Baselines3's, the trainer "
            f"is {name}. Add --trainer sb3."
        )
    if name == "ppo":
        return
    _, module, package, extra = LIBRARIES[name]
    if name in NATIVE_ONLY and (engine_of(config.game) != NATIVE or config.run.engine != NATIVE):
        raise ConfigError(
            f"--trainer {name} trains native games only, not {config.game} in another engine. "
            "Use --trainer ppo, sb3 or rllib."
        )
    if config.run.engine == CUDA:
        raise ConfigError(
            f"--trainer {name} steps worlds on the CPU, not on a GPU. Use --trainer ppo for --engine cuda."
        )
    if importlib.util.find_spec(module) is None:
        raise MissingExtra(f"--trainer {name}", package, extra)
    for setting, is_set in ONLY_OURS:
        if is_set(config):
            advice = "Leave it out, or use --trainer ppo."
            raise ConfigError(f"{config.game}: {setting} needs our own PPO, not --trainer {name}. {advice}")


def trainer_for(config: TrainConfig, run_id: str) -> Any:
    """The trainer of this configuration: ours, or another library's behind the same interface."""
    check_trainer(config)
    if config.trainer == "ppo":
        return Trainer(config, run_id)
    if config.adapter.algorithm in OFF_POLICY:
        from .sb3_off_policy import OffPolicyRunner

        return OffPolicyRunner(config, run_id)
    module = importlib.import_module(f".{config.trainer}", __name__)
    return getattr(module, LIBRARIES[config.trainer][0])(config, run_id)
