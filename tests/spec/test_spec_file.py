"""sandlot.toml adds names and meanings to what a game says, and is refused where it contradicts it."""

import pytest

from sandlot.errors import ConfigError, SandlotError, UnknownName
from sandlot.spec import Document, Spec
from sandlot.spec.spec_file import SpecFile

from .documents import LEAST, UNEQUAL, changed

GAME = changed(
    LEAST,
    observation=[{"name": "obs", "shape": [3]}],
    episode=[{"name": "return", "better": "higher", "headline": True}, {"name": "apples"}],
    knobs=[{"name": "wind", "low": 0, "high": 1, "defaults": [0]}],
)


@pytest.fixture
def written(tmp_path):
    def write(text):
        (tmp_path / "sandlot.toml").write_text(text, encoding="utf-8")
        return SpecFile.beside(tmp_path)

    return write


def test_without_a_file_a_game_is_what_it_says(tmp_path):
    assert SpecFile.beside(tmp_path).laid_over(GAME, "the scene") == GAME


def test_names_units_meanings_and_texts_are_laid_over_what_the_game_says(written):
    file = written(
        'title = "Apples"\n[[observation]]\nname = "place"\nshape = [2]\nunit = "m"\n'
        '[[observation]]\nname = "speed"\n[[actions]]\nname = "steer"\n'
        '[[episode]]\nname = "apples"\nbetter = "higher"\nheadline = true\n'
        '[[knobs]]\nname = "wind"\nunit = "m/s"\n'
    )
    made = file.laid_over(GAME, "the scene")
    spec = Spec(Document.parse(made), made)
    assert (spec.title, spec.headline.name, spec.action_names) == ("Apples", "apples", ("steer",))
    assert (spec.field("speed"), spec.entry("place").unit) == (slice(2, 3), "m")
    assert [field.name for field in spec.episode] == ["return", "apples"], "nothing is lost"
    assert (spec.knobs[0].unit, spec.knobs[0].high) == ("m/s", 1.0)


def test_a_game_that_reports_what_it_is_asked_for_may_get_more_numbers_of_an_episode(written):
    file = written('[[episode]]\nname = "won"\nkind = "flag"\n')
    made = file.laid_over(GAME, "the game", reports=True)
    assert [field.name for field in Document.parse(made).episode] == ["return", "apples", "won"]


WRONG = {
    "no toml": ("title = ", ConfigError, "cannot be read"),
    "no text": ("\udcff", ConfigError, "cannot be read"),
    "an unknown key": ("titel = 'x'", UnknownName, "titel"),
    "an unknown key of a table": ("[[episode]]\nname = 'apples'\nbeter = 'higher'", UnknownName, "beter"),
    "what the game alone knows": ("hash = 'x'", ConfigError, "says hash, which the game alone can say"),
    "a table for a list": ("[episode]\nname = 'x'", ConfigError, "episode is a list of tables"),
    "a list of words": ("events = ['x']", ConfigError, "events is a list of tables"),
    "a table without a name": ("[[episode]]\nkind = 'flag'", ConfigError, r"a \[\[episode\]\] has no name"),
    "an event without a name": ("[[events]]\ntext = 'x'", ConfigError, r"a \[\[events\]\] has no name"),
    "another size": (
        "[[observation]]\nname = 'x'", ConfigError, "has 1 numbers in observation, the scene has 3"),
    "another kind of action": (
        "[[actions]]\nname = 'x'\nkind = 'button'", ConfigError,
        "has button in actions, the scene has axis"),
    "roles that do not differ": (
        "[role_actions]\nagent = []", ConfigError, "has role_actions, the scene has actions in its place"),
    "a number that nobody reports": (
        "[[episode]]\nname = 'won'", ConfigError,
        "has 'won' in episode, the scene declares return, apples"),
    "a setting that is not there": (
        "[[knobs]]\nname = 'rain'", ConfigError, "has 'rain' in knobs, the scene declares wind"),
    "another shape": (
        "[[episode]]\nname = 'apples'\nshape = [2]", ConfigError, r"says shape = \[2\] of apples, the scene"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_contradicts_the_game_is_refused_with_both_places(written, tmp_path, case):
    text, error, words = WRONG[case]
    if case == "no text":
        (tmp_path / "sandlot.toml").write_bytes(b"\xff\xfe")
        text = ""
    with pytest.raises(error, match=words) as refusal:
        file = written(text) if text else SpecFile.beside(tmp_path)
        file.laid_over(GAME, "the scene")
    assert str(tmp_path / "sandlot.toml") in str(refusal.value)


def test_roles_that_see_different_things_are_named_one_by_one(written):
    made = written("[[role_observation.hider]]\nname = 'steps'").laid_over(UNEQUAL, "the scene")
    document = Document.parse(made)
    assert [field.name for field in document.observation_of("hider")] == ["steps"]
    assert [field.name for field in document.observation_of("seeker")] == ["rays", "place"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[observation]]\nname = 'x'", "has observation, the scene has role_observation in its place"),
        (
            "[[role_observation.hider]]\nname = 'x'\nshape = [2]",
            "has 2 numbers in role_observation of hider, the",
        ),
        ("[[role_observation.ghost]]\nname = 'x'", "role_observation has a list for any of seeker, hider"),
        (
            "[[role_actions.hider]]\nname = 'x'",
            "has axis in role_actions of hider, the scene has choice of 3",
        ),
        ("[[role_actions.hider]]\nname = 'x'\nkindd = 'axis'", "kindd"),
        ("role_actions = 1", "role_actions has a list for any of"),
    ],
)
def test_what_contradicts_a_role_is_refused_with_both_places(written, text, words):
    with pytest.raises(SandlotError, match=words):
        written(text).laid_over(UNEQUAL, "the scene")


def test_what_is_wrong_with_both_together_is_found_by_the_document(written):
    made = written("[teams]\nghost = 'red'").laid_over(GAME, "the scene")
    with pytest.raises(SandlotError, match="declares the role 'ghost', which no agent has"):
        Document.parse(made)
