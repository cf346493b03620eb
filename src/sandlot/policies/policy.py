"""A policy that plays: network, head and normalizer together, saved as one file that holds no code."""

import copy
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..digest import check_seal, seal
from ..errors import ArrayError, CheckpointError, SandlotError, SpecMismatch, UnknownName
from ..spec import Field, Spec
from ..worlds import load_spec
from ..worlds.make import remember_spec
from .config import NetworkConfig
from .heads import head_for
from .network import Network
from .normalize import Normalizer

FORMAT = "sandlot_policy_v2"
MOST_DIRECTIONS = 1024  # of a table head
BRIGHTEST = 255.0  # of a picture's numbers
SHARED = "shared"  # the role of a policy that plays every role of its game


class Policy:
    """Observation in, action out, for one role of one game."""

    def __init__(self, spec: Spec, role: str, config: NetworkConfig | None = None, seed: int = 0):
        config = config or NetworkConfig()
        spec = spec.for_role(role)
        self.spec, self.role, self.config = spec, role, config
        torch.manual_seed(seed)
        self.head = head_for(spec, config.head, config.num_directions)
        masked = named_entries(spec, config.masked_features, "network.masked_features")
        exempt = named_entries(spec, config.min_std_exempt, "network.min_std_exempt")
        self.pictures = pictures_of(spec, config, masked)
        for field in self.pictures:
            masked[field.slice] = True
        self.visible = np.flatnonzero(~masked)  # numbers of an observation that the network sees
        layers = (config.hidden_sizes, config.activation, config.recurrent_size)
        shapes: Any = [field.shape for field in self.pictures]
        self.network = Network(
            len(self.visible), self.head.size, *layers, pictures=shapes, squash=config.squash
        )
        self.normalizer: Normalizer | None = None
        if config.normalize_observations and len(self.visible):
            visible = self.visible if config.masked_features or self.pictures else None
            min_std = np.where(exempt, 0.0, config.min_std)
            self.normalizer = Normalizer(spec.observation_size, min_std, visible)
        self.greedy = False  # sample, as in training: the likeliest action alone can run in circles
        self.rng = torch.Generator().manual_seed(seed)
        self.name = f"{spec.game} {role}"

    def parameters(self) -> list[torch.nn.Parameter]:
        """What an optimizer changes."""
        return [*self.network.parameters(), *self.head.parameters()]

    def to(self, device: torch.device | str) -> "Policy":
        """Move to a device, its random generator included."""
        self.network.to(device)
        self.head.to(device)
        if self.rng.device != self.device:
            self.rng = torch.Generator(self.device).manual_seed(self.rng.initial_seed())
        return self

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.network.last.weight.device

    def for_role(self, role: str) -> "Policy":
        """The same network under the name of one role: weights stay shared."""
        made = copy.copy(self)
        made.role, made.name = role, f"{self.spec.game} {role}"
        return made

    def copy_from(self, other: "Policy") -> None:
        """Take over weights and normalizer statistics of a policy of the same architecture."""
        self.network.load_state_dict(other.network.state_dict())
        self.head.load_state_dict(other.head.state_dict())
        if self.normalizer is not None and other.normalizer is not None:
            self.normalizer.load(other.normalizer.state())

    # ------------------------------------------------------------ playing

    @torch.no_grad()
    def act(
        self, observations: Any, masks: Any = None, state: Tensor | None = None
    ) -> tuple[np.ndarray, Tensor | None]:
        """Actions for every row, and the recurrent state for the next call (None without a GRU)."""
        outputs, state = self.outputs(observations, state)
        masks = None if masks is None else torch.as_tensor(np.asarray(masks), device=self.device)
        if self.greedy:
            return self.head.to_env(self.head.mode(outputs, masks)), state
        actions, _ = self.head.sample(outputs, masks, self.rng)
        return self.head.to_env(actions), state

    def reseed(self, seed: int) -> None:
        """Seed the policy's own generator: the same seed, the same samples."""
        self.rng.manual_seed(seed & (2**63 - 1))

    @torch.no_grad()
    def values(self, observations: Any, state: Tensor | None = None) -> np.ndarray:
        """Value estimates of each row, in units of the scaled return."""
        return self.outputs(observations, state)[0][:, -1].cpu().numpy()

    def outputs(self, observations: Any, state: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """The network's outputs for raw observations, [rows, outputs + 1], and the next recurrent state."""
        rows = np.asarray(observations, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.spec.observation_size:
            raise ArrayError(f"observations are {rows.shape}, expected [rows, {self.spec.observation_size}].")
        raw = torch.as_tensor(np.array(rows), device=self.device)  # a copy: the engine rewrites its array
        return self.network(self.normalize(raw), state)

    def normalize(self, observations: Tensor, out: Tensor | None = None) -> Tensor:
        """Raw observations as the network sees them: visible features, normalized; then pictures, 0 to 1."""
        if self.pictures:
            return self._with_pictures(observations, out)
        if self.normalizer is not None:
            return self.normalizer.apply(observations, out)
        visible = observations[:, self.visible] if self.config.masked_features else observations
        return visible if out is None else out.copy_(visible)

    def _with_pictures(self, observations: Tensor, out: Tensor | None) -> Tensor:
        if out is None:
            out = observations.new_empty(len(observations), self.network.observation_size)
        first = len(self.visible)
        if self.normalizer is not None:
            self.normalizer.apply(observations, out[:, :first])
        elif first:
            out[:, :first] = observations[:, self.visible]
        for field in self.pictures:
            torch.mul(observations[:, field.slice], 1 / BRIGHTEST, out=out[:, first : first + field.size])
            first += field.size
        return out

    def restart(self, state: Tensor | None, ended: np.ndarray) -> None:
        """Reset the recurrent state in place on rows whose episode ended."""
        if state is not None:
            state[torch.as_tensor(np.asarray(ended, bool))] = 0.0

    # ------------------------------------------------------------ files

    def state(self) -> dict[str, Any]:
        """Everything needed to rebuild it, as tensors and plain values."""
        return {
            "format": FORMAT,
            "game": self.spec.address,
            "game_version": self.spec.version,
            "spec_hash": self.spec.hash,
            "profile": self.spec.profile,
            "config": dict(self.spec.config),
            "role": self.role,
            "network_config": self.config.model_dump(mode="json"),
            "network": {k: v.detach().cpu().clone() for k, v in self.network.state_dict().items()},
            "head": {k: v.detach().cpu().clone() for k, v in self.head.state_dict().items()},
            "normalizer": None if self.normalizer is None else self.normalizer.state(),
            **stored_spec(self.spec),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Policy":
        """The policy that `state()` was taken of; anything else is refused in a sentence."""
        if not isinstance(state, Mapping) or state.get("format") != FORMAT:
            found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
            raise CheckpointError(f"This is not a policy of ours: format {found!r}, expected {FORMAT!r}.")
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
    def _rebuilt(cls, state: Mapping[str, Any]) -> "Policy":
        spec = spec_as_trained(state, "The policy")
        config = NetworkConfig(**state["network_config"])
        _check_sizes(config, state["network"])
        policy = cls(spec, state["role"], config)
        policy.network.load_state_dict(state["network"])
        policy.head.load_state_dict(state["head"])
        if policy.normalizer is not None:
            policy.normalizer.load(state["normalizer"])
        return policy

    def to_bytes(self) -> bytes:
        """The content of a .pt file."""
        return pack(self.state())


def _check_sizes(config: NetworkConfig, weights: Mapping[str, Tensor]) -> None:
    """Before a network is built: the layers that a file claims are those whose weights it holds."""
    layers = tuple(w.shape[0] for name, w in weights.items() if name.startswith("torso.") and w.ndim == 2)
    recurrent = weights["cell.weight_hh"].shape[1] if "cell.weight_hh" in weights else 0
    held = all(w.untyped_storage().nbytes() >= w.numel() * w.element_size() for w in weights.values())
    claimed = (config.hidden_sizes, config.recurrent_size)
    if not held or (layers, recurrent) != claimed or config.num_directions > MOST_DIRECTIONS:
        raise CheckpointError(
            f"The policy claims layers of {list(config.hidden_sizes)[:8]} and a GRU of "
            f"{config.recurrent_size} units; its weights have another shape. Use another copy."
        )


def stored_spec(spec: Spec) -> dict[str, str]:
    """What a policy's file says about a game that has to be opened to be described: the whole spec."""
    return {} if spec.source == "engine" else {"spec": json.dumps(spec.stored())}


def spec_as_trained(stored: Mapping[str, Any], what: str) -> Spec:
    """stored: game, game_version, profile, config and spec_hash, as a policy's file has them.

    The spec of a game that is not native is in the file, so that the game need not be opened.
    """
    if "spec" in stored:
        spec = Spec.restored(json.loads(stored["spec"]), what)
        remember_spec(spec)
    else:
        spec = load_spec(stored["game"], {"profile": stored["profile"], **stored["config"]})
    if spec.hash != stored["spec_hash"]:
        raise SpecMismatch(
            f"{what} was trained on {stored['game']} {stored['game_version']} (spec {stored['spec_hash']}), "
            f"this engine has {spec.version} (spec {spec.hash}). Use the engine it was trained with, or "
            "train again."
        )
    return spec


def pictures_of(spec: Spec, config: NetworkConfig, masked: np.ndarray) -> tuple[Field, ...]:
    """The pictures of an observation that go through convolutions; masked: entries that nobody sees."""
    fields = [field for field in spec.observation if field.image and len(field.shape) == 3]
    return tuple(field for field in fields if config.cnn == "auto" and not masked[field.slice].any())


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
    if isinstance(state, dict) and isinstance(state.get("policies"), dict):  # a checkpoint: one per role
        roles = list(state["policies"])
        role = role or next(iter(roles), "any role")
        if role not in roles:
            raise CheckpointError(f"{path.name} has policies for {', '.join(roles)}, not for {role!r}.")
        state = state["policies"][role]
    if not isinstance(state, dict):
        raise CheckpointError(f"{path.name} holds no policy.")
    policy = Policy.from_state(state)
    return policy.for_role(role) if role and policy.role == SHARED else _of_role(policy, role, path)


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
