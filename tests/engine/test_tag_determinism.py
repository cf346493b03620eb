"""One seed and one list of actions give the same match, whatever runs beside it and on what."""

import numpy as np
import pytest

import sandlot
from sandlot.worlds.library import load

CONFIGS = {
    "default": {},
    "switch of five": {"mode": "switch", "seekers": 2, "hiders": 3, "spawn_separation": 3.0},
    "turning": {"turn_control": True, "privileged": True},
    "reference84": {"layout": "reference84", "profile": "reference"},
}
every_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def actions_for(seeds, agents, size, steps):
    """float32 [steps, worlds, agents, size]: each world's actions depend on its own seed alone."""
    return np.stack(
        [
            np.random.default_rng(seed).uniform(-1, 1, (steps, agents, size)).astype(np.float32)
            for seed in seeds
        ],
        axis=1,
    )


def trajectory(seeds, config, threads=1, steps=250):
    """State hashes [steps, worlds], observations and rewards by world."""
    batch = sandlot.make("tag", worlds=len(seeds), threads=threads, config=config)
    batch.reset(seeds=seeds)
    actions = actions_for(seeds, batch.spec.agents, batch.spec.action_size, steps)
    hashes, views = [], []
    for step in range(steps):
        batch.step(actions[step].reshape(batch.actions.shape))
        hashes.append([batch.hash(world) for world in range(batch.worlds)])
        rewards = batch.rewards.reshape(batch.worlds, -1)
        views.append(np.concatenate([batch.observations.reshape(batch.worlds, -1), rewards], axis=1))
    return np.array(hashes), np.array(views)


def same(a, b):
    return np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1])


@every_config
def test_the_same_seeds_and_actions_give_the_same_bits_twice(config):
    assert same(trajectory(range(8), config), trajectory(range(8), config))


def test_another_seed_or_another_action_gives_another_match():
    hashes, _ = trajectory([1, 2], {})
    assert not np.any(hashes[:, 0] == hashes[:, 1])
    a, b = (sandlot.make("tag", config={}) for _ in range(2))
    for batch, push in ((a, 0.5), (b, 0.5000001)):
        batch.reset(seeds=[1])
        batch.step(np.full_like(batch.actions, push))
    assert a.hash(0) != b.hash(0)


@every_config
@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(config, threads):
    assert same(trajectory(range(13), config, threads=1), trajectory(range(13), config, threads=threads))


@every_config
def test_neighbours_change_nothing(config):
    """A world plays the same alone, in another place, and among other worlds."""
    hashes, views = trajectory([3, 1, 4, 15, 9, 2, 6], config)
    for place, seed in enumerate((3, 1, 4)):
        alone = trajectory([seed], config)
        assert np.array_equal(alone[0][:, 0], hashes[:, place])
        assert np.array_equal(alone[1][:, 0], views[:, place])


@pytest.fixture
def use_level():
    library = load()
    yield library.sl_use_level
    library.sl_use_level(-1)


@every_config
def test_every_instruction_set_of_this_machine_gives_the_same_bits(config, use_level):
    runs, levels = [], set()
    for level in (0, 1, 2):
        levels.add(use_level(level))
        runs.append(trajectory(range(8), config))
    assert same(runs[0], runs[1]) and same(runs[0], runs[2])
    assert 0 in levels


@every_config
def test_a_snapshot_continues_as_the_original_does(config):
    batch = sandlot.make("tag", worlds=2, config=config)
    batch.reset(seeds=[5, 6])
    rng = np.random.default_rng(0)
    shape = (batch.spec.agents, batch.spec.action_size)
    for _ in range(40):
        batch.step(np.tile(rng.uniform(-1, 1, shape), (2, 1)).astype(np.float32))
    batch.restore(1, batch.snapshot(0))
    for _ in range(100):
        batch.step(np.tile(rng.uniform(-1, 1, shape), (2, 1)).astype(np.float32))
        observations = batch.observations.reshape(2, -1)
        assert np.array_equal(observations[0], observations[1])
        assert named_equal(batch.render(0), batch.render(1))


def named_equal(a, b):
    return all(np.array_equal(a[name], b[name]) for name in a)


def test_a_finished_episode_replays_from_its_own_seed():
    batch = sandlot.make("tag", worlds=3, seed=77)
    batch.reset()
    actions, replayed = [], 0
    rng = np.random.default_rng(2)
    while len(actions) < 450:
        actions.append(rng.uniform(-1, 1, batch.actions.shape).astype(np.float32))
        batch.step(actions[-1])
        for episode in batch.finished():
            check_replay(episode, actions)
            replayed += 1
    assert replayed >= 6


def check_replay(episode, actions):
    """Play an episode that has just ended alone: reset with its seed, feed its own rows of the last steps."""
    world, steps = episode["world"], int(episode["steps"])
    alone = sandlot.make("tag", autoreset=False)
    alone.reset(seeds=[episode["seed"]])
    for row in actions[-steps:]:
        assert not alone.terminated.any()
        alone.step(row[2 * world : 2 * world + 2])
    assert alone.terminated.all()
    again = alone.finished()[-1]
    assert np.array_equal(again["terms"], episode["terms"])
    assert again["ticks"] == episode["ticks"]
