"""`sandlot parity`: options, words and exit codes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sandlot.cli.main import app
from sandlot.errors import ConfigError, UnknownName
from sandlot.games.reference.prospector import actions

from .documented import assert_documented

QUICK = ["parity", "prospector", "--seeds", "1", "--steps", "40", "--budgets", "500", "--profile", "balanced"]


def call(*words: str, **options):
    return CliRunner().invoke(app, [*QUICK, *words], **options)


def test_a_partial_matrix_without_differences_is_good():
    result = call("--suites", "random,legal")
    assert result.exit_code == 0
    assert "2 cases, 80 decisions" in result.stdout
    assert "differences: 0" in result.stdout
    assert "listed but do not fail" in result.stdout


def test_json_tells_cases_coverage_and_what_is_missing():
    report = json.loads(call("--suites", "random", "--json").stdout)
    assert report["good"] is True
    assert (report["cases"], report["decisions"], report["mismatches"]) == (1, 40, [])
    assert "ending time" in report["missing"]["balanced"]
    assert sum(report["coverage"]["balanced"].values()) >= 40


def test_a_whole_matrix_that_misses_a_goal_is_judged_bad():
    result = call("--steps", "3")
    assert result.exit_code == 1
    assert "ending time" in result.stdout


@pytest.fixture
def wrong_hold(monkeypatch):
    monkeypatch.setattr(actions, "hold", lambda twin, index=0: 2)


def test_a_difference_is_judged_bad_and_named(wrong_hold, tmp_path):
    result = call("--suites", "random", "--stop-on-first", "--bundles", str(tmp_path), "--json")
    assert result.exit_code == 1
    first = json.loads(result.stdout)["mismatches"][0]
    assert (first["suite"], first["seed"], first["budget"]) == ("random", 0, 500)
    assert list(tmp_path.iterdir())


def test_report_only_never_judges(wrong_hold, tmp_path):
    assert call("--suites", "random", "--bundles", str(tmp_path), "--report-only").exit_code == 0


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--suites", "randm"], UnknownName),
        (["--profile", "clasic"], UnknownName),
        (["--tolerance", "relativ=1"], UnknownName),
        (["--tolerance", "relative=small"], ConfigError),
        (["--budgets", "soon"], ConfigError),
        (["--budgets", "0"], ConfigError),
    ],
)
def test_bad_words_are_refused_with_a_sentence(words, error):
    result = call(*words)
    assert isinstance(result.exception, error)


def test_a_game_without_a_twin_is_refused_by_name():
    result = CliRunner().invoke(app, ["parity", "prospecter"])
    assert isinstance(result.exception, UnknownName)
    assert "prospector" in str(result.exception)


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("parity")
