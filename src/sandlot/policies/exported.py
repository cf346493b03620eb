"""A policy out of an ONNX file, run by onnxruntime: the same `act` as the policy it was made from."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import ArrayError, CheckpointError, MissingExtra
from .export import COMPOSED_OUTPUTS, DIGEST, FORMAT, HIGH, LOW, OPS, PICTURE_OPS, digest_of
from .heads import Categorical, Composed, Gaussian, Head
from .policy import Policy, spec_as_trained

try:
    import onnx
    import onnxruntime
except ImportError:
    raise MissingExtra("Playing an exported policy", "onnxruntime", "export") from None

MAX_BYTES = 256 << 20
MAX_RECURRENT_SIZE = 65_536
# entries of the metadata that are JSON; the others are text
JSON_FACTS = ("config", "head", "actions", "observation_size", "memory", "hidden", "window_id")
OUTPUTS = {
    "categorical": ("logits",),
    "table": ("logits",),
    "gaussian": ("mean",),
    "mixed": ("mean", "button_logits"),
    "composed": COMPOSED_OUTPUTS,  # those of them that it has
}


class OnnxPolicy(Policy):
    """Observation in, action out; the network is a session of onnxruntime, the draws are made as ever."""

    def __init__(self, data: bytes, what: str, threads: int = 1, seed: int = 0):
        """what: names the file in the sentence of a refusal."""
        facts = read_facts(data, what)
        self.facts = facts
        self.role = facts["role"]
        self.spec = spec_as_trained(facts, what).for_role(self.role)
        self._session = open_session(data, what, threads)
        head = facts["head"]
        given = {output.name for output in self._session.get_outputs()}
        own = [name for name in OUTPUTS[head["kind"]] if name in given or head["kind"] != "composed"]
        names = (*own, "value", *(["next_state"] if facts["memory"] else []))
        log_std = None
        if head["kind"] in ("gaussian", "mixed") or "log_std" in given:
            names, log_std = (*names, "log_std"), self._constant("log_std")
        self.head = _head_of(head, log_std)
        self._names = tuple(name for name in names if name != "log_std")
        self.greedy = False
        self.rng = torch.Generator().manual_seed(seed)
        self.name = f"{self.spec.game} {self.role}"

    @property
    def device(self) -> torch.device:
        """Always the CPU."""
        return torch.device("cpu")

    @property
    def memory(self) -> int:
        """Units of the recurrent state; 0 for none."""
        return int(self.facts["memory"])

    def outputs(self, observations: Any, state: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """The network's raw outputs for a batch."""
        *found, value, after = self.run(observations, None, state)
        return torch.from_numpy(np.concatenate([*found, value], axis=1)), after

    def run(self, observations: Any, masks: Any = None, state: Tensor | None = None) -> tuple[Any, ...]:
        """The file's own outputs, arrays in its order: those of the head, `value`; last the memory, or None.

        masks: as a world has them; without any, all actions are legal.
        """
        rows = np.ascontiguousarray(observations, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.spec.observation_size:
            raise ArrayError(f"observations are {rows.shape}, expected [rows, {self.spec.observation_size}].")
        fed = {"observations": rows}
        if self.spec.masked:
            whole = np.ones((len(rows), self.spec.action_count)) if masks is None else np.asarray(masks)
            fed["masks"] = np.ascontiguousarray(whole, np.float32)
        if self.memory:
            fed["state"] = np.zeros((len(rows), self.memory), np.float32) if state is None else state.numpy()
        found = self._session.run(self._names, fed)
        after = torch.from_numpy(found.pop()) if self.memory else None
        return (*found, after)

    def _constant(self, name: str) -> np.ndarray:
        rows = np.zeros((1, self.spec.observation_size), np.float32)
        memory = {"state": np.zeros((1, self.memory), np.float32)} if self.memory else {}
        return self._session.run([name], {"observations": rows, **memory})[0]

    def state(self) -> dict[str, Any]:
        """Refused: an exported policy cannot be saved as a checkpoint."""
        text = "An exported policy cannot be saved as a checkpoint"
        raise CheckpointError(f"{text}. Copy its .onnx file, or save the original.")


def load_onnx(path: Path | str, threads: int = 1) -> OnnxPolicy:
    """A policy from a file that `export_onnx` wrote."""
    path = Path(path)
    if not path.is_file():
        raise CheckpointError(f"There is no file {path}. Make one with `sandlot export RUN`.")
    if path.stat().st_size > MAX_BYTES:
        raise CheckpointError(f"{path} is larger than {MAX_BYTES >> 20} MiB; no policy of ours is.")
    return OnnxPolicy(path.read_bytes(), path.name, threads)


def read_facts(data: bytes, what: str) -> dict[str, Any]:
    """The metadata of a file of ours, checked; a graph that `export` did not build is refused."""
    try:
        model = onnx.load_model_from_string(data)
    except Exception as problem:  # noqa: BLE001  protobuf raises many kinds; all mean the same to a user
        raise CheckpointError(f"{what} is not an ONNX file, or is cut off ({_first(problem)}).") from None
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    if metadata.get("format") != FORMAT:
        raise CheckpointError(
            f"{what} is not a policy of ours: format {metadata.get('format')!r}, expected {FORMAT!r}. "
            "Make one with `sandlot export RUN`."
        )
    strange = sorted({node.op_type for node in model.graph.node} - {*OPS, *PICTURE_OPS})
    outside = [w.name for w in model.graph.initializer if w.data_location == onnx.TensorProto.EXTERNAL]
    if strange or outside:
        raise CheckpointError(f"{what} was changed: it holds {', '.join(strange or outside)[:200]}.")
    try:
        facts = {key: json.loads(v) if key in JSON_FACTS else v for key, v in metadata.items()}
        for name in ("game", "game_version", "spec_hash", "profile", "config", "role", "head", "memory"):
            facts[name]
        OUTPUTS[facts["head"]["kind"]]
        bounds = (facts["head"].get("low", LOW), facts["head"].get("high", HIGH))
        if bounds != (LOW, HIGH):
            raise ValueError(f"actions from {bounds[0]!r} to {bounds[1]!r}, known are {LOW} to {HIGH}")
        if type(facts["memory"]) is not int or not 0 <= facts["memory"] <= MAX_RECURRENT_SIZE:
            raise ValueError(f"memory = {facts['memory']!r}")
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise CheckpointError(f"{what} does not say what it is ({_first(problem)}).") from None
    if facts.get(DIGEST) != digest_of(model):
        raise CheckpointError(f"{what} was changed after it was written: its digest differs. Export again.")
    return facts


def open_session(data: bytes, what: str, threads: int = 1) -> Any:
    """An onnxruntime session on the CPU; what cannot be run is refused in a sentence."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as problem:  # noqa: BLE001  onnxruntime has a kind for each of its failures
        raise CheckpointError(f"{what} cannot be run ({_first(problem)}).") from None


def _head_of(facts: dict[str, Any], log_std: np.ndarray | None) -> Head:
    kind = facts["kind"]
    if kind in ("categorical", "table"):
        return Categorical(facts["count"], np.array(facts["table"]) if kind == "table" else None)
    mixed = [0] * facts.get("numbers", 0) + [1] * facts.get("buttons", 0)
    head = Gaussian(facts["numbers"]) if kind == "gaussian" else Composed(facts.get("entries", mixed))
    gaussian = head.gaussian if isinstance(head, Composed) else head
    if gaussian is not None:
        with torch.no_grad():
            gaussian.log_std.copy_(torch.as_tensor(log_std))
    return head


def _first(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0][:160]
