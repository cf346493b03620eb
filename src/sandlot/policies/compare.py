"""An exported policy compared with the one it was made from: the same outputs, how fast."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .. import seeding
from ..games.players import Players, observed
from ..games.scripted import default_players
from ..worlds.make import make, worlds_of_one_process
from .exported import OnnxPolicy
from .heads import Categorical, Composed
from .policy import Policy

PLAY_SEED = 0xE8B0
BATCHES = (1, 64, 1024)
TOLERANCE = 0.05  # continuous actions no further apart than this count as the same


@dataclass(frozen=True)
class Trajectory:
    """What one policy observed, T steps of R rows."""

    observations: np.ndarray  # [T, R, D]
    masks: np.ndarray | None  # [T, R, A]
    ended: np.ndarray  # [T, R]: the episode ended in the step before


@dataclass(frozen=True)
class Parity:
    """How far two policies agree on the same observations."""

    rows: int
    max_difference: float
    greedy_agreement: float
    drawn_agreement: float


def record_trajectory(
    policy: Policy,
    worlds: int,
    steps: int,
    seed: int = PLAY_SEED,
    opponents: Mapping[str, Any] | None = None,
    actor: Policy | None = None,
) -> Trajectory:
    """The policy plays its role, bots (or `opponents`) the others; actor: who acts in its place."""
    spec, actor = policy.spec, actor or policy
    others = [role for role in dict.fromkeys(spec.roles) if role != policy.role]
    sides = {policy.role: actor, **default_players(spec, others), **(opponents or {})}
    worlds = worlds_of_one_process(spec, worlds)
    with make(spec.address, worlds=worlds, config=spec.settings) as world:
        world.reset(seed)
        players = Players(world, sides)
        rows = players.rows[0][1]
        observations, masks, ended = [], [], []
        over = np.ones(world.rows, bool)
        actor.reseed(seeding.split(seed, 1))
        for _ in range(steps):
            observations.append(observed(policy, world.observations[rows]).copy())
            ended.append(over[rows].copy())
            if world.masks is not None:
                masks.append(world.masks[rows].copy())
            players.act()
            world.step()
            over = world.terminated | world.truncated
            players.restart()
        return Trajectory(np.array(observations), np.array(masks) if masks else None, np.array(ended))


# ---------------------------------------------------------------- the same outputs


@contextmanager
def single_thread() -> Iterator[None]:
    """Networks this small gain nothing from a second thread, and on a busy machine they wait for it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def compare(policy: Policy, exported: OnnxPolicy, worlds: int = 32, steps: int = 24) -> Parity:
    """Both get the same observations and generators, each keeps its own recurrent state."""
    play = record_trajectory(policy, worlds, steps)
    largest = 0.0
    states: list[Any] = [None, None]
    greedy, drawn = [], []
    for t, observations in enumerate(play.observations):
        masks = None if play.masks is None else torch.from_numpy(play.masks[t])
        for state in states:
            if state is not None:
                state[torch.from_numpy(play.ended[t])] = 0.0
        # one row is summed in another order than many: both are compared
        for rows in (slice(0, 1), slice(None)):
            ours, mine = _outputs(policy, observations[rows], _rows(masks, rows), _rows(states[0], rows))
            theirs, its = _exported(exported, observations[rows], _rows(masks, rows), _rows(states[1], rows))
            largest = max(largest, _max_difference(ours, theirs), _max_difference(mine, its))
        states = [mine, its]
        likeliest = policy.head.mode(ours, masks), exported.head.mode(theirs, masks)
        greedy.append(same_choice(*likeliest, head=policy.head))
        draws = _draw(policy, ours, masks, t), _draw(exported, theirs, masks, t)
        drawn.append(same_choice(*draws, head=policy.head))
    return Parity(play.ended.size, largest, float(torch.cat(greedy).mean()), float(torch.cat(drawn).mean()))


@torch.no_grad()
def _outputs(
    policy: Policy, observations: np.ndarray, masks: torch.Tensor | None, state: Any
) -> tuple[torch.Tensor, Any]:
    """As the file gives them: with the mask applied."""
    outputs, state = policy.outputs(observations, state)
    outputs = outputs.float().cpu()
    if isinstance(policy.head, Categorical) and masks is not None:
        outputs = torch.cat([policy.head.logits(outputs, masks), outputs[:, -1:]], dim=1)
    return outputs, None if state is None else state.cpu()


def _exported(
    policy: OnnxPolicy, observations: np.ndarray, masks: torch.Tensor | None, state: Any
) -> tuple[torch.Tensor, Any]:
    *found, value, after = policy.run(observations, masks, state)
    return torch.from_numpy(np.concatenate([*found, value], axis=1)), after


def _rows(values: torch.Tensor | None, rows: slice) -> torch.Tensor | None:
    return None if values is None else values[rows]


def _max_difference(ours: torch.Tensor | None, theirs: torch.Tensor | None) -> float:
    """Absolute below 1, relative above it; what is not a number differs without bound."""
    if ours is None or theirs is None:
        return 0.0
    difference = (ours - theirs).abs() / ours.abs().clamp(min=1.0)
    return float(difference.nan_to_num(nan=float("inf")).max())


def _draw(policy: Policy, outputs: torch.Tensor, masks: torch.Tensor | None, seed: int) -> torch.Tensor:
    return policy.head.sample(outputs, masks, torch.Generator().manual_seed(seed))[0]


def same_choice(
    ours: torch.Tensor, theirs: torch.Tensor, tolerance: float = TOLERANCE, head: Any = None
) -> torch.Tensor:
    """1 for every row with the same choice; continuous ones may differ by the tolerance.

    head: whose actions they are, where some entries are numbers of options.
    """
    if ours.dtype == torch.int32:
        return (ours == theirs).float()
    if isinstance(head, Composed):
        difference = (head.clipped(ours) - head.clipped(theirs)).abs()
    else:
        difference = (ours.clamp(-1, 1) - theirs.clamp(-1, 1)).abs()
    return (difference <= tolerance).all(dim=1).float()


# ---------------------------------------------------------------- how fast


def measure_speed(players: Mapping[str, Policy], seconds: float = 0.25) -> list[dict[str, Any]]:
    """Microseconds per call by batch size, in turns so that a busy moment affects all alike."""
    spec = next(iter(players.values())).spec
    random = np.random.default_rng(0)
    table = []
    for rows in BATCHES:
        observations = random.standard_normal((rows, spec.observation_size), np.float32)
        best = dict.fromkeys(players, np.inf)
        ends = time.perf_counter() + seconds * len(players)
        while time.perf_counter() < ends:
            for name, player in players.items():
                best[name] = min(best[name], _call(player, observations))
        table.append({"rows": rows} | {name: round(1e6 * t, 1) for name, t in best.items()})
    return table


@torch.no_grad()
def _call(player: Policy, observations: np.ndarray) -> float:
    start = time.perf_counter()
    player.outputs(observations)
    return time.perf_counter() - start
