"""addons/godot_rl in the real engine: games of the plugin, played by the stock client and by hand."""

import json
import os
import random
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
import stock_client as stock
from lacking import lacking

from sandlot.bridge.godot_addon import GODOT_RL
from sandlot.bridge.godot_process import GodotProcess, screen

from .stock_games import GAMES, HANDSHAKE, STOCK_PLATFORM, Trainer, copy_game, edit, launcher, play, run

pytestmark = pytest.mark.slow
CLIENT = Path(__file__).with_name("stock_player.py")
ADDON = Path(__file__).parents[2] / "godot" / GODOT_RL
STOCK_S = 120
STEPS = 300
TICKS = 4  # per action, in all three games
LOST_S = 5  # a lost trainer is noticed within
RUN_S = 60


@pytest.fixture(scope="module")
def games(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stock_games")
    return {name: copy_game(name, folder) for name in GAMES}


@pytest.fixture
def game(engine, tmp_path):
    """A copy that a test may change."""
    return lambda name, **options: copy_game(name, tmp_path, **options)


# ---------------------------------------------------------------- the stock client


SPACES = {
    "catcher_2d": ([3] * 4, [{"move": "Discrete(3)"}] * 4),
    "ball_3d": ([6] * 4, [{"push": "Box(-1.0, 1.0, (2,), float32)"}] * 4),
    "arena_mixed": (
        [10, 4] * 2,
        [
            {"move": "Box(-1.0, 1.0, (2,), float32)", "sprint": "Discrete(2)"},
            {"fire": "Discrete(2)", "turn": "Box(-1.0, 1.0, (1,), float32)"},
        ]
        * 2,
    ),
}  # fmt: skip


def stock_play(games, engine, name, show="headless", environment=None):
    if not STOCK_PLATFORM or not stock.default_python().is_file():
        lacking("no stock godot-rl: make stock")
    GodotProcess(["--quit"], project=games[name], engine=engine).wait(RUN_S)  # imported
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [str(launcher(games[name], engine.path)), str(port), str(STEPS), show]
    done = subprocess.run(
        [str(stock.default_python()), str(CLIENT), *words],
        capture_output=True, text=True, timeout=STOCK_S, stdin=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == 0 and "SCRIPT ERROR" not in output, output
    return json.loads(output.split("PLAYED ")[1].splitlines()[0]), output


@pytest.mark.parametrize("name", GAMES)
def test_the_stock_client_plays_a_game_of_the_plugin(games, engine, name):
    played, output = stock_play(games, engine, name)
    sizes, actions = SPACES[name]
    assert played["observations"] == [[size] for size in sizes]
    assert played["first"] == played["last"] == sizes
    assert played["actions"] == actions
    assert played["policies"] == (
        ["runner", "turret"] * 2 if name == "arena_mixed" else ["shared_policy"] * 4
    )
    assert {len(row) for key in ("rewards", "dones", "infos") for row in played[key]} == {4}
    assert any(any(row) for row in played["rewards"])
    for agent in range(4):
        ends = [step for step, row in enumerate(played["dones"]) if row[agent]]
        assert ends, f"no episode of agent {agent} ended"
        assert max(b - a for a, b in zip([-1, *ends], ends, strict=False)) <= 101
    assert all(set(info) == {"is_success"} for row in played["infos"] for info in row)
    assert (name == "arena_mixed") == (played["called"] != [None] * 4), "only that scene allows get_hits()"
    assert "may not call get_hits()" in output or name == "arena_mixed"


def test_the_stock_client_plays_in_a_window(games, engine):
    if shutil.which("Xvfb") is None:
        lacking("needs Xvfb")
    with screen() as variables:
        played, _ = stock_play(
            games, engine, "ball_3d", "window", {"PATH": "/usr/bin:/bin", **variables, **_home()}
        )
    assert played["first"] == [6] * 4 and any(any(row) for row in played["dones"])


def _home():
    return {
        name: value for name, value in os.environ.items() if name in ("HOME", "DISPLAY", "XDG_CACHE_HOME")
    }


# ---------------------------------------------------------------- a trainer by hand


def catch(_, seen):
    return {"move": 1 if abs(seen[0]) < 0.02 else 2 if seen[0] > 0 else 0}


def push(_, seen):
    return {"push": [seen[0] * 30 - seen[2] * 4, seen[1] * 30 - seen[3] * 4]}


def run_and_aim(agent, seen):
    if agent % 2 == 0:
        length = max((seen[0] ** 2 + seen[1] ** 2) ** 0.5, 1e-6)
        aside = 0.7 if any(seen[2:]) else 0.0  # around the wall
        return {"move": [seen[0] / length + aside, seen[1] / length], "sprint": 1}
    return {"fire": int(abs(seen[0]) < 0.2 and seen[1] > 0), "turn": [4 * seen[0] if seen[1] > 0 else 1.0]}


def at_random(generator):
    heads = {
        "catcher_2d": lambda _: {"move": generator.randrange(3)},
        "ball_3d": lambda _: {"push": [generator.uniform(-1, 1), generator.uniform(-1, 1)]},
        "arena_mixed": lambda agent: (
            {"move": [generator.uniform(-1, 1), generator.uniform(-1, 1)], "sprint": generator.randrange(2)}
            if agent % 2 == 0
            else {"fire": generator.randrange(2), "turn": [generator.uniform(-1, 1)]}
        ),
    }
    return lambda name: lambda agent, _: heads[name](agent)


@pytest.mark.parametrize(
    ("name", "policy"), [("catcher_2d", catch), ("ball_3d", push), ("arena_mixed", run_and_aim)]
)
def test_who_looks_and_acts_does_better_than_chance(games, name, policy):
    with Trainer(games[name]) as trainer:
        trainer.begin()
        able, answers = play(trainer, policy, STEPS)
        chance, others = play(trainer, at_random(random.Random(3))(name), STEPS)
    assert len(able) >= 8 and sum(able) / len(able) > 0.9
    assert sum(chance) / max(len(chance), 1) < 0.6
    assert total(answers) > total(others) + 20


def total(answers):
    return sum(sum(answer["reward"]) for answer in answers)


def test_the_reply_about_the_spaces_names_the_extras(games):
    with Trainer(games["catcher_2d"], "--action_repeat=3") as trainer:
        reply = trainer.begin()
        assert reply["sandlot"] == {
            "truncated": True, "terminal_obs": True, "seeds": True,
            "action_repeat": 3, "ticks_per_second": 60,
        }  # fmt: skip
        trainer.send({"type": "close"})
        code, output = trainer.ended()
    assert code == 0 and "ERROR" not in output, output


def test_a_miss_ends_an_episode_and_the_time_limit_cuts_it_off(games):
    with Trainer(games["catcher_2d"]) as trainer:
        trainer.begin()
        trainer.reset()
        missed = [trainer.step([{"move": 0}] * 4) for _ in range(60)]
        trainer.reset()
        kept = play(trainer, catch, 250)[1]
    endings = [
        (answer["truncated"][i], answer["terminal_obs"][i])
        for answer in missed
        for i in range(4)
        if answer["done"][i]
    ]
    assert len(endings) > 4 and not any(truncated for truncated, _ in endings)
    for _, last in endings:
        assert last["obs"][1] == pytest.approx(1.0), "the ball is at the paddle's height, where it was missed"
        assert abs(last["obs"][0]) > 0.1
    cut_off = [answer for answer in kept if any(answer["done"])]
    assert len(cut_off) >= 2
    for answer in cut_off:
        assert answer["truncated"] == answer["done"]
        assert all(
            (last is None) != done for last, done in zip(answer["terminal_obs"], answer["done"], strict=True)
        )


def test_an_episode_that_is_not_over_has_no_last_observation(games):
    with Trainer(games["ball_3d"]) as trainer:
        trainer.begin()
        trainer.reset()
        answer = trainer.step([{"push": [0.0, 0.0]}] * 4)
    assert answer["done"] == answer["truncated"] == [False] * 4 and answer["terminal_obs"] == [None] * 4


def test_a_game_that_begins_anew_at_its_limit_without_done_says_that_it_was_cut_off(game):
    project = game("catcher_2d")
    edit(project / "paddle.gd", ("\t\t\tai_controller.done = true\n\t\tbegin()", "\t\tbegin()"))
    with Trainer(project) as trainer:
        trainer.begin()
        answers = play(trainer, catch, 220)[1]
    cut_off = [answer for answer in answers if any(answer["truncated"])]
    assert len(cut_off) == 2 and not any(any(answer["done"]) for answer in cut_off)
    assert all(last["obs"] for answer in cut_off for last in answer["terminal_obs"])


def test_the_first_action_is_played_right_after_the_first_observation(games):
    with Trainer(games["catcher_2d"]) as trainer:
        trainer.begin()
        first = trainer.reset()["obs"][0]["obs"]
        then = trainer.step([{"move": 2}] * 4)["obs"][0]["obs"]
    moved = TICKS * 8 / 400  # pixels per tick, over the arena's side
    assert then[1] - first[1] == pytest.approx(moved, abs=1e-5)
    assert then[2] - first[2] == pytest.approx(moved, abs=1e-5)


def test_seeds_of_a_reset_reach_the_game(game):
    project = game("catcher_2d")
    script = project / "paddle.gd"
    taken = "var own_seed := 0\n\nfunc set_seed(value: int) -> void:\n\town_seed = value\n"
    script.write_text(f"{script.read_text()}\n\n{taken}")
    edit(project / "paddle_controller.gd", ('{"is_success": is_success}', '{"own_seed": _player.own_seed}'))
    with Trainer(project) as trainer:
        trainer.begin()
        answers = [
            trainer.reset(seeds=seeds) for seeds in ([11, 12, 13, 14], [11, 12, 13, 14], [21, 22, 23, 24])
        ]
        trainer.send({"type": "reset", "seeds": [1, 2]})
        code, output = trainer.ended()
    assert answers[0] == answers[1] and answers[0]["obs"] != answers[2]["obs"]
    assert [info["own_seed"] for info in answers[2]["info"]] == [21, 22, 23, 24]
    assert code == 1 and "expected one number for each of 4 agents" in output


def test_only_listed_methods_are_called(games):
    with Trainer(games["arena_mixed"]) as trainer:
        trainer.begin()
        trainer.reset()
        assert trainer.ask({"type": "call", "method": "get_hits"})["returns"] == [None, 0, None, 0]
        assert trainer.ask({"type": "call", "method": "queue_free"})["returns"] == [None] * 4
        idle = [{"move": [0, 0], "sprint": 0}, {"fire": 0, "turn": [0]}] * 2
        assert len(trainer.step(idle)["obs"]) == 4, "everybody is still there"
        assert "may not call queue_free()" in trainer.game.log_tail()


def test_a_message_of_an_unknown_type_is_passed_over(games):
    with Trainer(games["catcher_2d"]) as trainer:
        trainer.begin()
        trainer.send({"type": "sing"})
        assert trainer.reset()["type"] == "reset"
        assert "a message of type sing is not known" in trainer.game.log_tail()


# ---------------------------------------------------------------- what goes wrong


def test_a_lost_trainer_ends_the_game(games):
    with Trainer(games["catcher_2d"]) as trainer:
        trainer.begin()
        trainer.reset()
        trainer.leave()
        began = time.monotonic()
        code, output = trainer.ended()
    assert time.monotonic() - began < LOST_S
    assert code == 1 and "godot_rl: the trainer closed the connection." in output


def test_a_silent_trainer_ends_the_game_at_its_deadline(games):
    with Trainer(games["catcher_2d"], "--trainer_timeout=1") as trainer:
        trainer.begin()
        code, output = trainer.ended()
    assert code == 1 and "the trainer was silent for 1.0 s; --trainer_timeout=SECONDS waits longer" in output


def junk(trainer):
    trainer.send_bytes(b"GET / HTTP/1.1\r\n")


JUNK = {
    "bytes that are no JSON object": (False, junk),
    "a message of 4294967295 bytes": (False, lambda trainer: trainer.send_bytes(b"", 2**32 - 1)),
    "16 bytes that are no JSON object": (True, junk),
    "of type reset where handshake was expected": (False, lambda trainer: trainer.send({"type": "reset"})),
    "expected one dictionary for each of 4 agents": (
        True,
        lambda t: t.send({"type": "action", "action": []}),
    ),
    "the action of agent 0 is": (True, lambda t: t.send({"type": "action", "action": [1, 2, 3, 4]})),
}


@pytest.mark.parametrize("sentence", JUNK)
def test_what_is_no_message_ends_the_game_with_a_sentence(games, sentence):
    has_begun, send = JUNK[sentence]
    with Trainer(games["catcher_2d"]) as trainer:
        if has_begun:
            trainer.begin()
        send(trainer)
        code, output = trainer.ended()
    assert code == 1 and sentence in output and "SCRIPT ERROR" not in output, output


CONTROLLER = "paddle_controller.gd"
BROKEN = {
    "observes nan as number": (CONTROLLER, "_player.position.x / _player.WIDTH", "sqrt(-1.0)"),
    "is rewarded with nan": (CONTROLLER, "return reward", "return sqrt(-1.0)"),
    "agent 0 of the scene was freed": ("paddle.gd", "ai_controller.reset()", "ai_controller.queue_free()"),
    "is in the group AGENT and has no get_obs": ("paddle.gd", "\tbegin()\n\n", '\tadd_to_group("AGENT")\n\n'),
}


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_game_that_no_trainer_can_learn_from_says_why(game, sentence):
    project = game("catcher_2d")
    file, old, new = BROKEN[sentence]
    edit(project / file, (old, new))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = [f"--port={listener.getsockname()[1]}", "--speedup=100"]
        with GodotProcess(words, project=project) as process:
            listener.settimeout(RUN_S)
            if "in the group" not in sentence:
                connection, _ = listener.accept()
                feed(connection)
            ended = process.wait(RUN_S)
    assert ended.code == 1 and sentence in ended.output, ended.output


def feed(connection):
    """All that a trainer would send, at once: the game reads as far as it comes."""
    idle = {"type": "action", "action": [{"move": 1}] * 4}
    for message in [HANDSHAKE, {"type": "env_info"}, {"type": "reset"}, *[idle] * 5]:
        data = json.dumps(message).encode()
        connection.sendall(len(data).to_bytes(4, "little") + data)


def test_a_game_that_was_started_for_a_trainer_who_is_not_there_ends(game):
    project = game("catcher_2d")
    edit(project / GODOT_RL / "sync.gd", ("LAUNCHED_DIAL_S := 30.0", "LAUNCHED_DIAL_S := 0.5"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code, output = run(project, f"--port={port}")
    assert code == 1 and f"godot_rl: no trainer answers at 127.0.0.1:{port}." in output
