"""The metrics of a checkpoint, each recomputed from the episodes that were played."""

import numpy as np
import pytest

from sandlot.evaluate.anchors import anchor_ratings, anchor_samples
from sandlot.evaluate.play import play
from sandlot.evaluate.scoring import evaluate, head_to_head
from sandlot.evaluate.shares import Tally, shares_of
from sandlot.evaluate.statistics import bootstrap, proportion
from sandlot.games import bot
from sandlot.rating import Result, estimate
from sandlot.worlds import Episodes, load_spec

SHORT = {"time_max": 300}
BRIEF = {"time_limit": 1.0}
SEEDS = range(6)
SCRIPTED = (("seeker", "hider", ("evade", "wander")), ("hider", "seeker", ("chase", "wander", "ambush")))


def episodes_with(spec, **columns):
    """Episodes whose named sums are these, all else zero."""
    count = len(next(iter(columns.values())))
    values = np.zeros((count, max(f.start + f.size for f in spec.episode)), np.float32)
    for field in spec.episode:
        if field.name in columns:
            values[:, field.start] = columns[field.name]
    return Episodes(spec.episode, np.zeros(count), values)


def test_the_settings_of_a_spec_name_its_profile_too():
    spec = load_spec("prospector", SHORT)
    assert spec.settings == {"profile": spec.profile, **spec.config}
    assert load_spec("prospector", spec.settings).hash == spec.hash


def test_a_pilot_is_judged_by_the_mean_of_its_episodes():
    pilot = bot("prospector", "greedy_miner", config=SHORT)
    found = evaluate({"pilot": pilot}, SEEDS)
    played = play("prospector", pilot, SEEDS, SHORT)
    assert found["episodes"] == 6
    assert found["net_profit_mean"] == float(played.column("net_profit").mean())
    assert found["ticks_mean"] == float(played.column("ticks").mean()) and "terms_mean" not in found
    profit = bootstrap(played.column("net_profit"))
    assert (found["value"], found["value_low"], found["value_high"]) == (
        profit.value,
        profit.low,
        profit.high,
    )
    survived = proportion(float(played.column("survival").sum()), 6)
    assert found["survival_rate"] == survived.value
    assert found["intervals"]["survival_rate"] == survived.interval
    assert found["intervals"].keys() == {
        "survival_rate", "destroyed_rate", "stranded_rate", "cash_out_rate", "time_rate",
    }  # fmt: skip


def test_a_game_is_compared_by_the_headline_it_declares():
    pilot = bot("landing", "autopilot", 1)
    found = evaluate({"pilot": pilot}, SEEDS)
    played = play("landing", pilot, SEEDS)
    assert found["value"] == bootstrap(played.column("success")).value
    assert found["success_rate"] == proportion(float(played.column("success").sum()), 6).value
    assert "success_mean" not in found and "survival_rate" not in found["intervals"]


def test_endings_and_flags_are_shares_by_label_and_no_ending_is_none_of_them():
    spec = load_spec("prospector")
    played = episodes_with(spec, ending=[0, 1, 4, 4], survival=[1, 0, 1, 1], destroyed=[0, 1, 0, 0])
    assert shares_of(spec, played) == {
        "survival_rate": proportion(3, 4),
        "destroyed_rate": proportion(1, 4),
        "stranded_rate": proportion(0, 4),
        "cash_out_rate": proportion(0, 4),
        "time_rate": proportion(2, 4),
    }


def test_a_tally_counts_wins_of_its_own_role_and_halves_draws():
    spec = load_spec("tag")
    played = episodes_with(spec, winner=[0, 1, 1, 2, 0])
    assert Tally.of(spec, played, "seeker") == Tally(wins=2, draws=2, matches=5)
    assert Tally.of(spec, played, "hider") == Tally(wins=1, draws=2, matches=5)
    assert Tally(2, 2, 5).points == 3.0 and Tally(2, 2, 5).score == proportion(3.0, 5)


def test_two_roles_are_rated_by_matches_with_every_scripted_player_of_the_other():
    config = load_spec("tag", BRIEF).settings
    policies = {"seeker": bot("tag", "chase", 2, config), "hider": bot("tag", "evade", 2, config)}
    found = evaluate(policies, SEEDS)
    results = []
    for role, other, names in SCRIPTED:
        for name in names:
            for level in (1, 2, 3):
                sides = {role: policies[role], other: bot("tag", name, level, config, seed=level)}
                winners = play("tag", sides, SEEDS, config).column("winner").tolist()
                code = {"seeker": 1, "hider": 2}[role]
                points = winners.count(code) + winners.count(0) / 2
                assert found[f"{role}_beats_{name}_{level}"] == points / 6
                assert found["intervals"][f"{role}_beats_{name}_{level}"] == proportion(points, 6).interval
                results.append(Result(f"{role} now", f"{other} {name}:{level}", points, 6))
    ratings = estimate(results, anchor_ratings("tag", config), anchor_samples("tag", config))
    for role in policies:
        assert found[f"{role}_rating"] == ratings[f"{role} now"].value
        assert found["intervals"][f"{role}_rating"] == ratings[f"{role} now"].interval
    assert found["value"] == pytest.approx((found["seeker_rating"] + found["hider_rating"]) / 2)
    assert not any("beats_chase" in name for name in found if name.startswith("seeker"))
    met = head_to_head(policies, SEEDS)
    assert found["seeker_win_rate"] == met.shares["seeker_win_rate"].value
    assert found["duration_s_mean"] == met.metrics["duration_s_mean"]


def test_one_role_alone_has_a_rating_and_no_matches_of_its_own():
    config = load_spec("tag", BRIEF).settings
    found = evaluate({"hider": bot("tag", "evade", 2, config)}, SEEDS)
    assert found["value"] == found["hider_rating"] and found["episodes"] == 6
    assert not any(name.startswith("seeker") for name in found) and "draw_rate" not in found


def test_a_meeting_of_two_policies_is_scored_for_the_first_role():
    config = load_spec("tag", {"mode": "switch", "time_limit": 1.0}).settings
    sides = {"seeker": bot("tag", "chase", 3, config), "hider": bot("tag", "evade", 3, config)}
    met = head_to_head(sides, SEEDS)
    assert met.score == 0.5
    assert met.shares == {"seeker_win_rate": proportion(0, 6), "draw_rate": proportion(6, 6)}
    assert met.metrics["duration_s_mean"] == pytest.approx(1.0, abs=0.06)
