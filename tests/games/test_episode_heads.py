"""How an episode ended and how many invalid actions it had, in its head and step by step."""

import numpy as np
import pytest

from sandlot import make


def played(game, config, steps=600, seed=3, worlds=4):
    """Random ids, legal or not; every step's flags, and the finished episodes."""
    rng, flags = np.random.default_rng(seed), []
    with make(game, worlds=worlds, seed=seed, config=config) as world:
        world.reset()
        for _ in range(steps):
            if world.spec.discrete:
                world.step(rng.integers(-1, world.spec.action_count + 1, world.rows))
            else:
                world.step(rng.uniform(-1, 1, world.actions.shape))
            by_world = world.worlds, world.spec.agents
            arrays = (world.invalid, world.terminated, world.truncated)
            flags.append([array.reshape(by_world).copy() for array in arrays])
        return np.array(flags), world.finished()


def test_a_head_counts_the_invalid_actions_of_its_own_episode():
    flags, episodes = played("prospector", {"time_max": 200})
    assert len(episodes) > 8 and episodes.column("invalid").min() > 0
    assert episodes.column("invalid").tolist() == episodes.column("invalid_actions").tolist()
    starts = dict.fromkeys(range(4), 0)
    for head in episodes.heads:
        world, end = int(head["world"]), int(head["step"])
        assert head["invalid"] == flags[starts[world] : end, 0, world].sum()
        starts[world] = end


@pytest.mark.parametrize(("game", "config"), [("prospector", {"time_max": 60}), ("tag", {"time_limit": 3.0})])
def test_a_head_says_how_the_arrays_said_it_ended(game, config):
    flags, episodes = played(game, config)
    for head in episodes.heads:
        _, terminated, truncated = flags[head["step"] - 1, :, head["world"]]
        assert [head["terminated"], head["truncated"]] == [terminated[0], truncated[0]]
    assert (episodes.column("terminated") ^ episodes.column("truncated")).all()
    assert episodes.column("truncated").any() == (game == "prospector")


def test_legal_and_continuous_actions_are_never_invalid():
    rng = np.random.default_rng(1)
    with make("prospector", worlds=2, seed=5) as world:
        world.reset()
        for _ in range(50):
            world.step([rng.choice(np.flatnonzero(mask)) for mask in world.masks])
            assert not world.invalid.any()
    flags, episodes = played("tag", {"time_limit": 3.0}, steps=100)
    assert not flags[:, 0].any() and episodes.column("invalid").tolist() == [0] * len(episodes)


def test_an_action_that_does_not_exist_is_marked_until_the_next_step_or_reset():
    with make("prospector", worlds=2, seed=5) as world:
        world.reset()
        legal = int(np.flatnonzero(world.masks[1])[0])
        world.step([world.spec.action_count, legal])
        assert world.invalid.tolist() == [True, False]
        world.reset(worlds=[0])
        assert world.invalid.tolist() == [False, False]


def test_a_snapshot_carries_the_count():
    with make("prospector", worlds=2, seed=5, config={"time_max": 40}) as world:
        world.reset()
        for _ in range(5):
            world.step([-1, int(np.flatnonzero(world.masks[1])[0])])
        world.restore(1, world.snapshot(0))
        while len(episodes := world.finished()) == 0:
            world.step([-1, -1])
        assert episodes.column("invalid").tolist() == episodes.column("invalid_actions").tolist()
        assert episodes.heads["invalid"].min() > 5
