"""cli/games.py: settings from words, and the small words of the tables."""

from types import SimpleNamespace

import pytest

from sandlot.cli import games as module
from sandlot.errors import ConfigError
from sandlot.spec import parse_settings
from sandlot.worlds import load_spec

from .documented import assert_documented


@pytest.mark.parametrize(
    ("words", "config"),
    [
        (None, {}),
        (
            ["a=1", "b=1.5", "c=true", "d=switch", "e=x=y", "f="],
            {"a": 1, "b": 1.5, "c": True, "d": "switch", "e": "x=y", "f": ""},
        ),
        (["a=1", "a=2"], {"a": 2}),
    ],
)
def test_settings_are_json_where_they_are_and_text_elsewhere(words, config):
    assert parse_settings(words) == config


@pytest.mark.parametrize("word", ["mode", "=switch", ""])
def test_a_setting_without_name_or_sign_is_refused(word):
    with pytest.raises(ConfigError, match="expected NAME=VALUE"):
        parse_settings([word])


def field(**changes):
    return SimpleNamespace(**{"start": 4, "size": 1, "labels": (), "shape": (1,), "text": "speed"} | changes)


def test_the_entries_of_a_field_are_a_number_or_a_span():
    assert module._span(field()) == "4" and module._span(field(size=3)) == "4-6"


def test_a_meaning_names_its_entries_and_says_each_where_there_are_rows():
    assert module._meaning(field()) == "speed"
    assert module._meaning(field(labels=("x", "y"), shape=(2,))) == "speed\nx, y"
    assert module._meaning(field(labels=("x", "y"), shape=(3, 2))) == "speed\neach: x, y"


def test_a_range_needs_both_ends():
    assert module._range(0.0, 0.5) == "0..0.5"
    assert module._range(None, 1.0) == module._range(0.0, None) == ""


@pytest.mark.parametrize(("kind", "text"), [("choice", "a | b"), ("flag", "yes | no"), ("number", "0..2")])
def test_a_setting_shows_what_it_may_be(kind, text):
    assert module._choices(SimpleNamespace(kind=kind, choices=("a", "b"), low=0.0, high=2.0)) == text


def test_who_plays_and_what_play_is_ranked_by_is_one_sentence():
    assert module._who(load_spec("tag")) == "Agents: seeker, hider. Play: competitive, ranked by wins."
    several = load_spec("tag", {"seekers": 2})
    assert module._who(several) == "Agents: 2 seeker, hider. Play: teams, ranked by wins."
    pilot = "Agents: pilot. Play: single, ranked by success (higher is better)."
    assert module._who(load_spec("landing")) == pilot


def test_what_the_numbers_of_an_episode_mean_is_shown():
    winner, reason, success = (
        next(f for f in load_spec(game).episode if f.name == name)
        for game, name in (("tag", "winner"), ("tag", "reason"), ("landing", "success"))
    )
    assert module._kind(winner) == "outcome: nobody, seeker, hider" and module._better(winner) == ""
    assert module._kind(reason) == "code: none, tag, timeout" and module._meaning(reason) == reason.text
    assert (module._kind(success), module._better(success)) == ("flag", "higher, headline")


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("games")
