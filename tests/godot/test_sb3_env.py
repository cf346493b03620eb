"""sandlot.wrappers.sb3.GodotVecEnv: Stable-Baselines3 on scenes of a project, as its own users write it."""

import socket

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from gymnasium import spaces
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.vec_env import VecMonitor

from sandlot.bridge.godot_process import GodotProcess
from sandlot.errors import ConfigError
from sandlot.wrappers.sb3 import GodotVecEnv

from .scenes import agent, make_project, scene
from .stock_games import copy_game

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studio(engine, tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("sb3") / "studio")


def test_ppo_trains_on_mixed_actions_in_two_processes(studio):
    env = GodotVecEnv(studio, "res://walk.tscn", n_parallel=2, arenas=4, seed=3, config={"ends_at": 6})
    assert env.num_envs == 4 and len(env.world.engine_pids) == 2
    assert env.action_space == spaces.Box(-1.0, 1.0, (3,), np.float32)
    monitored = VecMonitor(env)
    model = PPO("MlpPolicy", monitored, n_steps=32, batch_size=32, seed=1)
    model.learn(256)
    assert {row["l"] for row in model.ep_info_buffer} == {6}
    assert model.ep_success_buffer, "the game reports success"
    monitored.close()
    assert not env.world.engine_pids


def test_ends_and_limits_are_told_apart_and_keep_their_last_observation(studio):
    env = GodotVecEnv(studio, "res://walk.tscn", arenas=2)
    env.reset()
    still = np.zeros((2, 3), np.float32)
    for step in range(12):
        seen, rewards, done, infos = env.step(still)
        assert done.all() == (step == 11) and (rewards >= 1.0).all()
    assert [info["TimeLimit.truncated"] for info in infos] == [True, True]
    last = np.array([info["terminal_observation"] for info in infos])
    assert (last[:, 2] == 12).all() and (seen[:, 2] == 0).all(), "steps walked: of the end, of the beginning"
    assert [info["episode"]["l"] for info in infos] == [12, 12]
    assert infos[0]["report"]["distance"] == pytest.approx(abs(last[0, 0]), abs=1e-5)
    env.close()


def test_a_seed_repeats_episodes(studio):
    env = GodotVecEnv(studio, "res://walk.tscn", arenas=2, seed=5)
    first, other = env.reset(), env.reset()
    env.seed(5)
    assert np.array_equal(first, env.reset()) and not np.array_equal(first, other)
    env.close()


def test_a_choice_among_axes_is_a_part_of_a_range(studio):
    env = GodotVecEnv(studio, "res://walk.tscn", arenas=1)
    of = env._actions.of
    lowest, middle, highest = of(np.array([[-1, -1, -1], [0.5, 0.1, 0], [1, 1, 1]]))
    assert lowest.tolist() == [-1, -1, 0] and middle.tolist() == [0.5, 1, 1] and highest.tolist() == [1, 1, 2]
    env.close()


def test_roles_that_do_different_things_are_refused_in_a_sentence(studio):
    with pytest.raises(ConfigError, match="one action space"):
        GodotVecEnv(studio, "res://hunt.tscn", arenas=1)


def test_sac_learns_on_a_project_of_the_stock_plugin_at_the_port_that_was_named(engine, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = GodotVecEnv(copy_game("ball_3d", tmp_path), port=port, config={"action_repeat": 8})
    assert env.num_envs == 4 and env.world._games[0]._listener.port == port
    assert env.action_space == spaces.Box(-1.0, 1.0, (2,), np.float32)
    SAC("MlpPolicy", env, learning_starts=32, batch_size=32, buffer_size=10_000, seed=1).learn(128)
    env.close()


def test_a_scene_that_was_started_by_hand_is_waited_for(studio, engine):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (studio / "by_hand.tscn").write_text(
        scene({"a": "walker.gd"}, agent("Walker", "a"), trainer='control = "training"')
    )
    url = {"SANDLOT_URL": f"ws://127.0.0.1:{port}"}
    with GodotProcess(["res://by_hand.tscn"], project=studio, environment=url):
        env = GodotVecEnv(port=port, arenas=1)
        env.reset()
        assert env.step(np.zeros((1, 3), np.float32))[1] >= 1.0
        env.close()
