"""Trains a task of the guide with Stable-Baselines3's PPO, under the guide's file names.

    from sandlot.compat.playtest.training import Request, train
    train(Request(LOCOMOTION, folder=Path("rl_training"), timesteps=1_000, num_envs=1))

models/EXPERIMENT_step_N.zip at every multiple of `save_frequency`, models/EXPERIMENT_final.zip and .onnx at
the end, TensorBoard's events in logs/EXPERIMENT.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...cli.stopping import stop_request
from ...errors import ConfigError, MissingExtra
from ..rollouts import rollout_steps
from . import models
from .tasks import PORT, SEED, Task
from .worlds import open_worlds

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
except ImportError:
    raise MissingExtra("The training of the guide", "stable-baselines3", "sb3") from None

from ...train.adapters.callbacks import PerformanceMetricsCallback, PeriodicCallback, TotalTimestepsCallback

HYPERPARAMETERS: dict[str, Any] = {
    "learning_rate": 3e-4,
    "n_steps": 2048,
    "batch_size": 64,
    "n_epochs": 10,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.01,
    "vf_coef": 0.5,
}
LINE = "=" * 60


@dataclass(frozen=True)
class Request:
    """What is to be trained, and where its files go."""

    task: Task
    folder: Path  # rl_training
    timesteps: int
    num_envs: int
    save_frequency: int = 10_000
    experiment: str = ""
    engine: str = ""
    port: int = PORT
    seed: int = SEED
    viz: bool = False
    resume: Path | None = None

    @property
    def name(self) -> str:
        """What its files are called."""
        return self.experiment or self.task.experiment

    def model(self, what: str, suffix: str = ".zip") -> Path:
        """The file of a model: what is `final` or `step_10000`."""
        return self.folder / "models" / f"{self.name}_{what}{suffix}"

    @property
    def logs(self) -> Path:
        """Where TensorBoard's events go."""
        return self.folder / "logs" / self.name


@dataclass(frozen=True)
class Result:
    """What a training left behind. onnx: None where it was stopped."""

    timesteps: int
    model: Path
    onnx: Path | None


class CheckpointCallback(PeriodicCallback):
    """Saves EXPERIMENT_step_N.zip and prints a line."""

    def __init__(self, request: Request, engine: str, print_line: Callable[[str], None]):
        super().__init__(request.save_frequency)
        self._request, self._engine, self._print = request, engine, print_line

    def fire(self) -> bool:
        """Save the model as it is."""
        path = self._request.model(f"step_{self.num_timesteps}")
        models.save(self.model, path, self._request.task, self._engine)
        self._print(f"[checkpoint] {self.num_timesteps:,} steps: {path}")
        return True


class StopCallback(BaseCallback):
    """Ends the training after the step in progress where somebody asks for it."""

    def __init__(self, stop: Callable[[], bool]):
        super().__init__()
        self._stop = stop

    def _on_step(self) -> bool:
        return not self._stop()


def train(
    request: Request,
    print_line: Callable[[str], None] = print,
    callbacks: Sequence[BaseCallback] = (),
) -> Result:
    """Train to `timesteps`; Ctrl-C stops after the step in progress and saves a checkpoint."""
    _check(request)
    saved = _to_resume(request)
    done = saved.timesteps if saved else 0
    engine = request.engine or (saved.engine if saved else request.task.engines[0])
    settings = hyperparameters(request, done)
    _announce(request, engine, settings, print_line)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # batches of 64 rows are learned from fastest by one
    with stop_request() as stop:
        env = open_worlds(
            request.task, engine, request.num_envs, request.port, request.seed + done, window=request.viz
        )
        try:
            model = _model(request, saved, env, settings)
            _learn(model, request, engine, stop, print_line, callbacks)
            return _finish(model, request, engine, print_line)
        finally:
            env.close()
            torch.set_num_threads(threads)


def hyperparameters(request: Request, done: int = 0) -> dict[str, Any]:
    """Those of the guide; a training shorter than one rollout has a shorter one, of whole batches.

    done: steps of the training that is resumed.
    """
    chosen = HYPERPARAMETERS | request.task.ppo
    left = request.timesteps - done
    steps = rollout_steps(chosen["n_steps"], chosen["batch_size"], request.num_envs, left)
    return chosen | {"n_steps": steps}


def _check(request: Request) -> None:
    for name in ("timesteps", "num_envs", "save_frequency"):
        if getattr(request, name) < 1:
            raise ConfigError(f"--{name} {getattr(request, name)}: expected at least 1.")
    if not request.name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise ConfigError(f"--experiment_name {request.name!r}: expected letters, digits, '_', '-' and '.'.")


def _to_resume(request: Request) -> models.Saved | None:
    """The checkpoint to go on from, before anything is started."""
    if request.resume is None:
        return None
    saved = models.find(request.resume, request.task)
    if saved.timesteps >= request.timesteps:
        raise ConfigError(
            f"{request.resume} has {saved.timesteps:,} steps already; ask for more with --timesteps."
        )
    return saved


def _model(request: Request, saved: models.Saved | None, env: Any, settings: dict[str, Any]) -> Any:
    own: dict[str, Any] = {
        "verbose": 1,
        "seed": request.seed,
        "device": "cpu",
        "tensorboard_log": str(request.logs),
    }
    if saved:
        return models.load(saved, env, **settings, **own)
    return PPO("MlpPolicy", env, **settings, **own)


def _learn(
    model: Any,
    request: Request,
    engine: str,
    stop: Callable[[], bool],
    print_line: Callable[[str], None],
    more: Sequence[BaseCallback],
) -> None:
    callbacks = [
        CheckpointCallback(request, engine, print_line), PerformanceMetricsCallback(),
        TotalTimestepsCallback(), StopCallback(stop), *more,
    ]  # fmt: skip
    left = request.timesteps - model.num_timesteps
    model.learn(left, callbacks, reset_num_timesteps=not request.resume)


def _finish(model: Any, request: Request, engine: str, print_line: Callable[[str], None]) -> Result:
    if model.num_timesteps < request.timesteps:
        path = request.model(f"step_{model.num_timesteps}")
        models.save(model, path, request.task, engine)
        print_line(f"Stopped at {model.num_timesteps:,} steps. Go on with: --resume {path}")
        return Result(model.num_timesteps, path, None)
    final = models.save(model, request.model("final"), request.task, engine)
    onnx = request.model("final", ".onnx")
    difference = models.export_onnx(model, onnx, request.task)
    print_line(f"{LINE}\nTraining complete: {model.num_timesteps:,} steps")
    print_line(f"  model  {final}\n  ONNX   {onnx} (actions within {difference:.0e} of the model's)\n{LINE}")
    return Result(model.num_timesteps, final, onnx)


def _announce(
    request: Request, engine: str, settings: dict[str, Any], print_line: Callable[[str], None]
) -> None:
    last = request.num_envs - 1
    where = f"native game {request.task.native}" if engine == "native" else request.task.scene or "Godot"
    ports = "" if engine == "native" else f"ports {request.port} to {request.port + last}, "
    print_line(f"{LINE}\nTraining: {request.task.title}, experiment {request.name}\n{LINE}")
    print_line(f"  game          {where}")
    print_line(f"  environments  {request.num_envs} ({ports}seeds {request.seed} to {request.seed + last})")
    print_line(f"  timesteps     {request.timesteps:,}, a checkpoint every {request.save_frequency:,}")
    print_line(f"  PPO           {', '.join(f'{name} {value:g}' for name, value in settings.items())}")
    print_line(f"  models        {request.model('*', '')}")
    print_line(f"  watch it      tensorboard --logdir {request.logs.parent} --port 6006")
