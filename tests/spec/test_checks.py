"""What is accepted although it looks odd; contradictions are in test_document.py, one case each."""

import pytest

import sandlot
from sandlot.spec import Document, Spec
from sandlot.spec.checks import kind_of_play

from .documents import LEAST, UNEQUAL, changed


@pytest.mark.parametrize("game", sandlot.games())
def test_the_games_of_the_engine_pass_every_check_in_each_profile(game):
    for profile in sandlot.load_spec(game).profiles:
        spec = sandlot.load_spec(game, {"profile": profile})
        assert Document.parse(spec.json) == spec.document


def test_defaults_of_32_bits_may_miss_their_bound_by_a_rounding():
    knob = {"name": "wind", "low": 0.1, "high": 0.3, "defaults": [0.30000001]}
    assert Document.parse(changed(LEAST, knobs=[knob])).knobs[0].defaults == (0.30000001,)


def test_the_same_reward_term_may_pay_two_roles():
    terms = [{"name": "time", "role": "seeker"}, {"name": "time", "role": "hider"}]
    assert len(Document.parse(changed(UNEQUAL, reward_terms=terms)).reward_terms) == 2


def test_roles_of_other_languages_are_names():
    made = Document.parse(changed(LEAST, agent_roles=["Jäger", "hare 2"]))
    assert kind_of_play(made) == "cooperative"


def test_every_part_left_out_is_still_a_game():
    spec = Spec(Document.parse(LEAST), LEAST)
    assert (spec.play, spec.roles, spec.headline, spec.masked) == ("single", ("agent",), None, False)
