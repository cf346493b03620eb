"""Batches that were copied: by copy, by pickle, by fork, world by world."""

import copy
import gc
import multiprocessing
import pickle
import sys

import numpy as np
import pytest
from playing import GAMES, SHORT, assert_same, hashes, random_actions, seen

import sandlot
from sandlot.errors import Closed, NotReset

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda world: pickle.loads(pickle.dumps(world)),
}


def play(world, steps, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        world.step(random_actions(world, rng))


# ------------------------------------------------------------ copy and pickle


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_plays_on_as_the_original_does(make, way):
    world = make(3, seed=5)
    world.reset()
    play(world, 30)
    other = COPIES[way](world)
    assert_same(seen(world), seen(other))
    assert hashes(world) == hashes(other) and world.steps == other.steps
    play(world, 50, seed=1)
    play(other, 50, seed=1)
    assert_same(seen(world), seen(other))
    assert hashes(world) == hashes(other)
    ours, theirs = world.finished(), other.finished()
    assert len(ours) > 3 and ours.heads.tolist() == theirs.heads.tolist()
    assert np.array_equal(ours.values, theirs.values)
    world.reset(), other.reset()
    assert hashes(world) == hashes(other), "the next episodes of one stream"


@pytest.mark.parametrize("way", COPIES)
def test_original_and_copy_live_apart(make, way):
    world = make(2)
    world.reset(seed=1)
    other, before = COPIES[way](world), hashes(world)
    play(other, 3)
    assert hashes(world) == before != hashes(other)
    other.close()
    del other
    gc.collect()
    play(world, 3)  # the engine's memory was not given back under it


def test_a_copy_of_a_batch_that_was_never_reset_still_needs_a_reset(make):
    other = copy.copy(make(2))
    with pytest.raises(NotReset):
        other.step()
    other.reset(seed=3)
    other.step()


def test_a_closed_batch_cannot_be_copied(make):
    world = make()
    world.close()
    with pytest.raises(Closed):
        copy.copy(world)


def test_a_copy_keeps_profile_settings_and_autoreset():
    with sandlot.make("prospector", config={"profile": "classic", "time_max": 40}, autoreset=False) as world:
        other = copy.copy(world)
    assert other.spec.profile == "classic" and other.spec.hash == world.spec.hash
    assert other.autoreset is False
    other.close()


def test_a_scripted_player_can_be_copied_and_pickled():
    bot = sandlot.bot("tag", "chase", level=2)
    with sandlot.make("tag", 4) as world:
        seen_now = world.reset(seed=2)
        expected, _ = bot.act(seen_now)
        for way in COPIES.values():
            assert np.array_equal(way(bot).act(seen_now)[0], expected)


# ------------------------------------------------------------ ended worlds


@pytest.mark.parametrize("stepped", [False, True])
def test_an_ended_world_does_not_play_on_where_it_was_restored(make, stepped):
    source = make(autoreset=False)
    source.reset(seed=1)
    while not (source.terminated | source.truncated).any():
        source.step(np.zeros_like(source.actions))
    batch = make(2)
    batch.reset(seed=2)
    if stepped:
        batch.step(np.zeros_like(batch.actions))
    batch.restore(1, source.snapshot(0))
    before = hashes(batch)
    with pytest.raises(NotReset, match="World 1 has ended; reset it before stepping on"):
        batch.step(np.zeros_like(batch.actions))
    assert hashes(batch) == before, "nothing moved"
    batch.reset(seeds=[7], worlds=[1])
    batch.step(np.zeros_like(batch.actions))


def test_a_live_world_can_take_an_ended_ones_place(make):
    source = make(autoreset=False)
    source.reset(seed=1)
    alive = source.snapshot(0)
    while not (source.terminated | source.truncated).any():
        source.step(np.zeros_like(source.actions))
    batch = make(1)
    batch.reset(seed=2)
    batch.step(np.zeros_like(batch.actions))
    batch.restore(0, source.snapshot(0))
    batch.restore(0, alive)
    batch.step(np.zeros_like(batch.actions))


# ------------------------------------------------------------ fork


def _play_in_child(world, pipe):
    play(world, 40)
    pipe.send(hashes(world))
    world.close()
    pipe.send("closed")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("game", GAMES)
def test_a_forked_child_plays_on_with_its_own_threads(game, threads):
    world = sandlot.make(game, 8, threads, config=SHORT[game])
    world.reset(seed=3)
    play(world, 5, seed=9)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_play_in_child, args=(world, there))
    child.start()
    try:
        play(world, 40)  # the parent's threads go on
        assert here.poll(20), "the child hangs"
        assert here.recv() == hashes(world)
        assert here.poll(20) and here.recv() == "closed", "closing hangs in the child"
        child.join(20)
        assert child.exitcode == 0
    finally:
        child.kill()
        child.join()
        world.close()
