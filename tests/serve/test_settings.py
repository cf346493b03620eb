"""Settings: by environment, by hand, and refused in a sentence."""

from pathlib import Path

import pytest

from sandlot.errors import ConfigError
from sandlot.serve.settings import Settings, variable_of


def test_every_setting_can_be_given_by_its_variable():
    given = {
        "SANDLOT_RUNS": "elsewhere",
        "SANDLOT_PORT": "9000",
        "SANDLOT_ORIGINS": "https://a.example, https://b.example",
        "SANDLOT_ORIGIN_PATTERN": r"https://.*\.example",
        "SANDLOT_WANDB_ENTITY": "us",
        "SANDLOT_WANDB_PROJECT": "game",
        "SANDLOT_WANDB_API_KEY": "secret",
        "SANDLOT_WANDB_CACHE_SECONDS": "5",
        "SANDLOT_MAX_SESSIONS": "7",
        "UNRELATED": "1",
    }
    settings = Settings.from_environment(given)
    assert settings.runs == Path("elsewhere") and settings.port == 9000 and settings.max_sessions == 7
    assert settings.origins == ("https://a.example", "https://b.example")
    assert settings.wandb_api_key.get_secret_value() == "secret" and "secret" not in repr(settings)


def test_what_is_chosen_by_hand_goes_before_the_environment():
    environment = {"SANDLOT_PORT": "9000", "SANDLOT_RUNS": "elsewhere"}
    settings = Settings.from_environment(environment, port=1234, runs=None)
    assert (settings.port, settings.runs) == (1234, Path("elsewhere"))


def test_an_empty_variable_is_none():
    assert Settings.from_environment({"SANDLOT_PORT": " "}).port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "65536"),
        ("port", "many"),
        ("max_sessions", "0"),
        ("origin_pattern", "("),
        ("wandb_base_url", "ftp://x"),
        ("session_seconds", "-1"),
        ("workers", "1.5"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(name, value):
    with pytest.raises(ConfigError, match=variable_of(name)):
        Settings.from_environment({variable_of(name): value})
