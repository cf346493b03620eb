"""What gates.toml may say, and what holds where it says nothing."""

import pytest
from pydantic import ValidationError

from sandlot.errors import ConfigError
from sandlot.gates.settings import Margin, Settings, parse_settings, read_settings


def test_every_default_is_the_one_in_the_table():
    assert Settings().model_dump(by_alias=True) == {
        "schema_version": 1,
        "regression": {"alpha": 0.002, "beta": 0.01, "pairs": 2000, "first_look": 64, "margins": {}},
        "validate": {"min": {}, "max": {}},
        "budget": {"p50": {}, "p95": {}, "slower": 0.1},
        "training": {"alpha": 0.05, "beta": 0.05, "margins": {}},
    }
    assert Margin(margin=1.0).model_dump() == {"margin": 1.0, "gating": True, "better": None}


@pytest.mark.parametrize(
    ("table", "name", "lowest", "highest", "outside"),
    [
        ("regression", "alpha", 1e-9, 0.499, (0.0, 0.5)),
        ("regression", "beta", 1e-9, 0.499, (0.0, 0.5)),
        ("regression", "pairs", 1, 1_000_000, (0, 1_000_001)),
        ("regression", "first_look", 1, 1_000_000, (0, 1_000_001)),
        ("budget", "slower", 1e-9, 10, (0, 10.001)),
        ("training", "alpha", 1e-9, 0.499, (0.0, 0.5)),
        ("training", "beta", 1e-9, 0.499, (0.0, 0.5)),
    ],
)
def test_numbers_have_bounds(table, name, lowest, highest, outside):
    for value in (lowest, highest):
        assert getattr(getattr(parse_settings({table: {name: value}}, "x"), table), name) == value
    for value in outside:
        with pytest.raises(ConfigError, match=f"^x: {table}.{name}: "):
            parse_settings({table: {name: value}}, "x")


@pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf")])
def test_a_margin_is_a_positive_number(margin):
    with pytest.raises(ConfigError, match=r"regression\.margins\.success"):
        parse_settings({"regression": {"margins": {"success": margin}}}, "x")


def test_a_number_is_a_margin_that_gates():
    read = parse_settings(
        {"regression": {"margins": {"success": 0.05, "fuel": {"margin": 2, "gating": False}}}}, "x"
    )
    assert read.regression.margins == {"success": Margin(margin=0.05), "fuel": Margin(margin=2, gating=False)}


@pytest.mark.parametrize(
    "given",
    [{"regresion": {}}, {"regression": {"alfa": 0.1}}, {"budget": {"p99": {}}}, {"schema_version": 2}, 7],
)
def test_an_unknown_key_is_refused_with_its_place(given):
    with pytest.raises(ConfigError, match=r"^x: .*docs/gates\.md\.$"):
        parse_settings(given, "x")


def test_what_was_read_cannot_be_changed():
    with pytest.raises(ValidationError):
        Settings().regression.alpha = 0.5


def test_the_file_of_this_folder_is_read_unless_another_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_settings(None) == Settings()
    (tmp_path / "gates.toml").write_text("[budget]\nslower = 0.25\n")
    assert read_settings(None).budget.slower == 0.25
    (tmp_path / "other.toml").write_text("[budget]\nslower = 0.5\n")
    assert read_settings(tmp_path / "other.toml").budget.slower == 0.5


@pytest.mark.parametrize(
    ("content", "match"), [(b"[", "no TOML file"), (b"\xff", "no TOML file"), (None, "not be read")]
)
def test_a_file_that_cannot_be_read_is_named(content, match, tmp_path):
    file = tmp_path / "gates.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=f"{file}.*{match}"):
        read_settings(file)
