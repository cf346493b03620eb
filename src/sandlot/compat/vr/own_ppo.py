"""The same configuration under our own PPO (`--trainer ppo`): many worlds at once, a run in the run store.

What is paid (but smooth movement and teleports, which the game has no terms for), how far goals are, the
curriculum and the tasks carry over. Hyperparameters are those of the game's own preset: they count ticks, and
hundreds of worlds. Collisions cost little in the first third: a walker that fears every wall at once stands
still.
"""

import math
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...runs.store import Store
from .config import GAME, TASKS, RLConfig

NUM_STEPS = 64  # of the preset: env steps per world and rollout
MOST_WORLDS = 512
GENTLE_PENALTY, GENTLE_SHARE = 2.0, 1 / 3  # of a collision, and of the steps for which it holds


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
    if t.tasks:
        values["settings"] |= {"layout": "any", "task_id": True}
    values["run"] |= {
        "window_env_steps": window,
        "windows": math.ceil(t.total_timesteps / window),
        "seed": t.seed,
        "device": "cpu" if t.device == "auto" else t.device,
    }
    values["ppo"] |= {"num_envs": worlds, "num_steps": min(NUM_STEPS, window), "stagger_steps": 0}
    values["ppo"]["num_minibatches"] = min(values["ppo"]["num_minibatches"], values["ppo"]["num_steps"])
    values["curriculum"] = _stages(config)
    return build(values)


def _check(config: RLConfig) -> None:
    if config.environment.kind != "native":
        raise ConfigError(
            "--trainer ppo trains in the native game. Use --trainer sb3 with --environment http."
        )
    tasks = config.training.tasks
    if tasks and set(tasks) != set(TASKS):
        raise ConfigError(
            f"training.tasks = {tasks}: --trainer ppo trains one layout (environment.layout) or all of "
            f"{', '.join(TASKS)}. Name all, or use --trainer sb3."
        )


def _stages(config: RLConfig) -> list[dict[str, Any]]:
    """The curriculum's stages, those of the first third with gentle collisions."""
    total, penalty = config.training.total_timesteps, abs(config.rewards.collision_penalty)
    gentle_until = round(total * GENTLE_SHARE) if penalty > GENTLE_PENALTY else 0
    made: list[dict[str, Any]] = []
    begin = 0
    for stage in config.stages:
        end = begin + stage.timesteps
        settings = {"max_goal_distance": stage.max_goal_distance}
        if begin < gentle_until:
            gentle_end = min(end, gentle_until)
            made.append(
                _stage(f"{stage.name}, gentle", {**settings, "collision_penalty": GENTLE_PENALTY}, gentle_end)
            )
        if end > gentle_until:
            made.append(_stage(stage.name, settings, end))
        begin = end
    del made[-1]["metric"], made[-1]["threshold"]  # the last stage lasts to the end
    return made


def _stage(name: str, settings: dict[str, Any], end: int) -> dict[str, Any]:
    return {"name": name, "settings": settings, "metric": "env_steps_total", "threshold": float(end)}


def train(config: RLConfig, runs: Path) -> tuple[str, Path]:
    """Train a new run; its status and its folder."""
    from ...cli.train import run_training
    from ...train.loop import begin

    settings = settings_for(config)
    run = begin(Store(runs), settings)
    return run_training(settings, run), run.paths.folder
