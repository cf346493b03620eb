"""The PettingZoo wrapper of tag: PettingZoo's own tests, names, and agents that leave early."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import sandlot
from sandlot.errors import ActionError, ArrayError, Closed, ConfigError, NotReset, UnknownName
from sandlot.wrappers.zoo import tag_env, tag_parallel_env

CONFIGS = [
    {},
    {"mode": "switch"},
    {"hiders": 3},
    {"seekers": 3, "hiders": 5, "time_limit": 3, "spawn_separation": 4},
    {"seekers": 2, "hiders": 2, "first_is_seeker": False, "turn_control": True, "privileged": True},
    {"layout": "reference84", "profile": "reference"},
]
each_config = pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda config: "-".join(map(str, config)) or "default"
)


@each_config
def test_passes_the_parallel_api_test_without_a_warning(config):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(tag_parallel_env(config), num_cycles=1000)


@each_config
def test_passes_the_parallel_seed_test(config):
    parallel_seed_test(lambda: tag_parallel_env(config))


@each_config
def test_passes_the_tests_for_turns_too(config):
    api_test(tag_env(config), num_cycles=500)
    seed_test(lambda: tag_env(config), num_cycles=200)


def test_agents_are_named_after_the_role_they_start_with():
    env = tag_parallel_env({"seekers": 1, "hiders": 2, "first_is_seeker": False})
    assert env.possible_agents == ["hider_0", "hider_1", "seeker_0"]
    flag = env.world.spec.field("roles").start
    observations, _ = env.reset(seed=1)
    assert [observations[name][flag] for name in env.possible_agents] == [0, 0, 1]


def play(env, seed):
    """A match in which seekers run forward and hiders stand: (agents, results) of each step."""
    env.reset(seed=seed)
    steps = []
    while env.agents:
        actions = {name: np.array([0, -float("seeker" in name), 0], np.float32) for name in env.agents}
        steps.append((list(env.agents), env.step(actions)))
    return steps


def test_a_touched_hider_leaves_and_the_others_play_on():
    env = tag_parallel_env(
        {"seekers": 3, "hiders": 3, "arena_half": 6, "spawn_separation": 3, "obstacles": 0, "reach": 0.75}
    )
    steps = early = []
    for seed in range(200):
        steps = play(env, seed)
        early = [index for index, (_, results) in enumerate(steps[:-1]) if any(results[2].values())]
        if early:
            break
    agents, (_, rewards, terminations, truncations, infos) = steps[early[0]]
    out = [name for name in agents if terminations[name]]
    assert all(name.startswith("hider") for name in out) and not any(truncations.values())
    assert all(rewards[name] < -5 and infos[name]["in_play"] == 0 for name in out)
    still, (observations, *_) = steps[early[0] + 1]
    assert set(still) == set(agents) - set(out) == set(observations)


def test_a_match_equals_the_vector_world():
    env, world = tag_parallel_env({"hiders": 2}), sandlot.make("tag", config={"hiders": 2}, autoreset=False)
    first, _ = env.reset(seed=12)
    world.reset(seed=12)
    assert np.stack(list(first.values())).tobytes() == world.observations.tobytes()
    rng = np.random.default_rng(0)
    for _ in range(20):
        actions = rng.uniform(-1, 1, (3, 3)).astype(np.float32)
        observations, rewards, *_ = env.step(dict(zip(env.agents, actions, strict=True)))
        world.step(actions)
        assert np.stack(list(observations.values())).tobytes() == world.observations.tobytes()
        assert list(rewards.values()) == world.rewards.tolist()


@pytest.mark.parametrize(
    ("actions", "error", "sentence"),
    [
        ({"seeker_0": [0, 0, 0]}, ActionError, "hider_0 is in play and has no action"),
        ({"seeker_0": [0, 0, 0], "hider_9": [0, 0, 0]}, UnknownName, "Did you mean 'hider_0'?"),
        ({"seeker_0": [0, 0], "hider_0": [0, 0, 0]}, ArrayError, "expected (1, 3)"),
        ({"seeker_0": [0, 0, np.nan], "hider_0": [0, 0, 0]}, ActionError, "Row 0 asks for jump = nan"),
    ],
)
def test_bad_actions_are_refused_in_a_sentence_and_move_nothing(actions, error, sentence):
    env = tag_parallel_env()
    env.reset(seed=1)
    before = env.world.hash(0)
    with pytest.raises(error) as caught:
        env.step(actions)
    assert sentence in str(caught.value) and env.world.hash(0) == before


def test_stepping_before_reset_after_the_end_or_closed_is_an_error():
    env = tag_parallel_env({"time_limit": 1})
    with pytest.raises(NotReset, match=r"reset\(\)"):
        env.step({})
    play(env, 1)
    with pytest.raises(NotReset, match=r"reset\(\)"):
        env.step({"seeker_0": [0, 0, 0]})
    env.reset()
    env.close()
    with pytest.raises(Closed):
        env.step({name: [0, 0, 0] for name in env.agents})


def test_too_many_agents_are_refused_in_a_sentence():
    with pytest.raises(ConfigError, match="at most 8"):
        tag_parallel_env({"seekers": 5, "hiders": 5})


def test_ansi_draws_everybody_in_play():
    env = tag_parallel_env({"hiders": 2}, render_mode="ansi")
    env.reset(seed=1)
    assert env.render().count("H") == 2
