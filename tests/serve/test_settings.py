"""Settings: by environment, by hand, and refused in a sentence."""

from pathlib import Path

import pytest

from sandlot.errors import ConfigError
from sandlot.serve.settings import Settings, variable_name


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
    with pytest.raises(ConfigError, match=variable_name(name)):
        Settings.from_environment({variable_name(name): value})


@pytest.mark.parametrize(
    ("name", "within", "beyond"),
    [
        ("port", [0, 65535], [-1, 65536]),
        ("max_body_bytes", [1024, 1 << 26], [1023, (1 << 26) + 1]),
        ("max_message_bytes", [1024, 1 << 26], [1023, (1 << 26) + 1]),
        ("max_sockets", [1, 100_000], [0, 100_001]),
        ("client_seconds", [0.001, 3600], [0, 3600.1]),
        ("work_seconds", [0.001, 3600], [0, 3600.1]),
        ("workers", [1, 64], [0, 65]),
        ("frame_cache_bytes", [1 << 20], [(1 << 20) - 1]),
        ("max_sessions", [1, 100_000], [0, 100_001]),
        ("session_seconds", [0.001], [0]),
        ("wandb_cache_seconds", [0, 86_400], [-1, 86_401]),
        ("wandb_timeout_seconds", [0.001, 300], [0, 300.1]),
    ],
)
def test_a_setting_is_taken_at_its_limit_and_refused_beyond(name, within, beyond):
    for value in within:
        assert getattr(Settings.from_environment({variable_name(name): str(value)}), name) == value
    for value in beyond:
        with pytest.raises(ConfigError, match=variable_name(name)):
            Settings.from_environment({variable_name(name): str(value)})


def test_the_key_is_not_repeated_when_it_is_refused_and_an_address_loses_its_last_slash():
    assert Settings.from_environment({"SANDLOT_WANDB_BASE_URL": "http://a/"}).wandb_base_url == "http://a"
    with pytest.raises(ConfigError) as refused:
        Settings.from_environment({}, wandb_api_key=3)
    assert str(refused.value).startswith("SANDLOT_WANDB_API_KEY: ")


def test_exported_policies_are_cached_where_the_system_says(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Settings().cache == tmp_path / "sandlot"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert Settings().cache == Path.home() / ".cache" / "sandlot"


def test_nothing_unknown_is_set_and_nothing_is_changed_afterwards():
    with pytest.raises(ConfigError, match="SANDLOT_PROT"):
        Settings.from_environment({}, prot=1)
    with pytest.raises(ValueError, match="frozen"):
        Settings().port = 1
