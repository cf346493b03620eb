"""The scene that the stock godot-rl client plays: a fair one, with the same matches as ours, and no hang."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import godot_bridge
import numpy as np
import pytest
import stock_client as stock
from lacking import lacking
from leaks import nothing_left_open

import sandlot
from sandlot import seeding
from sandlot.bridge import godot_engine
from sandlot.bridge.godot_process import GodotProcess
from sandlot.bridge.godot_project import project_folder
from sandlot.errors import ConfigError, GodotFailed

SEED = 7
ARENAS = 2
TICKS = 3
WAIT_S = 30


class Client:
    """The client's end of the protocol, without the client: a length, then JSON."""

    def __init__(self):
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(WAIT_S)
        self.port = self._server.getsockname()[1]

    def accept(self):
        self._link, _ = self._server.accept()
        self._link.settimeout(WAIT_S)
        self._stream = self._link.makefile("rwb")

    def say(self, **message):
        text = json.dumps(message).encode()
        self._stream.write(len(text).to_bytes(4, "little") + text)
        self._stream.flush()

    def hear(self):
        length = int.from_bytes(self._stream.read(4), "little")
        return json.loads(self._stream.read(length))

    def leave(self):
        self._stream.close()
        self._link.close()
        self._server.close()


@pytest.fixture
def game():
    """A client, and the scene that has dialled it and message its spaces."""
    if godot_engine.find() is None:
        lacking("no Godot: sandlot godot install")
    client = Client()
    words = [f"--port={client.port}", f"--env_seed={SEED}", f"--arenas={ARENAS}", f"--action_repeat={TICKS}"]
    with GodotProcess(["--fixed-fps", "60", stock.SCENE, *words], project=project_folder()) as process:
        client.accept()
        client.say(type="handshake", major_version="0", minor_version="7")
        client.say(type="env_info")
        yield client, process
        client.leave()


def as_head(rows):
    return [{"move": row[:2].tolist(), "jump": int(row[2] > 0.5)} for row in rows]


def test_the_scene_tells_the_spaces_of_every_agent(game):
    client, _ = game
    message = client.hear()
    assert (
        message["n_agents"] == len(message["action_space"]) == len(message["observation_space"]) == 2 * ARENAS
    )
    assert message["observation_space"][0] == {"obs": {"size": [156], "space": "box"}}


def test_it_plays_the_same_matches_as_the_native_engine(game):
    client, _ = game
    client.hear()
    client.say(type="reset")
    client.hear()
    roots = seeding.for_worlds(SEED, ARENAS)
    rng = np.random.default_rng(1)
    with sandlot.make("tag", worlds=ARENAS) as world:
        world.reset(seeds=[seeding.for_episode(int(root), 1) for root in roots])
        for _ in range(2):  # the protocol plays one step before it answers a reset, and one before it listens
            world.step(np.zeros_like(world.actions))
        for step in range(40):
            action = (rng.integers(-256, 257, world.actions.shape) / 256).astype(np.float32)
            action[:, 2] = action[:, 2] > 0.5
            client.say(type="action", action=as_head(action))
            message = client.hear()
            world.step(action)
            seen = np.array([row["obs"] for row in message["obs"]])
            np.testing.assert_allclose(seen[:, :12], world.observations[:, :12], atol=1e-3)
            if step > 0:  # the first one is paid together with the two steps before it
                np.testing.assert_allclose(message["reward"], world.rewards, atol=1e-3)
            assert message["done"] == (world.terminated | world.truncated).astype(bool).tolist()
    client.say(type="close")


def test_a_close_ends_the_scene_with_exit_code_0(game):
    client, process = game
    client.hear()
    client.say(type="close")
    assert process.wait(WAIT_S).code == 0


def test_a_client_that_is_gone_ends_the_scene(game):
    client, process = game
    client.hear()
    client.leave()
    assert process.wait(WAIT_S).code == 1


def test_a_python_without_godot_rl_is_reported_in_one_sentence():
    with pytest.raises(ConfigError, match=r"no working godot-rl .*make stock"):
        stock.find(Path(sys.executable))


def test_a_python_that_is_not_there_is_reported_in_one_sentence(tmp_path):
    with pytest.raises(ConfigError, match=r"is missing. Type `make stock`."):
        stock.find(tmp_path / "python")


def test_a_client_that_hangs_is_ended_at_its_limit(tmp_path):
    with pytest.raises(GodotFailed, match="not done after 1 s"):
        stock._run(["sleep", "60"], tmp_path / "log", 1)


SYNC = """extends Node
var action_repeat := 8

func _ready() -> void:
	await get_parent().ready
	var agents := get_tree().get_nodes_in_group("AGENT")
	var words := [agents.size(), agents[0].control_mode == agents[0].ControlModes.TRAINING, action_repeat]
	for agent in agents:
		agent.set_heuristic("model")
		words.append([agent.get_reward(), agent.get_done(), agent.get_obs().obs.size(), agent.policy_name])
	print("SYNC ", JSON.stringify(words))
	get_tree().quit(0)
"""


def test_a_plugin_that_is_named_takes_the_place_of_our_own_node(tmp_path):
    if godot_engine.find() is None:
        lacking("no Godot: sandlot godot install")
    (tmp_path / stock.PLUGIN).mkdir(parents=True)
    (tmp_path / stock.PLUGIN / "sync.gd").write_text(SYNC)
    for named in (tmp_path, tmp_path / stock.PLUGIN):
        with stock.project_with(named) as project:
            words = ["--fixed-fps", "60", stock.SCENE, f"--arenas={ARENAS}", f"--action_repeat={TICKS}"]
            with GodotProcess(words, project=project) as process:
                ended = process.wait(WAIT_S)
        assert not project.exists()
        message = [line for line in ended.output.splitlines() if line.startswith("SYNC ")]
        assert ended.code == 0 and message and "SCRIPT ERROR" not in ended.output, ended.output
        count, training, repeat, *agents = json.loads(message[0].removeprefix("SYNC "))
        assert (count, training, repeat) == (2 * ARENAS, True, TICKS)
        assert agents == [[0.0, False, 156, "shared_policy"]] * (2 * ARENAS)


def test_a_folder_without_the_plugin_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"godot_rl_agents/sync\.gd"), stock.project_with(tmp_path):
        pass


def report(low, high):
    rate = {"decisions_per_second": 100.0, "interval": [low, high]}
    share = {"value": 0.9, "interval": [0.9, 0.9]}
    names = ("ceiling", "bridge", "json", "stock")
    shares = ("bridge_share", "json_share", "bridge_times_stock", "json_times_stock")
    row = {"worlds": 8, **dict.fromkeys(names, rate), **dict.fromkeys(shares, share)}
    return {"cases": [row], "usual": [{"worlds": 8, **rate, "bridge_times": share}]}


@pytest.mark.parametrize(("low", "high", "wide"), [(90, 110, 0), (42, 4596, 5), (0, 1, 5), (100, 151, 5)])
def test_intervals_that_say_nothing_are_reported_apart(low, high, wide):
    assert len(godot_bridge._wide(report(low, high))) == wide


@pytest.mark.parametrize("plugin", [False, True])
def test_what_was_measured_and_how_well_is_said_in_words(plugin, capsys):
    message = report(42, 4596)
    message |= {"game": "tag", "rounds": 3, "wide": godot_bridge._wide(message)}
    godot_bridge.show(message | {"stock": {"version": "0.8.2", "plugin": plugin, "problem": ""}})
    shown = " ".join(capsys.readouterr().out.split())
    assert "busy" in shown and "--rounds 12" in shown and "8 arenas, bridge" in shown
    assert ("node of our own" in shown) != plugin and ("the plugin that you named" in shown) == plugin
    calm = report(90, 110) | {"game": "tag", "rounds": 3, "wide": []}
    godot_bridge.show(calm | {"stock": {"version": None, "plugin": False, "problem": "none"}})
    assert "busy" not in capsys.readouterr().out


@pytest.mark.slow
def test_the_real_client_is_measured(tmp_path):
    if not stock.ENVIRONMENT.is_dir():
        lacking("no stock godot-rl: make stock")
    client = stock.find()
    assert client.version == "0.8.2"
    assert client.rate(2, stock.Pace(ticks=3, frames_per_second=60), 0.2) > 0


# ---------------------------------------------------------------- the client as a program


def test_the_client_is_given_a_free_port_the_arenas_and_the_pace():
    words = stock._client_options(8, stock.Pace(ticks=3, frames_per_second=60), 2.0)
    options = dict(zip(words[::2], words[1::2], strict=True))
    port = int(options.pop("--port"))
    assert 1023 < port < 65536
    assert options == {
        "--arenas": "8", "--action-repeat": "3", "--seconds": "2.0", "--warm-up": "1.0", "--framerate": "60",
    }  # fmt: skip
    assert "--framerate" not in stock._client_options(8, stock.Pace(ticks=8, speedup=4), 2.0)
    assert stock._client_options(8, stock.Pace(ticks=8, speedup=4), 2.0)[-2:] == ["--speedup", "4"]


def test_the_game_is_a_program_that_takes_whatever_the_client_adds(tmp_path):
    place = tmp_path / "tag.x86_64"
    stock.write_launcher(place, ["printf", "%s|", "a b"])
    made = subprocess.run([str(place), "--port=1", "c d"], capture_output=True, text=True, check=True)
    assert made.stdout == "a b|--port=1|c d|"


def test_the_last_line_that_the_client_measured_counts():
    text = 'noise\nSTOCK {"decisions": 1, "seconds": 1}\nSTOCK {"decisions": 300, "seconds": 2}\n'
    assert stock._parse_rate(text) == 150.0


@pytest.mark.parametrize(
    ("text", "quoted"), [("a\nb\nc\nd", "Its output ends with: b / c / d."), ("", "nothing.")]
)
def test_a_client_that_measured_nothing_is_quoted(text, quoted):
    with pytest.raises(GodotFailed, match="measured nothing") as problem:
        stock._parse_rate(text)
    assert str(problem.value).endswith(quoted)


def test_a_client_leaves_nothing_running(tmp_path):
    with nothing_left_open():
        assert stock._run(["sh", "-c", "echo $PYTHONUNBUFFERED"], tmp_path / "log", 30) == "1\n"
    with nothing_left_open(), pytest.raises(GodotFailed):
        stock._run(["sleep", "60"], tmp_path / "log", 0.1)


def test_a_working_client_tells_its_version(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 0.8.2\n")
    python.chmod(0o755)
    found = stock.find(python)
    assert (found.python, found.version, found.project) == (python, "0.8.2", None)


@pytest.mark.parametrize(
    ("body", "sentence"), [("exit 1", "it printed nothing"), ("echo no >&2; exit 1", r"\(no\)")]
)
def test_a_client_that_does_not_work_is_quoted(tmp_path, body, sentence):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{body}\n")
    python.chmod(0o755)
    with pytest.raises(ConfigError, match=sentence):
        stock.find(python)


def test_a_client_that_does_not_answer_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(stock, "ASKING_S", 0.2)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    with nothing_left_open(), pytest.raises(ConfigError, match="could not be asked"):
        stock.find(python)
