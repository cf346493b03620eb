"""The VR scene behind its HTTP API, started by the script that the briefs' reader types."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sandlot.bridge.http_client import TOKEN_VARIABLE, HttpClient
from sandlot.compat.vr.config import RLConfig
from sandlot.compat.vr.environment import NavigationEnv
from sandlot.compat.vr.processing import FIELDS
from sandlot.errors import BadMessage

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
SCENE = RLConfig().environment.scene
START_S, END_S = 120, 30
TRAIN_S = 300
TOKEN = "a-token-of-the-tests"


@pytest.fixture(scope="module")
def game(engine, tmp_path_factory):
    """`bash scripts/start_godot_api.sh`, at a port of its own; Ctrl-C ends it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    cache = tmp_path_factory.mktemp("cache")
    variables = {
        "GODOT_HTTP_API_PORT": str(port), "GODOT_BIN": str(engine.path),
        "AI_DATA_ROOT": str(cache), TOKEN_VARIABLE: TOKEN,
    }  # fmt: skip
    log = cache / "script.log"
    with log.open("wb") as output:
        script = subprocess.Popen(
            ["bash", "scripts/start_godot_api.sh", "scenes/features/vr_locomotion_test.tscn", "--headless"],
            cwd=ROOT, env=os.environ | variables, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    client = HttpClient(port=port, token=TOKEN)
    try:
        client.wait_until_ready(START_S)
        yield client
    finally:
        os.killpg(script.pid, signal.SIGINT)
        script.wait(END_S)
        client.close()
    assert not HttpClient(port=port).health_check(), "Ctrl-C ended the game too"
    assert "SCRIPT ERROR" not in log.read_text(errors="replace"), log.read_text(errors="replace")[-3000:]


def test_the_scene_names_every_field_of_vr_navigation(game):
    seen = game.reset(seed=3, lockstep=True)["observation"]
    assert [name for name, _ in FIELDS if name not in seen] == []
    assert len(seen["ray_sensors"]) == 16 and max(seen["ray_sensors"]) <= 5.0
    assert np.hypot(seen["goal_position"][0], seen["goal_position"][2]) == pytest.approx(
        seen["goal_distance"]
    )
    assert (seen["collision"], seen["fell"]) == (False, False)
    assert seen == game.observation()


def walked(game, **words):
    """Metres to the right and ahead in ten decisions, and how far it turned to the right in the first."""
    begin = game.reset(seed=3, lockstep=True)["observation"]
    first = game.step(words)["observation"]
    for _ in range(9):
        last = game.step(words)["observation"]
    place = np.subtract(last["camera_position"], begin["camera_position"])
    turned = -2 * np.degrees(np.arctan2(first["camera_rotation"][1], first["camera_rotation"][3]))
    return place[0], -place[2], turned


def test_it_takes_a_thumbstick_with_limits_and_one_of_seven_choices(game):
    right, ahead, turned = walked(game, type="continuous", move_horizontal=0.0, move_vertical=1.0, rotate=0.0)
    assert ahead > 1.0 and abs(right) < 0.3 and turned == pytest.approx(0, abs=0.1)
    _, slower, _ = walked(game, type="continuous", move_vertical=1.0, max_movement_speed=1.0)
    assert slower == pytest.approx(ahead / 3, rel=0.05), "the body walks 3 m/s"
    _, forward, _ = walked(game, type="discrete", action_index=0, move_distance=1.0, turn_angle=45)
    assert forward == pytest.approx(ahead, rel=0.01)
    assert walked(game, type="discrete", action_index=2)[0] < -1.0
    assert walked(game, type="discrete", action_index=5)[2] == pytest.approx(30, abs=0.5), (
        "a snap to the right"
    )
    assert walked(game, type="discrete", action_index=6) == pytest.approx((0, 0, 0), abs=0.1)


@pytest.mark.parametrize("words", [{"action_index": 7}, {"fly": 1.0}, {"move_vertical": "ahead"}])
def test_a_word_that_the_scene_does_not_know_is_refused(game, words):
    game.reset(seed=3, lockstep=True)
    with pytest.raises(BadMessage, match="400"):
        game.step(words)


def test_an_action_acts_while_the_scene_goes_on(game):
    game.reset(seed=3, lockstep=False)
    assert game.action({"type": "continuous", "move_vertical": 1.0})["status"] == "ok"
    state = game.state()
    assert {"episode", "step", "reward", "done", "info"} <= set(state) and not state["lockstep"]
    assert {"goal_reached", "collision", "fell", "comfort_score", "teleported"} <= set(state["info"])


def test_vr_navigation_plays_a_whole_episode_in_it(game, monkeypatch):
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    config = RLConfig()
    config.environment.kind, config.environment.port = "http", game.port
    config.environment.max_episode_steps = 20
    env = NavigationEnv(config)
    first, _ = env.reset(seed=1)
    for step in range(20):
        seen, reward, terminated, truncated, info = env.step(np.array([0.0, 1.0, 0.0]))
        assert env.observation_space.contains(seen) and np.isfinite(reward) and not terminated
        assert truncated == (step == 19)
    env.close()
    assert not np.array_equal(first, seen) and info["timeout"] and 0 < info["comfort_score"] <= 1


def test_api_controlled_training_loads_the_scene_measures_it_and_trains(game, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = guide_script(
        "api_controlled_training.py", tmp_path, port, "--num_envs", "1", "--api_port", str(game.port),
        "--token", TOKEN, "--reload_interval", "32",
    )  # fmt: skip
    assert f"{SCENE} is loaded: " in done and " FPS, " in done
    assert (tmp_path / "models" / "api_controlled_vr_locomotion_final.zip").is_file()


@pytest.mark.parametrize("words", [["--num_envs", "1", "--viz"], ["--num_envs", "4"]])
def test_the_locomotion_script_trains_with_a_window_and_in_four_engines(engine, tmp_path, words):
    done = guide_script("train_vr_locomotion.py", tmp_path, 21_508, *words)
    assert "Training complete: 64 steps" in done
    assert (tmp_path / "models" / "vr_locomotion_v1_final.onnx").is_file()


def guide_script(name, folder, port, *words):
    """What a script of rl_training prints while it trains for 64 steps."""
    command = [sys.executable, ROOT / "rl_training" / name, "--timesteps", "64", "--port", str(port), *words]
    done = subprocess.run(
        [*command, "--folder", str(folder)], capture_output=True, text=True, cwd=folder, timeout=TRAIN_S
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
