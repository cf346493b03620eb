"""Ratings say how likely one player beats another, and mean the same from day to day."""

import itertools

import numpy as np
import pytest

from sandlot.rating import Result, chance, estimate, fit, samples


def played(skills: dict[str, float], pairs, games: int, rng=None) -> list[Result]:
    """Results as these skills bring them: what is expected, or drawn when there is a generator."""
    made = []
    for a, b in pairs:
        p = chance(skills[a], skills[b])
        made.append(Result(a, b, rng.binomial(games, p) if rng else games * p, games))
    return made


SKILLS = {"weak": 800.0, "middling": 1000.0, "good": 1150.0, "strong": 1300.0}
EVERYBODY = list(itertools.combinations(SKILLS, 2))


def test_four_hundred_points_are_ten_to_one():
    assert chance(1400, 1000) == pytest.approx(10 / 11)
    assert chance(1000, 1000) == 0.5
    assert chance(1300, 900) + chance(900, 1300) == pytest.approx(1.0)


def test_a_chance_between_players_far_apart_is_a_number():
    assert chance(1e6, 0) == 1.0 and chance(0, 1e6) == 0.0


def test_known_ratings_are_recovered_from_what_they_would_bring():
    found = fit(played(SKILLS, EVERYBODY, games=100_000))
    centre = np.mean(list(found.values())) - np.mean(list(SKILLS.values()))
    for name, skill in SKILLS.items():
        assert found[name] - centre == pytest.approx(skill, abs=0.5)


def test_known_ratings_are_recovered_from_simulated_matches():
    results = played(SKILLS, EVERYBODY, games=2000, rng=np.random.default_rng(5))
    found = fit(results, anchors={"middling": 1000.0})
    for name, skill in SKILLS.items():
        assert found[name] == pytest.approx(skill, abs=25)


def test_an_anchor_stays_and_the_others_are_measured_from_it():
    near = fit(played(SKILLS, EVERYBODY, 1000), anchors={"weak": 800.0})
    far = fit(played(SKILLS, EVERYBODY, 1000), anchors={"weak": 1800.0})
    assert near["weak"] == 800.0 and far["weak"] == 1800.0
    assert far["strong"] - near["strong"] == pytest.approx(1000, abs=2)


def test_all_anchored_is_no_work():
    assert fit(played(SKILLS, EVERYBODY, 10), anchors=SKILLS) == pytest.approx(SKILLS)


def test_who_never_lost_is_rated_high_but_finitely():
    found = fit([Result("champion", "novice", 50, 50)])
    assert 1100 < found["champion"] < 3000
    assert found["novice"] == pytest.approx(2000 - found["champion"])


def test_more_wins_without_a_loss_count_for_more():
    after = [fit([Result("new", "old", n, n)], anchors={"old": 1000.0})["new"] for n in (5, 50, 500)]
    assert after == sorted(after) and after[0] + 100 < after[-1]


def test_the_order_of_results_and_who_is_named_first_do_not_matter():
    results = played(SKILLS, EVERYBODY, 300, np.random.default_rng(1))
    turned = [Result(r.second, r.first, r.games - r.wins, r.games) for r in reversed(results)]
    assert fit(turned) == pytest.approx(fit(results), abs=1e-6)


def test_results_in_parts_are_as_good_as_together():
    whole = [Result("a", "b", 30, 40)]
    parts = [Result("a", "b", 10, 15), Result("b", "a", 5, 25)]
    assert fit(parts) == pytest.approx(fit(whole), abs=1e-6)


def test_seekers_and_hiders_who_never_meet_their_own_kind_are_on_one_scale():
    skills = {"seeker a": 1200.0, "seeker b": 900.0, "hider a": 1100.0, "hider b": 850.0, "hider c": 1000.0}
    pairs = [(s, h) for s in skills if s.startswith("seeker") for h in skills if h.startswith("hider")]
    found = fit(played(skills, pairs, 50_000), anchors={"hider c": 1000.0})
    assert found == pytest.approx(skills, abs=2)


def test_the_fit_is_finished_however_many_matches_there_were():
    """The pull toward 1000 is weak beside many matches; the common level must find it nevertheless."""
    skills = {"seeker": 1200.0, "hider": 900.0}
    results = played(skills, [("seeker", "hider")], games=1_000_000)
    found = fit(results)
    assert found["seeker"] + found["hider"] == pytest.approx(2000, abs=0.1)
    assert found["seeker"] - found["hider"] == pytest.approx(300, abs=0.1)


def test_groups_that_never_met_are_each_pulled_to_the_middle():
    found = fit([Result("a", "b", 3, 4), Result("c", "d", 30, 40)])
    assert all(np.isfinite(list(found.values())))
    assert found["a"] > 1000 > found["b"] and found["c"] > 1000 > found["d"]


def test_who_plays_itself_is_not_moved_by_it():
    found = fit([Result("me", "me", 5, 10), Result("me", "you", 1, 2)])
    assert found["me"] == pytest.approx(1000)


def test_nobody_is_rated_when_nobody_played():
    assert fit([]) == {}
    assert fit([], anchors={"chase": 1100.0}) == {"chase": pytest.approx(1100.0)}


ANCHORS = {"weak": 800.0, "middling": 1000.0, "good": 1150.0, "strong": 1300.0}


def against_anchors(skill, games, rng):
    return [
        Result("new", name, float(rng.binomial(games, chance(skill, a))), games)
        for name, a in ANCHORS.items()
    ]


@pytest.mark.parametrize("skill", [1000.0, 1500.0])
def test_the_interval_of_a_rating_holds_the_truth(skill):
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(40):
        found = estimate(against_anchors(skill, 64, rng), ANCHORS)["new"]
        assert found.low <= found.value <= found.high
        held += found.low <= skill <= found.high
    assert held >= 36


def test_an_unbeaten_player_is_known_to_be_good_and_not_how_good():
    lows = []
    for games in (16, 64, 256):
        found = estimate([Result("new", name, games, games) for name in ANCHORS], ANCHORS)["new"]
        assert found.high - found.value > 300, "a hundred points more would have brought the same results"
        assert found.value - found.low > 100
        lows.append(found.low)
    assert lows == sorted(lows), "more wins say that it is at least so good"
    never = estimate([Result("new", name, 0, 64) for name in ANCHORS], ANCHORS)["new"]
    assert never.value - never.low > 300


def test_what_is_not_known_of_the_anchors_widens_everybodys_interval():
    rng = np.random.default_rng(4)
    among = [Result(a, b, float(rng.binomial(20, chance(ANCHORS[a], ANCHORS[b]))), 20) for a, b in EVERYBODY]
    results = against_anchors(1100.0, 2000, rng)
    exact = estimate(results, ANCHORS)["new"]
    measured = estimate(results, ANCHORS, samples(among))
    assert measured["new"].high - measured["new"].low > 2 * (exact.high - exact.low)
    assert measured["good"].value == 1150.0 and measured["good"].low < 1150.0 < measured["good"].high


def test_an_interval_comes_out_the_same_twice():
    results = against_anchors(1100.0, 50, np.random.default_rng(5))
    assert estimate(results, ANCHORS) == estimate(results, ANCHORS)
