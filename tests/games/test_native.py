"""The vector world: what it promises about arrays, seeds, endings and snapshots, for every game."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import GAMES, SHORT, assert_same, hashes, random_actions, seen

import sandlot
from sandlot import seeding
from sandlot.worlds import load_spec

SEEDS = st.integers(0, 2**64 - 1)


# ------------------------------------------------------------ arrays


def test_arrays_stay_where_they_are(make):
    world = make(3)
    before = {name: getattr(world, name).ctypes.data for name in ("observations", "rewards", "actions")}
    world.reset()
    world.step()
    assert before == {name: getattr(world, name).ctypes.data for name in before}


def test_what_the_engine_writes_is_read_only(make):
    world = make()
    for name in ("observations", "rewards", "terminated", "truncated", "ticks", "final_observations"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(world, name)[...] = 0


def test_given_buffers_are_used_in_place(make):
    observations = np.zeros_like(make(2).observations)
    rewards = np.full(len(observations), 9, np.float32)
    world = make(2, buffers={"observations": observations, "rewards": rewards})
    world.reset(seed=3)
    assert observations.any() and not rewards.any()
    assert np.shares_memory(world.observations, observations)


def test_observations_lie_in_their_ranges(make):
    world, rng = make(16), np.random.default_rng(0)
    world.reset(seed=1)
    for _ in range(100):
        world.step(random_actions(world, rng))
        assert np.isfinite(world.observations).all() and np.isfinite(world.rewards).all()
        for field in world.spec.observation:
            part = world.observations[:, field.slice]
            assert part.min() >= field.low and part.max() <= field.high, field.name


def test_fields_lie_one_after_the_other_and_fill_the_row(make):
    spec = make().spec
    ends = [0]
    for field in spec.observation:
        assert field.start == ends[-1]
        ends.append(field.start + field.size)
    assert ends[-1] == spec.observation_size


# ------------------------------------------------------------ seeds


def test_same_seed_gives_same_trace(make):
    worlds = [make(4), make(4)]
    for world in worlds:
        world.reset(seed=11)
    for step in range(60):
        for world in worlds:
            world.step(random_actions(world, np.random.default_rng(step)))
        assert_same(*map(seen, worlds))
    assert hashes(worlds[0]) == hashes(worlds[1])


def test_different_seeds_give_different_worlds(make):
    world = make(64)
    world.reset(seed=5)
    assert len(set(hashes(world))) == 64


def test_resets_without_a_seed_go_on_from_the_seed_of_make(make):
    worlds = make(2, seed=9), make(2, seed=9)
    traces = [[(world.reset(), hashes(world))[1] for _ in range(3)] for world in worlds]
    assert traces[0] == traces[1]
    assert len({tuple(hashes_) for hashes_ in traces[0]}) == 3


def test_a_world_made_without_a_seed_has_seed_0(make):
    plain, zero, one = make(2), make(2, seed=0), make(2, seed=1)
    for world in (plain, zero, one):
        world.reset()
    assert hashes(plain) == hashes(zero) != hashes(one)


def test_one_seed_gives_world_0_itself_and_the_others_its_children(make):
    world = make(3)
    world.reset(seed=21)
    together = hashes(world)
    world.reset(seeds=[21, seeding.split(21, 1), seeding.split(21, 2)])
    assert hashes(world) == together


def test_resetting_some_worlds_leaves_the_others_alone(make):
    world = make(4)
    world.reset(seed=2)
    world.step(random_actions(world, np.random.default_rng(0)))
    before = hashes(world)
    world.reset(seeds=[77, 78], worlds=[1, 3])
    after = hashes(world)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, False]


@settings(deadline=None, max_examples=15)
@given(game=st.sampled_from(GAMES), seed=SEEDS, worlds=st.integers(2, 9), threads=st.integers(1, 4))
def test_a_row_does_not_depend_on_its_neighbours_or_on_threads(game, seed, worlds, threads):
    """Batch stepping equals single stepping, across episodes, bit by bit."""
    batch = sandlot.make(game, worlds, threads, config=SHORT[game])
    alone = [sandlot.make(game, config=SHORT[game]) for _ in range(worlds)]
    seeds = [seeding.split(seed, 1000 + index) for index in range(worlds)]
    batch.reset(seeds=seeds)
    for single, own in zip(alone, seeds, strict=True):
        single.reset(seed=own)
    rng = np.random.default_rng(seed)
    for _ in range(50):
        actions = random_actions(batch, rng)
        batch.step(actions)
        for single, own in zip(alone, np.split(actions, worlds), strict=True):
            single.step(own)
        parts = [seen(single) for single in alone]
        assert_same(seen(batch), {name: np.concatenate([p[name] for p in parts]) for name in parts[0]})
    assert hashes(batch) == [single.hash(0) for single in alone]
    assert len(batch.finished()) == sum(len(single.finished()) for single in alone) > 0


# ------------------------------------------------------------ endings


def test_the_last_observation_of_an_ended_episode_is_kept(make):
    resets, stays = make(), make(autoreset=False)
    resets.reset(seed=4), stays.reset(seed=4)
    rng = np.random.default_rng(4)
    while True:
        actions = random_actions(stays, rng)
        ended = resets.step(actions)
        assert stays.step(actions) == ended
        if ended:
            break
        assert_same(seen(resets), seen(stays))
    assert resets.final_observations.tobytes() == stays.observations.tobytes()
    assert resets.observations.tobytes() != stays.observations.tobytes()
    assert resets.rewards.tobytes() == stays.rewards.tobytes()


@settings(deadline=None, max_examples=10)
@given(game=st.sampled_from(GAMES), seed=SEEDS)
def test_any_finished_episode_replays_from_its_own_seed(game, seed):
    worlds, steps = 3, 90
    batch, single = (sandlot.make(game, n, config=SHORT[game], autoreset=n > 1) for n in (worlds, 1))
    batch.reset(seed=seed)
    rng = np.random.default_rng(seed)
    tape, episodes = [], []
    for _ in range(steps):
        actions = random_actions(batch, rng)
        batch.step(actions)
        tape.append((np.split(actions, worlds), np.split(batch.rewards.copy(), worlds)))
        episodes += batch.finished()
    begins = [0] * worlds
    for episode in episodes:
        world, end = episode["world"], episode["step"]
        single.reset(seed=episode["seed"])
        for actions, rewards in tape[begins[world] : end]:
            assert not (single.terminated | single.truncated).any()
            single.step(actions[world])
            assert single.rewards.tobytes() == rewards[world].tobytes()
        assert (single.terminated | single.truncated).all()
        begins[world] = end
    assert all(begins) and max(episode["episode"] for episode in episodes) > 0


def test_an_ended_world_that_stays_must_be_reset(make):
    world, rng = make(2, autoreset=False), np.random.default_rng(0)
    world.reset(seed=1)
    while not world.step(random_actions(world, rng)):
        pass
    ended = np.flatnonzero((world.terminated | world.truncated).reshape(2, -1).any(axis=1))
    with pytest.raises(sandlot.errors.NotReset, match=r"has ended; reset it"):
        world.step()
    world.reset(seeds=[5] * len(ended), worlds=ended)
    world.step()


def test_endings_come_as_columns_too(make):
    world, rng = make(8), np.random.default_rng(0)
    world.reset(seed=3)
    ended = sum(world.step(random_actions(world, rng)) for _ in range(80))
    episodes = world.finished()
    assert len(episodes) == ended > 8
    assert (episodes.column("ticks") > 0).all()
    assert episodes.column("seed").tolist() == [episode["seed"] for episode in episodes]
    assert len(world.finished()) == 0
    with pytest.raises(sandlot.errors.UnknownName, match="There are: seed, step, world, episode, "):
        episodes.column("???")


def ending(game, config, action=None):
    """How an episode ends when everybody does nothing, or the same thing: (terminated, truncated)."""
    world = sandlot.make(game, config=config, autoreset=False)
    world.reset(seed=8)
    world.actions[...] = 0 if action is None else action
    while not world.step():
        pass
    return bool(world.terminated[0]), bool(world.truncated[0])


def test_tag_by_the_clock_is_terminated_because_the_clock_is_a_rule():
    assert ending("tag", {"time_limit": 1.0}) == (True, False)


def test_tag_that_only_passes_roles_is_truncated():
    assert ending("tag", {"time_limit": 1.0, "mode": "switch"}) == (False, True)


def test_prospector_out_of_time_is_truncated():
    assert ending("prospector", {"time_max": 30}, action=6) == (False, True)


def test_prospector_that_cashes_out_is_terminated():
    assert ending("prospector", {"time_max": 30, "cash_out_needs_profit": False}, action=68) == (True, False)


# ------------------------------------------------------------ snapshots


@settings(deadline=None, max_examples=15)
@given(game=st.sampled_from(GAMES), seed=SEEDS, before=st.integers(0, 40))
def test_a_restored_world_continues_bit_for_bit(game, seed, before):
    world = sandlot.make(game, 3, config=SHORT[game])
    other = sandlot.make(game, 2, config=SHORT[game])
    world.reset(seed=seed), other.reset(seed=1)
    rng = np.random.default_rng(seed)
    for _ in range(before):
        world.step(random_actions(world, rng))
    other.restore(1, world.snapshot(2))
    agents = world.spec.agents
    assert other.hash(1) == world.hash(2)
    assert other.observations[agents:].tobytes() == world.observations[2 * agents :].tobytes()
    for _ in range(30):
        actions = random_actions(world, rng)
        world.step(actions), other.step(actions[agents:])
        left, right = seen(world), seen(other)
        assert_same({n: a[2 * agents :] for n, a in left.items()}, {n: a[agents:] for n, a in right.items()})
    assert other.hash(1) == world.hash(2)


def test_a_forked_world_is_its_source(make):
    world = make(3)
    world.reset(seed=1)
    world.fork(0, 2)
    assert world.hash(0) == world.hash(2) != world.hash(1)
    assert world.snapshot(0) == world.snapshot(2)


def test_looking_into_a_world_does_not_move_it(make):
    world = make()
    world.reset(seed=6)
    world.step(random_actions(world, np.random.default_rng(6)))
    before = world.hash(0)
    world.info(), world.render(), world.events(), world.snapshot(0)
    assert world.hash(0) == before


def test_the_hash_of_a_spec_changes_with_the_game_and_with_every_setting():
    """The engine computes it, from names, sizes and settings: a policy fits where it is the same."""
    hashes = [
        load_spec(game, settings).hash
        for game, settings in (
            ("tag", {}),
            ("tag", {"recall": True}),
            ("tag", {"time_limit": 11.0}),
            ("prospector", {}),
            ("prospector", {"profile": "classic"}),
        )
    ]
    assert len(set(hashes)) == 5 and all(len(digits) == 16 for digits in hashes)
    assert load_spec("tag", {"time_limit": 10.0}).hash == hashes[0], "the default, written out"
