"""The variables of the scripts: each is read as what it is, and becomes the setting it should."""

import re
from pathlib import Path

import environment_page
import pytest

from sandlot.compat import variables
from sandlot.errors import ConfigError
from sandlot.worlds import load_spec

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "environment.md"


def test_the_page_holds_the_table_as_it_is_now():
    text = PAGE.read_text()
    assert text == environment_page.refreshed(text), "run `make docs`"


def test_without_variables_the_game_is_as_it_always_is():
    assert variables.game_settings({}) == {}


def test_the_defaults_said_in_the_table_are_those_of_the_game():
    defaults = {name: variables.VARIABLES[name].default for name in variables.RULES}
    assert load_spec("tag", variables.game_settings(defaults)).config == load_spec("tag").config


def test_a_penalty_a_step_becomes_one_a_second_whatever_its_sign():
    for text in ("-0.005", "0.005"):
        assert variables.game_settings({"AI_SEEKER_TIME_PENALTY": text}) == {"seeker_time": 0.1}
    fast = {"AI_SEEKER_TIME_PENALTY": "-0.005", "AI_STEP_TICK_INTERVAL": "1"}
    assert variables.game_settings(fast)["seeker_time"] == pytest.approx(0.3)


def test_one_variable_may_set_both_roles():
    assert variables.game_settings({"AI_WIN_BONUS": "5"}) == {"tag_bonus": 5, "tagged_penalty": 5}
    assert variables.game_settings({"AI_IS_IT": "0"}) == {"first_is_seeker": False}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("AI_TIME_LIMIT_SEC", "soon"),
        ("AI_STEP_TICK_INTERVAL", "1.5"),
        ("AI_IS_IT", "maybe"),
        ("AI_WIN_BONUS", "nan"),
    ],
)
def test_a_value_that_makes_no_sense_names_the_variable(name, text):
    with pytest.raises(ConfigError, match=name):
        variables.game_settings({name: text})


@pytest.mark.parametrize(
    ("environment", "settings"),
    [
        ({}, {"run.keep_checkpoints": 8}),
        ({"PPO_MAX_CHECKPOINTS": "3"}, {"run.keep_checkpoints": 3}),
        ({"PPO_MAX_CHECKPOINTS": "0"}, {"run.keep_checkpoints": 1}),
        ({"AI_CONTROL_ALL_AGENTS": "0"}, {"run.keep_checkpoints": 8, "selfplay.latest_fraction": 0.0}),
    ],
)
def test_variables_become_settings_of_a_run(environment, settings):
    """At least one checkpoint is kept; who learns alone meets no copy of itself."""
    assert variables.run_settings(environment) == settings


def test_an_empty_variable_counts_as_unset():
    assert variables.get("AI_TRAIN_DURATION", {"AI_TRAIN_DURATION": ""}) == 300
    assert not variables.is_set("AI_TRAIN_DURATION", {"AI_TRAIN_DURATION": " "})


def test_folders_follow_the_data_root_unless_named():
    assert variables.trajectories_folder({}) == Path("data/trajectories")
    assert variables.frames_folder({"AI_DATA_ROOT": "/else"}) == Path("/else/frames")
    assert variables.trajectories_folder({"AI_TRAJECTORIES_DIR": "t", "AI_DATA_ROOT": "/x"}) == Path("t")


def test_every_variable_that_a_script_reads_is_in_the_table():
    for script in (ROOT / "scripts").rglob("*.sh"):
        named = set(re.findall(r"\b(?:AI|TRAIN|TEST|SELF_PLAY|CURRICULUM)_[A-Z_]+\b", script.read_text()))
        assert named <= set(variables.VARIABLES), script.name
