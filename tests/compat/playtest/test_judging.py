"""The guide's scripts for CI: the same seeds, the right direction, and nothing missing taken for good."""

import json
import runpy
import sys
from pathlib import Path

import pytest
from torch.utils.tensorboard import SummaryWriter

from sandlot.compat.playtest.judging import describe_pairs
from sandlot.evaluate.report_file import read_report

SCRIPTS = Path(__file__).parents[3] / "rl_training"


@pytest.fixture
def script(monkeypatch, capsys, tmp_path):
    """`script("check_regression", "--current", …)`: exit code and everything printed."""
    monkeypatch.chdir(tmp_path)

    def call(name, *words):
        monkeypatch.setattr(sys, "argv", [name, *map(str, words)])
        code = 0
        try:
            runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        return code, " ".join((printed.out + printed.err).split())

    return call


def plain(path, **fields):
    path.write_text(json.dumps(fields))
    return path


# ---------------------------------------------------------------- evaluate_model, then the rest on its file


def test_a_model_is_evaluated_compared_with_itself_and_written_about(trained, script):
    _, result, _ = trained
    code, text = script("evaluate_model", "--model", result.model, "--episodes", 4, "--output", "four.json")
    assert code == 0 and "4 of 4 episodes ended" in text
    script("evaluate_model", "--model", result.model, "--episodes", 3, "--output", "three.json")
    four, three = (read_report(Path(name)) for name in ("four.json", "three.json"))
    for many, few in zip(four.groups[0].rows, three.groups[0].rows, strict=False):  # the first ones of more
        assert few["seed"] == many["seed"] and few["reward"] == pytest.approx(many["reward"], rel=1e-3)
    assert four.model_sha256 and four.scenario == "landing" and four.mean_reward is not None
    code, text = script("check_regression", "--current", "three.json", "--baseline", "four.json")
    assert code == 0 and describe_pairs(3) in text and "change +0" in text
    script("generate_report", "--metrics", "four.json", "--output", "page.md")
    page = Path("page.md").read_text()
    assert page.startswith("# Evaluation: spacecraft_landing_v1_final") and "4 episodes, mean reward" in page


def test_ten_pairs_that_agree_exclude_only_large_drops():
    assert "a drop of more than 41 points" in describe_pairs(10)


# ---------------------------------------------------------------- check_regression, without episodes


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ({"mean_reward": 10.0}, {"mean_reward": 9.1}, 0),
        ({"mean_reward": 10.0}, {"mean_reward": 8.9}, 1),
        ({"mean_reward": -5.0}, {"mean_reward": -4.0}, 0),
        ({"mean_reward": -5.0}, {"mean_reward": -5.6}, 1),
        ({"mean_reward": 0.0, "std_reward": 2.0}, {"mean_reward": -0.1}, 0),
        ({"mean_reward": 0.0, "std_reward": 2.0}, {"mean_reward": -0.3}, 1),
        ({"mean_reward": 0.0}, {"mean_reward": -0.1}, 1),
        ({"success_rate": 0.5}, {"success_rate": 0.44}, 1),
        ({"success_rate": 0.0}, {"success_rate": 0.0}, 0),
        (
            {"mean_reward": 1.0, "mean_episode_length": 10},
            {"mean_reward": 1.0, "mean_episode_length": 900},
            0,
        ),
        (
            {"mean_reward": 1.0, "mean_episode_length": 900},
            {"mean_reward": 1.0, "mean_episode_length": 10},
            0,
        ),
        ({"mean_reward": 1.0, "success_rate": 0.9}, {"mean_reward": 1.0}, 1),
        ({"mean_reward": 1.0, "success_rate": 0.9}, {"mean_reward": 1.0, "success_rate": None}, 1),
    ],
)
def test_means_are_compared_in_the_right_direction(script, tmp_path, old, new, code):
    old, new = plain(tmp_path / "old.json", **old), plain(tmp_path / "new.json", **new)
    found, text = script("check_regression", "--current", new, "--baseline", old, "--tolerance", 0.1)
    assert found == code and "A paired gate over the same seeds says how sure it is." in text


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"mean_reward": NaN}', '{"mean_reward": "high"}'])
def test_what_is_no_report_could_not_be_compared(script, tmp_path, text):
    good = plain(tmp_path / "good.json", mean_reward=1.0)
    (tmp_path / "bad.json").write_text(text)
    for current, baseline in (("bad.json", good), (good, "bad.json"), ("none.json", good)):
        code, said = script("check_regression", "--current", current, "--baseline", baseline)
        assert code == 2 and "Make it" in said


# ---------------------------------------------------------------- validate_training_metrics


def events(folder, **tags):
    with SummaryWriter(str(folder / "logs" / "mine" / "PPO_1")) as writer:
        for tag, values in tags.items():
            for step, value in enumerate(values):
                writer.add_scalar(tag.replace("__", "/"), value, step)


@pytest.mark.parametrize(
    ("tags", "code", "said"),
    [
        ({"rollout__ep_rew_mean": [-50, -9]}, 0, "Pass"),
        ({"rollout__ep_rew_mean": [5, -11]}, 1, "is -11, expected at least -10"),
        ({"time__fps": [100]}, 3, "No data"),
        (
            {"rollout__ep_rew_mean": [1], "performance__physics_frame_time_ratio": [2.0, 1.0]},
            1,
            "slowest physics frame, ms is 22.22, expected at most 15",
        ),
        ({"rollout__ep_rew_mean": [1], "performance__physics_frame_time_ratio": [1.3]}, 0, "Pass"),
    ],
)
def test_a_training_is_judged_by_its_last_reward_and_slowest_frame(script, tmp_path, tags, code, said):
    events(tmp_path, **tags)
    found, text = script("validate_training_metrics", "--experiment", "mine", "--folder", tmp_path)
    assert found == code and said in text


def test_a_training_that_is_not_there_is_no_pass(script, tmp_path):
    code, text = script("validate_training_metrics", "--experiment", "none", "--folder", tmp_path)
    assert code == 1 and "nothing was trained under this name" in text
    (tmp_path / "logs" / "empty").mkdir(parents=True)
    code, text = script("validate_training_metrics", "--experiment", "empty", "--folder", tmp_path)
    assert code == 1 and "neither a run" in text
