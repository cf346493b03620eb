"""A document under chosen settings: what roles see and do, who wins, what is ranked, what a hash covers."""

import numpy as np
import pytest

from sandlot.errors import ConfigError, SpecError, UnknownName
from sandlot.spec import Document, Spec
from sandlot.spec.spec import named

from .documents import LEAST, UNEQUAL, changed


def spec_of(document, config=None, **parts) -> Spec:
    given = changed(document, **parts)
    return Spec(Document.parse(given), given, config)


LITTLE, WHOLE = spec_of(LEAST), spec_of(UNEQUAL)
ALIKE = changed(UNEQUAL, role_observation=None, role_actions=None) | {
    "observation": [
        {"name": "rays", "shape": [4, 2]},
        {"name": "role", "shape": [2], "labels": ["seeker", "hider"]},
    ],
    "actions": [{"name": "steer"}, {"name": "go", "kind": "choice", "options": ["a", "b", "c"]}],
}  # fmt: skip


# ---------------------------------------------------------------- what a document says nothing about


def test_the_least_document_is_a_game_of_one_role_without_outcome_headline_or_rate():
    spec = LITTLE
    assert (spec.game, spec.title, spec.version, spec.profile) == ("least", "least", "1", "default")
    assert (spec.agents, spec.roles, spec.observation_size, spec.action_size) == (1, ("agent",), 1, 1)
    assert (spec.discrete, spec.masked, spec.action_count, spec.action_names) == (False, False, 0, ("push",))
    assert (spec.outcome, spec.headline, spec.tick_rate, spec.source) == (None, None, None, "engine")
    assert (spec.winners, spec.winning_codes("agent")) == (("nobody", "agent"), [])
    assert (spec.codes, spec.measures, spec.flags, spec.role_flags) == ({}, (), (), {})
    assert (spec.config, spec.settings, spec.bots) == ({}, {"profile": "default"}, {})
    assert spec.compared_by("anybody") is None and spec.address == "least"


def test_a_spec_knows_what_opens_its_game_again():
    document = Document.parse(LEAST)
    assert Spec(document, LEAST, None, "gym:Least-v1").address == "gym:Least-v1"


def test_title_and_text_are_the_documents():
    assert (WHOLE.title, WHOLE.text) == ("Unequal", "two of one kind, one of another")
    assert WHOLE.json["text"] == WHOLE.text


# ---------------------------------------------------------------- settings and time


def test_settings_are_shown_as_people_write_them_and_make_the_same_spec_again():
    spec = spec_of(UNEQUAL, {"profile": "wild", "wind": 2})
    assert spec.config == {"wind": 2.0, "boxes": 3, "night": True, "arena": "yard"}
    assert spec.settings == {"profile": "wild"} | spec.config
    again = spec_of(UNEQUAL, spec.settings)
    assert (again.hash, again.knob_values) == (spec.hash, [2.0, 3.0, 1.0, 1.0])


def test_a_wrong_setting_is_refused():
    with pytest.raises(ConfigError, match="wind = 9"):
        spec_of(UNEQUAL, {"wind": 9})


def test_the_tick_rate_is_the_documents_or_that_of_the_setting():
    setting = {"name": "tick_rate", "low": 1, "high": 120, "defaults": [60]}
    assert WHOLE.tick_rate == 20.0
    assert spec_of(LEAST, {"tick_rate": 30}, knobs=[setting]).tick_rate == 30.0
    assert spec_of(LEAST, {"tick_rate": 30}, knobs=[setting], tick_rate=50).tick_rate == 50.0


# ---------------------------------------------------------------- who wins, and what is ranked


def test_outcomes_say_with_which_codes_a_role_wins_loses_or_draws():
    assert WHOLE.outcome.name == "winner" and WHOLE.winners == ("nobody", "seekers", "the hider")
    assert (WHOLE.winning_codes("seeker"), WHOLE.winning_codes("seeker", "loss")) == ([1], [2])
    assert (WHOLE.winning_codes("hider"), WHOLE.winning_codes("hider", "draw")) == ([2], [0])
    assert WHOLE.winning_codes("seeker", "draw") == WHOLE.winning_codes("ghost") == []


def test_who_plays_with_whom_follows_from_agents_teams_and_winners():
    assert spec_of(LEAST).play == "single" and WHOLE.play == "teams", "two seekers against a hider"
    assert spec_of(UNEQUAL, agent_roles=["seeker", "hider"]).play == "competitive"
    together = {"outcomes": [{"role": "seeker", "field": "winner", "equals": "seekers", "means": "win"}]}
    assert spec_of(UNEQUAL, **together).play == "cooperative", "one side alone can win"
    assert spec_of(LEAST, agent_roles=["a", "b"]).play == "cooperative"
    assert spec_of(UNEQUAL, play="teams").play == "teams"


def test_a_game_of_several_roles_without_outcome_names_nobody_and_its_roles_once():
    assert spec_of(UNEQUAL, episode=None, outcomes=None, compared_by=None).winners == (
        "nobody",
        "seeker",
        "hider",
    )


def test_the_headline_is_the_declared_field_else_the_return_else_nothing():
    assert WHOLE.headline.name == "tags"
    declared = [{"name": "return"}, {"name": "points", "headline": True, "better": "higher"}]
    assert spec_of(LEAST, episode=declared).headline.name == "points"
    assert spec_of(LEAST, episode=declared[::-1]).headline.name == "points"
    assert spec_of(LEAST, episode=[{"name": "points"}, {"name": "return"}]).headline.name == "return"
    assert spec_of(LEAST, episode=[{"name": "points"}]).headline is None


def test_others_are_compared_with_a_bot_in_the_field_it_names_else_in_the_headline():
    named_field = spec_of(UNEQUAL, compared_by={"chase": "found"})
    assert named_field.compared_by("chase").name == "found"
    assert named_field.compared_by("sit").name == named_field.compared_by("other").name == "tags"


def test_codes_measures_and_flags_are_told_apart():
    assert WHOLE.codes == {"winner": ("nobody", "seekers", "the hider"), "reason": ("time", "tag")}
    assert (WHOLE.measures, WHOLE.flags) == (("tags",), ("found",))
    several = [{"name": "terms", "shape": [3]}, {"name": "return"}, {"name": "points"}]
    assert spec_of(LEAST, episode=several).measures == ("points",), "no block, and not the return"


# ---------------------------------------------------------------- roles


def test_each_role_of_different_sizes_has_a_spec_of_its_own():
    seeker, hider = WHOLE.for_role("seeker"), WHOLE.for_role("hider")
    assert (WHOLE.observation_size, WHOLE.action_size, WHOLE.discrete) == (10, 2, False)
    assert (seeker.observation_size, seeker.action_size, seeker.discrete) == (10, 2, False)
    assert (hider.observation_size, hider.action_size, hider.action_count) == (1, 1, 3)
    assert hider.discrete and hider.action_names == ("no", "box", "wall")
    assert [field.name for field in seeker.observation] == ["rays", "place"]
    assert (seeker.roles, seeker.episode, seeker.settings) == (WHOLE.roles, WHOLE.episode, WHOLE.settings)
    assert {each.interface_hash for each in (seeker, hider)} == {WHOLE.interface_hash}
    assert {each.hash for each in (seeker, hider)} == {WHOLE.hash}, "it is the same game"
    assert seeker.for_role("hider").observation_size == 1, "and the other role is still known"


def test_a_roles_spec_keeps_settings_and_address():
    document = Document.parse(UNEQUAL)
    hider = Spec(document, UNEQUAL, {"wind": 3}, "godot:x").for_role("hider")
    assert (hider.config["wind"], hider.address) == (3.0, "godot:x")


def test_where_roles_are_alike_each_has_the_whole_spec():
    spec = spec_of(ALIKE)
    assert spec.for_role("seeker") is spec and spec.for_role("hider") is spec


def test_roles_that_differ_in_actions_alone_keep_the_observation_of_all():
    actions = {"seeker": [{"name": "x"}, {"name": "y"}], "hider": [{"name": "x"}]}
    spec = spec_of(ALIKE, role_actions=actions)
    assert [spec.for_role(role).action_size for role in ("seeker", "hider")] == [2, 1]
    assert spec.for_role("hider").observation_size == spec.observation_size == 10


def test_the_entry_that_says_who_has_which_role_carries_the_roles_name():
    assert spec_of(ALIKE).role_flags == {"seeker": 8, "hider": 9}
    fewer = [{"name": "role", "shape": [4], "labels": ["seeker", "hider"]}]
    assert spec_of(ALIKE, observation=fewer).role_flags == {}, "labels of something else than its entries"
    others = [{"name": "role", "shape": [2], "labels": ["red", "hider"]}]
    assert spec_of(ALIKE, observation=others).role_flags == {"hider": 1}


# ---------------------------------------------------------------- saved


def test_a_stored_spec_is_restored_with_its_settings_and_address():
    spec = Spec(Document.parse(UNEQUAL), UNEQUAL, {"wind": 3}, "godot:x")
    again = Spec.restored(spec.stored())
    assert (again.hash, again.settings, again.address) == (spec.hash, spec.settings, "godot:x")


@pytest.mark.parametrize(
    "stored", [None, [], {}, {"document": UNEQUAL}, {"document": UNEQUAL, "settings": 3}]
)
def test_what_holds_no_spec_is_refused_by_its_place(stored):
    with pytest.raises(SpecError, match=r"^The run's spec holds no spec: expected an object"):
        Spec.restored(stored, "The run's spec")


# ---------------------------------------------------------------- observations and actions


def test_a_part_of_the_observation_is_found_by_its_name():
    spec = spec_of(ALIKE)
    assert spec.field("role") == slice(8, 10) and spec.entry("rays").shape == (4, 2)
    with pytest.raises(UnknownName, match=r"no observation field of unequal called 'ray'"):
        spec.field("ray")


def test_bounds_of_an_action_are_those_of_its_columns():
    low, high = spec_of(ALIKE).action_bounds
    assert (low.tolist(), high.tolist(), low.dtype) == ([-1.0, 0.0], [1.0, 2.0], np.float32)
    low, high = WHOLE.action_bounds
    assert (low.tolist(), high.tolist()) == ([-1.0, -1.0], [2.0, 1.0]), "wide enough for each role"
    low, high = WHOLE.for_role("hider").action_bounds
    assert (low.tolist(), high.tolist()) == ([0.0], [2.0])


def test_named_numbers_are_floats_and_arrays_that_are_copies():
    values = np.arange(10, dtype=np.float32)
    shown = named(WHOLE.for_role("seeker").observation + LITTLE.observation, values)
    assert shown["rays"].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]] and shown["place"].tolist() == [8, 9]
    assert shown["height"] == 0.0 and type(shown["height"]) is float
    values[:] = 0
    assert shown["place"].tolist() == [8, 9]


def test_a_spec_names_itself():
    assert repr(spec_of(ALIKE)) == "Spec(unequal 3, calm, 3 agents, 10 observations, 2 actions)"
    assert "3 actions" in repr(WHOLE.for_role("hider"))


# ---------------------------------------------------------------- hashes

RULES = {
    "name": {"name": "other"},
    "version": {"version": "4"},
    "a default": {"knobs": [UNEQUAL["knobs"][0] | {"defaults": [2, 4]}, *UNEQUAL["knobs"][1:]]},
    "a setting more": {"knobs": [*UNEQUAL["knobs"], {"name": "rain", "defaults": [0, 0]}]},
    "a sum more": {"episode": [*UNEQUAL["episode"], {"name": "steps"}]},
}
INTERFACE = {
    "a field's name": {"role_observation": UNEQUAL["role_observation"] | {"hider": [{"name": "sound"}]}},
    "a field's shape": {
        "role_observation": UNEQUAL["role_observation"] | {"hider": [{"name": "noise", "shape": [2]}]}
    },
    "an option": {
        "role_actions": UNEQUAL["role_actions"]
        | {"hider": [{"name": "hide", "kind": "choice", "options": ["no", "box", "tree"]}]}
    },
    "a kind": {"role_actions": UNEQUAL["role_actions"] | {"hider": [{"name": "hide"}]}},
    "the roles' order": {"agent_roles": ["hider", "seeker", "seeker"]},
    "the roles' numbers": {"agent_roles": ["seeker", "hider"]},
}
LOOKS = {
    "title": {"title": "Another"},
    "text": {"text": "said otherwise"},
    "render": {"render": [{"name": "more", "shape": [9]}]},
    "events": {"events": []},
    "bots": {"bots": [], "default_bots": {}, "compared_by": {}},
    "units": {"info": [{"name": "left", "unit": "m"}]},
}


@pytest.mark.parametrize("change", [*RULES, *INTERFACE])
def test_the_rules_hash_changes_with(change):
    assert spec_of(UNEQUAL, **(RULES | INTERFACE)[change]).hash != WHOLE.hash


@pytest.mark.parametrize("change", INTERFACE)
def test_the_interface_hash_changes_with(change):
    assert spec_of(UNEQUAL, **INTERFACE[change]).interface_hash != WHOLE.interface_hash


@pytest.mark.parametrize("change", [*RULES, *LOOKS])
def test_the_interface_hash_does_not_change_with(change):
    assert spec_of(UNEQUAL, **(RULES | LOOKS)[change]).interface_hash == WHOLE.interface_hash


@pytest.mark.parametrize("change", LOOKS)
def test_the_rules_hash_does_not_change_with(change):
    assert spec_of(UNEQUAL, **LOOKS[change]).hash == WHOLE.hash


def test_settings_change_the_rules_and_not_the_interface():
    windy = spec_of(UNEQUAL, {"wind": 3})
    assert windy.hash != WHOLE.hash and windy.interface_hash == WHOLE.interface_hash
    assert spec_of(UNEQUAL, {"wind": 1}).hash == WHOLE.hash, "the default, written out"


def test_the_engines_own_hash_counts_where_it_gives_one():
    assert spec_of(UNEQUAL, hash="0123456789abcdef").hash == "0123456789abcdef"
    assert len(WHOLE.hash) == len(WHOLE.interface_hash) == 16 and WHOLE.hash != WHOLE.interface_hash
