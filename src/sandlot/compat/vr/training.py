"""Trains VR navigation with Stable-Baselines3's PPO.

    from sandlot.compat.vr.training import train
    train(RLConfig.preset("quick_test"))

The order is that of the brief: is the game there, load its scene, open the environments, then train with
checkpoints, evaluations, the best model and TensorBoard. All files lie in `user://ml_training`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import seeding
from ...bridge.http_client import HttpClient, cannot_connect
from ...cli.stopping import stop_request
from ...errors import ConfigError, GameLost, MissingExtra
from ..rollouts import rollout_steps
from . import models
from .callbacks import (
    BEST,
    CheckpointCallback,
    CurriculumCallback,
    EvaluationCallback,
    MonitorCallback,
    PerformanceMetricsCallback,
    TotalTimestepsCallback,
)
from .config import RLConfig
from .environment import make_vec_env
from .monitor import TrainingMonitor
from .paths import shown, training_folder
from .rewards import RewardCalculator

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.utils import LinearSchedule
    from torch import nn
except ImportError:
    raise MissingExtra("VR navigation training", "stable-baselines3", "sb3") from None

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}
LOG_NAME = "PPO"


@dataclass(frozen=True)
class Folders:
    """Where a training writes."""

    checkpoints: Path
    best_model: Path
    logs: Path

    @classmethod
    def of(cls, config: RLConfig) -> "Folders":
        """`user://ml_training` of this configuration."""
        root = training_folder(config.training.user_dir)
        return cls(root / "checkpoints", root / "best_models" / "best_model.zip", root / "logs")


@dataclass(frozen=True)
class Result:
    """What a training left behind."""

    timesteps: int
    checkpoint: Path  # of the end
    best_model: Path | None
    stopped: bool  # before its end


def train(
    config: RLConfig,
    resume: str | Path | None = None,
    reward_calculator: RewardCalculator | None = None,
    verbose: bool = False,
    print_line: Callable[[str], None] = print,
) -> Result:
    """Train to `training.total_timesteps`; Ctrl-C stops after the step in progress and saves.

    resume: a checkpoint to continue: its steps count, learning-rate schedule and optimizer go on.
    """
    config.validate()
    monitor = TrainingMonitor(print_line, config.training.total_timesteps, verbose)
    saved = models.find(resume, config.training.user_dir) if resume else None
    prepare_game(config, print_line)
    with stop_request() as stop, torch_threads(config.training.torch_threads):
        env = make_vec_env(config, reward_calculator, _seed(config, saved))
        try:
            model = _resumed(saved, config, env, verbose) if saved else _new(config, env, verbose)
            return _learn(model, config, reward_calculator, bool(saved), monitor, stop)
        finally:
            env.close()


def prepare_game(config: RLConfig, print_line: Callable[[str], None]) -> None:
    """The first two steps: is the game there, and does it load the scene. The native game needs neither."""
    e = config.environment
    if e.kind == "native":
        print_line("environment: the native game, which needs neither Godot nor a headset")
        return
    for number in range(e.num_environments):
        client = HttpClient(e.host, e.port + number)
        if not client.health_check():
            raise GameLost(
                cannot_connect(client.url, "nothing answers GET /health")
                + " Or train in the native game: --environment native."
            )
        client.load_scene(e.scene)
        print_line(f"environment: {client.url}, {e.scene}")
        client.close()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """So many threads of PyTorch, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _seed(config: RLConfig, saved: models.Saved | None) -> int:
    """Of the environments: a resumed training meets other episodes than those that it began with."""
    seed = config.training.seed
    return seed if saved is None else seeding.split(seed, saved.timesteps) & 0x7FFFFFFF


# ---------------------------------------------------------------- the model


def hyperparameters(config: RLConfig, done: int = 0) -> dict[str, Any]:
    """The arguments of Stable-Baselines3's PPO but policy, environment and network.

    done: steps of the training that is resumed.
    """
    p, t, num_envs = config.ppo, config.training, config.environment.num_environments
    linear = p.learning_rate_schedule == "linear"
    return {
        "learning_rate": LinearSchedule(p.learning_rate, 0.0, 1.0) if linear else p.learning_rate,
        "n_steps": rollout_steps(p.n_steps, p.batch_size, num_envs, t.total_timesteps - done),
        "batch_size": p.batch_size,
        "n_epochs": p.n_epochs,
        "gamma": p.gamma,
        "gae_lambda": p.gae_lambda,
        "clip_range": p.clip_range,
        "ent_coef": p.ent_coef,
        "vf_coef": p.vf_coef,
        "max_grad_norm": p.max_grad_norm,
        "tensorboard_log": str(Folders.of(config).logs),
        "seed": t.seed,
    }


def _new(config: RLConfig, env: Any, verbose: bool) -> Any:
    n = config.network
    network = {"net_arch": list(n.net_arch), "activation_fn": ACTIVATIONS[n.activation_fn]}
    settings = hyperparameters(config) | {"device": config.training.device, "verbose": int(verbose)}
    return PPO(n.policy, env, policy_kwargs=network, **settings)


def _resumed(saved: models.Saved, config: RLConfig, env: Any, verbose: bool) -> Any:
    if saved.config is not None and saved.config.network != config.network:
        raise ConfigError(
            f"{saved.path} has another network than this configuration: a training goes on as it began."
        )
    if saved.timesteps >= config.training.total_timesteps:
        raise ConfigError(
            f"{saved.path} has {saved.timesteps:,} steps already, and this training ends at "
            f"{config.training.total_timesteps:,}. Ask for more with --timesteps."
        )
    settings = hyperparameters(config, saved.timesteps)
    return models.load(saved, config, env, **settings, verbose=int(verbose))


# ---------------------------------------------------------------- learning


def _learn(
    model: Any,
    config: RLConfig,
    rewards: RewardCalculator | None,
    resumed: bool,
    monitor: TrainingMonitor,
    stop: Callable[[], bool],
) -> Result:
    folders = Folders.of(config)
    best_reward = getattr(model, BEST, None)
    if not resumed:
        _set_aside(folders.best_model)
    checkpoints = CheckpointCallback(config, folders.checkpoints, monitor)
    evaluation = EvaluationCallback(config, folders.best_model, monitor, rewards, best_reward, stop)
    curriculum = CurriculumCallback(config, monitor)
    callbacks = [
        curriculum, PerformanceMetricsCallback(), TotalTimestepsCallback(), checkpoints, evaluation,
        MonitorCallback(monitor, curriculum, stop),
    ]  # fmt: skip
    _announce(model, config, folders, monitor)
    total = config.training.total_timesteps
    model.learn(total - model.num_timesteps, callbacks, tb_log_name=LOG_NAME, reset_num_timesteps=not resumed)
    stopped = model.num_timesteps < total
    if not stopped and evaluation.best_reward is None:  # a training shorter than training.eval_freq
        evaluation.fire()
    checkpoint = checkpoints.save(model)
    best = folders.best_model if evaluation.best_reward is not None and folders.best_model.exists() else None
    return Result(model.num_timesteps, checkpoint, best, stopped)


def _set_aside(best: Path) -> None:
    """Keep the best model of an earlier training under another name."""
    if best.exists():
        number = 1
        while (kept := best.with_name(f"{best.stem}_{number}{best.suffix}")).exists():
            number += 1
        best.rename(kept)


def _announce(model: Any, config: RLConfig, folders: Folders, monitor: TrainingMonitor) -> None:
    """Where everything goes, in paths that a shell understands."""
    monitor.line(f"user://ml_training is {shown(folders.checkpoints.parent)}")
    monitor.line(f"watch it: tensorboard --logdir {shown(folders.logs)} --port 6006")
    monitor.line(
        f"device {model.device}, {model.env.num_envs} environments, {config.training.num_workers} processes"
    )
    if model.num_timesteps:
        rate = model.lr_schedule(1.0 - model.num_timesteps / config.training.total_timesteps)
        monitor.line(f"resumed at {model.num_timesteps:,} steps, learning rate {rate:g}")
