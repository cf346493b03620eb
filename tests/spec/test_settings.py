"""Settings as people write them: words become values, values the game's numbers."""

import pytest

from sandlot.errors import ConfigError, UnknownName
from sandlot.spec import Document, parse_settings, resolve

from .documents import LEAST, UNEQUAL

GAME = Document.parse(UNEQUAL)


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (None, {}),
        ([], {}),
        (["wind=2.5"], {"wind": 2.5}),
        (["boxes=3", "night=true", "arena=yard"], {"boxes": 3, "night": True, "arena": "yard"}),
        (['arena="yard"'], {"arena": "yard"}),
        (["name=a=b"], {"name": "a=b"}),
        (["wind="], {"wind": ""}),
        (["wind=1", "wind=2"], {"wind": 2}),
        (["wind=NaN", "boxes=Infinity"], {"wind": "NaN", "boxes": "Infinity"}),
        (["deep=" + "[" * 100_000], {"deep": "[" * 100_000}),
    ],
    ids=lambda given: str(given)[:30],
)
def test_a_value_is_json_where_it_is_json_and_else_text(words, settings):
    assert parse_settings(words) == settings


@pytest.mark.parametrize("word", ["wind", "=2", "="])
def test_a_word_without_name_or_sign_is_refused(word):
    with pytest.raises(ConfigError, match=rf"^{word}: expected NAME=VALUE, for example mode=switch\.$"):
        parse_settings([word])


def test_a_long_word_is_shown_shortened():
    with pytest.raises(ConfigError, match=rf"^{'x' * 64}: expected"):
        parse_settings(["x" * 65])


def test_without_settings_the_first_profiles_defaults_count():
    assert resolve(GAME, {}) == ("calm", [1.0, 2.0, 0.0, 0.0])
    assert resolve(Document.parse(LEAST), {}) == ("default", [])


def test_settings_lie_over_the_defaults_of_the_profile_and_the_given_mapping_stays_as_it_was():
    config = {"profile": "wild", "boxes": 9}
    assert resolve(GAME, config) == ("wild", [4.0, 9.0, 1.0, 1.0])
    assert config == {"profile": "wild", "boxes": 9}
    assert resolve(GAME, {"arena": "yard", "night": True}) == ("calm", [1.0, 2.0, 1.0, 1.0])


def test_every_number_is_a_float():
    assert {type(value) for value in resolve(GAME, {"boxes": 3, "night": True})[1]} == {float}


def test_an_unknown_profile_names_those_there_are():
    with pytest.raises(UnknownName, match=r"no profile of unequal called 'x'\. There are: calm, wild\."):
        resolve(GAME, {"profile": "x"})


def test_an_unknown_setting_names_the_nearest_or_all_with_the_profile():
    with pytest.raises(UnknownName, match=r"no setting of unequal called 'win'\. Did you mean 'wind'\?"):
        resolve(GAME, {"win": 1})
    with pytest.raises(UnknownName, match=r"There are: profile, wind, boxes, night, arena\."):
        resolve(GAME, {"???": 1})


def test_a_value_that_the_setting_does_not_take_is_refused():
    with pytest.raises(ConfigError, match=r"^wind = 6: expected a number from 0 to 5 m/s \(of the air\)\.$"):
        resolve(GAME, {"wind": 6})


@pytest.mark.parametrize("config", [None, [], "wind=1", 3])
def test_a_configuration_is_a_mapping(config):
    with pytest.raises(ConfigError, match=f"mapping of names to values, not {type(config).__name__}"):
        resolve(GAME, config)
