"""A policy for the stock Godot RL Agents plugin: the file that its ONNX inference mode reads.

Inputs `obs` [batch, n] and `state_ins` [batch], outputs `output` [batch, size] and `state_outs` [batch],
operator set 17. The plugin walks `output` in the order of the action space: logits of a discrete action, of
which it takes the largest or draws one; numbers of a continuous one, which it cuts to -1..1. It knows neither
masks nor memory.
"""

from pathlib import Path

import numpy as np
import torch

from ..errors import ConfigError
from .compare import record_trajectory
from .export import (
    OPS,
    PICTURE_OPS,
    ExportReport,
    Graph,
    arrays,
    head_facts,
    numbers,
    policy_name,
    put,
    trunk,
)
from .exported import open_session
from .heads import Categorical, Composed
from .policy import Policy

OPSET = 17
OPERATORS = (*OPS, "ArgMax", "Concat", "Gather", "Sign")


def export_godot_rl(policy: Policy, path: Path | str) -> ExportReport:
    """Write it, whole or not at all, and say how far its `output` is from the policy's own."""
    path = Path(path)
    data = to_godot_rl(policy)
    play = record_trajectory(policy, worlds=32, steps=24)
    observations = play.observations.reshape(-1, policy.spec.observation_size)
    session = open_session(data, path.name)
    states = np.zeros(len(observations), np.float32)
    (found,) = session.run(["output"], {"obs": observations, "state_ins": states})
    expected = _expected(policy, observations)
    difference = np.abs(found - expected) / np.maximum(np.abs(expected), 1.0)
    same = (found.argmax(1) == expected.argmax(1)) if _logits(policy) else (difference < 1e-4).all(axis=1)
    put(path, data)
    kind, share = head_facts(policy.head)["kind"], float(same.mean())
    return ExportReport(
        path, len(data), policy.spec.game, policy.role, kind, False,
        rows=len(observations), max_difference=float(difference.max()),
        greedy_agreement=share, drawn_agreement=share,
    )  # fmt: skip


def to_godot_rl(policy: Policy) -> bytes:
    """The bytes of the file."""
    if policy.network.recurrent_size:
        raise ConfigError(
            f"{policy.name} has a memory of {policy.network.recurrent_size} numbers; the stock plugin hands "
            "none back. Export it as it is, for our addon, or train it with network.recurrent_size=0."
        )
    graph = Graph(operators=(*OPERATORS, *PICTURE_OPS))
    hidden = trunk(graph, policy, graph.take("obs", policy.spec.observation_size))
    weight, bias = arrays(policy.network.last)
    size = _output(graph, hidden, policy, weight[:-1], bias[:-1])
    graph.give("output", size)
    graph.op("Identity", [graph.take("state_ins", 0)], "state_outs")
    graph.give("state_outs", 0)
    facts = {"format": "godot_rl", "game": policy.spec.game, "role": policy.role}
    return graph.model(policy_name(policy), OPSET, facts)


def _logits(policy: Policy) -> bool:
    return isinstance(policy.head, Categorical) and policy.head.table is None


def _output(graph: Graph, hidden: str, policy: Policy, weight: np.ndarray, bias: np.ndarray) -> int:
    """What the plugin reads; of a table or a button it is the likeliest setting itself."""
    head = policy.head
    if isinstance(head, Categorical) and head.table is not None:
        logits = graph.dense(hidden, weight, bias, "logits")
        choice = graph.op("ArgMax", [logits], "choice", axis=1, keepdims=0)
        table = graph.weight("table", head.table.cpu().numpy())
        graph.op("Gather", [table, choice], "output", axis=0)
        return head.table.shape[1]
    if isinstance(head, Composed):
        return _in_order(graph, hidden, head, weight, bias)
    numbers(graph, hidden, policy, (weight, bias), "output")
    return head.size


def _in_order(graph: Graph, hidden: str, head: Composed, weight: np.ndarray, bias: np.ndarray) -> int:
    """Entry after entry of the action space: a number, a button as -1 or 1, the logits of a choice."""
    parts, size = [], 0
    for i, (kind, rows) in enumerate(zip(head.kinds, _rows_of(head), strict=True)):
        name = f"entry.{i}"
        values = graph.dense(hidden, weight[rows], bias[rows], name)
        parts.append(graph.op("Sign", [values], f"{name}.pressed") if kind == 1 else values)
        size += rows.stop - rows.start
    graph.op("Concat", parts, "output", axis=1)
    return size


def _rows_of(head: Composed) -> list[slice]:
    """The outputs that belong to each entry."""
    following = [0, head.numbers, head.numbers + len(head.buttons)]  # output of axes, buttons and choices
    made = []
    for kind in head.kinds:
        group, width = min(kind, 2), max(kind, 1)
        made.append(slice(following[group], following[group] + width))
        following[group] += width
    return made


@torch.no_grad()
def _expected(policy: Policy, observations: np.ndarray) -> np.ndarray:
    outputs = policy.outputs(observations)[0]
    if _logits(policy):
        return outputs[:, :-1].cpu().numpy()
    if isinstance(policy.head, Composed):
        parts = [
            outputs[:, rows].sign() if kind == 1 else outputs[:, rows]
            for kind, rows in zip(policy.head.kinds, _rows_of(policy.head), strict=True)
        ]
        return torch.cat(parts, dim=1).cpu().numpy()
    best = policy.head.mode(outputs, None)
    return policy.head.to_env(best) if isinstance(policy.head, Categorical) else best.cpu().numpy()
