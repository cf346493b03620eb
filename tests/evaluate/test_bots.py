"""The table of scripted players: every number of it recomputed from the episodes."""

import numpy as np
import pytest

from sandlot import seeding
from sandlot.evaluate.bots import (
    SEED_LISTS,
    bot_result,
    cross_play,
    rank_bots,
    seed_list,
)
from sandlot.evaluate.play import play
from sandlot.evaluate.shares import Tally
from sandlot.evaluate.statistics import bootstrap, proportion
from sandlot.games import bot
from sandlot.worlds import Episodes, load_spec

SHORT = {"time_max": 300}
BRIEF = {"time_limit": 1.5}


def test_seeds_are_dealt_in_turn_from_the_held_out_lists():
    lists = [seeding.held_out("list", 3, number) for number in SEED_LISTS]
    assert SEED_LISTS == (7, 19, 31)
    assert seed_list(7) == [seeds[i] for i in range(3) for seeds in lists][:7]
    assert seed_list(5, lists=(7,)) == seeding.held_out("list", 5, 7)
    assert len(set(seed_list(300))) == 300


@pytest.fixture(scope="module")
def played():
    return play("prospector", bot("prospector", "greedy_miner", config=SHORT), seed_list(12), SHORT)


SPEC = load_spec("prospector", SHORT)
ENDINGS = SPEC.codes["ending"]


def test_the_metrics_of_a_pilot_are_statistics_of_its_episodes(played):
    found = bot_result(SPEC, "miner", played, 15)
    for column in (*SPEC.measures, "return"):
        assert found.metrics[f"{column}_mean"] == pytest.approx(float(played.column(column).mean())), column
        assert found.metrics[f"{column}_median"] == np.median(played.column(column)), column
    assert {"net_profit", "profit_per_tick", "scan_count", "ticks"} <= set(SPEC.measures)
    assert found.metrics["capped_episodes"] == 3
    wanted = played.column("invalid_actions").sum() / played.column("decisions").sum()
    assert found.metrics["invalid_rate"] == pytest.approx(wanted)
    for column in ("net_profit", "return"):
        assert found.estimates[f"{column}_mean"] == bootstrap(played.column(column))


def test_every_kind_of_ending_has_its_share_and_an_exact_interval(played):
    endings = np.array([1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4])
    values = played.values.copy()
    (place,) = (f.start for f in played.fields if f.name == "ending")
    values[:, place] = endings
    found = bot_result(SPEC, "any", Episodes(played.fields, played.heads, values), 12)
    for code, name in enumerate(ENDINGS):
        count = int((endings == code).sum())
        if name in ("cash_out", "time"):
            assert found.metrics[f"{name}_rate"] == count / 12
            assert found.estimates[f"{name}_rate"] == proportion(count, 12)
    assert "none_rate" not in found.metrics
    assert found.metrics["survival_rate"] == pytest.approx(played.column("survival").mean())


def test_an_invalid_action_of_nobody_who_decided_is_no_share(played):
    heads = played.heads.copy()
    heads["length"] = heads["invalid"] = 0
    found = bot_result(SPEC, "idle", Episodes(played.fields, heads, played.values), 12)
    assert found.metrics["invalid_rate"] == 0.0


def test_a_report_has_intervals_and_rows_only_where_they_are_asked_for(played):
    found = bot_result(SPEC, "miner", played, 12)
    report = found.as_json(rows=True)
    assert report["episodes"] == 12
    assert report["intervals"] == {name: one.interval for name, one in found.estimates.items()}
    assert {"net_profit_mean", "return_mean", "survival_rate"} <= set(report["intervals"])
    assert [row["seed"] for row in report["rows"]] == played.heads["seed"].tolist()
    assert isinstance(report["rows"][0]["terms"], list)
    assert "rows" not in found.as_json(rows=False)


def test_two_pilots_are_compared_on_the_seeds_that_both_finished(played):
    fewer = bot_result(SPEC, "fewer", played[:7], 12)
    ahead = played.values.copy()
    (place,) = (f.start for f in played.fields if f.name == "net_profit")
    ahead[:, place] += 10
    order = np.arange(12)[::-1]
    other = bot_result(SPEC, "ahead", Episodes(played.fields, played.heads[order], ahead[order]), 12)
    found = other.above(fewer, SPEC.headline)
    assert found.value == pytest.approx(10, rel=1e-4)
    assert found.high - found.low < 0.01, "seed by seed, whatever the order"


def test_every_scripted_pilot_plays_the_same_seeds_and_the_richest_comes_first():
    reported = []
    table = rank_bots("prospector", 6, SHORT, progress=lambda *row: reported.append(row))
    assert {c.name for c in table} == set(load_spec("prospector").bots)
    profits = [c.metrics["net_profit_mean"] for c in table]
    assert profits == sorted(profits, reverse=True)
    assert all(c.episodes.heads["seed"].tolist() == seed_list(6) for c in table)
    again = play("prospector", bot("prospector", "tour", config=SHORT), seed_list(6), SHORT)
    tour = next(c for c in table if c.name == "tour")
    assert np.array_equal(tour.episodes.values, again.values)
    assert {name for name, _, _ in reported} == set(load_spec("prospector").bots)
    assert ("tour", 6, 6) in reported and all(of == 6 for _, _, of in reported)


def test_every_seeker_meets_every_hider_and_a_draw_is_half_a_point():
    reported = []
    table = cross_play("tag", 4, BRIEF, progress=lambda *row: reported.append(row))
    seekers = [f"{name}:{level}" for name in ("chase", "wander", "ambush") for level in (1, 2, 3)]
    hiders = [f"{name}:{level}" for name in ("evade", "wander") for level in (1, 2, 3)]
    assert {m.names for m in table} == {(s, h) for s in seekers for h in hiders}
    assert len(table) == 54
    assert [done for _, done, _ in reported] == list(range(1, 55)) and {of for _, _, of in reported} == {54}
    assert reported[0][0] == " against ".join(table[0].names)
    for match in table[:3]:
        sides = {
            "seeker": bot("tag", *_named(match.names[0]), BRIEF, seed=1),
            "hider": bot("tag", *_named(match.names[1]), BRIEF, seed=2),
        }
        played = play("tag", sides, seed_list(4), BRIEF)
        winners = played.column("winner").tolist()
        assert match.tally == Tally(winners.count(1), winners.count(0), 4)
        assert match.tally.points == winners.count(1) + winners.count(0) / 2
        assert match.mean_seconds == pytest.approx(float(played.column("duration_s").mean()))
        assert match.tally.score == proportion(match.tally.points, 4)


def test_a_match_that_nobody_wins_gives_each_half_a_point():
    table = cross_play("tag", 2, {"mode": "switch", "time_limit": 1.0})
    assert {m.tally for m in table} == {Tally(0, 2, 2)} and table[0].tally.points == 1.0


def _named(player):
    name, _, level = player.partition(":")
    return name, int(level)
