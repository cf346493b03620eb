"""Every policy meets the same episodes, each exactly once, in the order of the seeds."""

import inspect

import numpy as np
import pytest
from leaks import nothing_left_open

from sandlot import seeding
from sandlot.errors import ConfigError
from sandlot.evaluate import play as module
from sandlot.evaluate.play import play
from sandlot.games import bot
from sandlot.games.players import Players
from sandlot.worlds import make

BRIEF = {"time_limit": 1.0}
SHORT = {"time_max": 120}


def tour():
    return bot("prospector", "tour", config=SHORT)


def sides(config):
    return {"seeker": bot("tag", "chase", config=config), "hider": bot("tag", "evade", config=config)}


def test_an_episode_is_that_of_its_seed_whatever_is_played_beside_it(monkeypatch):
    seeds = [5, 99, 7, 12, 3]
    played = play("prospector", tour(), seeds, SHORT)
    assert played.heads["seed"].tolist() == seeds and (played.heads["episode"] == 0).all()
    monkeypatch.setattr(module, "NATIVE_BATCH", 2)
    apart = play("prospector", tour(), seeds, SHORT)
    assert apart.heads["seed"].tolist() == seeds and np.array_equal(apart.values, played.values)
    for place, seed in enumerate(seeds):
        alone = play("prospector", tour(), [seed], SHORT)
        assert np.array_equal(alone.values[0], played.values[place])


def test_batches_are_smaller_where_another_process_plays(monkeypatch):
    asked = []

    def counted(game, worlds, *rest, engine, **options):
        asked.append((engine, worlds))
        return make(game, worlds, *rest, **options)

    monkeypatch.setattr(module, "make", counted)
    play("prospector", tour(), range(130), SHORT, engine="godot")
    play("prospector", tour(), range(130), SHORT)
    assert asked == [("godot", 128), ("godot", 2), ("native", 130)]
    assert module.NATIVE_BATCH == 1024


def test_an_episode_that_goes_on_too_long_is_left_out():
    every = play("prospector", tour(), range(8), SHORT)
    decisions = every.column("decisions")
    limit = int(np.sort(decisions)[3])
    some = play("prospector", tour(), range(8), SHORT, max_steps=limit)
    kept = np.flatnonzero(decisions <= limit)
    assert some.heads["seed"].tolist() == kept.tolist() and len(some) < 8
    assert len(play("prospector", tour(), range(3), SHORT, max_steps=1)) == 0


def test_progress_counts_the_episodes_that_have_ended():
    reported = []
    play("prospector", tour(), range(4), SHORT, progress=lambda done, of: reported.append((done, of)))
    done = [row[0] for row in reported]
    assert done == sorted(done) and done[0] == 0 and reported[-1] == (4, 4)
    assert done.count(4) == 1, "nothing is played after the last has ended"


def test_without_a_seed_nothing_is_played():
    with pytest.raises(ConfigError, match="at least one seed"):
        play("prospector", tour(), [], SHORT)


def test_each_role_is_played_by_its_own_policy():
    with make("tag", 3, config=BRIEF) as world:
        policies = sides(BRIEF)
        slots = {
            id(policy): rows.tolist() for policy, rows in Players(world, policies | {"pilot": None}).rows
        }
        assert slots == {id(policies["seeker"]): [0, 2, 4], id(policies["hider"]): [1, 3, 5]}
        ((_, rows),) = Players(world, policies["seeker"]).rows
        assert rows.tolist() == [0, 1, 2, 3, 4, 5]
        with pytest.raises(ConfigError, match="No policy for the role 'hider'"):
            Players(world, {"seeker": policies["seeker"]})


class Trained:
    """Counts what a trained policy is asked."""

    def __init__(self):
        self.seeds, self.restarts, self.states = [], [], []

    def reseed(self, seed):
        self.seeds.append(seed)

    def restart(self, state, ended):
        self.restarts.append(np.flatnonzero(ended).tolist())

    def act(self, observations, masks=None, state=None):
        self.states.append(state)
        return np.zeros((len(observations), 3), np.float32), (state or 0) + 1


def test_a_trained_policy_is_seeded_by_the_first_seed_and_restarted_where_an_episode_ends():
    policies = {"seeker": Trained(), "hider": Trained()}
    play("tag", policies, [42, 43], {"time_limit": 1.0, "reach": 0.01, "spawn_separation": 12.0})
    assert policies["seeker"].seeds == [seeding.split(42, 1)]
    assert policies["hider"].seeds == [seeding.split(42, 2)]
    assert policies["seeker"].restarts == [[0, 1]] == policies["hider"].restarts
    assert policies["hider"].states == [None, *range(1, len(policies["hider"].states))]


def test_play_closes_its_worlds_also_when_a_policy_fails():
    class Broken:
        def act(self, observations, masks=None, state=None):
            raise RuntimeError("no answer")

    with nothing_left_open():
        play("prospector", tour(), range(3), SHORT)
        with pytest.raises(RuntimeError, match="no answer"):
            play("prospector", Broken(), range(3), SHORT)


def test_play_goes_on_for_so_many_steps_with_one_thread_unless_told_otherwise(monkeypatch):
    made = []

    def counted(game, worlds, threads, **options):
        made.append((threads, options["engine"]))
        return make(game, worlds, threads, **options)

    monkeypatch.setattr(module, "make", counted)
    play("prospector", tour(), [1], SHORT)
    assert made == [(1, "native")]
    assert inspect.signature(play).parameters["max_steps"].default == 30_000
