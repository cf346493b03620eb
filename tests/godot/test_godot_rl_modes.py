"""addons/godot_rl without a stock client: a person, networks, demonstrations, the autoload, cameras."""

import json
import math
import re
import shutil
import socket
from pathlib import Path

import pytest
import torch
from lacking import lacking

from sandlot.bridge.godot_addon import GODOT_RL, PLACE
from sandlot.bridge.godot_process import screen

from .stock_games import Trainer, add_node, copy_game, edit, run

pytestmark = pytest.mark.slow
ADDON = Path(__file__).parents[2] / "godot" / GODOT_RL
TICKS = 4  # per action, in the games


@pytest.fixture
def game(engine, tmp_path):
    """A copy that a test may change."""
    return lambda name, **options: copy_game(name, tmp_path, **options)


# ---------------------------------------------------------------- a person, networks, demonstrations


HAND = """extends Node
## Keys by a script: to the ball, and a line about the first arena at the end of each episode.

var ticks := 0


func _physics_process(_delta: float) -> void:
	var paddle: Node2D = $"../Arena/Paddle"
	var away: float = paddle.ball.position.x - paddle.position.x
	Input.action_release("ui_left")
	Input.action_release("ui_right")
	if absf(away) > 8.0:
		Input.action_press("ui_right" if away > 0.0 else "ui_left")
	ticks += 1
	if ticks == 300:
		print("CAUGHT ", paddle.caught, " ", paddle.ai_controller.heuristic)
		get_tree().quit()
"""


def test_a_person_plays_where_the_mode_says_so(game):
    project = game("catcher_2d")
    edit(project / "main.tscn", ("action_repeat = 4", "control_mode = 0"))
    add_node(project, HAND)
    code, output = run(project)
    assert code == 0 and int(re.search(r"CAUGHT (\d+) human", output)[1]) >= 4, output


def test_a_person_plays_where_no_trainer_listens(game):
    project = game("catcher_2d")
    with socket.create_server(("127.0.0.1", 0)) as free:
        edit(project / "main.tscn", ("action_repeat = 4", f"port = {free.getsockname()[1]}"))
    add_node(project, HAND)
    code, output = run(project)
    assert code == 0 and int(re.search(r"CAUGHT (\d+) human", output)[1]) >= 4, output
    assert "so a person plays. Start the trainer first" in output


class Network(torch.nn.Module):
    """A network with the inputs and outputs that the plugin's exporters give it."""

    def __init__(self, inputs, outputs, scale=1.0):
        super().__init__()
        torch.manual_seed(4)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(inputs, 16), torch.nn.Tanh(), torch.nn.Linear(16, outputs)
        )
        with torch.no_grad():
            self.layers[2].weight.mul_(scale)

    def forward(self, obs, state_ins):
        return self.layers(obs), state_ins + 0.0


def export(network, inputs, path):
    torch.onnx.export(
        network, (torch.zeros(1, inputs), torch.zeros(1)), str(path), dynamo=False, opset_version=17,
        input_names=["obs", "state_ins"], output_names=["output", "state_outs"],
        dynamic_axes={name: {0: "batch"} for name in ("obs", "state_ins", "output", "state_outs")},
    )  # fmt: skip


WATCH = """extends Node
## What every agent observes when it has to act, and what it then does.

var ticks := 0


func _physics_process(_delta: float) -> void:
	var agents := get_tree().get_nodes_in_group("AGENT")
	for i in agents.size():
		print("ACTED ", JSON.stringify([i, agents[i].seen, agents[i].acted, agents[i].heuristic]))
	ticks += 1
	if ticks == 60:
		get_tree().quit()
"""
SPY = """

var seen := []
var acted := {}
"""


def spy(script):
    """Let a controller keep what it was asked and told last."""
    edit(
        script,
        ("\treturn {\"obs\": [", "\tseen = ["),
        ("func set_action(action) -> void:\n", "func set_action(action) -> void:\n\tacted = action\n"),
        ("\n\n\nfunc get_obs", f"{SPY}\n\nfunc get_obs"),
    )  # fmt: skip
    text = script.read_text()
    head, rest = text.split("\tseen = [", 1)
    line, rest = rest.split("\n", 1)
    script.write_text(f'{head}\tseen = [{line.removesuffix("}")}\n\treturn {{"obs": seen}}\n{rest}')


def test_networks_play_mixed_actions_as_pytorch_computes_them(game):
    project = game("arena_mixed")
    networks = {"runner": Network(10, 4, 4.0), "turret": Network(4, 3, 4.0)}
    for name, network in networks.items():
        export(network, network.layers[0].in_features, project / f"{name}.onnx")
        spy(project / f"{name}_controller.gd")
        edit(project / "arena.tscn", (f'policy_name = "{name}"', f'onnx_model_path = "res://{name}.onnx"'))
    edit(project / "main.tscn", ("action_repeat = 4", "control_mode = 2\naction_repeat = 1"))
    add_node(project, WATCH)
    code, output = run(project)
    lines = [json.loads(line[6:]) for line in output.splitlines() if line.startswith("ACTED ")]
    assert code == 0 and len(lines) == 240, output
    choices = set()
    for agent, seen, acted, heuristic in lines:
        assert heuristic == "model"
        with torch.no_grad():
            out = networks[("runner", "turret")[agent % 2]](torch.tensor([seen]), torch.zeros(1))[0][0]
        if agent % 2 == 0:
            assert acted["move"] == pytest.approx(out[:2].clamp(-1, 1).tolist(), abs=1e-4)
            assert acted["sprint"] == int(out[2:].argmax())
        else:
            assert acted["fire"] == int(out[:2].argmax())
            assert acted["turn"] == pytest.approx(out[2:].clamp(-1, 1).tolist(), abs=1e-4)
        choices.add((agent % 2, acted.get("sprint", acted.get("fire"))))
    assert len(choices) >= 3, "the networks are too much of one mind to prove anything"


def inference_problem(game, network_inputs, outputs, addons=(GODOT_RL, PLACE)):
    project = game("catcher_2d", addons=addons)
    export(Network(network_inputs, outputs), network_inputs, project / "net.onnx")
    edit(project / "main.tscn", ("action_repeat = 4", 'control_mode = 2\nonnx_model_path = "res://net.onnx"'))
    code, output = run(project, "--quit-after", "10")
    assert code == 1, output
    return output


def test_inference_without_the_sandlot_addon_says_what_to_copy(game):
    output = inference_problem(game, 3, 3, addons=(GODOT_RL,))
    assert "playing an ONNX file needs the addon res://addons/sandlot beside this one" in output


@pytest.mark.parametrize(
    ("inputs", "outputs", "sentence"),
    [(5, 3, "takes 5 numbers as obs; observed are 3"), (3, 2, "gives 2 numbers, the actions of .* need 3")],
)
def test_a_network_that_does_not_fit_is_refused(game, inputs, outputs, sentence):
    assert re.search(sentence, inference_problem(game, inputs, outputs))


def test_demonstrations_are_recorded_with_one_observation_more_than_actions(game, tmp_path):
    project = game("catcher_2d")
    shutil.copyfile(project / "arena.tscn", project / "recorded.tscn")
    edit(
        project / "recorded.tscn",
        (
            "reset_after = 390",
            f'reset_after = 100\ncontrol_mode = 4\nexpert_demo_save_path = "{tmp_path}/demo.json"',
        ),
    )
    arena = 'path="res://arena.tscn" id="2"]'
    recorded = '[ext_resource type="PackedScene" path="res://recorded.tscn" id="3"]'
    edit(
        project / "main.tscn",
        ("action_repeat = 4", "control_mode = 0"),
        (arena, f"{arena}\n{recorded}"),
        ('"Arena" parent="." instance=ExtResource("2")', '"Arena" parent="." instance=ExtResource("3")'),
    )
    add_node(project, HAND.replace("ticks == 300", "ticks == 350"))
    code, output = run(project)
    assert code == 0 and "demo_record" in output, output
    episodes = json.loads((tmp_path / "demo.json").read_text())
    assert len(episodes) == 3 and not (tmp_path / "demo.json.part").exists()
    for observations, actions in episodes:
        assert len(observations) == len(actions) + 1
        assert {len(row) for row in observations} == {3}
        kinds = {tuple(row) for row in actions}
        assert len(kinds) > 1 and kinds <= {(0.0,), (1.0,), (2.0,)}
        assert len(actions) == pytest.approx(101, abs=2)


# ---------------------------------------------------------------- the autoload, and the clock


CONFIG = (Path(__file__).parents[2] / "rl_training/sync_config.gd").read_text()
AUTOLOAD = '[autoload]\n\nGodotRLAgentsSync="*res://addons/godot_rl/sync.gd"\n\n[physics]'


def test_the_guides_script_configures_the_autoload_and_the_rate_of_the_project_stays(game):
    project = game("catcher_2d")
    edit(project / "project.godot", ("[physics]", AUTOLOAD), ("ticks_per_second=60", "ticks_per_second=90"))
    node = '[node name="Sync" type="Node" parent="."]\nscript = ExtResource("1")\naction_repeat = 4\n'
    edit(project / "main.tscn", (node, ""))
    pace = '{"delta": get_physics_process_delta_time(), "speed": Engine.time_scale}'
    edit(project / "paddle_controller.gd", ('{"is_success": is_success}', pace))
    add_node(project, CONFIG, "Sync_config")
    with Trainer(project, pace=()) as trainer:
        reply = trainer.begin()
        answer = trainer.reset()
    assert reply["n_agents"] == 4
    assert reply["sandlot"]["ticks_per_second"] == 90 and reply["sandlot"]["action_repeat"] == 8
    assert answer["info"][0] == {"delta": pytest.approx(1 / 90), "speed": 8.0}


def test_the_same_seeds_and_actions_are_the_same_play_at_any_speed_up(game):
    project = game("ball_3d")
    seen = {}
    for speed_up in (1, 8, 16, 32):
        with Trainer(project, pace=(f"--speedup={speed_up}",)) as trainer:
            trainer.begin()
            trainer.reset(seeds=[1, 2, 3, 4])
            answers = [
                trainer.step([{"push": [math.sin(step + i), 0.3]} for i in range(4)]) for step in range(30)
            ]
            seen[speed_up] = [(answer["obs"], answer["reward"], answer["done"]) for answer in answers]
    assert seen[8] == seen[1] and seen[16] == seen[1] and seen[32] == seen[1]
    assert seen[1][0] != seen[1][-1]


def test_the_plugin_says_in_the_editor_that_it_is_on(game):
    project = game("catcher_2d")
    plugins = '[editor_plugins]\n\nenabled=PackedStringArray("res://addons/godot_rl/plugin.cfg")\n\n[physics]'
    edit(project / "project.godot", ("[physics]", plugins))
    code, output = run(project, "--editor", "--quit-after", "20")
    assert code == 0 and "godot_rl: the plugin is on" in output, output


def test_the_autoload_stands_back_where_the_scene_has_a_sync_node(game):
    project = game("catcher_2d")
    edit(project / "project.godot", ("[physics]", AUTOLOAD))
    with Trainer(project) as trainer:
        assert trainer.begin()["sandlot"]["action_repeat"] == TICKS, "that of the scene"
        assert trainer.reset()["type"] == "reset"
        assert trainer.game.log_tail().count("godot_rl: training") == 1


def test_without_drawing_no_frame_sleeps(game):
    project = game("catcher_2d")
    asked = '{"sleep_usec": OS.low_processor_usage_mode_sleep_usec}'
    edit(project / "paddle_controller.gd", ('{"is_success": is_success}', asked))
    with Trainer(project) as trainer:
        trainer.begin()
        assert trainer.reset()["info"][0] == {"sleep_usec": 1}, "7 ms: at most 1,160 ticks a second"


# ---------------------------------------------------------------- cameras


CAMERA = """

var camera := RGBCameraSensor3D.new()


func _ready() -> void:
	super._ready()
	RenderingServer.set_default_clear_color(Color(1.0, 0.5, 0.0))
	camera.render_image_resolution = Vector2i(40, 36)
	camera.position.y = 500.0
	camera.rotation.x = PI / 2.0
	add_child(camera)


func get_obs_space() -> Dictionary:
	return {
		"obs": {"size": [6], "space": "box"},
		"camera_2d": {"size": camera.get_camera_shape(), "space": "box"},
	}
"""


@pytest.fixture
def camera_game(game):
    project = game("ball_3d")
    script = project / "ball_controller.gd"
    edit(script, ('{"obs": seen}', '{"obs": seen, "camera_2d": camera.get_camera_pixel_encoding()}'))
    script.write_text(script.read_text() + CAMERA)
    return project


def test_a_camera_sends_whole_colour_planes(camera_game):
    if shutil.which("Xvfb") is None:
        lacking("needs Xvfb")
    words = ["--rendering-driver", "opengl3", "--rendering-method", "gl_compatibility"]
    with (
        screen() as variables,
        Trainer(camera_game, *words, headless=False, environment=variables) as trainer,
    ):
        reply = trainer.begin()
        trainer.reset()
        picture = bytes.fromhex(trainer.step([{"push": [0, 0]}] * 4)["obs"][0]["camera_2d"])
    assert reply["observation_space"][0]["camera_2d"] == {"size": [3, 36, 40], "space": "box"}
    assert len(picture) == 3 * 36 * 40
    planes = [set(picture[i * 36 * 40 : (i + 1) * 36 * 40]) for i in range(3)]
    assert planes[0] == {255} and planes[2] == {0} and all(100 < value < 200 for value in planes[1])


def test_a_camera_under_headless_ends_the_game_with_a_sentence(camera_game):
    with Trainer(camera_game) as trainer:
        trainer.begin()
        trainer.send({"type": "reset"})
        code, output = trainer.ended()
    assert code == 1 and "sees nothing under --headless" in output


# ---------------------------------------------------------------- the files


@pytest.mark.parametrize(
    "pair", ["controller/ai_controller", "rewards/reward_function", "rewards/approach_node_reward"]
)
def test_twins_differ_in_their_dimension_only(pair):
    flat, deep = ((ADDON / f"{pair}_{kind}.gd").read_text() for kind in ("2d", "3d"))
    words = (("2D", "3D"), ("two dim", "three dim"), ("camera_2d", "camera_2d"))
    for old, new in words:
        flat = flat.replace(old, new)
    assert flat == deep
