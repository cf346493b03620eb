"""The players of an evaluation or a league: scripted players, and policies from runs or files.

Scripted players need no PyTorch, so policies are imported where one is read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CheckpointError, ConfigError, SpecMismatch
from ..games import bot
from ..games.random_policy import RandomPolicy
from ..runs.pretrained import pretrained
from ..runs.run import Run, sha256
from ..runs.store import Store, locate
from ..spec import Spec

if TYPE_CHECKING:
    from ..policies import Policy

PRETRAINED = "pretrained:"  # before the name of a game: the policies that ship for it
EVERY_ROLE = "all"  # of a player whose policy is a mapping: what acts, by role


@dataclass(frozen=True)
class Player:
    """A scripted or trained player of one role, or of all roles together."""

    name: str
    role: str
    policy: Any  # what acts: a Policy or a Bot; by role where it is EVERY_ROLE
    scripted: bool


@dataclass(frozen=True)
class Checkpoint:
    """Saved weights: one policy per role, and where they come from."""

    name: str
    policies: Mapping[str, Policy]
    origin: Mapping[str, Any]  # run_id, window_id, env_steps_total, file; windows: by role, where they differ
    path: Path | None = None  # of its file

    @functools.cached_property
    def sha256(self) -> str | None:
        """The digest of its file."""
        return None if self.path is None else sha256(self.path.read_bytes())

    def together(self) -> Player:
        """Players of the roles that have weights."""
        return Player(self.name, EVERY_ROLE, dict(self.policies), scripted=False)

    @property
    def spec(self) -> Spec:
        """The game that its policies were trained on."""
        return next(iter(self.policies.values())).spec

    def window_of(self, role: str) -> int | None:
        """The window of a role's weights; in best.pt the roles may come from different windows."""
        return (self.origin.get("windows") or {}).get(role, self.origin["window_id"])

    def player(self, role: str) -> Player:
        """The player of a role; ConfigError if there are no weights for it."""
        if role not in self.policies:
            raise ConfigError(f"{self.name} has weights for {', '.join(self.policies)}, not for {role!r}.")
        return Player(self.name, role, self.policies[role], scripted=False)


def open_checkpoint(name: str, root: Path | str = "runs") -> Checkpoint:
    """The checkpoint named by a run's id or folder, `latest`, `pretrained:GAME`, or a .pt or .onnx file.

    Of a run it is the best checkpoint, or the newest until one has been evaluated.
    """
    if name.startswith(PRETRAINED):
        return read_pretrained(name.removeprefix(PRETRAINED))
    path = Path(name)
    if path.suffix in (".pt", ".onnx"):
        if not path.is_file():
            raise CheckpointError(f"There is no file {path}. Give a run's id or folder, or such a file.")
        return read_checkpoint(path) if path.suffix == ".pt" else read_exported(path)
    run = _run_that_plays(name, root)
    return read_checkpoint(run.paths.best if run.best() else run.newest_checkpoint())


def _run_that_plays(name: str, root: Path | str) -> Run:
    if name == "latest":
        return Store(root).latest(with_checkpoint=True)
    store, run_id = locate(name, root)
    return store.open(run_id)


def checkpoint_history(run: Run, every: int) -> list[Checkpoint]:
    """Every n-th checkpoint of a run and its newest one, oldest first."""
    kept = run.checkpoints()
    newest = max(kept, default=-1)
    return [read_checkpoint(path) for window, path in kept.items() if window % every == 0 or window == newest]


def read_checkpoint(path: Path) -> Checkpoint:
    """A checkpoint with one policy per role, or the file of a single policy."""
    from ..policies import Policy
    from ..policies.policy import FORMAT, unpack

    try:
        state = unpack(path.read_bytes(), path.name)
    except OSError as problem:
        raise CheckpointError(f"{path} could not be read ({problem.strerror or problem}).") from None
    if isinstance(state, dict) and isinstance(state.get("policies"), dict):
        policies = {role: Policy.from_state(saved) for role, saved in state["policies"].items()}
    elif isinstance(state, dict) and state.get("format") == FORMAT:
        policies = _by_role(Policy.from_state(state))
    else:
        raise CheckpointError(f"{path.name} holds no policy. Give a checkpoint, or a run that has one.")
    run_id, window = state.get("run_id") or path.stem, state.get("window_id")
    steps = state.get("env_steps_total")
    origin = {"run_id": run_id, "window_id": window, "env_steps_total": steps, "file": path.name}
    if isinstance(state.get("windows"), dict):
        origin["windows"] = state["windows"]
    return Checkpoint(run_id if window is None else f"{run_id}@{window}", policies, origin, path)


def _by_role(policy: Policy) -> dict[str, Policy]:
    """The policy under its role; a shared policy under every role of its game."""
    from ..policies.policy import SHARED

    roles = dict.fromkeys(policy.spec.roles) if policy.role == SHARED else [policy.role]
    return {role: policy.for_role(role) for role in roles}


def read_exported(path: Path) -> Checkpoint:
    """The policy of an ONNX file."""
    from ..policies.exported import load_onnx  # on demand: needs the extra `export`

    policy = load_onnx(path)
    run_id, window = policy.facts.get("run_id") or path.stem, policy.facts.get("window_id")
    origin = {"run_id": run_id, "window_id": window, "env_steps_total": None, "file": path.name}
    name = f"{run_id}@{window} ({path.name})" if window is not None else path.stem
    return Checkpoint(name, {policy.role: policy}, origin, path)


def same_rules(checkpoints: Iterable[Checkpoint], spec: Spec) -> None:
    """Refuse checkpoints that were trained with other rules: their results would not be comparable."""
    for checkpoint in checkpoints:
        if checkpoint.spec.game != spec.game:
            raise SpecMismatch(f"{checkpoint.name} plays {checkpoint.spec.game}, not {spec.game}.")
        if checkpoint.spec.hash != spec.hash:
            ours, theirs = spec.settings, checkpoint.spec.settings
            other = [f"{k} = {theirs.get(k)} (here {v})" for k, v in ours.items() if theirs.get(k) != v]
            raise SpecMismatch(
                f"{checkpoint.name} was trained with other settings: {', '.join(other[:4]) or 'a version'}. "
                "Only players of the same settings compare; leave it out, or choose its settings with --set."
            )


def read_pretrained(game: str) -> Checkpoint:
    """The policies that ship for a game, of all its roles."""
    found = pretrained(game)
    each = [read_exported(found.policy(role)) for role in found.roles]
    policies = {role: policy for one in each for role, policy in one.policies.items()}
    name = f"{PRETRAINED}{game}"
    return Checkpoint(name, policies, dict(each[0].origin) | {"file": name}, each[0].path)


# ---------------------------------------------------------------- random and scripted players


def random_player(spec: Spec) -> Player:
    """A player of every role that draws its actions at random."""
    policies = {role: RandomPolicy(spec.for_role(role)) for role in spec.role_names}
    return Player(RandomPolicy.name, EVERY_ROLE, policies, scripted=True)


def scripted(spec: Spec, role: str, levels: str = "all", threads: int = 1) -> list[Player]:
    """Scripted players of a role: at `all` levels, or only at the `top` one."""
    made = []
    for name, info in spec.bots.items():
        if info["role"] in (role, "all"):
            levels_played = range(info["levels"] if levels == "top" else 1, info["levels"] + 1)
            made += [_scripted(spec, role, name, level, threads) for level in levels_played]
    return made


def scripted_by_name(spec: Spec, role: str, word: str, threads: int = 1) -> Player:
    """`chase` at its top level, or `chase:2`."""
    name, colon, text = word.partition(":")
    if colon and not text.isdigit():
        raise ConfigError(f"{word}: expected BOT or BOT:LEVEL, for example chase:2.")
    info = spec.bots.get(name)
    if info is not None and info["role"] not in (role, "all"):
        raise ConfigError(f"{name} plays {info['role']}, not {role}.")
    return _scripted(spec, role, name, int(text) if colon else None, threads)


def _scripted(spec: Spec, role: str, name: str, level: int | None, threads: int) -> Player:
    player = bot(spec.game, name, level, spec.settings, seed=1 + spec.roles.index(role), threads=threads)
    shown = f"{name}:{player.level}" if spec.bots[name]["levels"] > 1 else name
    return Player(shown, role, player, scripted=True)
