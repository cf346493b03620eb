"""Training through the HTTP API: the brief's four calls, and metrics in people's units."""

import socket

import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from sandlot.bridge.http_client import HttpClient
from sandlot.compat.vr.callbacks import PerformanceMetricsCallback, SceneReloadCallback
from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.monitor import PerformanceMetrics
from sandlot.compat.vr.training import prepare_game
from sandlot.errors import GameLost, Refused

from .http_game import SCENE, served


@pytest.fixture(scope="module")
def game():
    with served(RLConfig()) as (game, port):
        yield game, HttpClient(port=port)


@pytest.fixture
def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def over_http(port: int, scene: str = SCENE) -> RLConfig:
    return RLConfig.from_dict({"environment": {"kind": "http", "port": port, "scene": scene}})


def test_the_briefs_four_calls_answer(game):
    client = game[1]
    assert client.health_check() is True
    assert client.load_scene(SCENE)["status"] == "loaded"
    assert client.get_scene_state() == {"scene_path": SCENE, "status": "loaded"}
    metrics = PerformanceMetrics.from_reply(client.get_performance_metrics())
    assert (metrics.fps, metrics.static_memory_mb) == (88.0, 50)
    assert metrics.ratios == pytest.approx((0.45, 0.18, 0.0))


def test_health_is_false_where_nothing_answers(closed_port):
    assert HttpClient(port=closed_port).health_check() is False


def test_training_begins_with_health_and_the_scene(game):
    game[0].requests.clear()
    lines = []
    prepare_game(over_http(game[1].port), lines.append)
    assert game[0].requests[:3] == ["GET /health", "POST /scene", "GET /scene"]
    assert lines == [f"environment: {game[1].url}, {SCENE}"]


def test_training_without_a_game_is_a_sentence_that_names_the_native_one(closed_port):
    with pytest.raises(GameLost, match=r"Cannot connect to the HTTP API at .*--environment native"):
        prepare_game(over_http(closed_port), print)


def test_a_scene_that_is_refused_is_a_sentence_with_its_path(game):
    with pytest.raises(Refused, match=r"Failed to load scene res://other\.tscn: .*whitelist"):
        prepare_game(over_http(game[1].port, "res://other.tscn"), print)


def test_each_environment_has_a_game_at_a_port_of_its_own(game):
    config = over_http(game[1].port)
    config.environment.num_environments = 2
    with pytest.raises(GameLost, match=f":{game[1].port + 1}:"):
        prepare_game(config, lambda _: None)


def test_the_reload_callback_fires_when_a_multiple_is_passed_in_plain_sb3(game):
    model = PPO("MlpPolicy", make_vec_env("CartPole-v1", n_envs=3), n_steps=8, batch_size=8, n_epochs=1)
    reloads = SceneReloadCallback(reload_interval=10, client=game[1], wait_s=0.0)
    game[0].requests.clear()
    game[1].load_scene(SCENE)
    model.learn(48, callback=[reloads, PerformanceMetricsCallback()])
    assert reloads.reloads == 4, "10 is passed at 12, 20 at 21, 30 at 30, 40 at 42"
    assert game[0].requests.count("POST /scene/reload") == 4


def test_the_reload_callback_is_called_every_10_000_steps_unless_told_otherwise():
    assert SceneReloadCallback().interval == 10_000
