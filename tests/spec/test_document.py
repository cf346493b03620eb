"""A game's document: what may be left out, where its parts lie, and every contradiction as a sentence."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from sandlot.errors import ConfigError, SpecError, UnknownName
from sandlot.spec import SCHEMA_VERSION, Document, Knob
from sandlot.spec.document import MOST_ENTRIES, Action, EpisodeField, Field, digest

from .documents import LEAST, UNEQUAL, changed

ROOT = Path(__file__).parents[2]


def refusal(**parts) -> str:
    """The sentence with which a document with these parts is refused; None leaves a part out."""
    with pytest.raises(SpecError) as problem:
        Document.parse(changed(LEAST, **parts), "The hello")
    assert str(problem.value).startswith("The hello") and str(problem.value).endswith(".")
    return str(problem.value)


def assert_holds(part, defaults):
    """A part of a document has these values, among others."""
    assert {name: getattr(part, name) for name in defaults} == defaults


# ---------------------------------------------------------------- what may be left out


def test_names_and_sizes_are_enough_and_all_else_has_a_default():
    made = Document.parse(LEAST)
    assert_holds(made, {
        "schema_version": SCHEMA_VERSION, "source": "engine", "name": "least", "title": "", "version": "1",
        "text": "", "play": None, "tick_rate": None, "ticks_per_step": None, "profiles": ("default",),
        "agent_roles": ("agent",), "teams": {}, "role_observation": {}, "role_actions": {}, "masked": False,
        "knobs": (), "bots": (), "default_bots": {}, "compared_by": {}, "reward_terms": (), "info": (),
        "render": (), "episode": (), "outcomes": (), "events": (), "hash": "",
    })  # fmt: skip
    assert_holds(made.shape, {
        "agents": 1, "observation": 1, "actions": 0, "action_size": 1, "masked": False, "info": 0,
        "render": 0, "episode": 0,
    })  # fmt: skip


def test_fields_and_actions_have_defaults_too():
    made = Document.parse(LEAST)
    assert_holds(made.observation[0], {
        "name": "height", "start": 0, "shape": (1,), "low": None, "high": None, "unit": "", "scale": None,
        "labels": (), "text": "", "image": False,
    })  # fmt: skip
    assert_holds(made.actions[0], {
        "name": "push", "kind": "axis", "options": (), "low": -1.0, "high": 1.0, "group": "", "unit": "",
        "text": "",
    })  # fmt: skip
    field = EpisodeField(name="points")
    assert (field.kind, field.better, field.headline) == ("measure", "none", False)


def test_the_kind_of_an_episode_field_names_its_mean_and_says_whether_it_is_a_code():
    fields = {kind: EpisodeField(name="x", kind=kind) for kind in ("outcome", "code", "measure", "flag")}
    assert {kind: field.metric for kind, field in fields.items()} == {
        "outcome": "x_mean", "code": "x_mean", "measure": "x_mean", "flag": "x_rate",
    }  # fmt: skip
    assert [kind for kind, field in fields.items() if field.is_code] == ["outcome", "code"]


def test_a_document_is_read_only_and_keeps_the_tables_of_its_own():
    made = Document.parse(changed(LEAST, costs={"fuel": 3}))
    assert made.model_extra == {"costs": {"fuel": 3}}
    with pytest.raises(ValidationError):
        made.name = "other"
    assert not hasattr(Field(name="x", novelty=1), "novelty"), "a part keeps unknown keys out"


# ---------------------------------------------------------------- places and sizes


def test_fields_lie_one_behind_the_other():
    fields = [{"name": "a", "shape": [2, 3]}, {"name": "b"}, {"name": "c", "shape": [2]}]
    made = Document.parse(changed(LEAST, observation=fields))
    assert [(field.start, field.size, field.slice) for field in made.observation] == [
        (0, 6, slice(0, 6)), (6, 1, slice(6, 7)), (7, 2, slice(7, 9)),
    ]  # fmt: skip
    assert made.shape.observation == 9


def test_a_start_that_is_said_must_be_where_the_field_lies():
    good = [{"name": "a", "shape": [2]}, {"name": "b", "start": 2}]
    assert Document.parse(changed(LEAST, observation=good)).observation[1].start == 2
    bad = [{"name": "a", "shape": [2]}, {"name": "b", "start": 3}]
    assert refusal(observation=bad) == "The hello: observation: b starts at 3, expected 2."


def test_the_longest_observation_and_action_of_roles_that_differ_are_the_sizes():
    shape = Document.parse(UNEQUAL).shape
    assert (shape.agents, shape.observation, shape.action_size, shape.actions) == (3, 10, 2, 0)
    assert (shape.info, shape.render, shape.episode) == (1, 6, 7)


def test_one_choice_alone_is_an_index_and_beside_another_action_it_is_a_column():
    choice = {"name": "go", "kind": "choice", "options": ["left", "right", "up"]}
    alone = Document.parse(changed(LEAST, actions=[choice], masked=True)).shape
    assert (alone.actions, alone.action_size, alone.masked) == (3, 1, True)
    beside = Document.parse(changed(LEAST, actions=[choice, {"name": "push"}])).shape
    assert (beside.actions, beside.action_size, beside.masked) == (0, 2, False)
    button = Document.parse(changed(LEAST, actions=[{"name": "fire", "kind": "button"}])).shape
    assert (button.actions, button.action_size) == (0, 1)


def test_an_engine_that_lists_its_options_as_actions_states_their_number():
    shape = {"agents": 1, "observation": 1, "actions": 2}
    listed = [{"name": "stay"}, {"name": "go"}]
    assert Document.parse(changed(LEAST, shape=shape, actions=listed)).actions == ()
    stated = Document.parse(changed(LEAST, shape=shape | {"actions": 0, "action_size": 2}, actions=listed))
    assert [action.name for action in stated.actions] == ["stay", "go"]


def test_bounds_of_a_column_are_those_of_its_kind():
    assert Action(name="turn", low=0, high=90).bounds == (-1.0, 1.0)
    assert Action(name="fire", kind="button").bounds == (-1.0, 1.0)
    assert Action(name="go", kind="choice", options=("a", "b", "c")).bounds == (0.0, 2.0)


def test_what_the_engine_declares_in_a_table_of_its_own_belongs_to_the_episode_fields():
    episode = [{"name": "points"}, {"name": "won"}]
    meaning = [{"field": "won", "kind": "flag", "better": "higher"}]
    points, won = Document.parse(changed(LEAST, episode=episode, meaning=meaning)).episode
    assert (points.kind, won.kind, won.better) == ("measure", "flag", "higher")
    assert refusal(episode=episode, meaning=[{"field": "lost"}, {"field": "drawn"}]) == (
        "The hello: it declares a meaning of ['drawn', 'lost'], which its episodes do not have."
    )


def test_a_role_without_its_own_observation_and_actions_has_those_of_all():
    made = Document.parse(changed(LEAST, agent_roles=["a", "b"]))
    assert made.observation_of("a") == made.observation and made.actions_of("b") == made.actions
    unequal = Document.parse(UNEQUAL)
    assert [field.name for field in unequal.observation_of("seeker")] == ["rays", "place"]
    assert [field.start for field in unequal.observation_of("seeker")] == [0, 8]
    assert [action.name for action in unequal.actions_of("hider")] == ["hide"]


# ---------------------------------------------------------------- contradictions


@pytest.mark.parametrize("given", [None, [], "tag", 3])
def test_a_document_is_an_object(given):
    kind = type(given).__name__
    with pytest.raises(SpecError, match=f"The game's spec is {kind}, expected an object with name"):
        Document.parse(given)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_schema_version_is_refused_with_both(version):
    document = LEAST | {"schema_version": version}
    with pytest.raises(SpecError, match=rf"has schema_version {version!r}, this Sandlot reads 1\."):
        Document.parse(document)
    assert Document.parse(LEAST | {"schema_version": 1}).schema_version == SCHEMA_VERSION == 1


ROLES = ["seeker", "hider"]
OUTCOME = {"name": "winner", "kind": "outcome", "labels": ["nobody", "seeker"]}
CHOICE = {"name": "go", "kind": "choice"}
X = [{"name": "x"}]
BOT = {"name": "sit", "role": "all", "levels": 1}
KNOB = {"name": "wind", "low": 0, "high": 1, "defaults": [0]}
STYLE = {"role": "agent", "colour": "#ff0000", "on_dark": "#ff0000"}
FLAT = [{"name": "x", "shape": [0]}]


def outcome(role="agent", equals="nobody", means="win"):
    return {"outcomes": [{"role": role, "field": "winner", "equals": equals, "means": means}]}


BIG = MOST_ENTRIES

CONTRADICTIONS = {
    "no name": ({"name": None}, "name: Field required"),
    "an empty name": ({"name": ""}, "name: String should have at least 1 character"),
    "an unknown source": ({"source": "dream"}, "source: Input should be 'engine', 'godot'"),
    "an unknown play": ({"play": "alone"}, "play: Input should be 'single', 'competitive'"),
    "nothing to see": ({"observation": []}, "observation has no field; an agent must see something"),
    "no observation": ({"observation": None}, "observation has no field"),
    "nothing to do": ({"actions": []}, "actions has no entry; an agent must be able to do something"),
    "no actions": ({"actions": None}, "actions has no entry"),
    "actions that are no list": ({"actions": "push"}, "actions has no entry"),
    "an observation that is not a list": (
        {"observation": {"name": "x"}},
        "observation is not a list of fields",
    ),
    "a field that is none": ({"observation": ["x"]}, "observation is not a list of fields"),
    "a shape that is none": ({"observation": [{"name": "x", "shape": 3}]}, "observation: x has shape 3"),
    "a size of zero": (
        {"observation": [{"name": "x", "shape": [0]}]}, "x has shape [0]; expected positive sizes"),
    "a negative size": ({"info": [{"name": "x", "shape": [2, -1]}]}, "info: x has shape [2, -1]"),
    "a size that is text": ({"render": [{"name": "x", "shape": ["a"]}]}, "render: x has shape ['a']"),
    "no size": ({"observation": [{"name": "x", "shape": []}]}, "observation.0: x has shape []"),
    "a huge field": ({"observation": [{"name": "x", "shape": [BIG + 1]}]}, f"more than {BIG} numbers"),
    "huge together": (
        {"observation": [{"name": "x", "shape": [BIG]}, {"name": "y"}]}, "observation has more than"),
    "a doubled field": ({"observation": [{"name": "x"}, {"name": "x"}]}, "observation names 'x' twice"),
    "a doubled action": ({"actions": [{"name": "x"}, {"name": "x"}]}, "actions names 'x' twice"),
    "a doubled sum": ({"episode": [{"name": "x"}, {"name": "x"}]}, "episode names 'x' twice"),
    "a doubled metric": ({"info": [{"name": "x"}, {"name": "x"}]}, "info names 'x' twice"),
    "a doubled block": ({"render": [{"name": "x"}, {"name": "x"}]}, "render names 'x' twice"),
    "a doubled setting": (
        {"knobs": [{"name": "x", "defaults": [0]}, {"name": "x", "defaults": [0]}]}, "knobs names 'x' twice"),
    "a choice of nothing": ({"actions": [CHOICE]}, "the choice go has 0 options; expected two or more"),
    "a choice of one": ({"actions": [CHOICE | {"options": ["a"]}]}, "the choice go has 1 options"),
    "a doubled option": (
        {"actions": [CHOICE | {"options": ["a", "a"]}]}, "the choice go names an option twice"),
    "an axis that goes nowhere": (
        {"actions": [{"name": "x", "low": 2, "high": 2}]}, "the axis x goes from 2 to 2"),
    "an axis turned round": (
        {"actions": [{"name": "x", "low": 1, "high": -1}]}, "the axis x goes from 1 to -1"),
    "observations of nobody": (
        {"role_observation": {"ghost": [{"name": "x"}]}},
        "it declares the role 'ghost', which no agent has (agent)"),
    "actions of nobody": ({"role_actions": {"ghost": [{"name": "x"}]}}, "it declares the role 'ghost'"),
    "a team of nobody": (
        {"teams": {"ghost": "red"}, "agent_roles": ROLES},
        "'ghost', which no agent has (hider, seeker)"),
    "a role without observations": (
        {"agent_roles": ROLES, "role_observation": {"seeker": [{"name": "x"}]}},
        "role 'hider' lacks its own observation or actions"),
    "a role without actions": (
        {"agent_roles": ROLES, "role_actions": {"hider": [{"name": "x"}]}}, "role 'seeker' lacks its own"),
    "a role that can do nothing": (
        {"agent_roles": ROLES, "role_actions": {"seeker": [], "hider": X}}, "actions has no entry"),
    "a role's field of no size": (
        {"role_observation": {"agent": FLAT}}, "observation of agent: x has shape [0]"),
    "two headlines": (
        {"episode": [{"name": "x", "headline": True}, {"name": "y", "headline": True}]},
        "two episode fields are the headline (x, y); expected one"),
    "an outcome for nobody": (
        {"episode": [OUTCOME]} | outcome(role="x"),
        "an outcome names the role 'x', which no agent has"),
    "an outcome of no field": (
        outcome(equals="seeker"),
        "an outcome asks for winner = 'seeker', which it never is"),
    "an outcome that never is": (
        {"episode": [OUTCOME]} | outcome(equals="x"),
        "an outcome asks for winner = 'x', which it never is"),
    "an unknown meaning": (
        {"episode": [OUTCOME]} | outcome(means="glory"),
        "outcomes.0.means: Input should be 'win', 'loss' or 'draw'"),
    "too few defaults": (
        {"profiles": ["a", "b"], "knobs": [{"name": "wind", "defaults": [1]}]},
        "the setting wind has 1 defaults for 2 profiles"),
    "too many defaults": (
        {"knobs": [{"name": "wind", "defaults": [1, 2]}]}, "the setting wind has 2 defaults for 1 profiles"),
    "a role's field twice": (
        {"role_observation": {"agent": X * 2}}, "observation of agent names 'x' twice"),
    "a role's action twice": ({"role_actions": {"agent": X * 2}}, "actions of agent names 'x' twice"),
    "a won loss": (
        {"episode": [OUTCOME], "outcomes": outcome()["outcomes"] + outcome(means="loss")["outcomes"]},
        "winner = 'nobody' is declared a win and a loss for agent"),
    "an outcome twice": (
        {"episode": [OUTCOME], "outcomes": outcome()["outcomes"] * 2},
        "winner = 'nobody' is declared twice for agent"),
    "an outcome of a code": (
        {"episode": [OUTCOME | {"kind": "code"}]} | outcome(), "winner, which is of kind code, not outcome"),
    "two outcomes": (
        {"episode": [OUTCOME, OUTCOME | {"name": "other"}]},
        "two episode fields are the outcome (winner, other)"),
    "a code without labels": (
        {"episode": [{"name": "x", "kind": "code"}]}, "x is of kind code and has no labels"),
    "a doubled label": (
        {"episode": [OUTCOME | {"labels": ["a", "a"]}]}, "labels of winner names 'a' twice"),
    "a flag of two numbers": (
        {"episode": [{"name": "x", "kind": "flag", "shape": [2]}]},
        "x is of kind flag, with 2 numbers; expected one"),
    "a headline without direction": (
        {"episode": [{"name": "x", "headline": True}]}, "x is the headline, by which play is ranked"),
    "an alias that is a name": (
        {"episode": [{"name": "x", "alias": "y"}, {"name": "y"}]}, "the alias of x is y, which another"),
    "an alias of two": (
        {"episode": [{"name": "x", "alias": "z"}, {"name": "y", "alias": "z"}]}, "aliases names 'z' twice"),
    "a sum that every episode has": ({"episode": [{"name": "seed"}]}, "an episode field is called seed"),
    "a range turned round": (
        {"observation": [{"name": "x", "low": 2, "high": 1}]}, "observation.0: x goes from 2 to 1"),
    "a bound that is none": (
        {"observation": [{"name": "x", "low": math.nan}]}, "observation.0.low: Input should be a finite"),
    "a scale of nothing": (
        {"observation": [{"name": "x", "scale": 0}]}, "observation.0.scale: Input should be greater than 0"),
    "labels for other numbers": (
        {"observation": [{"name": "x", "shape": [3], "labels": ["a", "b"]}]},
        "observation: x has 2 labels for 3 numbers"),
    "a flat picture": (
        {"observation": [{"name": "x", "image": True, "shape": [9]}]}, "the picture x has shape [9]"),
    "half a number": ({"observation": [{"name": "x", "shape": [1.5]}]}, "observation: x has shape [1.5]"),
    "numbers without end": (
        {"observation": [{"name": "x", "shape": [math.inf]}]}, "observation: x has shape [inf]"),
    "a default out of range": (
        {"knobs": [KNOB | {"defaults": [5]}]}, "the setting wind is 5 by default; expected a number from 0"),
    "a default between two choices": (
        {"knobs": [KNOB | {"kind": "choice", "choices": ["a"], "defaults": [1]}]},
        "the setting wind is 1 by default; expected 0 to 0, the place of its choice"),
    "a choice of no settings": (
        {"knobs": [KNOB | {"kind": "choice"}]}, "the setting wind chooses from []; expected names"),
    "a setting called profile": ({"knobs": [KNOB | {"name": "profile"}]}, "a setting is called profile"),
    "no profiles": ({"profiles": []}, "profiles is empty; leave it out"),
    "a profile twice": ({"profiles": ["a", "a"]}, "profiles names 'a' twice"),
    "a bot twice": ({"bots": [BOT, BOT]}, "bots names 'sit' twice"),
    "a bot without a name": ({"bots": [{"role": "all"}]}, "bots has an entry without a name"),
    "a bot for nobody": ({"bots": [BOT | {"role": "x"}]}, "the bot sit plays the role 'x', which no agent"),
    "a bot of no levels": ({"bots": [BOT | {"levels": 0}]}, "the bot sit has levels 0"),
    "an unknown default bot": (
        {"bots": [BOT], "default_bots": {"agent": "run"}}, "the default bot of agent is 'run', which is no"),
    "a default bot of nobody": (
        {"bots": [BOT], "default_bots": {"x": "sit"}}, "default_bots names the role 'x'"),
    "compared by nothing": ({"bots": [BOT], "compared_by": {"sit": "x"}}, "compared_by says sit = x"),
    "a derived metric of itself": (
        {"derived": [{"name": "x", "above": "x", "below": "y"}]}, "the derived metric x is made of itself"),
    "a field in play that is not there": ({"in_play": "x"}, "in_play is 'x'; expected an info field"),
    "an order that lacks a role": (
        {"agent_roles": ROLES, "roles": ["seeker"]}, "roles lacks hider, which agent_roles has"),
    "an order with nobody": ({"roles": ["agent", "ghost"]}, "it declares the role 'ghost'"),
    "no agents": ({"agent_roles": []}, "agent_roles is empty; a world has at least one agent"),
    "agents that are no list": ({"agent_roles": "agent"}, "agent_roles is str, expected a list"),
    "a role that is a path": ({"agent_roles": ["a/b"]}, "a role is called 'a/b'; expected letters"),
    "a name that is a path": ({"name": "../x"}, "name is '../x'; expected a plain name"),
    "other agents than roles": (
        {"shape": {"agents": 3, "observation": 1}}, "shape.agents is 3, and agent_roles names 1"),
    "other numbers than fields": (
        {"shape": {"agents": 1, "observation": 7}}, "shape.observation is 7, and its fields have 1 numbers"),
    "other actions than listed": (
        {"shape": {"agents": 1, "observation": 1, "action_size": 2}},
        "shape.action_size is 2, and 1 actions are listed"),
    "a mask of axes": ({"masked": True}, "masked says that options can be illegal"),
    "a reward term twice": ({"reward_terms": X * 2}, "reward_terms names 'x of all' twice"),
    "a reward of nobody": (
        {"reward_terms": [{"name": "x", "role": "y"}]}, "the reward term x is of the role 'y'"),
    "an event without a name": ({"events": [{}]}, "events has an entry without a name"),
    "an event twice": ({"events": X * 2}, "events names 'x' twice"),
    "a style twice": ({"role_styles": [STYLE, STYLE]}, "role_styles names 'agent' twice"),
    "a colour that is none": (
        {"role_styles": [STYLE | {"colour": "red"}]}, "has the colour 'red'; expected #rrggbb"),
    "time that stands still": ({"tick_rate": 0}, "tick_rate: Input should be greater than 0"),
    "no ticks": ({"ticks_per_step": 0}, "ticks_per_step: Input should be greater than or equal to 1"),
    "one agent that competes": (
        {"play": "competitive"}, "play is competitive, and 1 agents, their teams and who wins"),
    "two agents alone": ({"play": "single", "agent_roles": ROLES}, "by which outcome say cooperative"),
    "tables of roles that are none": ({"role_actions": [1]}, "role_actions is list, expected an object"),
    "a meaning of no field": ({"meaning": [{}]}, "meaning and aliases are lists of objects"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_a_contradiction_is_a_sentence_that_names_it(case):
    parts, sentence = CONTRADICTIONS[case]
    assert sentence in refusal(**parts)


def test_as_many_numbers_as_a_block_may_have_are_taken():
    made = Document.parse(changed(LEAST, observation=[{"name": "x", "shape": [MOST_ENTRIES]}]))
    assert made.shape.observation == MOST_ENTRIES == 1 << 20


# ---------------------------------------------------------------- settings of a document

FLOAT = Knob(name="wind", low=0, high=5, defaults=(1,), unit="m/s", text="of the air")
WHOLE = Knob(name="boxes", kind="integer", low=1, high=9, defaults=(2,))
FLAG = Knob(name="night", kind="flag", low=0, high=1, defaults=(0,))
CHOSEN = Knob(name="arena", kind="choice", choices=("hall", "yard"), defaults=(0,))


@pytest.mark.parametrize(
    ("knob", "value", "number"),
    [
        (FLOAT, 0, 0.0), (FLOAT, 5, 5.0), (FLOAT, 2.5, 2.5), (WHOLE, 9, 9.0), (WHOLE, 3.0, 3.0),
        (FLAG, True, 1.0), (FLAG, False, 0.0), (FLAG, 1, 1.0), (CHOSEN, "hall", 0.0), (CHOSEN, "yard", 1.0),
    ],
)  # fmt: skip
def test_a_value_becomes_the_number_that_the_game_takes(knob, value, number):
    assert knob.number(value) == number and type(knob.number(value)) is float


@pytest.mark.parametrize(
    ("knob", "value", "expected"),
    [
        (FLOAT, -0.1, "a number from 0 to 5 m/s (of the air)"), (FLOAT, 5.1, "a number from 0 to 5 m/s"),
        (FLOAT, float("nan"), "a number"), (FLOAT, "2", "a number"), (FLOAT, True, "a number"),
        (FLOAT, None, "a number"), (WHOLE, 1.5, "a whole number from 1 to 9 ("), (WHOLE, 0, "a whole number"),
        (FLAG, 0.5, "true or false"), (FLAG, 2, "true or false"), (FLAG, "yes", "true or false"),
    ],
)  # fmt: skip
def test_a_value_that_is_none_is_refused_with_what_would_be_one(knob, value, expected):
    with pytest.raises(ConfigError) as problem:
        knob.number(value)
    assert str(problem.value).startswith(f"{knob.name} = {value!r}: expected {expected}")


def test_an_unknown_choice_names_the_nearest():
    with pytest.raises(UnknownName, match=r"no choice for arena called 'hal'. Did you mean 'hall'"):
        CHOSEN.number("hal")


def test_a_games_number_is_shown_as_a_person_writes_it():
    shown = [FLOAT.value(2.5), WHOLE.value(3.0), FLAG.value(1.0), FLAG.value(0.0), CHOSEN.value(1.0)]
    assert shown == [2.5, 3, True, False, "yard"]
    assert [type(value) for value in shown] == [float, int, bool, bool, str]


# ---------------------------------------------------------------- digest and schema


def test_a_digest_depends_on_values_and_not_on_the_order_of_keys():
    assert digest({"a": 1, "b": [2, "ä"]}) == digest({"b": [2, "ä"], "a": 1}) == "6887c7981b8e4255"
    assert digest({"a": 1, "b": [2]}) != digest({"a": 1, "b": [3]})


def test_the_kept_schema_is_what_the_program_prints():
    command = [sys.executable, "-m", "sandlot.spec"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    schema = json.loads(printed)
    assert schema == json.loads((ROOT / "docs" / "spec_schema.json").read_text())
    assert schema["title"] == f"Sandlot game, schema version {SCHEMA_VERSION}"
    assert schema["required"] == ["name"] and schema["$schema"].startswith("https://json-schema.org/")
