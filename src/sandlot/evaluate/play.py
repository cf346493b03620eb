"""Fixed-seed play: every policy meets the same episodes, each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from .. import seeding
from ..errors import ConfigError
from ..games import Episodes, VectorGame, make

BATCH_ELSEWHERE = 128  # in an engine of another process, where more arenas are no faster
BATCH = 1024  # worlds at a time: enough to fill the machine, little enough to fit any memory


class Policy(Protocol):
    """Observation in, action out."""

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[Any, Any]: ...


def play(
    game: str,
    policies: Policy | Mapping[str, Policy],
    seeds: Sequence[int],
    config: Mapping[str, Any] | None = None,
    threads: int = 1,
    most_steps: int = 30_000,
    progress: Callable[[int, int], None] | None = None,
    engine: str = "native",
) -> Episodes:
    """One episode a seed, in the order of the seeds.

    policies: one for all rows, or one a role (`{"seeker": …, "hider": …}`). An episode that is still going
    after `most_steps` decisions is left out; compare lengths to find such.
    """
    if not len(seeds):
        raise ConfigError("Play needs at least one seed.")
    size = BATCH if engine == "native" else BATCH_ELSEWHERE
    parts = [
        _play_batch(game, policies, seeds[i : i + size], config, threads, most_steps, progress, engine)
        for i in range(0, len(seeds), size)
    ]
    return Episodes(
        parts[0].fields, np.concatenate([p.heads for p in parts]), np.concatenate([p.values for p in parts])
    )


def _play_batch(
    game: str,
    policies: Policy | Mapping[str, Policy],
    seeds: Sequence[int],
    config: Mapping[str, Any] | None,
    threads: int,
    most_steps: int,
    progress: Callable[[int, int], None] | None,
    engine: str,
) -> Episodes:
    with make(game, len(seeds), threads, config=config, engine=engine) as world:
        world.reset(seeds=seeds)
        seats = seats_of(world, policies)
        for i, (policy, _) in enumerate(seats):
            if hasattr(policy, "reseed"):  # a trained one; bots begin anew with their memory
                policy.reseed(seeding.split(int(seeds[0]), 1 + i))
        memories: list[Any] = [None] * len(seats)
        firsts: list[Episodes] = []
        done = 0
        for _ in range(most_steps):
            act_all(world, seats, memories)
            if world.step():
                _restart(world, seats, memories)
                first = _first_episodes(world.finished())
                firsts.append(first)
                done += len(first)
            if progress:
                progress(done, len(seeds))
            if done == len(seeds):
                break
        return _in_world_order(world, firsts)


def seats_of(world: VectorGame, policies: Policy | Mapping[str, Policy]) -> list[tuple[Any, np.ndarray]]:
    """Each policy with the rows it plays."""
    if not isinstance(policies, Mapping):
        return [(policies, np.arange(world.rows))]
    roles = np.tile(np.array(world.spec.roles), world.worlds)
    missing = set(world.spec.roles) - set(policies)
    if missing:
        raise ConfigError(f"No policy for the role {min(missing)!r}; {world.spec.game} needs one a role.")
    played = {role: policy for role, policy in policies.items() if role in world.spec.roles}
    return [(policy, np.flatnonzero(roles == role)) for role, policy in played.items()]


def act_all(world: VectorGame, seats: list[tuple[Any, np.ndarray]], memories: list[Any]) -> None:
    for i, (policy, rows) in enumerate(seats):
        masks = None if world.masks is None else world.masks[rows]
        world.actions[rows], memories[i] = policy.act(world.observations[rows], masks, memories[i])


def _restart(world: VectorGame, seats: list[tuple[Any, np.ndarray]], memories: list[Any]) -> None:
    ended = world.terminated | world.truncated
    for i, (policy, rows) in enumerate(seats):
        if memories[i] is not None:
            policy.restart(memories[i], ended[rows])


def _first_episodes(episodes: Episodes) -> Episodes:
    keep = episodes.heads["episode"] == 0
    return Episodes(episodes.fields, episodes.heads[keep], episodes.values[keep])


def _in_world_order(world: VectorGame, parts: list[Episodes]) -> Episodes:
    if not parts:
        return world.finished()
    heads = np.concatenate([p.heads for p in parts])
    order = np.argsort(heads["world"])
    return Episodes(parts[0].fields, heads[order], np.concatenate([p.values for p in parts])[order])
