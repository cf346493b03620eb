"""A policy that plays: network, head and normaliser together, saved as one file that holds no code."""

from __future__ import annotations

import copy
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..digest import check_seal, seal
from ..errors import ArrayError, CheckpointError, SandlotError, UnknownName
from ..games import Spec
from .heads import head_for
from .network import Network
from .normalise import Normaliser
from .trained_on import spec_as_trained

FORMAT = "sandlot_policy_v1"
MOST_DIRECTIONS = 1024  # of a table head
SHARED = "shared"  # the role of a policy that plays every role of its game


@dataclass(frozen=True)
class Shape:
    """What a policy is built from; stored beside its weights."""

    hidden: tuple[int, ...] = (128, 128)
    activation: str = "relu"
    memory: int = 0  # units of recurrent memory; 0 for none
    head: str = "auto"  # auto, table, gaussian, mixed
    directions: int = 16  # of a table head
    normalise: bool = True  # observations, by running mean and spread
    least_spread: float = 0.0  # that observations are divided by
    sharp: tuple[str, ...] = ()  # parts that are divided by their own spread, however small it is
    blind: tuple[str, ...] = ()  # parts of the observation that it does not see: "rays", "asteroids.iron"


class Policy:
    """Observation in, action out, for one role of one game."""

    def __init__(self, spec: Spec, role: str, shape: Shape | None = None, seed: int = 0):
        self.spec, self.role, self.shape = spec, role, shape or Shape()
        shape = self.shape
        torch.manual_seed(seed)
        self.head = head_for(spec, shape.head, shape.directions)
        self.seen = np.flatnonzero(~named_entries(spec, shape.blind, "network.blind"))
        sharp = named_entries(spec, shape.sharp, "network.sharp")
        self.network = Network(len(self.seen), self.head.size, shape.hidden, shape.activation, shape.memory)
        seen = self.seen if shape.blind else None
        self.normaliser = (
            Normaliser(spec.observation_size, np.where(sharp, 0.0, shape.least_spread), seen)
            if shape.normalise
            else None
        )
        self.greedy = False  # draw actions by their probability: what was trained; argmax can run in circles
        self.rng = torch.Generator().manual_seed(seed)
        self.name = f"{spec.game} {role}"

    def parameters(self) -> list[torch.nn.Parameter]:
        return [*self.network.parameters(), *self.head.parameters()]

    def to(self, device: torch.device | str) -> Policy:
        self.network.to(device)
        self.head.to(device)
        if self.rng.device != self.device:  # dice are rolled where the network is
            self.rng = torch.Generator(self.device).manual_seed(self.rng.initial_seed())
        return self

    @property
    def device(self) -> torch.device:
        return self.network.last.weight.device

    def for_role(self, role: str) -> Policy:
        """The same network under the name of one role; what one of them learns the other knows."""
        made = copy.copy(self)
        made.role, made.name = role, f"{self.spec.game} {role}"
        return made

    # ------------------------------------------------------------ playing

    @torch.no_grad()
    def act(
        self, observations: Any, masks: Any = None, state: torch.Tensor | None = None
    ) -> tuple[np.ndarray, torch.Tensor | None]:
        """Actions for every row, and the memory for the next call (None for a policy without memory)."""
        outputs, state = self.outputs(observations, state)
        masks = None if masks is None else torch.as_tensor(np.asarray(masks), device=self.device)
        choices = (
            self.head.best(outputs, masks) if self.greedy else self.head.sample(outputs, masks, self.rng)[0]
        )
        return self.head.actions(choices), state

    def reseed(self, seed: int) -> None:
        """Begin the policy's own randomness anew: the same seed, the same draws."""
        self.rng.manual_seed(seed & (2**63 - 1))

    @torch.no_grad()
    def values(self, observations: Any, state: torch.Tensor | None = None) -> np.ndarray:
        """What the policy expects of each row, in units of its scaled return."""
        return self.outputs(observations, state)[0][:, -1].cpu().numpy()

    def outputs(
        self, observations: Any, state: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        rows = np.asarray(observations, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.spec.observation_size:
            raise ArrayError(f"observations are {rows.shape}, expected [rows, {self.spec.observation_size}].")
        seen = torch.as_tensor(np.array(rows), device=self.device)  # a copy: the engine's array is its own
        return self.network(self.normalised(seen), state)

    def normalised(self, observations: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """What the network sees of raw observations."""
        if self.normaliser is not None:
            return self.normaliser.apply(observations, out)
        seen = observations[:, self.seen] if self.shape.blind else observations
        return seen if out is None else out.copy_(seen)

    def restart(self, state: torch.Tensor | None, ended: np.ndarray) -> None:
        """Forget the episode on rows where it ended."""
        if state is not None:
            state[torch.as_tensor(np.asarray(ended, bool))] = 0.0

    # ------------------------------------------------------------ files

    def state(self) -> dict[str, Any]:
        """Everything needed to rebuild it, as tensors and plain values."""
        return {
            "format": FORMAT,
            "game": self.spec.game,
            "game_version": self.spec.version,
            "spec_hash": self.spec.hash,
            "profile": self.spec.profile,
            "config": dict(self.spec.config),
            "role": self.role,
            "shape": {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self.shape).items()},
            "network": {k: v.detach().cpu().clone() for k, v in self.network.state_dict().items()},
            "head": {k: v.detach().cpu().clone() for k, v in self.head.state_dict().items()},
            "normaliser": None if self.normaliser is None else self.normaliser.state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Policy:
        """The policy that `state()` was taken of; anything else is refused in a sentence."""
        if not isinstance(state, Mapping) or state.get("format") != FORMAT:
            found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
            raise CheckpointError(f"This is no policy of ours: format {found!r}, expected {FORMAT!r}.")
        try:
            return cls._rebuilt(state)
        except SandlotError:
            raise
        except Exception as problem:  # noqa: BLE001  torch and Python raise many kinds of it
            first = next(iter(str(problem).splitlines()), "") or type(problem).__name__
            raise CheckpointError(
                f"The policy cannot be rebuilt from its file ({type(problem).__name__}: {first[:160]}): "
                "its parts do not fit together. Use another copy, or train again."
            ) from None

    @classmethod
    def _rebuilt(cls, state: Mapping[str, Any]) -> Policy:
        spec = spec_as_trained(state, "The policy")
        stored: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in state["shape"].items()
        }
        shape = Shape(**stored)
        _check_sizes(shape, state["network"])
        policy = cls(spec, state["role"], shape)
        policy.network.load_state_dict(state["network"])
        policy.head.load_state_dict(state["head"])
        if policy.normaliser is not None:
            policy.normaliser.load(state["normaliser"])
        return policy

    def to_bytes(self) -> bytes:
        return pack(self.state())


def _check_sizes(shape: Shape, weights: Mapping[str, torch.Tensor]) -> None:
    """Before a network is built: the layers that a file claims are those whose weights it holds."""
    layers = tuple(w.shape[0] for name, w in weights.items() if name.startswith("torso.") and w.ndim == 2)
    memory = weights["cell.weight_hh"].shape[1] if "cell.weight_hh" in weights else 0
    held = all(w.untyped_storage().nbytes() >= w.numel() * w.element_size() for w in weights.values())
    if not held or (layers, memory) != (shape.hidden, shape.memory) or shape.directions > MOST_DIRECTIONS:
        raise CheckpointError(
            f"The policy claims layers of {list(shape.hidden)[:8]} and {shape.memory} units of memory; its "
            "weights have another shape. Use another copy."
        )


def named_entries(spec: Spec, names: Sequence[str], key: str) -> np.ndarray:
    """Which entries of an observation these names mean, bool [entries]; key: where they were written.

    A name is a field, or a field and one of its labels: every asteroid's share of iron is "asteroids.iron".
    """
    meant = np.zeros(spec.observation_size, bool)
    for name in names:
        whole, _, label = name.partition(".")
        field = spec.entry(whole)
        if label and label not in field.labels:
            raise UnknownName(f"part of {whole} ({key})", label, field.labels)
        part = meant[field.slice].reshape(-1, len(field.labels) or 1)  # a view
        part[:, field.labels.index(label) if label else slice(None)] = True
    return meant


def pack(state: Any) -> bytes:
    """Tensors and plain values as the bytes of a .pt file that carries its own digest."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return seal(buffer.getvalue())


def unpack(data: bytes, name: str) -> Any:
    """The content of a .pt file: refused unless its digest fits, and never running code that may be in it."""
    check_seal(data, name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:  # torch writes its entries uncompressed
            if sum(entry.file_size for entry in archive.infolist()) > len(data):
                raise ValueError("it unpacks to more bytes than it has")
        return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    except Exception as problem:  # noqa: BLE001  torch raises many kinds; all mean the same to a user
        first = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise CheckpointError(
            f"{name} cannot be read as weights ({first[:160]}). It is not a checkpoint, or holds code, "
            "which is never run."
        ) from None


def load_policy(path: str | Path, role: str | None = None) -> Policy:
    """A policy from its file (.pt, .onnx), a checkpoint, or a run folder (its best, else its newest)."""
    path = Path(path)
    if path.suffix == ".onnx":
        from .exported import load_onnx  # on demand: needs the extra `export`

        return _of_role(load_onnx(path), role, path)
    if path.is_dir():
        path = _in_run(path, role)
    if not path.exists():
        raise CheckpointError(f"There is no file {path}. Give a run folder, a checkpoint or a policy file.")
    state = unpack(path.read_bytes(), path.name)
    if isinstance(state, dict) and isinstance(state.get("policies"), dict):  # a checkpoint: one a role
        roles = list(state["policies"])
        role = role or next(iter(roles), "any role")
        if role not in roles:
            raise CheckpointError(f"{path.name} has policies for {', '.join(roles)}, not for {role!r}.")
        state = state["policies"][role]
    if not isinstance(state, dict):
        raise CheckpointError(f"{path.name} holds no policy.")
    policy = Policy.from_state(state)
    return policy.for_role(role) if role and policy.role == SHARED else policy


def _of_role(policy: Policy, role: str | None, path: Path) -> Policy:
    if role is not None and policy.role != role:
        raise CheckpointError(f"{path.name} has a policy for {policy.role}, not for {role!r}.")
    return policy


def _in_run(folder: Path, role: str | None) -> Path:
    best = folder / "checkpoints" / "best.pt"
    if best.exists():
        return best
    named = folder / "checkpoints" / f"policy_{role}.pt"
    if role and named.exists():
        return named
    found = sorted((folder / "checkpoints").glob("ckpt_*.pt"))
    if not found:
        raise CheckpointError(f"{folder} has no checkpoint yet.")
    return found[-1]
