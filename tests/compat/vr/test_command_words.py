"""The words of scripts/ml/train_vr_navigation.py: what each of them starts, and what is refused first.

Trainings themselves are in test_training.py.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest
from refusals import refused
from typer.testing import CliRunner

from sandlot.compat.vr import command, evaluation, models, own_ppo, training
from sandlot.compat.vr.config import RLConfig
from sandlot.errors import ConfigError, UnknownName


class Program:
    """The program, with what it would have started in a list of calls."""

    def __init__(self, monkeypatch):
        self.calls = []
        self.result = SimpleNamespace(
            stopped=False, timesteps=640, checkpoint=Path("last.zip"), best_model=Path("best.zip")
        )
        self.status, self.inside = ("completed", Path("runs/one")), RLConfig()

        def train(config, resume, rewards, verbose, print_line):
            self.calls.append(("train", config, resume, rewards, verbose))
            return self.result

        def train_with_ours(config, runs):
            self.calls.append(("ours", config, runs))
            return self.status

        def evaluate(model, config, episodes, purpose, rewards):
            self.calls.append(("evaluate", model, config, episodes, purpose, rewards))
            return SimpleNamespace(lines=lambda: ["all of them"], details=lambda: ["each of them"])

        monkeypatch.setattr(training, "train", train)
        monkeypatch.setattr(
            training, "prepare_game", lambda config, line: self.calls.append(("prepare", config))
        )
        monkeypatch.setattr(own_ppo, "train", train_with_ours)
        monkeypatch.setattr(evaluation, "evaluate", evaluate)
        monkeypatch.setattr(
            models, "find", lambda path, user="": SimpleNamespace(path=path, config=self.inside)
        )
        monkeypatch.setattr(models, "load", lambda saved, config: f"model of {saved.path}")
        monkeypatch.setattr(
            models, "copy", lambda saved, target: self.calls.append(("copy", saved.path, target))
        )
        monkeypatch.setattr(models, "export_onnx", lambda saved, config, target: 2e-6)

    def __call__(self, *words):
        return CliRunner().invoke(command.app, words, catch_exceptions=False)

    def refuses(self, *words):
        """The sentence with which it is refused; nothing was started."""
        with pytest.raises((ConfigError, UnknownName)) as problem:
            self(*words)
        assert self.calls == []
        return str(problem.value)


@pytest.fixture
def program(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return Program(monkeypatch)


def test_without_a_word_the_defaults_are_trained_and_the_next_steps_named(program):
    done = program()
    assert program.calls == [("train", RLConfig(), None, None, False)] and done.exit_code == 0
    assert "Trained 640 steps; the last model is last.zip" in done.output
    assert f"Evaluate the best: {command.PROGRAM} --eval best.zip --episodes 20" in done.output
    assert "Use it: mkdir -p models && cp best.zip models/vr_nav_v1.zip" in done.output


def test_a_preset_a_file_and_words_change_the_configuration(program, tmp_path):
    program("--preset", "quick_test", "--timesteps", "128", "--environment", "native", "--verbose")
    (_, config, _, _, verbose) = program.calls.pop()
    expected = RLConfig.preset("quick_test")
    expected.training.total_timesteps = 128
    assert (config, verbose) == (expected, True)
    expected.save(tmp_path / "mine.json")
    program("--config", "mine.json")
    assert program.calls.pop()[1] == expected


def test_a_model_brings_its_configuration_unless_another_is_named(program):
    program.inside = RLConfig.preset("quick_test")
    program("--resume", "old.zip")
    assert program.calls.pop() == ("train", RLConfig.preset("quick_test"), "old.zip", None, False)
    program.inside = None  # saved by somebody else
    program("--resume", "old.zip")
    assert program.calls.pop()[1] == RLConfig()


def test_a_stopped_training_exits_with_130_and_says_how_to_go_on(program):
    program.result.stopped = True
    done = program()
    assert done.exit_code == 130
    assert f"Stopped at 640 steps. Go on with: {command.PROGRAM} --resume last.zip" in done.output


def test_a_training_without_a_best_model_has_nothing_to_export(program):
    program.result.best_model = None
    done = program("--export", "models/v1.zip")
    assert done.exit_code == 0 and "Evaluate" not in done.output and len(program.calls) == 1


def test_the_best_model_is_exported_with_an_onnx_beside_it(program):
    done = program("--export", "models/v1.zip")
    assert program.calls[1:] == [("copy", "best.zip", Path("models/v1.zip"))]
    assert "Wrote models/v1.zip and models/v1.onnx (actions within 2.0e-06 of the model's)." in done.output
    assert "Use it" not in done.output


def test_an_evaluation_plays_held_out_seeds_and_may_export(program):
    done = program("--eval", "a.zip", "--episodes", "7", "--export", "b.zip")
    assert [call[0] for call in program.calls] == ["prepare", "evaluate", "copy"]
    assert program.calls[1] == ("evaluate", "model of a.zip", RLConfig(), 7, "eval", None)
    assert program.calls[2] == ("copy", "a.zip", Path("b.zip"))
    assert done.output.splitlines()[0] == "all of them", "details are for --verbose"
    lines = program("--eval", "a.zip", "--verbose").output.splitlines()
    assert lines[-2:] == ["each of them", "all of them"]
    assert program.calls[-1][3] == 10


def test_our_trainer_writes_into_the_run_store(program):
    done = program("--trainer", "ppo", "--runs", "here")
    assert program.calls == [("ours", RLConfig(), Path("here"))]
    assert "Trained runs/one. Evaluate it: sandlot eval runs/one" in done.output
    program.status = ("stopped", Path("runs/one"))
    done = program("--trainer", "ppo")
    assert done.exit_code == 130 and "sandlot train --resume runs/one" in done.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--trainer", "sb4"], "no trainer called 'sb4'"),
        (["--environment", "htp"], "no environment called 'htp'"),
        (["--preset", "quick_test", "--config", "a.json"], "--preset and --config are both given"),
        (["--resume", "a.zip", "--eval", "b.zip"], "--resume trains and --eval does not"),
        (["--trainer", "ppo", "--resume", "a.zip"], "sandlot train --resume RUN"),
        (["--trainer", "ppo", "--eval", "a.zip"], "sandlot eval RUN"),
        (["--trainer", "ppo", "--export", "a.zip"], "are for --trainer sb3"),
        (["--trainer", "ppo", "--reward", "mine.py:Mine"], "are for --trainer sb3"),
        (["--eval", "a.zip", "--episodes", "0"], "--episodes 0: expected at least 1"),
        (["--reward", "nowhere.py:Mine"], "there is no file 'nowhere.py'"),
        (["--reward", "mine.py:Other"], "has no class Other that is a RewardCalculator"),
        (["--reward", "mine.py:number"], "has no class number that is a RewardCalculator"),
        (["--reward", "mine.py:Plain"], "has no class Plain that is a RewardCalculator"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_starts(program, tmp_path, words, sentence):
    (tmp_path / "mine.py").write_text(MINE)
    assert sentence in program.refuses(*words)


MINE = """
from sandlot.compat.vr.rewards import RewardCalculator
class Mine(RewardCalculator):
    pass
class Plain:
    pass
number = 1
"""


def test_a_reward_calculator_of_a_users_file_pays(program, tmp_path):
    (tmp_path / "my_rewards.py").write_text(MINE)
    program("--reward", "my_rewards.py:Mine")
    rewards = program.calls[0][3]
    assert type(rewards).__name__ == "Mine" and rewards.config == RLConfig()


def test_a_configuration_can_be_written_alone(program, tmp_path):
    done = program("--preset", "quick_test", "--save-config", "out.json")
    assert program.calls == [] and done.output == "Wrote out.json.\n"
    assert RLConfig.load(tmp_path / "out.json") == RLConfig.preset("quick_test")
    wrong = ("--config", "wrong.json", "--save-config", "again.json")
    (tmp_path / "wrong.json").write_text('{"training": {"total_timesteps": -1}}')
    with refused(tmp_path, ConfigError, "total_timesteps"):
        program(*wrong)


def test_the_program_runs_this_command(monkeypatch):
    ran = []
    monkeypatch.setattr(command, "run_app", ran.append)
    command.main()
    assert ran == [command.app]
