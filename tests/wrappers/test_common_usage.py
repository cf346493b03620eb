"""What users of Gymnasium, SB3 and PettingZoo do with any env: render, record, wrap, copy, fork."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers
from pettingzoo.test import render_test
from pettingzoo.utils import aec_to_parallel, parallel_to_aec
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv, VecNormalize, VecVideoRecorder

import sandlot
from sandlot.games.rendering import RENDER_MODES
from sandlot.wrappers.zoo import tag_env, tag_parallel_env

TAG, PROSPECTOR = "sandlot/Tag-v0", "sandlot/Prospector-v0"
SIZES = {TAG: (400, 400, 3), PROSPECTOR: (400, 640, 3)}
SHORT = {TAG: {"time_limit": 1.0}, PROSPECTOR: {"time_max": 30}}
each_game = pytest.mark.parametrize("name", [TAG, PROSPECTOR])


def play(env, steps, seed=0):
    """Random steps of a single env, with resets."""
    env.action_space.seed(seed)
    for _ in range(steps):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()


# ------------------------------------------------------------ render modes


@each_game
def test_the_modes_are_declared_and_each_returns_its_kind(name):
    assert sorted(gymnasium.make(name).metadata["render_modes"]) == sorted(RENDER_MODES)
    kinds = {"ansi": str, "rgb_array": np.ndarray, "human": type(None)}
    for mode, kind in kinds.items():
        env = gymnasium.make(name, render_mode=mode)
        env.reset(seed=1)
        env.step(env.action_space.sample())
        assert isinstance(env.render(), kind)
        env.close()
        env.close()


def test_a_film_runs_at_the_pace_of_the_game():
    fps = {}
    for ticks in (1, 3, 6):
        env = gymnasium.make(TAG, config={"ticks_per_step": ticks}, render_mode="rgb_array")
        fps[ticks] = env.metadata["render_fps"]
    assert fps == {1: 60, 3: 20, 6: 10}


@each_game
def test_a_vector_env_renders_every_world(name):
    env = gymnasium.make_vec(name, num_envs=3, render_mode="rgb_array", config=SHORT[name])
    env.reset(seed=1)
    frames = env.render()
    assert isinstance(frames, tuple) and [frame.shape for frame in frames] == [SIZES[name]] * 3
    singles = SyncVectorEnv([lambda: gymnasium.make(name, render_mode="rgb_array", config=SHORT[name])] * 3)
    singles.reset(seed=1)
    for ours, theirs in zip(frames, singles.render(), strict=True):
        assert (ours == theirs).all()
    assert env.render_mode == "rgb_array" and env.metadata["render_fps"] > 0
    env.close()


@each_game
def test_a_vector_env_renders_text_and_windows_too(name):
    env = gymnasium.make_vec(name, num_envs=2, render_mode="ansi")
    env.reset(seed=1)
    assert [type(text) for text in env.render()] == [str, str]
    env.close()
    env = gymnasium.make_vec(name, num_envs=5, render_mode="human")
    env.reset(seed=1)
    env.step(env.action_space.sample())
    assert env.render() is None
    env.close()


def test_a_vector_env_that_could_not_be_made_is_deleted_quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an exception in __del__ would be one
        with pytest.raises(sandlot.errors.UnknownName):
            gymnasium.make_vec(TAG, num_envs=2, render_mode="rgb")
        with pytest.raises(TypeError):
            gymnasium.make_vec(TAG, num_envs=2, no_such_option=1)


def test_passes_pettingzoos_render_test():
    render_test(lambda render_mode: tag_env({"time_limit": 2.0}, render_mode=render_mode))


def test_turns_and_parallel_play_convert_into_one_another():
    env = aec_to_parallel(parallel_to_aec(tag_parallel_env({"time_limit": 1.0}, render_mode="rgb_array")))
    env.reset(seed=2)
    while env.agents:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    assert env.render().shape == (400, 400, 3)
    env.close()


# ------------------------------------------------------------ films


@each_game
def test_record_video_writes_a_film_of_an_episode(name, tmp_path):
    av = pytest.importorskip("av")
    env = gymnasium.make(name, render_mode="rgb_array", config=SHORT[name])
    env = wrappers.RecordVideo(env, tmp_path / "films", episode_trigger=lambda _: True)
    env.reset(seed=1)
    steps, over = 0, False
    while not over:
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        steps, over = steps + 1, terminated or truncated
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    with av.open(str(film)) as opened:
        video = opened.streams.video[0]
        assert (video.height, video.width, 3) == SIZES[name]
        assert abs(sum(1 for _ in opened.decode(video)) - (steps + 1)) <= 1
        assert float(video.average_rate) == env.metadata["render_fps"]


def test_a_vector_env_is_filmed_and_watched_by_gymnasiums_wrappers(tmp_path):
    env = gymnasium.make_vec(TAG, num_envs=4, render_mode="rgb_array", config=SHORT[TAG])
    env = vector_wrappers.RecordVideo(
        env, str(tmp_path / "films"), step_trigger=lambda step: step == 0, video_length=5
    )
    env.reset(seed=1)
    for _ in range(8):
        env.step(env.action_space.sample())
    env.close()
    assert len(list((tmp_path / "films").glob("*.mp4"))) == 1


def test_stable_baselines_records_a_film(tmp_path):
    env = make_vec_env(TAG, n_envs=2, env_kwargs={"config": SHORT[TAG]})
    env = VecVideoRecorder(env, str(tmp_path), record_video_trigger=lambda step: step == 0, video_length=5)
    env.reset()
    for _ in range(8):
        env.step([env.action_space.sample() for _ in range(2)])
    env.close()
    assert len(list(tmp_path.glob("*.mp4"))) == 1


def test_human_rendering_wraps_pictures():
    env = wrappers.HumanRendering(gymnasium.make(TAG, render_mode="rgb_array"))
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.close()


# ------------------------------------------------------------ Stable-Baselines3


@each_game
def test_ppo_takes_an_id(name):
    model = PPO("MlpPolicy", name, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    model.learn(16)
    assert model.get_env().render(mode="rgb_array").shape == SIZES[name]


@each_game
def test_make_vec_env_normalises_trains_and_evaluates(name):
    env = VecNormalize(make_vec_env(name, n_envs=4, env_kwargs={"config": SHORT[name]}))
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=16, n_epochs=1, device="cpu")
    model.learn(32)
    judged = Monitor(gymnasium.make(name, config=SHORT[name]))
    mean, deviation = evaluate_policy(model, judged, n_eval_episodes=3)
    assert np.isfinite([mean, deviation]).all()
    assert len(env.get_images()) == 4


def test_worker_processes_play_as_one_process_does():
    options = {"n_envs": 2, "seed": 5, "env_kwargs": {"config": SHORT[TAG]}}
    workers = make_vec_env(TAG, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": "fork"}, **options)
    here = make_vec_env(TAG, **options)
    try:
        assert (workers.reset() == here.reset()).all()
        for _ in range(30):
            actions = np.zeros((2, 3), np.float32)
            left, right = workers.step(actions), here.step(actions)
            assert all((ours == theirs).all() for ours, theirs in zip(left[:3], right[:3], strict=True))
    finally:
        workers.close()
        here.close()


# ------------------------------------------------------------ Gymnasium


@each_game
def test_a_limit_of_steps_truncates(name):
    env = gymnasium.make(name, max_episode_steps=7)
    env.reset(seed=1)
    ends = [env.step(np.zeros(3, np.float32) if name == TAG else 6)[3] for _ in range(7)]
    assert ends == [False] * 6 + [True]


@each_game
@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.RecordEpisodeStatistics,
        wrappers.NormalizeObservation,
        wrappers.NormalizeReward,
        wrappers.TimeAwareObservation,
        wrappers.PassiveEnvChecker,
        lambda env: wrappers.FrameStackObservation(env, 4),
        lambda env: wrappers.TransformReward(env, lambda reward: 2 * reward),
        lambda env: wrappers.RenderCollection(env),
        lambda env: wrappers.AddRenderObservation(env, render_only=True),
        lambda env: wrappers.Autoreset(env),
    ],
)
def test_common_wrappers_work(name, wrap):
    env = wrap(gymnasium.make(name, render_mode="rgb_array", max_episode_steps=20))
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    play(env, 5)
    env.close()


def test_actions_can_be_rescaled_and_clipped():
    env = wrappers.ClipAction(gymnasium.make(TAG))
    env.reset(seed=1)
    env.step(np.full(3, 5.0, np.float32))
    env = wrappers.RescaleAction(gymnasium.make(TAG), 0.0, 1.0)
    env.reset(seed=1)
    env.step(np.ones(3, np.float32))


@each_game
@pytest.mark.parametrize("autoreset", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_forked_workers_play_as_one_process_does(name, autoreset):
    makers = [lambda: gymnasium.make(name, config=SHORT[name])] * 2
    workers = AsyncVectorEnv(makers, context="fork", autoreset_mode=autoreset)
    here = SyncVectorEnv(makers, autoreset_mode=autoreset)
    try:
        assert (workers.reset(seed=3)[0] == here.reset(seed=3)[0]).all()
        here.action_space.seed(1)
        for _ in range(40):
            actions = here.action_space.sample()
            left, right = workers.step(actions), here.step(actions)
            assert all((ours == theirs).all() for ours, theirs in zip(left[:4], right[:4], strict=True))
    finally:
        workers.close()
        here.close()


def test_a_forked_child_steps_a_vector_env_with_threads():
    """A child that inherits a batch of several threads, as samplers of other libraries do."""
    import multiprocessing

    env = gymnasium.make_vec(TAG, num_envs=8, threads=2)
    env.reset(seed=1)
    context = multiprocessing.get_context("fork")
    child = context.Process(target=lambda: env.step(np.zeros((8, 3), np.float32)))
    child.start()
    child.join(20)
    assert child.exitcode == 0
    env.close()


# ------------------------------------------------------------ copies


@each_game
@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_an_env_plays_on_by_itself(name, way):
    env = gymnasium.make(name, config=SHORT[name], render_mode="rgb_array").unwrapped
    env.reset(seed=4)
    play(env, 5)
    other = way(env)
    for _ in range(40):
        action = env.action_space.sample()
        left, right = env.step(action), other.step(action)
        assert (left[0] == right[0]).all() and left[1:4] == right[1:4]
        if left[2] or left[3]:
            assert (env.reset()[0] == other.reset()[0]).all()
    assert (env.render() == other.render()).all()
    other.close()
    env.step(env.action_space.sample())


@each_game
def test_a_copy_of_a_vector_env_plays_on_by_itself(name):
    env = gymnasium.make_vec(name, num_envs=3, config=SHORT[name])
    env.reset(seed=4)
    other = copy.deepcopy(env)
    for _ in range(40):
        actions = env.action_space.sample()
        left, right = env.step(actions), other.step(actions)
        assert all((ours == theirs).all() for ours, theirs in zip(left[:4], right[:4], strict=True))
    other.close()
    env.step(env.action_space.sample())


@each_game
def test_a_spec_makes_the_same_env_again(name):
    env = gymnasium.make(name, config=SHORT[name])
    for spec in (env.spec, pickle.loads(pickle.dumps(env.spec)), copy.deepcopy(env.spec)):
        again = gymnasium.make(spec)
        assert again.unwrapped.world.spec.hash == env.unwrapped.world.spec.hash
        assert (again.reset(seed=1)[0] == env.reset(seed=1)[0]).all()
    assert gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()).id == name


def test_np_random_follows_the_seed():
    env = gymnasium.make(TAG)
    draws = []
    for _ in range(2):
        env.reset(seed=12)
        draws.append(env.unwrapped.np_random.integers(1 << 30))
    assert draws[0] == draws[1] and env.unwrapped.np_random_seed == 12
