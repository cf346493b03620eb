"""Saved models: zips that `PPO.load` opens, with their configuration inside, and ONNX copies."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import CheckpointError, SpecMismatch
from ...files import write_bytes
from ...policies import sb3
from .config import GAME, RLConfig
from .environment import NavigationEnv
from .paths import real_path, training_folder
from .processing import CLAMP, ObservationProcessor, slices

TASK = "vr_navigation"


@dataclass(frozen=True)
class Saved:
    """A model on the disk: its path, its steps and the configuration inside (None: saved without)."""

    path: Path
    config: RLConfig | None
    timesteps: int = 0


def save(model: Any, path: Path, config: RLConfig) -> Path:
    """Write a model with its configuration and the layout of what it sees, whole or not at all."""
    layout = {
        name: [part.start, part.stop] for name, part in slices(config.observations.num_ray_sensors).items()
    }
    facts = {"task": TASK, "game": GAME, "timesteps": int(model.num_timesteps),
             "observation": layout, "tasks": config.training.tasks, "config": config.to_dict()}  # fmt: skip
    return sb3.save_model(model, path, facts)


def find(path: str | Path, user_dir: str = "") -> Saved:
    """A saved model, by its path in either spelling, or by its bare name where trainings save it.

    Refused if it belongs to another task.
    """
    real = _place(path, user_dir)
    facts = sb3.read_facts(real)
    if facts is None:
        return Saved(real, None)
    if facts.get("task") != TASK:
        raise SpecMismatch(
            f"{real} is a model of {facts.get('task')}, not of {TASK}. Choose one that was trained here."
        )
    return Saved(real, RLConfig.from_dict(facts["config"]), int(facts["timesteps"]))


def _place(path: str | Path, user_dir: str) -> Path:
    real = real_path(path, user_dir)
    if real.exists() or real.name != str(path):
        return real
    root = training_folder(user_dir)
    places = [root / "best_models" / real.name, root / "checkpoints" / real.name]
    return next((place for place in places if place.exists()), real)


def load(saved: Saved, config: RLConfig, env: Any = None, **settings: Any) -> Any:
    """The model, for the environments of this configuration; refused if it sees or does something else.

    settings: hyperparameters that replace those of the file.
    """
    from stable_baselines3 import PPO

    try:
        model = PPO.load(saved.path, env, device=config.training.device, **settings)
    except ValueError as problem:
        if "spaces do not match" not in str(problem):
            raise CheckpointError(
                f"{saved.path} is not a model of PPO, or is damaged: {problem}."
            ) from problem
        raise _of_another_task(saved, str(problem)) from problem
    except Exception as problem:
        raise CheckpointError(f"{saved.path} is not a model of PPO, or is damaged: {problem}.") from problem
    probe = NavigationEnv(config)
    wanted = probe.observation_space.shape, probe.action_space.shape
    if (model.observation_space.shape, model.action_space.shape) != wanted:
        raise _of_another_task(saved, f"it sees {model.observation_space.shape}, expected {wanted[0]}")
    return model


def _of_another_task(saved: Saved, why: str) -> SpecMismatch:
    return SpecMismatch(
        f"{saved.path} does not fit this configuration ({why}): it was trained for another task, "
        "or with other training.tasks. Leave --config and --preset out: it holds its own configuration."
    )


def copy(saved: Saved, target: Path) -> Path:
    """A copy for use, such as models/vr_nav_v1.zip."""
    if target.suffix != ".zip":
        raise CheckpointError(f"{target}: expected a name that ends in .zip.")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(target, saved.path.read_bytes())
    return target


def export_onnx(saved: Saved, config: RLConfig, target: Path) -> float:
    """The model as ONNX for raw observations (and the task id); how far it is from the model, at most."""
    model = load(saved, config)
    processor = ObservationProcessor(config)
    scale = np.concatenate([processor.scale, np.ones(len(config.training.tasks), np.float32)])
    facts = {"format": "sb3", "game": GAME, "task": TASK, "tasks": ",".join(config.training.tasks)}
    return sb3.export_onnx(
        model, target, scale, CLAMP if processor.normalize else None, facts, f"{GAME}_walker"
    )
