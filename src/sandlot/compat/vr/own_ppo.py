"""The same configuration under our own PPO (`--trainer ppo`): many worlds at once, a run in the run store.

What is paid (but smooth movement and teleports, which the game has no terms for), how far goals are and the
curriculum carry over. Hyperparameters are those of the game's own preset: they count ticks, and hundreds of
worlds.
"""

import math
from pathlib import Path
from typing import Any

from ...cli.train import run_training
from ...errors import ConfigError
from ...runs.store import Store
from .config import GAME, RLConfig

NUM_STEPS = 64  # of the preset: env steps per world and rollout
MOST_WORLDS = 512


def settings_for(config: RLConfig) -> Any:
    """The training configuration that says the same."""
    from ...train.compose import compose
    from ...train.config import as_dict, build

    config.validate()
    _check(config)
    t = config.training
    window = min(t.save_freq, t.total_timesteps)
    worlds = max(1, min(MOST_WORLDS, window // NUM_STEPS))
    values = as_dict(compose(GAME, "quick", None, []))
    values["settings"] |= config.game_settings()
    values["run"] |= {
        "window_env_steps": window,
        "windows": math.ceil(t.total_timesteps / window),
        "seed": t.seed,
        "device": "cpu" if t.device == "auto" else t.device,
    }
    values["ppo"] |= {"num_envs": worlds, "num_steps": min(NUM_STEPS, window), "stagger_steps": 0}
    values["ppo"]["num_minibatches"] = min(values["ppo"]["num_minibatches"], values["ppo"]["num_steps"])
    if t.use_curriculum:
        values["curriculum"] = _stages(config)
    return build(values)


def _check(config: RLConfig) -> None:
    if config.environment.kind != "native":
        raise ConfigError(
            "--trainer ppo trains in the native game. Use --trainer sb3 with --environment http."
        )
    if config.training.tasks:
        raise ConfigError("training.tasks need --trainer sb3: our own PPO trains one layout at a time.")


def _stages(config: RLConfig) -> list[dict[str, Any]]:
    stages, end, made = config.stages, 0, []
    for stage in stages:
        end += stage.timesteps
        made.append(
            {"name": stage.name, "settings": {"max_goal_distance": stage.max_goal_distance},
             "metric": "env_steps_total", "threshold": float(end)}
        )  # fmt: skip
    del made[-1]["metric"], made[-1]["threshold"]  # the last stage lasts to the end
    return made


def train(config: RLConfig, runs: Path) -> tuple[str, Path]:
    """Train a new run; its status and its folder."""
    from ...train.loop import begin

    settings = settings_for(config)
    run = begin(Store(runs), settings)
    return run_training(settings, run), run.paths.folder
