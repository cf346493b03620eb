"""RLlib trains our games in two processes of a local Ray cluster and leaves a run as our own trainer does."""

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

from sandlot.train.adapters.seats import Seats
from sandlot.train.config import as_dict

from . import checks

STEPS = 700


def choose(observations, actions):
    """Something to do that depends on nothing but what is seen, and is legal where that matters."""
    return (np.abs(observations[:, :30]).sum(axis=1) * 1000).astype(np.int64) % actions


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tag"])
def test_rllib_leaves_a_whole_run_from_two_processes(trained, game):
    run = trained(game, "rllib", "adapter.workers=2", "ppo.horizon=32")
    checks.has_the_files_of_a_run(run, "rllib")
    checks.learned_something(run)
    checks.can_be_judged_and_replayed(run)
    checks.goes_on(run, other_episodes=False)


def test_worlds_that_do_not_divide_among_workers_are_refused(tiny):
    from sandlot.errors import ConfigError
    from sandlot.train.adapters import trainer_for

    with pytest.raises(ConfigError, match="choose a multiple"):
        trainer_for(tiny("tag", "rllib", "adapter.workers=3"), "run")


@pytest.mark.parametrize(("game", "word"), [("tag", "adapter.role=hider"), ("tag", "adapter.role=both")])
def test_next_step_reset_plays_the_same_episodes_as_same_step_reset(tiny, game, word):
    from sandlot.train.adapters.rllib import SeatsVectorEnv

    config = tiny(game, "rllib", word, "adapter.workers=2", "settings.time_limit=5")
    env = SeatsVectorEnv({"config": as_dict(config)})
    observations, _ = env.reset(seed=5)
    seats = Seats(config, env.seats.world.worlds, config.run.seed)
    from sandlot import seeding

    seats.reset(seeding.split(5, 0))
    for _ in range(STEPS):
        observations, *_ = env.step(choose(observations, seats.actions))
        seats.step(choose(seats.observations, seats.actions))
    there, here = env.seats.take(), seats.take()
    length = len(there.rewards)
    assert STEPS - 40 < length < STEPS  # a void step an episode
    np.testing.assert_array_equal(there.rewards, here.rewards[:length])
    assert _played(there.episodes, length) == _played(here.episodes, length)
    env.close()
    seats.close()


def _played(episodes, length):
    """World, decision of its end, seed, of every episode within so many decisions."""
    heads = episodes.heads[episodes.heads["step"] <= length]
    return sorted(heads[["world", "step", "seed"]].tolist())


def test_the_step_after_an_end_shows_the_new_episode_and_gives_nothing(tiny):
    from sandlot.train.adapters.rllib import SeatsVectorEnv

    env = SeatsVectorEnv({"config": as_dict(tiny("tag", "rllib", "settings.time_limit=5"))})
    env.reset(seed=1)
    for _ in range(STEPS):
        last, _, terminated, truncated, _ = env.step(np.zeros(env.num_envs, int))
        rows = np.flatnonzero(terminated | truncated)
        if len(rows):
            break
    fresh, rewards, terminated, truncated, _ = env.step(np.zeros(env.num_envs, int))
    assert len(rows) and not (rewards[rows].any() or terminated[rows].any() or truncated[rows].any())
    assert (fresh[rows] != last[rows]).any(axis=1).all()
    env.close()
