"""A policy as an ONNX file: the same answers wherever ONNX runs, normalizer and mask inside the graph.

The graph is built node by node from ten plain operators (OPS), so that a small reader of one's own can run
it too (a policy that sees pictures needs PICTURE_OPS besides); docs/export.md describes it for whoever writes
one. Everything a player needs to turn outputs into actions travels in the file's metadata.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..errors import CheckpointError, MissingExtra
from ..files import refusal, write_bytes
from ..version import __version__
from ..worlds.library import load
from .heads import Categorical, Composed, Head
from .normalize import CLIP
from .policy import BRIGHTEST, Policy, stored_spec

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    raise MissingExtra("Exporting a policy", "onnx", "export") from None

FORMAT = "sandlot_onnx_v1"
DIGEST = "digest"  # key of the metadata entry that tells a changed file
OPSET, IR_VERSION = 13, 8  # old enough for every runtime that people have
OPS = ("Add", "Cast", "Clip", "Gemm", "Identity", "Mul", "Relu", "Sigmoid", "Sub", "Tanh")
# And where there are pictures:
PICTURE_OPS = ("Concat", "Conv", "Flatten", "Gather", "Reshape", "Slice", "Transpose")
COMPOSED_OUTPUTS = ("mean", "button_logits", "choice_logits")
FORBIDDEN = 1e30  # subtracted from the logit of an action that the mask forbids
LOW, HIGH = -1.0, 1.0  # of every continuous action: a game's own contract
TOLERANCE = 1e-3  # largest difference to PyTorch that a float file may have; usual are 1e-6


@dataclass(frozen=True)
class ExportReport:
    """What was written, and how it compares with PyTorch on the policy's own play."""

    path: Path
    bytes: int
    game: str
    role: str
    head: str
    int8: bool
    rows: int  # observations compared
    max_difference: float  # of any output (logits, means, value, memory); relative where it is above 1
    greedy_agreement: float  # share of rows whose likeliest action is the same
    drawn_agreement: float  # share of rows that draw the same action from the same random numbers

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self) | {"path": str(self.path)}


def export_onnx(
    policy: Policy,
    path: Path | str,
    *,
    int8: bool = False,
    run_id: str | None = None,
    window_id: int | None = None,
) -> ExportReport:
    """Write the policy as ONNX, whole or not at all; it is compared with PyTorch before it is written.

    int8: weights as bytes with one scale per row, a quarter of the size; sums stay in float.
    """
    from .compare import compare, single_thread  # it reads what this module writes
    from .exported import OnnxPolicy

    path = Path(path)
    data = to_onnx(policy, int8=int8, run_id=run_id, window_id=window_id)
    with single_thread():
        parity = compare(policy, OnnxPolicy(data, path.name))
    if not int8 and not parity.max_difference <= TOLERANCE:
        raise CheckpointError(
            f"{path.name} would answer differently from the policy (by up to {parity.max_difference:g}); "
            "it was not written."
        )
    put(path, data)
    kind = head_facts(policy.head)["kind"]
    return ExportReport(path, len(data), policy.spec.game, policy.role, kind, int8, **asdict(parity))


def put(path: Path, data: bytes) -> None:
    """The file, and the folder that it lies in."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise refusal(path, problem, "Choose another folder.") from problem
    write_bytes(path, data)


def to_onnx(
    policy: Policy, *, int8: bool = False, run_id: str | None = None, window_id: int | None = None
) -> bytes:
    """The bytes of the file; the same policy gives the same bytes."""
    graph = Graph(int8, (*OPS, *PICTURE_OPS) if policy.pictures else OPS)
    hidden = trunk(graph, policy, graph.take("observations", policy.spec.observation_size))
    if policy.network.cell is not None:
        hidden = _remember(graph, hidden, policy.network.cell)
    weight, bias = arrays(policy.network.last)
    _heads(graph, hidden, policy, weight, bias)
    graph.dense(hidden, weight[-1:], bias[-1:], "value")
    graph.give("value", 1)
    return graph.model(policy_name(policy), OPSET, _metadata(policy, int8, run_id, window_id))


def policy_name(policy: Policy) -> str:
    """Of the graph that a policy becomes."""
    return f"{policy.spec.game}_{policy.role}"


def head_facts(head: Head) -> dict[str, Any]:
    """How outputs become an action, as the file says it."""
    if isinstance(head, Categorical):
        if head.table is None:
            return {"kind": "categorical", "count": head.size}
        return {"kind": "table", "count": head.size, "table": head.table.cpu().numpy().tolist()}
    bounds = {"low": LOW, "high": HIGH}
    if isinstance(head, Composed):
        if head.numbers and head.kinds == (0,) * head.numbers + (1,) * len(
            head.buttons
        ):  # every player reads it
            return {"kind": "mixed", "numbers": head.numbers, "buttons": len(head.buttons), **bounds}
        return {"kind": "composed", "entries": list(head.kinds), **bounds}
    return {"kind": "gaussian", "numbers": head.size, **bounds}


def _metadata(policy: Policy, int8: bool, run_id: str | None, window_id: int | None) -> dict[str, str]:
    spec = policy.spec
    facts: Mapping[str, Any] = {
        "format": FORMAT,
        "game": spec.address,
        "game_version": spec.version,
        "spec_hash": spec.hash,
        "profile": spec.profile,
        "config": spec.config,
        "role": policy.role,
        "head": head_facts(policy.head),
        "actions": list(spec.action_names),
        "observation_size": spec.observation_size,
        "memory": policy.network.recurrent_size,
        "hidden": list(policy.config.hidden_sizes),
        "weights": "int8" if int8 else "float32",
        "run_id": run_id,
        "window_id": window_id,
        "sandlot": __version__,
        "engine": load().sl_build().decode(),
        **stored_spec(spec),
    }
    return {k: v if isinstance(v, str) else json.dumps(v) for k, v in facts.items() if v is not None}


# ---------------------------------------------------------------- the graph


class Graph:
    """Collects nodes, weights, inputs and outputs; every tensor is float32 [rows, …] but int8 weights."""

    def __init__(self, int8: bool = False, operators: tuple[str, ...] = OPS):
        self.int8, self._operators = int8, operators
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def take(self, name: str, size: int) -> str:
        """An input; size 0 for one number per row."""
        shape: list[str | int | None] = ["rows", *([size] if size else [])]
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def give(self, name: str, size: int, by_row: bool = True) -> None:
        """An output; size 0 for one number per row."""
        shape: list[str | int | None] = ["rows", *([size] if size else [])] if by_row else [size]
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def weight(self, name: str, values: Any, dtype: Any = np.float32) -> str:
        """A constant; NaN and infinity are refused."""
        if not np.isfinite(values).all():
            text = f"{name} holds what is not a number: nothing is written"
            raise CheckpointError(f"{text}. Export an earlier window.")
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype), name))
        return name

    def op(self, kind: str, inputs: list[str], name: str, **attributes: Any) -> str:
        """A node with one output of that name."""
        assert kind in self._operators, f"{kind} is not an operator that our files use"
        self._nodes.append(helper.make_node(kind, inputs, [name], name=f"make_{name}", **attributes))
        return name

    def dense(self, inputs: str, weight: np.ndarray, bias: np.ndarray, name: str) -> str:
        """name = inputs · weightᵀ + bias; weight [outputs, inputs], a row an output."""
        wide = self._wide(weight, f"{name}.weight")
        return self.op("Gemm", [inputs, wide, self.weight(f"{name}.bias", bias)], name, transB=1)

    def _wide(self, weight: np.ndarray, name: str) -> str:
        if not self.int8:
            return self.weight(name, weight)
        scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), 1e-12) / 127.0  # [outputs, 1]
        whole = self.weight(f"{name}.int8", np.rint(weight / scale), np.int8)
        cast = self.op("Cast", [whole], f"{name}.cast", to=TensorProto.FLOAT)
        return self.op("Mul", [cast, self.weight(f"{name}.scale", scale)], name)

    def model(self, name: str, opset: int, facts: Mapping[str, str]) -> bytes:
        """The whole file, checked."""
        model = helper.make_model(
            helper.make_graph(self._nodes, name, self._inputs, self._outputs, self._weights),
            producer_name="sandlot",
            producer_version=__version__,
            opset_imports=[helper.make_opsetid("", opset)],
            ir_version=IR_VERSION,
        )
        helper.set_model_props(model, dict(facts))
        onnx.checker.check_model(model, full_check=True)
        model.metadata_props.add(key=DIGEST, value=digest_of(model))
        return model.SerializeToString(deterministic=True)


def digest_of(model: Any) -> str:
    """Of everything in a model but the digest itself: the last entry of its metadata."""
    rest = type(model)()
    rest.CopyFrom(model)
    del rest.metadata_props[:]
    rest.metadata_props.extend(entry for entry in model.metadata_props if entry.key != DIGEST)
    return hashlib.sha256(rest.SerializeToString(deterministic=True)).hexdigest()


def trunk(graph: Graph, policy: Policy, observations: str) -> str:
    """Normalizer and layers: what every form of a policy begins with."""
    if policy.pictures:
        return _dense_layers(graph, _encoded(graph, observations, policy), policy)
    if policy.normalizer is not None:
        observations = _normalized(graph, observations, *policy.normalizer.shift_and_scale())
    return _dense_layers(graph, observations, policy, over_all_entries=True)


def arrays(layer: torch.nn.Linear) -> tuple[np.ndarray, np.ndarray]:
    """Weight and bias of a layer as arrays."""
    return layer.weight.detach().cpu().numpy(), layer.bias.detach().cpu().numpy()


def _normalized(graph: Graph, observations: str, shift: np.ndarray, scale: np.ndarray) -> str:
    centered = graph.op("Sub", [observations, graph.weight("normalizer.shift", shift)], "normalizer.centered")
    scaled = graph.op("Mul", [centered, graph.weight("normalizer.scale", scale)], "normalizer.scaled")
    bounds = [graph.weight("normalizer.low", -CLIP), graph.weight("normalizer.high", CLIP)]
    return graph.op("Clip", [scaled, *bounds], "normalized")


def _over_all_entries(weight: np.ndarray, policy: Policy) -> np.ndarray:
    """The first layer as one that takes whole observations: what the policy is blind to counts nothing."""
    wide = np.zeros((len(weight), policy.spec.observation_size), weight.dtype)
    wide[:, policy.visible] = weight
    return wide


def _encoded(graph: Graph, observations: str, policy: Policy) -> str:
    """The numbers that the policy sees, normalized, and behind them each picture as its encoder's numbers."""
    parts = []
    if len(policy.visible):
        columns = graph.weight("visible", policy.visible, np.int64)
        numbers = graph.op("Gather", [observations, columns], "numbers", axis=1)
        if policy.normalizer is not None:
            shift, scale = (values[policy.visible] for values in policy.normalizer.shift_and_scale())
            numbers = _normalized(graph, numbers, shift, scale)
        parts.append(numbers)
    for i, (field, layers) in enumerate(zip(policy.pictures, policy.network.encoders, strict=True)):
        name = f"picture.{i}"
        ends = [
            graph.weight(f"{name}.{edge}", [value], np.int64)
            for edge, value in (("first", field.start), ("end", field.start + field.size), ("axis", 1))
        ]
        flat = graph.op("Slice", [observations, *ends], f"{name}.flat")
        bright = graph.op("Mul", [flat, graph.weight(f"{name}.scale", 1 / BRIGHTEST)], f"{name}.bright")
        shape = graph.weight(f"{name}.shape", [-1, *field.shape], np.int64)
        rows = graph.op("Reshape", [bright, shape], f"{name}.rows")
        hidden = graph.op("Transpose", [rows], f"{name}.pixels", perm=[0, 3, 1, 2])
        parts.append(_convolved(graph, hidden, name, layers))
    return parts[0] if len(parts) == 1 else graph.op("Concat", parts, "seen", axis=1)


def _convolved(graph: Graph, hidden: str, name: str, layers: Any) -> str:
    for i, layer in enumerate(layers):
        if isinstance(layer, torch.nn.Conv2d):
            weights = [part.detach().cpu().numpy() for part in layer.parameters()]  # weight and bias
            inputs = [graph.weight(f"{name}.{i}.{kind}", w) for kind, w in zip("wb", weights, strict=True)]
            strides = list(layer.stride)
            hidden = graph.op("Conv", [hidden, *inputs], f"{name}.{i}.sum", strides=strides)
        elif isinstance(layer, torch.nn.Linear):
            hidden = graph.dense(hidden, *arrays(layer), f"{name}.{i}.sum")
        else:
            kind = "Relu" if isinstance(layer, torch.nn.ReLU) else "Flatten"
            hidden = graph.op(kind, [hidden], f"{name}.{i}")
    return hidden


def _dense_layers(graph: Graph, hidden: str, policy: Policy, over_all_entries: bool = False) -> str:
    kinds = {torch.nn.ReLU: "Relu", torch.nn.Tanh: "Tanh"}
    for i, layer in enumerate(policy.network.torso):
        if isinstance(layer, torch.nn.Linear):
            weight, bias = arrays(layer)
            weight = _over_all_entries(weight, policy) if over_all_entries and not i else weight
            hidden = graph.dense(hidden, weight, bias, f"hidden.{i // 2}.sum")
        else:
            hidden = graph.op(kinds[type(layer)], [hidden], f"hidden.{i // 2}")
    return hidden


def _remember(graph: Graph, hidden: str, cell: torch.nn.GRUCell) -> str:
    """A gated recurrent unit, one Gemm a gate and side: no slicing for a reader to learn."""
    size = cell.hidden_size
    state = graph.take("state", size)
    parts: dict[str, str] = {}
    sides = ((hidden, "seen", cell.weight_ih, cell.bias_ih), (state, "kept", cell.weight_hh, cell.bias_hh))
    for inputs, side, weights, biases in sides:
        weight, bias = weights.detach().cpu().numpy(), biases.detach().cpu().numpy()
        for i, gate in enumerate(("reset", "update", "new")):
            rows = slice(i * size, (i + 1) * size)
            parts[f"{gate}.{side}"] = graph.dense(inputs, weight[rows], bias[rows], f"memory.{gate}.{side}")
    reset = _gate(graph, "reset", parts)
    update = _gate(graph, "update", parts)
    kept = graph.op("Mul", [reset, parts["new.kept"]], "memory.new.gated")
    total = graph.op("Add", [parts["new.seen"], kept], "memory.new.sum")
    new = graph.op("Tanh", [total], "memory.new")
    apart = graph.op("Sub", [state, new], "memory.apart")
    stays = graph.op("Mul", [update, apart], "memory.stays")
    result = graph.op("Add", [new, stays], "next_state")
    graph.give("next_state", size)
    return result


def _gate(graph: Graph, gate: str, parts: Mapping[str, str]) -> str:
    total = graph.op("Add", [parts[f"{gate}.seen"], parts[f"{gate}.kept"]], f"memory.{gate}.sum")
    return graph.op("Sigmoid", [total], f"memory.{gate}")


def _heads(graph: Graph, hidden: str, policy: Policy, weight: np.ndarray, bias: np.ndarray) -> None:
    head = policy.head
    if isinstance(head, Categorical):
        _logits(graph, hidden, weight[:-1], bias[:-1], policy.spec.masked)
        return
    # a mean per axis, a logit per button, a logit per option of every choice: as far as there are any
    axes, buttons = (head.numbers, len(head.buttons)) if isinstance(head, Composed) else (head.size, 0)
    edges = np.cumsum([0, axes, buttons, head.size - axes - buttons])
    for name, first, end in zip(COMPOSED_OUTPUTS, edges[:-1], edges[1:], strict=True):
        if end > first:
            numbers(graph, hidden, policy, (weight[first:end], bias[first:end]), name)
            graph.give(name, int(end - first))
    gaussian = head.gaussian if isinstance(head, Composed) else head
    if gaussian is not None:
        log_std = graph.weight("log_std.value", gaussian.clamped_log_std().detach().cpu().numpy())
        graph.op("Identity", [log_std], "log_std")
        graph.give("log_std", gaussian.size, by_row=False)


def numbers(
    graph: Graph, hidden: str, policy: Policy, layer: tuple[np.ndarray, np.ndarray], name: str
) -> str:
    """Outputs of the last layer, with tanh over them where the policy was trained so."""
    if not policy.config.squash:
        return graph.dense(hidden, *layer, name)
    return graph.op("Tanh", [graph.dense(hidden, *layer, f"{name}.sum")], name)


def _logits(graph: Graph, hidden: str, weight: np.ndarray, bias: np.ndarray, masked: bool) -> None:
    """logits · mask + (mask - 1) · 1e30: a legal logit keeps its bits, a forbidden one is -1e30."""
    graph.give("logits", len(bias))
    if not masked:
        graph.dense(hidden, weight, bias, "logits")
        return
    masks = graph.take("masks", len(bias))
    free = graph.dense(hidden, weight, bias, "logits.free")
    legal = graph.op("Mul", [free, masks], "logits.legal")
    off = graph.op("Sub", [masks, graph.weight("one", 1.0)], "logits.off")
    fall = graph.op("Mul", [off, graph.weight("forbidden", FORBIDDEN)], "logits.fall")
    graph.op("Add", [legal, fall], "logits")
