"""Who wins is told by role, whoever sits first: sessions in which the second agent seeks are judged alike."""

import numpy as np
import pytest

from sandlot.evaluate.players import scripted_by_name
from sandlot.evaluate.report import EvalSetup, play_matchup
from sandlot.evaluate.scoring import evaluate
from sandlot.games import bot
from sandlot.games.live_policies import observed_roles
from sandlot.train.loop import codes_of
from sandlot.train.trainer import rates_of
from sandlot.worlds import load_spec, make

BOTH = pytest.mark.parametrize("first_is_seeker", [True, False], ids=["first", "second"])
SLOW = {"time_limit": 1.0, "seeker_speed": 0.25, "spawn_separation": 6.0}  # nobody is caught in time


@BOTH
def test_a_seeker_that_cannot_catch_anybody_loses_every_match_in_any_slot(first_is_seeker):
    spec = load_spec("tag", {**SLOW, "first_is_seeker": first_is_seeker})
    setup = EvalSetup(spec, range(8))
    slow, hider = scripted_by_name(spec, "seeker", "chase"), scripted_by_name(spec, "hider", "evade")
    assert play_matchup(setup, slow, hider).tally.score.value == 0
    assert play_matchup(setup, hider, slow).tally.score.value == 1


@BOTH
def test_windows_are_judged_alike_in_any_slot(first_is_seeker):
    spec = load_spec("tag", {**SLOW, "first_is_seeker": first_is_seeker})
    names = {"seeker": "chase", "hider": "evade"}
    result = evaluate({role: bot("tag", name, config=spec.config) for role, name in names.items()}, range(4))
    assert result["hider_beats_chase_1"] == 1 and result["seeker_beats_evade_1"] == 0
    assert result.get("seeker_win_rate", 0) == 0 and result.get("hider_win_rate", 1) == 1


@BOTH
def test_rates_and_columns_of_a_run_name_the_role_that_won(first_is_seeker):
    spec = load_spec("tag", {"first_is_seeker": first_is_seeker})
    rates = rates_of(spec)
    assert (rates["seeker_win_rate"].column, rates["seeker_win_rate"].value) == ("winner", 1.0)
    assert (rates["hider_win_rate"].column, rates["hider_win_rate"].value) == ("winner", 2.0)
    assert codes_of(spec)["winner"] == ("nobody", "seeker", "hider")


@BOTH
def test_a_live_game_is_answered_by_the_policy_of_its_role(first_is_seeker):
    with make("tag", config={"first_is_seeker": first_is_seeker}) as world:
        world.reset(seed=1)
        assert observed_roles(world.spec, np.array(world.observations)) == list(world.spec.roles)
