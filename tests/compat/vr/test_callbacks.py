"""What happens between the steps of a training, each callback by itself."""

from types import SimpleNamespace

import pytest
from stable_baselines3.common.logger import Logger

from sandlot.bridge import http_client
from sandlot.compat.vr import callbacks
from sandlot.compat.vr.callbacks import CurriculumCallback, MonitorCallback, SceneReloadCallback
from sandlot.compat.vr.config import RLConfig, Stage
from sandlot.compat.vr.monitor import TrainingMonitor


class Env:
    def __init__(self):
        self.distances = []

    def env_method(self, name, value):
        assert name == "set_max_goal_distance"
        self.distances.append(value)


def begun(callback, timesteps=0):
    env = Env()
    model = SimpleNamespace(num_timesteps=timesteps, logger=Logger(None, []), get_env=lambda: env)
    model.ep_info_buffer = model.ep_success_buffer = None
    callback.init_callback(model)
    callback.on_training_start({}, {})
    return model, env


def stepped(callback, model, timesteps):
    model.num_timesteps = timesteps
    return callback.on_step()


def test_a_scene_is_reloaded_every_so_many_steps_and_waited_for(monkeypatch):
    calls = []
    monkeypatch.setattr(callbacks.time, "sleep", lambda seconds: calls.append(seconds))
    client = SimpleNamespace(reload_scene=lambda: calls.append("reload"))
    callback = SceneReloadCallback(100, client, wait_s=0.5)
    model, _ = begun(callback)
    assert stepped(callback, model, 99) and calls == []
    assert stepped(callback, model, 130) and calls == ["reload", 0.5]
    assert callback.reloads == 1 and model.logger.name_to_value["scene/reloads"] == 1


def test_reloads_are_every_10_000_steps_of_the_game_at_the_usual_address():
    callback = SceneReloadCallback()
    assert (callback.interval, callback._wait_s, callback.verbose) == (10_000, 2.0, 0)
    assert callback._client.url == f"http://{http_client.HOST}:{http_client.PORT}" == "http://127.0.0.1:8080"


STAGES = [
    Stage(name="near", timesteps=100, max_goal_distance=10.0),
    Stage(name="far", timesteps=200, max_goal_distance=20.0),
]


def curriculum(stages=STAGES):
    lines = []
    monitor = TrainingMonitor(lines.append, 300)
    return CurriculumCallback(SimpleNamespace(stages=stages), monitor), lines


def test_a_stage_lasts_its_steps_and_the_last_one_goes_on():
    callback, lines = curriculum()
    model, env = begun(callback)
    assert (callback.stage, env.distances) == ("near", [10.0])
    for timesteps in (50, 99):
        stepped(callback, model, timesteps)
    assert callback.stage == "near" and len(env.distances) == 1
    for timesteps in (100, 299, 300, 1000):
        assert stepped(callback, model, timesteps)
    assert (callback.stage, env.distances) == ("far", [10.0, 20.0])
    assert model.logger.name_to_value["curriculum/stage"] == 1
    assert lines[-1] == "stage far: goals up to 20 m away, from step 100" and len(lines) == 2


def test_a_resumed_training_enters_the_stage_of_its_steps():
    callback, _ = curriculum()
    _, env = begun(callback, timesteps=100)
    assert (callback.stage, env.distances) == ("far", [20.0])


def test_a_single_stage_is_not_worth_a_line():
    callback, lines = curriculum(STAGES[:1])
    model, env = begun(callback)
    assert env.distances == [10.0] and lines == [] and model.logger.name_to_value == {}


def test_a_stop_ends_the_training_and_a_rollout_is_a_line():
    callback, _ = curriculum()
    lines, stop = [], [False]
    watching = MonitorCallback(TrainingMonitor(lines.append, 300), callback, lambda: stop[0])
    model, _ = begun(watching)
    assert stepped(watching, model, 60)
    watching.on_rollout_end()
    assert (
        "60 of 300 steps, stage near" in lines[0] and "reward" not in lines[0] and "success" not in lines[0]
    )
    assert model.logger.name_to_value["performance/memory_mb"] > 10
    model.ep_info_buffer, model.ep_success_buffer = [{"r": 1.0}, {"r": 2.0}], [True, False, False, False]
    watching.on_rollout_end()
    assert "mean reward 1.5, success 25%" in lines[1]
    stop[0] = True
    assert not stepped(watching, model, 61)


def evaluations(monkeypatch, results, best=None):
    """The callback, with evaluations that come out so, and the models that it saved."""
    saved, seen, lines = [], [], []

    def evaluate(model, config, episodes, purpose, rewards, stop):
        seen.append((episodes, purpose))
        reward, played = results.pop(0)
        return SimpleNamespace(
            episodes=[None] * played, mean_reward=reward, success_rate=SimpleNamespace(value=0.5)
        )

    monkeypatch.setattr(callbacks, "evaluate", evaluate)
    monkeypatch.setattr(callbacks.models, "save", lambda model, path, config: saved.append(path))
    config = RLConfig.from_dict({"training": {"eval_freq": 10, "eval_episodes": 4}})
    monitor = TrainingMonitor(lines.append, 100)
    callback = callbacks.EvaluationCallback(config, "best.zip", monitor, None, best, lambda: False)
    return callback, saved, seen, lines


def test_the_best_model_is_that_of_the_highest_mean_reward(monkeypatch):
    callback, saved, seen, lines = evaluations(monkeypatch, [(1.0, 4), (1.0, 4), (2.0, 4)])
    model, _ = begun(callback)
    for timesteps, kept in ((10, 1), (20, 1), (30, 2)):
        assert stepped(callback, model, timesteps)
        assert len(saved) == kept
    assert seen == [(4, "select")] * 3 and callback.best_reward == model.best_mean_reward == 2.0
    assert model.logger.name_to_value["eval/mean_reward"] == 2.0
    assert model.logger.name_to_value["eval/success_rate"] == 0.5
    assert lines[0].endswith("success 50%, the best so far: best.zip") and "best" not in lines[1]


def test_an_evaluation_that_was_stopped_counts_for_nothing(monkeypatch):
    callback, saved, _, lines = evaluations(monkeypatch, [(9.0, 3)])
    model, _ = begun(callback)
    assert stepped(callback, model, 10) and (saved, lines, callback.best_reward) == ([], [], None)


def test_a_resumed_training_knows_its_best(monkeypatch):
    callback, saved, _, _ = evaluations(monkeypatch, [(1.0, 4)], best=1.5)
    model, _ = begun(callback)
    stepped(callback, model, 10)
    assert saved == [] and callback.best_reward == pytest.approx(1.5)
