"""An exported policy beside the one it was made from: same answers, how fast."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .. import seeding
from ..games import bot
from ..games.faces.cast import USUAL_BOT
from ..games.vector import VectorGame
from .exported import OnnxPolicy
from .heads import Categorical
from .policy import Policy

PLAY_SEED = 0xE8B0
BATCHES = (1, 64, 1024)
TOUCH = 0.05  # two continuous actions closer than this are the same action to a player


@dataclass(frozen=True)
class Play:
    """What one policy saw while it played, T steps of R rows."""

    observations: np.ndarray  # [T, R, D]
    masks: np.ndarray | None  # [T, R, A]
    ended: np.ndarray  # [T, R]: the episode ended in the step before


@dataclass(frozen=True)
class Parity:
    rows: int
    max_difference: float
    greedy_agreement: float
    drawn_agreement: float


def own_play(
    policy: Policy,
    worlds: int,
    steps: int,
    seed: int = PLAY_SEED,
    rivals: Mapping[str, Any] | None = None,
    mover: Policy | None = None,
) -> Play:
    """The policy plays its role, scripted players (or `rivals`) the others; mover: who moves in its place."""
    spec = policy.spec
    config = {"profile": spec.profile, **spec.config}
    with VectorGame(spec.game, worlds=worlds, config=config) as world:
        world.reset(seed)
        seats = _seats(world, policy.role, mover or policy, rivals or {})
        rows = seats[0][1]
        memories: list[Any] = [None] * len(seats)
        seen, masks, ended = [], [], []
        over = np.ones(world.rows, bool)
        (mover or policy).reseed(seeding.split(seed, 1))
        for _ in range(steps):
            seen.append(world.observations[rows].copy())
            ended.append(over[rows].copy())
            if world.masks is not None:
                masks.append(world.masks[rows].copy())
            for i, (player, its) in enumerate(seats):
                allowed = None if world.masks is None else world.masks[its]
                world.actions[its], memories[i] = player.act(world.observations[its], allowed, memories[i])
            world.step()
            over = (world.terminated | world.truncated).astype(bool)
            for i, (player, its) in enumerate(seats):
                if memories[i] is not None:
                    player.restart(memories[i], over[its])
        return Play(np.array(seen), np.array(masks) if masks else None, np.array(ended))


def _seats(
    world: VectorGame, role: str, policy: Policy, rivals: Mapping[str, Any]
) -> list[tuple[Any, np.ndarray]]:
    spec = world.spec
    roles = np.tile(np.array(spec.roles), world.worlds)
    config = {"profile": spec.profile, **spec.config}
    seats: list[tuple[Any, np.ndarray]] = [(policy, np.flatnonzero(roles == role))]
    for other in dict.fromkeys(spec.roles):
        if other != role:
            player = rivals.get(other) or bot(spec.game, USUAL_BOT[other], config=config)
            seats.append((player, np.flatnonzero(roles == other)))
    return seats


# ---------------------------------------------------------------- the same answers


@contextmanager
def one_core() -> Iterator[None]:
    """Networks this small gain nothing from a second thread, and on a busy machine they wait for it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def compare(policy: Policy, exported: OnnxPolicy, worlds: int = 32, steps: int = 24) -> Parity:
    """Both see the same play, each with its own memory, and draw from the same random numbers."""
    play = own_play(policy, worlds, steps)
    largest = 0.0
    states: list[Any] = [None, None]
    greedy, drawn = [], []
    for t, seen in enumerate(play.observations):
        masks = None if play.masks is None else torch.from_numpy(play.masks[t])
        for state in states:
            if state is not None:
                state[torch.from_numpy(play.ended[t])] = 0.0
        # one row is summed in another order than many: both are compared
        for rows in (slice(0, 1), slice(None)):
            ours, mine = _outputs(policy, seen[rows], _cut(masks, rows), _cut(states[0], rows))
            theirs, its = _exported(exported, seen[rows], _cut(masks, rows), _cut(states[1], rows))
            largest = max(largest, _largest(ours, theirs), _largest(mine, its))
        states = [mine, its]
        greedy.append(_same(policy.head.best(ours, masks), exported.head.best(theirs, masks)))
        drawn.append(_same(_draw(policy, ours, masks, t), _draw(exported, theirs, masks, t)))
    return Parity(play.ended.size, largest, float(torch.cat(greedy).mean()), float(torch.cat(drawn).mean()))


@torch.no_grad()
def _outputs(
    policy: Policy, seen: np.ndarray, masks: torch.Tensor | None, state: Any
) -> tuple[torch.Tensor, Any]:
    """As the file gives them: with the mask applied."""
    outputs, state = policy.outputs(seen, state)
    outputs = outputs.float().cpu()
    if isinstance(policy.head, Categorical) and masks is not None:
        outputs = torch.cat([policy.head.logits(outputs, masks), outputs[:, -1:]], dim=1)
    return outputs, None if state is None else state.cpu()


def _exported(
    policy: OnnxPolicy, seen: np.ndarray, masks: torch.Tensor | None, state: Any
) -> tuple[torch.Tensor, Any]:
    *found, value, after = policy.run(seen, masks, state)
    return torch.from_numpy(np.concatenate([*found, value], axis=1)), after


def _cut(values: torch.Tensor | None, rows: slice) -> torch.Tensor | None:
    return None if values is None else values[rows]


def _largest(ours: torch.Tensor | None, theirs: torch.Tensor | None) -> float:
    """Absolute below 1, relative above it; what is no number differs without bound."""
    if ours is None or theirs is None:
        return 0.0
    apart = (ours - theirs).abs() / ours.abs().clamp(min=1.0)
    return float(apart.nan_to_num(nan=float("inf")).max())


def _draw(policy: Policy, outputs: torch.Tensor, masks: torch.Tensor | None, seed: int) -> torch.Tensor:
    return policy.head.sample(outputs, masks, torch.Generator().manual_seed(seed))[0]


def _same(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """1 for every row with the same choice."""
    if ours.dtype == torch.int32:
        return (ours == theirs).float()
    apart = (ours.clamp(-1, 1) - theirs.clamp(-1, 1)).abs()
    return (apart <= TOUCH).all(dim=1).float()


# ---------------------------------------------------------------- how fast


def speed(players: Mapping[str, Policy], seconds: float = 0.25) -> list[dict[str, Any]]:
    """Microseconds a call by batch size, in turns so that a busy moment hits all alike."""
    spec = next(iter(players.values())).spec
    random = np.random.default_rng(0)
    table = []
    for rows in BATCHES:
        seen = random.standard_normal((rows, spec.observation_size), np.float32)
        best = dict.fromkeys(players, np.inf)
        ends = time.perf_counter() + seconds * len(players)
        while time.perf_counter() < ends:
            for name, player in players.items():
                best[name] = min(best[name], _call(player, seen))
        table.append({"rows": rows} | {name: round(1e6 * t, 1) for name, t in best.items()})
    return table


@torch.no_grad()
def _call(player: Policy, seen: np.ndarray) -> float:
    begun = time.perf_counter()
    player.outputs(seen)
    return time.perf_counter() - begun
