"""WorldVecEnv: any batch of worlds for Stable-Baselines3's own policies."""

import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3 import PPO

import sandlot
from sandlot.errors import ConfigError
from sandlot.wrappers.sb3 import WorldVecEnv

SHORT = {"time_limit": 5.0}


@pytest.fixture
def env():
    env = WorldVecEnv(sandlot.make("landing", worlds=3, config=SHORT), seed=42)
    yield env
    env.close()


def play(env, steps):
    generator, played = np.random.default_rng(0), []
    for _ in range(steps):
        played.append(env.step(generator.uniform(-1, 1, (env.num_envs, 5)).astype(np.float32)))
    return played


def test_its_spaces_are_the_specs(env):
    assert env.observation_space.shape == (14,) and env.action_space.shape == (5,)
    assert isinstance(env.action_space, spaces.Box) and env.num_envs == 3


def test_world_i_begins_with_the_seed_plus_i(env):
    seen = env.reset()
    for i in range(3):
        with sandlot.make("landing", config=SHORT) as alone:
            assert (alone.reset(seed=42 + i)[0] == seen[i]).all()
    env.seed(43)
    assert (env.reset()[0] == seen[1]).all()


def test_an_ended_episode_is_in_its_info_as_sb3_looks_for_it(env):
    env.reset()
    rewards = np.zeros(3)
    for seen, reward, dones, infos in play(env, 120):
        rewards += reward
        for row in np.flatnonzero(dones):
            info = infos[row]
            assert info["episode"]["r"] == pytest.approx(rewards[row], abs=1e-3)
            assert info["report"]["return"] == pytest.approx(rewards[row], abs=1e-2)
            assert info["is_success"] == bool(info["report"]["success"])
            assert (
                info["terminal_observation"].shape == (14,)
                and (info["terminal_observation"] != seen[row]).any()
            )
            assert info["TimeLimit.truncated"] == (not info["is_success"] and info["episode"]["l"] == 50)
            rewards[row] = 0.0
    assert all("performance" not in info for info in infos), "nothing native has frames"


def test_ppo_trains_on_it_and_knows_its_successes(env):
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, device="cpu").learn(256)
    assert len(model.ep_info_buffer) >= 3 and len(model.ep_success_buffer) >= 3


@pytest.mark.parametrize(("game", "why"), [("prospector", "action masks")])
def test_what_sb3s_policies_cannot_play_is_refused(game, why):
    with sandlot.make(game) as world, pytest.raises(ConfigError, match=why):
        WorldVecEnv(world)
