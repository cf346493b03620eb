"""Worlds of stock godot-rl games: how agents form worlds, endings, processes, and games that misbehave.

The game is tests/worlds/stock_game.py, a process without Godot; tests/godot/ plays the real thing.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

from sandlot.bridge import godot_process
from sandlot.errors import (
    ActionError,
    BadMessage,
    ConfigError,
    GameLost,
    GameSilent,
    NotReset,
    Refused,
    UnknownName,
)
from sandlot.evaluate.play import play
from sandlot.evaluate.players import random_player
from sandlot.worlds import godot_rl
from sandlot.worlds.godot_rl_project import StockProject, address, is_stock
from sandlot.worlds.make import _described
from sandlot.worlds.remote import Timeouts

GAME = Path(__file__).parent / "stock_game.py"
SCENE = """[gd_scene]
[ext_resource type="Script" path="res://addons/godot_rl_agents/sync.gd" id="1"]
action_repeat = 4
"""
PATIENT = Timeouts(start=20, reset=20, step=20, close=2)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "game"
    (folder / "addons/godot_rl_agents").mkdir(parents=True)
    (folder / "project.godot").write_text(
        '[application]\nconfig/name="Push It"\nrun/main_scene="res://main.tscn"\n'
        '[input]\nleft={\n"events": []\n}\n'
    )
    (folder / "main.tscn").write_text(SCENE)
    yield folder
    _described.clear()


@pytest.fixture
def opened(project, monkeypatch):
    """A function that opens worlds of the game with one behaviour."""
    worlds = []

    def open_worlds(behaviour="plain", count=2, agents=2, timeouts=PATIENT, words=(), **options):
        class Process(godot_process.GodotProcess):
            def __init__(self, arguments, *, project, log, headless, environment):
                self._own_log = log is None
                self.log = log or godot_process._fresh_log()
                more = [f"--behaviour={behaviour}", f"--agents={agents}", *words]
                command = [sys.executable, str(GAME), *arguments, *more]
                self.process = godot_process.start(command, self.log, dict(environment or {}))

        monkeypatch.setattr(godot_rl, "GodotProcess", Process)
        world = godot_rl.GodotRLWorld(address(project), count, timeouts=timeouts, **options)
        worlds.append(world)
        return world

    yield open_worlds
    for world in worlds:
        world.close()


def push(world, value=0.5):
    world.actions[:] = value
    return world.step()


def test_the_plugin_of_a_scene_decides_what_opens_it(project):
    assert is_stock(project, "res://main.tscn") and address(project) == f"godot_rl:{project}"
    (project / "main.tscn").write_text('path="res://addons/sandlot/trainer.gd"')
    assert address(project) == f"godot:{project}"


def test_the_spec_comes_from_spaces_scene_and_project(opened):
    spec = opened().spec
    assert (spec.game, spec.title, spec.source) == ("push_it", "Push It", "godot-rl")
    assert (spec.observation_size, spec.action_size, spec.agents) == (2, 1, 1)
    assert (spec.tick_rate, spec.document.ticks_per_step, spec.json["arenas"]) == (60, 4, 2)
    assert spec.headline.name == "return" and not spec.document.seeded


def test_agents_of_one_policy_are_worlds_that_end_apart(opened):
    world = opened()
    world.reset(5)
    assert world.observations.tolist() == [[0, 0], [0, 1]]
    assert [push(world) for _ in range(4)] == [0, 0, 1, 1]
    assert world.terminated.tolist() == [False, True] and not world.truncated.any()
    episodes = [{k: e[k] for k in ("world", "length", "return")} for e in world.finished()]
    assert episodes == [
        {"world": 0, "length": 3, "return": 1.5},
        {"world": 1, "length": 4, "return": 2.0},
    ]
    assert world.ticks.tolist() == [4, 4] and world.steps == 4


def test_policies_that_repeat_form_worlds_that_end_with_their_last_agent(opened):
    world = opened("policies", count=2, agents=4)
    assert world.spec.roles == ("red", "blue") and world.rows == 4
    world.reset(5)
    assert [push(world) for _ in range(6)] == [0, 0, 0, 1, 0, 1]
    red_and_blue = world.finished()
    assert red_and_blue.heads["world"].tolist() == [0, 1]
    assert red_and_blue.column("return").tolist() == pytest.approx([(1.5 + 2.0) / 2, (2.5 + 3.0) / 2])


def test_more_worlds_than_agents_start_more_processes_with_other_seeds(opened):
    world = opened(count=5)
    world.reset(1)
    push(world)
    assert len(world._games) == 3 and world.observations[:, 1].tolist() == [0, 1, 0, 1, 0]
    commands = [game._process.process.args for game in world._games]
    seeds = {word for command in commands for word in command if word.startswith("--env_seed=")}
    assert len(seeds) == 3


def test_agents_that_play_in_no_world_get_seed_0(opened):
    world = opened("extras", count=3)
    messages = world._reset_messages(np.array([11, 12, 13], np.uint64))
    assert [message["seeds"] for message in messages] == [[11, 12], [13, 0]]


def test_what_a_game_adds_to_the_protocol_is_used(opened):
    world = opened("extras")
    assert world.capabilities.seeds and world.capabilities.truncation and world.spec.document.seeded
    world.reset(seeds=[11, 12])
    for _ in range(4):
        push(world)
    assert world.truncated.tolist() == [False, True]
    assert world.final_observations.tolist() == [[3, 0], [4, 1]] and world.observations[1].tolist() == [0, 1]


def test_without_autoreset_a_world_shows_its_end_and_waits(opened):
    world = opened("extras", count=1, agents=1, autoreset=False)
    world.reset(1)
    for _ in range(3):
        push(world)
    assert world.observations.tolist() == [[3, 0]] and world.info(0)["tick"] == 12
    with pytest.raises(NotReset, match="has ended"):
        push(world)


def test_a_file_beside_the_project_says_what_the_spaces_cannot(project, opened):
    (project / "sandlot.toml").write_text(
        'title = "Push"\n[[observation]]\nname = "count"\n[[observation]]\nname = "who"\n'
        '[[episode]]\nname = "is_success"\nkind = "flag"\nbetter = "higher"\nheadline = true\n'
    )
    world = opened()
    assert world.spec.title == "Push" and world.spec.field("who") == slice(1, 2)
    assert world.spec.headline.name == "is_success"
    world.reset(1)
    for _ in range(4):
        push(world)
    assert world.finished().column("is_success").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ('[[observation]]\nname = "all"\nshape = [3]', ConfigError, r"has 3 numbers.*has 2"),
        ("agents_per_world = 3", ConfigError, r"agents_per_world = 3.*2 agents"),
        ("nonsense = 1", UnknownName, "nonsense"),
        ("title = ", ConfigError, "cannot be read"),
        ('episode = ["x"]', ConfigError, "list of tables"),
    ],
)
def test_a_file_that_contradicts_the_game_is_refused_with_both(project, opened, text, error, words):
    (project / "sandlot.toml").write_text(text)
    with pytest.raises(error, match=words):
        opened()


def test_a_report_that_the_game_does_not_make_is_named(project, opened):
    (project / "sandlot.toml").write_text('[[episode]]\nname = "score"\n')
    world = opened()
    world.reset(1)
    with pytest.raises(BadMessage, match=r"asks for 'score'.*is_success"):
        for _ in range(3):
            push(world)


def test_play_takes_rounds_of_the_agents_that_are_there(project, opened, monkeypatch):
    spec = opened().spec
    engines = sys.modules["sandlot.worlds.make"].ENGINES
    monkeypatch.setitem(engines, "godot_rl", lambda game, n=1, *_, **__: opened(count=n))
    episodes = play(address(project), random_player(spec).policy, [1, 2, 3, 4, 5])
    assert episodes.column("length").tolist() == [3, 4, 3, 4, 3]


@pytest.mark.parametrize(
    ("behaviour", "error", "words"),
    [
        ("silent", GameSilent, r"deadline.*step 0.*--deadlines"),
        ("dies", GameLost, "planted"),
        ("quits", GameLost, r"The game ended with exit code 0|The game quit"),
        ("junk", BadMessage, r"no JSON.*no json"),
        ("other", BadMessage, "'reset', expected 'step'"),
        ("huge", BadMessage, "4294967295 bytes"),
        ("nan", BadMessage, r"Agent 0 observes NaN or infinity in obs\[0\]"),
        ("grows", BadMessage, "Agent 1 sent 3 numbers in obs"),
        ("bad reward", BadMessage, "Agent 1 was rewarded with None"),
        ("few", BadMessage, "sent 1 as reward, expected a list of 2"),
    ],
)
def test_a_game_that_misbehaves_is_named_and_nothing_is_left_running(opened, behaviour, error, words):
    world = opened(behaviour, timeouts=Timeouts(start=20, reset=20, step=1, close=1))
    world.reset(1)
    (process,) = [game._process.process for game in world._games]
    with pytest.raises(error, match=f"(?s){words}"):
        push(world)
    assert process.poll() is not None


def test_a_second_answer_is_noticed_before_it_is_taken_for_the_next_one(opened):
    world = opened("twice")
    world.reset(1)
    push(world)
    with pytest.raises(BadMessage, match="answered twice"):
        for _ in range(50):
            push(world)


def test_a_scene_without_agents_and_one_that_changes_are_refused(opened, tmp_path):
    with pytest.raises(Refused, match="0 agents in the group AGENT"):
        opened("no agents")
    with pytest.raises(Refused, match="described other agents"):
        opened("changes", count=4, words=[f"--mark={tmp_path / 'mark'}"])


def test_a_process_that_never_connects_is_ended_at_the_deadline(project, monkeypatch):
    class Sleeper(godot_process.GodotProcess):
        def __init__(self, arguments, *, log, **_):
            self._own_log, self.log = log is None, log or godot_process._fresh_log()
            self.process = godot_process.start([sys.executable, "-c", "input()"], self.log, {})
            self.process.wait()

    monkeypatch.setattr(godot_rl, "GodotProcess", Sleeper)
    with pytest.raises(GameLost, match="The game ended"):
        godot_rl.GodotRLWorld(address(project), timeouts=Timeouts(start=2))


def test_actions_out_of_bounds_are_refused_before_anything_moves(opened):
    world = opened()
    world.reset(1)
    with pytest.raises(ActionError, match="push = 2"):
        push(world, 2.0)
    assert world.steps == 0


def test_only_whole_resets_are_possible(opened):
    world = opened()
    with pytest.raises(ConfigError, match="reset all worlds"):
        world.reset(1, worlds=[0])


def test_the_scene_says_how_long_a_decision_lasts_unless_a_setting_does(project):
    stock = StockProject(project, "res://main.tscn")
    assert stock.action_repeat({}) == 4 and stock.action_repeat({"action_repeat": 2}) == 2
    with pytest.raises(ConfigError, match="action_repeat = 0"):
        stock.action_repeat({"action_repeat": 0})


def test_observations_arrive_in_every_process(opened):
    world = opened(count=4)
    world.reset(3)
    push(world)
    assert np.isfinite(world.observations).all() and world.observations[:, 0].tolist() == [1, 1, 1, 1]
