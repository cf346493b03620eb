"""Fixed-seed play: every policy plays the same episodes, each exactly once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..errors import ConfigError
from ..games.players import Actor, Players
from ..worlds import Episodes, World, load_spec, make
from ..worlds.make import GODOT_RL, engine_to_watch

NATIVE_BATCH = 1024  # worlds at a time: enough to use all cores, few enough to fit into memory
# worlds in engines where more are no faster
BATCHES = {"native": NATIVE_BATCH, "gym": 32}
REMOTE_BATCH = 128


def play(
    game: str,
    policies: Actor | Mapping[str, Actor],
    seeds: Sequence[int],
    config: Mapping[str, Any] | None = None,
    threads: int = 1,
    max_steps: int = 30_000,
    progress: Callable[[int, int], None] | None = None,
    engine: str = "native",
    watch: Callable[[World], None] | None = None,
) -> Episodes:
    """One episode per seed, in the order of the seeds.

    game: what opens it. policies: one for all agents, or one per role (`{"seeker": …, "hider": …}`). An
    episode that does not end within `max_steps` is left out; the result is then shorter than the seeds.
    watch: called before every step, when all actions are written.
    """
    if not len(seeds):
        raise ConfigError("Play needs at least one seed.")
    engine = engine_to_watch(game, engine)

    def play_batch(world: World, seeds: list[int]) -> Episodes:
        """The first episode of as many worlds as there are seeds."""
        spare = world.worlds - len(seeds)
        world.reset(seeds=[*seeds, *seeds[-1:] * spare])
        players = Players(world, policies)
        for i, (policy, _) in enumerate(players.rows):
            if hasattr(policy, "reseed"):  # trained policies have a generator; a bot's is in its state
                policy.reseed(seeding.split(int(seeds[0]), 1 + i))
        finished = [world.finished()[:0]]  # drop what earlier seeds left
        done = 0
        for _ in range(max_steps):
            players.act()
            if watch:
                watch(world)
            if world.step():
                players.restart()
                episodes = world.finished()
                heads = episodes.heads
                finished.append(episodes[(heads["episode"] == 0) & (heads["world"] < len(seeds))])
                done += len(finished[-1])
            if progress:
                progress(done, len(seeds))
            if done == len(seeds):
                break
        played = Episodes.concatenate(finished)
        return played[np.argsort(played.heads["world"])]

    def opened(worlds: int) -> World:
        return make(game, worlds, threads, config=config, engine=engine)

    if engine == GODOT_RL:  # starting processes takes seconds: open them once, with all their worlds
        size = int(load_spec(game, config).json["arenas"])
        with opened(size) as world:
            return Episodes.concatenate([play_batch(world, part) for part in _parts(seeds, size)])
    played = []
    for part in _parts(seeds, BATCHES.get(engine, REMOTE_BATCH)):
        with opened(len(part)) as world:
            played.append(play_batch(world, part))
    return Episodes.concatenate(played)


def _parts(seeds: Sequence[int], size: int) -> list[list[int]]:
    return [list(seeds[i : i + size]) for i in range(0, len(seeds), size)]
