"""Models of Stable-Baselines3's PPO with an MlpPolicy: a zip written at once with facts inside, and ONNX.

A zip is what `model.save` writes, with one more entry that `PPO.load` does not look at. Stable-Baselines3
itself is not imported: a model is handed in.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..errors import CheckpointError
from .export import Graph, put
from .exported import open_session

FACTS = "sandlot.json"  # the entry of a zip
OPSET = 17
OPERATORS = ("Clip", "Gemm", "Identity", "Mul", "Relu", "Tanh")
ACTIVATIONS = {torch.nn.ReLU: "Relu", torch.nn.Tanh: "Tanh"}
TOLERANCE = 1e-5  # largest difference between the file's actions and the model's
ROWS = 256  # that are compared


def save_model(model: Any, path: Path, facts: Mapping[str, Any]) -> Path:
    """Write a model with its facts, whole or not at all."""
    buffer = io.BytesIO()
    model.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(FACTS, json.dumps(facts, indent=2))
    put(path, buffer.getvalue())
    return path


def read_facts(path: Path) -> dict[str, Any] | None:
    """The facts of a zip; None of one that was saved without. CheckpointError for what is not a model."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            facts = json.loads(archive.read(FACTS)) if FACTS in names else None
    except FileNotFoundError:
        raise CheckpointError(f"There is no model {path}.") from None
    except (OSError, zipfile.BadZipFile, ValueError) as problem:
        raise CheckpointError(
            f"{path} is not a model of Stable-Baselines3, or is damaged: {problem}."
        ) from None
    if "data" not in names or "policy.pth" not in names:
        raise CheckpointError(f"{path} is a zip, but not a model of Stable-Baselines3.")
    return facts


def export_onnx(
    model: Any, path: Path, scale: np.ndarray, clamp: float | None, facts: Mapping[str, str], name: str
) -> float:
    """Write the actor as ONNX and return how far its actions are from the model's, at most.

    scale, clamp: what makes a raw observation into what the model was trained on. Both become part of the
    graph, so that a game hands in raw observations. Inputs `obs` and `state_ins`, outputs `output` and
    `state_outs`, as the stock plugin has them.
    """
    data = to_onnx(model, scale, clamp, facts, name)
    drawn = np.random.default_rng(0).normal(0.0, 2.0, (ROWS, len(scale)))
    raw = (drawn / np.maximum(scale, 1e-6)).astype(np.float32)
    seen = raw * scale if clamp is None else np.clip(raw * scale, -clamp, clamp)
    expected, _ = model.predict(seen.astype(np.float32), deterministic=True)
    session = open_session(data, path.name)
    (found,) = session.run(["output"], {"obs": raw, "state_ins": np.zeros(ROWS, np.float32)})
    difference = float(np.abs(found - expected).max())
    if not difference <= TOLERANCE:
        raise CheckpointError(
            f"{path} would act differently from the model (by up to {difference:g}); it was not written."
        )
    put(path, data)
    return difference


def to_onnx(model: Any, scale: np.ndarray, clamp: float | None, facts: Mapping[str, str], name: str) -> bytes:
    """The bytes of the file."""
    graph = Graph(operators=OPERATORS)
    graph.take("obs", len(scale))
    hidden = graph.op("Mul", ["obs", graph.weight("scale", scale)], "scaled")
    if clamp is not None:
        limits = [graph.weight("lowest", np.float32(-clamp)), graph.weight("highest", np.float32(clamp))]
        hidden = graph.op("Clip", [hidden, *limits], "clamped")
    hidden = _layers(graph, model.policy.mlp_extractor.policy_net, hidden)
    mean = _dense(graph, model.policy.action_net, hidden, "mean")
    low, high = np.unique(model.action_space.low), np.unique(model.action_space.high)
    if len(low) != 1 or len(high) != 1:
        raise CheckpointError("Only actions that all have the same bounds can be exported.")
    graph.op("Clip", [mean, graph.weight("low", low[0]), graph.weight("high", high[0])], "output")
    graph.give("output", model.action_space.shape[0])
    graph.op("Identity", [graph.take("state_ins", 0)], "state_outs")
    graph.give("state_outs", 0)
    return graph.model(name, OPSET, facts)


def _layers(graph: Graph, layers: Any, hidden: str) -> str:
    for i, layer in enumerate(layers):
        if isinstance(layer, torch.nn.Linear):
            hidden = _dense(graph, layer, hidden, f"hidden.{i}")
        elif type(layer) in ACTIVATIONS:
            hidden = graph.op(ACTIVATIONS[type(layer)], [hidden], f"active.{i}")
        else:
            raise CheckpointError(
                f"A layer of kind {type(layer).__name__} cannot be exported: ReLU and Tanh can."
            )
    return hidden


def _dense(graph: Graph, layer: Any, inputs: str, name: str) -> str:
    weight, bias = (part.detach().cpu().numpy() for part in (layer.weight, layer.bias))
    return graph.dense(inputs, weight, bias, name)
