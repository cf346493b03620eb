"""No run trains on the seeds on which policies are judged, and no two purposes share one."""

import itertools

import numpy as np
import pytest

from sandlot import seeding
from sandlot.errors import SeedError
from sandlot.evaluate.bots import SEED_LISTS, seed_list
from sandlot.seeding import PURPOSES, for_episode, for_worlds, held_out, split

EPISODES = 5000


def trained_on(run_seed, worlds=1024, episodes=4, stages=3):
    """The seeds of a run's first episodes, lesson by lesson, as the engine plays them."""
    roots = np.concatenate(
        [for_worlds(split(run_seed, 1000 + stage) if stage else run_seed, worlds) for stage in range(stages)]
    )
    seeds = [roots]
    for episode in range(1, episodes):
        with np.errstate(over="ignore"):  # split(), for all worlds at once
            z = roots + np.uint64((episode + 1) * 0x9E3779B97F4A7C15 & seeding.MASK)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            seeds.append(z ^ (z >> np.uint64(31)))
    return np.concatenate(seeds)


def test_the_seeds_of_a_run_here_are_those_that_are_played():
    first = trained_on(7, worlds=3, episodes=2, stages=1)
    assert first.tolist() == [
        *(for_worlds(7, 3).tolist()),
        *(for_episode(int(root), 1) for root in for_worlds(7, 3)),
    ]


@pytest.mark.parametrize("run_seeds", [range(100), [*SEED_LISTS, 2**63, 2**64 - 1, *range(1000, 1040)]])
def test_no_run_trains_on_held_out_seeds_whatever_its_own_seed(run_seeds):
    judged = np.array([s for purpose in PURPOSES for s in held_out(purpose, EPISODES)], np.uint64)
    judged = np.union1d(judged, np.array(seed_list(EPISODES), np.uint64))
    for run_seed in run_seeds:
        assert not np.isin(trained_on(run_seed), judged).any(), run_seed


def test_no_seed_serves_two_purposes():
    for one, other in itertools.combinations(PURPOSES, 2):
        assert not set(held_out(one, EPISODES)) & set(held_out(other, EPISODES, key=5))
    assert {seed & 7 for seed in held_out("report", 100)} == {PURPOSES.index("report")}


def test_held_out_seeds_are_the_same_on_every_machine_and_differ_by_key():
    assert held_out("eval", 2) == [18095826530530104866, 3360077249008164746]
    assert held_out("eval", 10)[:2] == held_out("eval", 2)
    assert not set(held_out("replay", 100, 1)) & set(held_out("replay", 100, 2))
    assert len(set(held_out("eval", EPISODES))) == EPISODES
    assert all(seeding.check(seed) == seed for seed in held_out("eval", 100))


def test_seed_lists_are_dealt_in_turn():
    assert seed_list(7, [7, 19])[::2] == held_out("list", 4, 7)
    assert seed_list(7, [7, 19])[1::2] == held_out("list", 3, 19)


def test_a_stream_goes_on_from_its_root_until_it_is_given_another():
    stream = seeding.Stream()
    first = [stream.next(7), stream.next(), stream.next()]
    assert first == [seeding.for_episode(7, episode) for episode in range(3)] and first[0] == 7
    assert [stream.next(7), stream.next()] == first[:2], "the same root begins anew"
    assert stream.next(9) == 9 and stream.next() == seeding.for_episode(9, 1)


def test_a_stream_without_a_root_begins_at_random_and_then_goes_on():
    streams = [seeding.Stream(), seeding.Stream()]
    first, other = (stream.next() for stream in streams)
    assert first != other
    assert streams[0].next() == seeding.for_episode(first, 1)
    with pytest.raises(SeedError):
        streams[0].next(-1)
