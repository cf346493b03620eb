"""Gymnasium's vector env over one batch: equal to as many single envs, with Gymnasium's same-step endings."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import sandlot
from sandlot.errors import ArrayError, ConfigError, SeedError, UnknownName
from sandlot.wrappers.gym_vector import GameVectorEnv

TAG, PROSPECTOR = "sandlot/Tag-v0", "sandlot/Prospector-v0"
SHORT_TAG, SHORT_PROSPECTOR = {"time_limit": 1}, {"time_max": 30}


def make(name, num_envs=4, **options):
    return gymnasium.make_vec(name, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (PROSPECTOR, {"config": SHORT_PROSPECTOR}),
        (TAG, {"config": SHORT_TAG}),
        (TAG, {"config": SHORT_TAG | {"seekers": 2, "hiders": 2}, "role": "hider", "opponent_level": 2}),
        (TAG, {"config": SHORT_TAG | {"mode": "switch"}, "role": "hider"}),
    ],
)
def test_equals_as_many_single_envs_episode_by_episode(name, options):
    native = make(name, 4, threads=2, **options)
    singles = gymnasium.make_vec(
        name,
        num_envs=4,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        **options,
    )
    left, right = native.reset(seed=17)[0], singles.reset(seed=17)[0]
    assert left.tobytes() == right.tobytes()
    native.action_space.seed(0)
    endings = 0
    for _ in range(90):
        actions = native.action_space.sample()
        *left, infos = native.step(actions)
        *right, expected = singles.step(actions)
        for ours, theirs in zip(left, right, strict=True):
            assert (ours == theirs).all()
        ended = left[2] | left[3]
        endings += ended.sum()
        assert ("final_obs" in infos) == ended.any()
        for world in np.flatnonzero(ended):
            assert (infos["final_obs"][world] == expected["final_obs"][world]).all()
        if ended.any():
            assert (infos["_final_obs"] == ended).all() and (infos["_final_info"] == ended).all()
        if name == PROSPECTOR:
            assert (infos["action_mask"] == expected["action_mask"]).all()
    assert endings >= 8


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (PROSPECTOR, {"config": SHORT_PROSPECTOR}),
        (TAG, {"config": SHORT_TAG | {"seekers": 2, "hiders": 2}, "role": "hider", "opponent_level": 2}),
    ],
)
def test_resets_without_a_seed_go_on_as_single_envs_do(name, options):
    """Seeded, then unseeded, in the middle of episodes and after some have ended; and seeds for some only."""
    native = make(name, 4, **options)
    mode = native.metadata["autoreset_mode"]
    singles = gymnasium.make_vec(
        name, num_envs=4, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options
    )
    native.action_space.seed(0)
    for seed in (17, None, None, [None, 3, None, 5], None):
        assert native.reset(seed=seed)[0].tobytes() == singles.reset(seed=seed)[0].tobytes()
        for _ in range(33):
            actions = native.action_space.sample()
            left, right = native.step(actions), singles.step(actions)
            assert all((ours == theirs).all() for ours, theirs in zip(left[:4], right[:4], strict=True))
    some = {"reset_mask": np.array([True, False, False, True])}
    assert native.reset(options=some)[0].tobytes() == singles.reset(options=some)[0].tobytes()


def test_a_first_reset_without_a_seed_begins_at_random():
    starts = {make(TAG, 2).reset()[0].tobytes() for _ in range(3)}
    assert len(starts) == 3


def test_single_envs_travel_to_worker_processes():
    workers = gymnasium.make_vec(TAG, num_envs=2, vectorization_mode="async", config=SHORT_TAG)
    native = make(TAG, 2, config=SHORT_TAG)
    try:
        assert workers.reset(seed=6)[0].tobytes() == native.reset(seed=6)[0].tobytes()
    finally:
        workers.close()


def test_the_sums_of_an_episode_come_with_its_end_and_only_then():
    env = make(PROSPECTOR, 3, config=SHORT_PROSPECTOR)
    env.reset(seed=1)
    returns = np.zeros(3)
    for _ in range(40):
        _, rewards, terminated, truncated, infos = env.step(np.full(3, 6))
        returns += rewards
        if (terminated | truncated).any():
            break
        assert set(infos) == {"action_mask", "_action_mask"}
    sums = infos["final_info"]
    assert sums["return"] == pytest.approx(returns, abs=1e-4)
    assert sums["seed"].tolist() == [1, 2, 3] and sums["ticks"].tolist() == [30] * 3


def test_is_made_natively_and_says_how_it_resets():
    env = make(TAG, 2)
    assert type(env.unwrapped).__name__ == "GameVectorEnv"
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.observation_space.shape == (2, 156) and env.single_action_space.shape == (3,)


def test_without_a_number_it_is_one_world():
    env = GameVectorEnv("prospector")
    assert env.num_envs == 1 and env.reset(seed=1)[0].shape == (1, 260)
    env.close()


def test_gymnasium_takes_the_native_one_by_itself():
    assert type(gymnasium.make_vec(PROSPECTOR, num_envs=2).unwrapped).__name__ == "GameVectorEnv"


def test_observations_may_be_kept_unless_copy_is_off():
    kept, shared = make(TAG, 2), make(TAG, 2, copy=False)
    first, _ = kept.reset(seed=1)
    before = first.copy()
    kept.step(np.ones((2, 3), np.float32))
    assert (first == before).all()
    assert np.shares_memory(shared.reset(seed=1)[0], shared.unwrapped.world.observations)


def test_a_masked_reset_leaves_the_other_worlds_alone():
    env = make(TAG, 3)
    env.reset(seed=1)
    env.step(np.ones((3, 3), np.float32))
    before = [env.unwrapped.world.hash(world) for world in range(3)]
    env.reset(options={"reset_mask": np.array([False, True, False])})
    after = [env.unwrapped.world.hash(world) for world in range(3)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True]


def test_seeds_may_be_given_one_per_world():
    env = make(TAG, 2)
    same, _ = env.reset(seed=[8, 8])
    assert (same[0] == same[1]).all()
    mixed, _ = env.reset(seed=[8, None])
    assert (mixed[0] == same[0]).all() and (mixed[1] != same[1]).any()


def test_unseeded_resets_follow_from_the_last_seed():
    def three():
        env = make(PROSPECTOR, 2)
        return [env.reset(seed=seed)[0].tobytes() for seed in (5, None, None)]

    first = three()
    assert first == three() and len(set(first)) == 3


@pytest.mark.parametrize(
    ("use", "error", "sentence"),
    [
        (lambda: make(TAG, 0), ConfigError, "worlds = 0: expected a whole number from 1 to 262144"),
        (lambda: make(TAG, 10**6), ConfigError, "worlds = 1000000: expected a whole number"),
        (lambda: make(TAG).reset(seed=[1]), ArrayError, "1 seeds for 4 worlds"),
        (lambda: make(TAG).reset(seed=-1), SeedError, "A seed is a whole number"),
        (lambda: make(TAG).reset(options={"mask": 1}), UnknownName, "no reset option called 'mask'"),
        (lambda: make(TAG).reset(options={"reset_mask": [1, 0]}), ArrayError, "reset_mask must be bool (4,)"),
        (lambda: make(TAG).step(np.zeros((4, 2))), ArrayError, "actions have shape (4, 2), expected (4, 3)"),
        (lambda: make(PROSPECTOR).step(np.zeros(4)), ArrayError, "actions of prospector are whole numbers"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(use, error, sentence):
    with pytest.raises(error) as caught:
        use()
    assert sentence in str(caught.value)


def test_a_closed_env_says_so():
    env = make(TAG, 2)
    env.reset(seed=1)
    env.close()
    env.close()
    with pytest.raises(sandlot.errors.Closed):
        env.step(np.zeros((2, 3), np.float32))
