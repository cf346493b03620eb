"""Saved models of the guide: zips that `PPO.load` opens, with the name of their task inside, and ONNX."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import CheckpointError, SpecMismatch
from ...policies import sb3
from .tasks import TASKS, Task


def save(model: Any, path: Path, task: Task, engine: str) -> Path:
    """Write a model with its task, whole or not at all."""
    facts = {"task": task.name, "engine": engine, "timesteps": int(model.num_timesteps),
             "observation_size": int(model.observation_space.shape[0])}  # fmt: skip
    return sb3.save_model(model, path, facts)


@dataclass(frozen=True)
class Saved:
    """A model on the disk: what it was trained for, where, and how long."""

    path: Path
    task: Task
    engine: str
    timesteps: int


def find(path: Path, task: Task | None = None) -> Saved:
    """A saved model of the guide; task: SpecMismatch for a model of another one."""
    facts = sb3.read_facts(path)
    if facts is None or facts.get("task") not in TASKS:
        raise SpecMismatch(
            f"{path} does not say which task of the guide it plays. Name one that "
            "rl_training/train_vr_locomotion.py or another script there has written."
        )
    found = TASKS[facts["task"]]
    if task is not None and found.name != task.name:
        raise SpecMismatch(
            f"{path} is a model of {found.name}, not of {task.name}. Choose one that was trained for it."
        )
    engine = str(facts.get("engine", found.engines[0]))
    return Saved(path, task or found, engine, int(facts.get("timesteps", 0)))


def load(saved: Saved, env: Any, **settings: Any) -> Any:
    """The model for these environments; refused if it sees or does something else."""
    from stable_baselines3 import PPO

    path = saved.path
    try:
        return PPO.load(path, env, **settings)
    except ValueError as problem:
        if "spaces do not match" not in str(problem):
            raise CheckpointError(f"{path} is damaged: {problem}.") from problem
        raise SpecMismatch(f"{path} was trained on other observations or actions: {problem}.") from problem
    except (KeyError, RuntimeError, EOFError) as problem:
        raise CheckpointError(f"{path} is damaged: {problem}.") from problem


def export_onnx(model: Any, path: Path, task: Task) -> float:
    """The policy as ONNX, for the same observations; how far it is from the model, at most."""
    scale = np.ones(model.observation_space.shape[0], np.float32)
    return sb3.export_onnx(model, path, scale, None, {"format": "sb3", "task": task.name}, task.name)
