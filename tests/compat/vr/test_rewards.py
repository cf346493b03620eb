"""The eight terms: each by hand, their sum as the game pays, and their bounds in play."""

import numpy as np
import pytest

from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.environment import NavigationEnv
from sandlot.compat.vr.rewards import TERMS, ComfortBudget, RewardCalculator, bounds


def observation(distance=10.0, velocity=(0.0, 0.0, 0.0)):
    raw = np.zeros(48, np.float32)
    raw[44], raw[7:10] = distance, velocity
    return raw


def terms(before=None, after=None, **info):
    calculator = RewardCalculator(RLConfig())
    before, after = (
        before if before is not None else observation(),
        after if after is not None else observation(),
    )
    found = calculator.terms(before, np.zeros(3), after, False, info)
    assert calculator.calculate_reward(before, np.zeros(3), after, False, info) == pytest.approx(
        sum(found.values())
    )
    return {name: value for name, value in found.items() if value}


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"goal_reached": True}, {"goal_reached": 100.0}),
        ({"collision": 1}, {"collision": -10.0}),
        ({"fell": True}, {"fall": -50.0}),
        ({"timeout": True}, {"timeout": -20.0}),
        ({"teleported": True}, {"teleport": -1.0}),
        ({"comfort_loss": 0.25}, {"comfort": -0.25}),
        ({}, {}),
    ],
)
def test_each_outcome_pays_what_the_table_says(info, expected):
    assert terms(**info) == expected


def test_a_metre_nearer_pays_one_and_a_metre_farther_costs_one():
    assert terms(observation(10.0), observation(9.0)) == {"progress": 1.0}
    assert terms(observation(9.0), observation(10.0)) == {"progress": -1.0}


def test_a_whole_episode_of_rough_steps_costs_the_bonus_for_smooth_movement():
    rough = terms(observation(), observation(velocity=(2.0, 0.0, 0.0)))
    assert rough["smooth_movement"] * RLConfig().environment.max_episode_steps == pytest.approx(-0.1)
    assert terms(observation(velocity=(2.0, 0, 0)), observation(velocity=(2.0, 0, 0))) == {}


def test_a_penalty_may_be_written_with_either_sign():
    config = RLConfig()
    config.rewards.collision_penalty = 10.0
    found = RewardCalculator(config).terms(observation(), np.zeros(3), observation(), False, {"collision": 1})
    assert found["collision"] == -10.0


@pytest.mark.parametrize("layout", ["open", "course"])
def test_without_smooth_movement_the_sum_is_what_the_game_pays(layout):
    config = RLConfig()
    config.rewards.smooth_movement = 0.0
    config.environment.layout, config.environment.max_episode_steps = layout, 40
    env, generator = NavigationEnv(config), np.random.default_rng(1)
    env.reset(seed=5)
    endings = 0
    for _ in range(300):
        _, reward, terminated, truncated, info = env.step(generator.uniform(-1, 1, 3))
        assert reward == pytest.approx(float(env._simulation.world.rewards[0]), abs=1e-4)
        assert 0.0 <= info["comfort_score"] <= 1.0
        if terminated or truncated:
            endings += 1
            env.reset()
    assert endings > 2
    env.close()


def test_no_term_leaves_its_bounds_in_play():
    config = RLConfig()
    config.environment.max_episode_steps = 60
    limits, generator = bounds(config), np.random.default_rng(2)
    env = NavigationEnv(config)
    for seed in range(12):
        env.reset(seed=seed)
        steer, sums, done = generator.uniform(-1, 1, 3), dict.fromkeys(TERMS, 0.0), False
        while not done:
            before = env.raw
            action = steer if seed % 2 else generator.uniform(-1, 1, 3)
            *_, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            for name, value in env.rewards.terms(before, action, env.raw, done, info).items():
                sums[name] += value
        for name, (low, high) in limits.items():
            assert low - 1e-3 <= sums[name] <= high + 1e-3, name
    env.close()


def test_comfort_and_smoothness_together_are_less_than_a_tenth_of_the_goal():
    limits = bounds(RLConfig())
    assert -limits["comfort"][0] - limits["smooth_movement"][0] < 10.0
    assert limits["comfort"][1] == limits["smooth_movement"][1] == 0.0, "standing still earns nothing"


def test_a_comfort_budget_runs_out():
    budget = ComfortBudget(RLConfig())
    lost = sum(budget.lose(0.3, 0.7) for _ in range(1000))
    assert lost == pytest.approx(2.0)
    assert budget.lose(0.3, 0.7) == 0.0
    budget.reset()
    assert budget.lose(0.5, 0.0) == pytest.approx(0.05)
