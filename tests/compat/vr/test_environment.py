"""The environment: Gymnasium's contract, seeds, tasks, stages, and the same play over HTTP."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.environment import NavigationEnv, make_vec_env
from sandlot.errors import BadMessage, ConfigError

from .http_game import Game, served


def short(**environment) -> RLConfig:
    return RLConfig.from_dict({"environment": {"max_episode_steps": 30} | environment})


def trace(env, seed, steps=25):
    generator, seen = np.random.default_rng(0), [env.reset(seed=seed)[0]]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(generator.uniform(-1, 1, 3))
        seen.append(np.append(observation, reward))
        if terminated or truncated:
            break
    return np.concatenate(seen)


class WithoutTimes(gymnasium.Wrapper):
    """Infos but for what is measured, which is another number every time."""

    def step(self, action):
        *outcome, info = self.env.step(action)
        return *outcome, {name: value for name, value in info.items() if name != "performance"}


def test_it_keeps_gymnasiums_contract():
    env = NavigationEnv(short())
    check_env(WithoutTimes(env), skip_render_check=True)
    assert env.observation_space.shape == (48,) and env.action_space.shape == (3,)


def test_one_seed_is_one_episode():
    first, second = NavigationEnv(short()), NavigationEnv(short())
    assert (trace(first, 7) == trace(second, 7)).all()
    assert not np.array_equal(trace(first, 8), trace(second, 7))


def test_an_episode_without_goal_is_truncated_after_its_steps():
    env = NavigationEnv(short())
    env.reset(seed=1)
    for _ in range(29):
        *_, truncated, info = env.step(np.zeros(3))
        assert not truncated and "is_success" not in info
    *_, terminated, truncated, info = env.step(np.zeros(3))
    assert (terminated, truncated, info["timeout"], info["is_success"]) == (False, True, True, False)


def test_infos_have_the_briefs_names_and_a_measured_tick():
    env = NavigationEnv(short())
    env.reset(seed=1)
    info = env.step(np.ones(3))[-1]
    assert {"collision", "goal_reached", "timeout", "fell", "comfort_score", "teleported"} <= set(info)
    assert 0 < info["performance"][0] < 1 and info["performance"][1:] == (0.0, 0.0)


def test_the_goal_ends_an_episode_and_pays(monkeypatch):
    """A walker that turns toward the goal and walks reaches it on an open floor."""
    config = RLConfig.from_dict({"environment": {"layout": "open", "max_goal_distance": 10.0}})
    env = NavigationEnv(config)
    env.reset(seed=4)
    total, done, info = 0.0, False, {}
    while not done:
        qy, qw = env.raw[4], env.raw[6]
        yaw = 2 * np.arctan2(qy, qw)
        x, z = env.raw[45], env.raw[47]
        ahead, right = -x * np.sin(yaw) - z * np.cos(yaw), x * np.cos(yaw) - z * np.sin(yaw)
        _, reward, terminated, truncated, info = env.step(np.array([right, ahead, 0.0]))
        total, done = total + reward, terminated or truncated
    assert info["goal_reached"] and info["is_success"] and terminated
    assert total > 100


def test_a_stage_moves_goals_of_the_next_episodes():
    env = NavigationEnv(RLConfig())
    env.set_max_goal_distance(10.0)
    near = []
    for seed in range(20):
        env.reset(seed=seed)
        near.append(env.raw[44])
    env.set_max_goal_distance(30.0)
    far = [env.reset(seed=seed)[0] is not None and env.raw[44] for seed in range(20)]
    assert max(near) <= 10 + 5 + 3 < max(far)


def test_tasks_are_drawn_at_reset_and_observed():
    config = short()
    config.training.tasks = ["open", "course", "maze"]
    env = NavigationEnv(config)
    assert env.observation_space.shape == (51,)
    drawn = []
    for seed in range(60):
        seen, info = env.reset(seed=seed)
        drawn.append(info["task"])
        assert seen[48:].tolist() == [float(task == info["task"]) for task in config.training.tasks]
        assert env._simulation.world.spec.config["layout"] == info["task"]
    assert {drawn.count(task) > 8 for task in config.training.tasks} == {True}
    fixed = NavigationEnv(config, task="maze")
    assert {fixed.reset(seed=seed)[1]["task"] for seed in range(5)} == {"maze"}
    with pytest.raises(ConfigError, match=r"expected one of training\.tasks"):
        NavigationEnv(config, task="lake")


def test_several_environments_have_seeds_of_their_own():
    config = short(num_environments=3)
    envs = make_vec_env(config)
    seen = envs.reset()
    assert len({row.tobytes() for row in seen}) == 3
    envs.close()
    again = make_vec_env(config)
    assert (again.reset() == seen).all()
    again.close()


# ---------------------------------------------------------------- over HTTP


def test_play_over_http_is_play_in_the_native_game():
    config = short()
    config.actions.dead_zone = config.actions.action_smoothing = 0.0
    with served(config) as (game, port):
        far = short(kind="http", port=port)
        far.actions.dead_zone = far.actions.action_smoothing = 0.0
        env = NavigationEnv(far)
        near = NavigationEnv(config)
        theirs, mine = trace(env, 7), trace(near, 7)
        assert game.seeds == [7]
        assert np.allclose(theirs, mine, atol=1e-2), "but for comfort, which is counted by steps here"
        env.close()


def test_a_step_over_http_carries_a_performance_triple_and_the_limits():
    config = short(kind="http")
    with served(config) as (game, port):
        config.environment.port = port
        env = NavigationEnv(config)
        env.reset(seed=1)
        info = env.step(np.ones(3))[-1]
        assert info["performance"] == pytest.approx((0.45, 0.18, 0.0))
        assert "POST /rl/step" in game.requests
        env.close()


def test_a_reply_without_observation_is_refused(monkeypatch):
    config = short(kind="http")
    with served(config) as (_, port):
        config.environment.port = port
        env = NavigationEnv(config)
        env.reset(seed=1)
        monkeypatch.setattr(Game, "named", staticmethod(lambda raw: None))
        with pytest.raises(BadMessage, match="expected a reply with observation"):
            env.step(np.zeros(3))
        env.close()


@pytest.mark.parametrize(("turning", "degrees"), [("smooth", 9.0), ("snap", 60.0)])
def test_turning_is_smooth_or_by_snaps_as_the_setting_says(turning, degrees):
    config = RLConfig()
    config.actions.turning, config.actions.snap_angle = turning, 60.0
    config.actions.action_smoothing = 0.0
    env = NavigationEnv(config.validate())
    env.reset(seed=1)
    before = heading(env.raw)
    env.step(np.array([0.0, 0.0, 1.0], np.float32))  # a tenth of a second
    turned = (before - heading(env.raw) + 180) % 360 - 180
    assert turned == pytest.approx(degrees, abs=0.01)
    env.close()


def heading(raw):
    """Degrees, more to the left, of the quaternion x, y, z, w in a raw observation."""
    return 2 * np.degrees(np.arctan2(raw[4], raw[6]))


def test_a_scene_behind_http_is_not_told_how_to_turn():
    config = RLConfig()
    config.environment.kind, config.actions.turning = "http", "snap"
    with pytest.raises(ConfigError, match="a scene behind HTTP turns as its own settings say"):
        config.validate()
