"""What a spec declares about its episodes, roles and bots, so that no other package knows a game by name."""

import pytest

from sandlot.worlds import games, load_spec


@pytest.mark.parametrize("game", games())
def test_what_is_declared_fits_the_rest_of_the_spec(game):
    spec = load_spec(game)
    assert set(spec.default_bots) == set(spec.roles)
    for role, name in spec.default_bots.items():
        assert spec.bots[name]["role"] in (role, "all")
    for field in spec.episode:
        assert field.kind in ("outcome", "code", "flag", "measure") and field.better in (
            "higher",
            "lower",
            "none",
        )
        assert bool(field.labels) or not field.is_code
    for outcome in spec.outcomes:
        assert outcome.role in spec.roles and outcome.means in ("win", "loss", "draw")
        assert outcome.equals in spec.codes[outcome.field]
    assert sum(field.headline for field in spec.episode) <= 1
    assert (len(set(spec.roles)) > 1) == bool(spec.outcomes) == bool(spec.outcome)


def test_who_wins_for_whom_is_said_for_every_label_of_the_outcome():
    spec = load_spec("tag")
    assert spec.outcome.name == "winner" and spec.headline is None
    for role in ("seeker", "hider"):
        means = {one.equals: one.means for one in spec.outcomes if one.role == role}
        assert set(means) == set(spec.outcome.labels)
        assert means[role] == "win" and means["nobody"] == "draw"


def test_a_pilot_is_ranked_by_profit_and_codes_are_not_averaged():
    spec = load_spec("prospector")
    assert (spec.headline.name, spec.headline.better) == ("net_profit", "higher")
    assert spec.codes.keys() == {"ending"}
    assert not {"ending", "return", "terms"} & set(spec.measures) and "survival" in spec.flags


@pytest.mark.parametrize("layout", ["rays", "reference84"])
def test_the_observation_says_who_has_which_role_now(layout):
    spec = load_spec("tag", {"layout": layout})
    assert spec.role_flags == {"seeker": spec.field("roles").start}
    assert load_spec("prospector").role_flags == {}
