"""What a report on one checkpoint says: expectations, matchups, transfer between engines."""

from dataclasses import replace

import pytest

from sandlot.evaluate import report as module
from sandlot.evaluate.anchors import anchor_ratings, anchor_samples
from sandlot.evaluate.bots import bot_result
from sandlot.evaluate.play import play
from sandlot.evaluate.players import Checkpoint, Player, scripted_by_name
from sandlot.evaluate.report import (
    EvalSetup,
    Expectation,
    Matchup,
    deltas,
    expectations,
    opponents_of,
    other_role,
    play_matchup,
    play_matchups,
    play_pilots,
    rating_of,
    report_header,
    transfer,
)
from sandlot.evaluate.scoring import Tally
from sandlot.evaluate.statistics import Estimate, proportion
from sandlot.rating import Result, estimate
from sandlot.worlds import load_spec

BRIEF = load_spec("tag", {"time_limit": 1.0})
SHORT = load_spec("prospector", {"time_max": 200})


def expectation(value, low, high, margin=0.0, episodes=100):
    return Expectation("tour", "net_profit_mean", 1.0, 2.0, Estimate(value, low, high), margin, episodes)


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (0.0, 1.0, 0.0, "met"),
        (-0.001, 1.0, 0.0, "undecided"),
        (-2.0, 0.0, 0.0, "undecided"),
        (-2.0, -0.001, 0.0, "missed"),
        (-0.5, 1.0, 0.5, "met"),
        (-2.0, -0.5, 0.5, "undecided"),
        (-2.0, -0.6, 0.5, "missed"),
    ],
)
def test_a_verdict_is_reported_by_the_interval_of_the_difference(low, high, margin, verdict):
    assert expectation((low + high) / 2, low, high, margin).verdict == verdict


def test_how_many_episodes_would_decide_grows_with_the_square_of_the_interval():
    assert expectation(1.0, -1.0, 3.0).episodes_needed == 401  # half an interval is twice the difference
    assert expectation(1.0, -1.0, 3.0, margin=1.0).episodes_needed == 101
    assert expectation(-1.0, -3.0, 1.0, margin=1.0).episodes_needed is None
    assert expectation(0.5, 0.0, 1.0).as_json()["episodes_needed"] is None, "it is decided"
    reported = expectation(1.0, -1.0, 3.0, margin=0.25).as_json()
    assert reported == {
        "bot": "tour", "metric": "net_profit_mean", "value": 1.0, "bot_value": 2.0, "difference": 1.0,
        "interval": [-1.0, 3.0], "margin": 0.25, "verdict": "undecided",
        "episodes_needed": int(100 * (2 / 1.25) ** 2) + 1,
    }  # fmt: skip


def test_an_expectation_compares_the_bots_own_metric_and_with_all_profit_too():
    setup = EvalSetup(SHORT, range(6))
    mine, tour, cautious = play_pilots(
        setup,
        [scripted_by_name(SHORT, "pilot", name) for name in ("tour", "greedy_miner", "cautious_scanner")],
    )
    found = expectations(SHORT, mine, [tour, cautious], ["all"], margin=0.1)
    assert [(e.bot, e.metric) for e in found] == [
        ("greedy_miner", "net_profit_mean"),
        ("cautious_scanner", "survival_rate"),
        ("cautious_scanner", "net_profit_mean"),
    ]
    for one, other in zip(found, (tour, cautious, cautious), strict=True):
        assert (one.value, one.bot_value) == (mine.metrics[one.metric], other.metrics[one.metric])
        assert one.margin == pytest.approx(0.1 * abs(one.bot_value)) and one.episodes == 6
        column = next(f for f in SHORT.episode if f.metric == one.metric)
        assert one.difference == mine.above(other, column)
    assert SHORT.compared_by("market_timer").metric == "profit_per_tick_mean"
    assert expectations(SHORT, mine, [tour, cautious], []) == []
    assert expectations(SHORT, mine, [tour, cautious], ["cautious_scanner"])[0].margin == 0.0


def test_deltas_are_mine_less_theirs():
    setup = EvalSetup(SHORT, range(4))
    reported = []
    players = [scripted_by_name(SHORT, "pilot", name) for name in ("tour", "greedy_miner")]
    mine, other = play_pilots(setup, players, progress=lambda *row: reported.append(row))
    assert reported == [("tour", 0, 2), ("greedy_miner", 1, 2)]
    played = play("prospector", players[0].policy, range(4), SHORT.settings)
    assert mine.metrics == bot_result(SHORT, "tour", played, 4).metrics
    assert deltas(mine, [other]) == {
        "greedy_miner": {name: mine.metrics[name] - other.metrics[name] for name in mine.metrics}
    }


def players(seeker="chase:1", hider="evade:3"):
    return scripted_by_name(BRIEF, "seeker", seeker), scripted_by_name(BRIEF, "hider", hider)


def test_a_matchup_tells_wins_draws_and_what_each_reward_term_came_to():
    setup = EvalSetup(BRIEF, range(8))
    seeker, hider = players()
    found = play_matchup(setup, seeker, hider)
    played = play("tag", {"seeker": seeker.policy, "hider": hider.policy}, range(8), BRIEF.settings)
    wins = int((played.column("winner") == 1).sum())
    assert found.tally == Tally(wins, int((played.column("winner") == 0).sum()), 8)
    labels = next(f.labels for f in played.fields if f.name == "terms")
    assert found.terms == dict(zip(labels, played.column("terms").mean(axis=0).tolist(), strict=True))
    assert found.mean_seconds == float(played.column("duration_s").mean())
    assert found.as_json() == {
        "player": "chase:1", "role": "seeker", "opponent": "evade:3", "wins": wins / 8, "draws": 0.0,
        "score": wins / 8, "interval": proportion(wins, 8).interval, "mean_seconds": found.mean_seconds,
        "games": 8,
    }  # fmt: skip


def test_shares_of_no_match_are_zero_and_not_an_error():
    nobody = Matchup(*players(), Tally(0, 0, 0), 0.0)
    assert (nobody.as_json()["wins"], nobody.as_json()["draws"], nobody.terms) == (0.0, 0.0, {})


def test_wins_draws_and_score_are_shares_of_the_matches():
    reported = Matchup(*players(), Tally(3, 2, 8), 1.5).as_json()
    assert (reported["wins"], reported["draws"], reported["score"], reported["games"]) == (
        0.375,
        0.25,
        0.5,
        8,
    )


def test_every_player_meets_every_opponent_and_progress_names_them():
    setup, reported = EvalSetup(BRIEF, range(2)), []
    seekers = [players("chase:1")[0], players("wander:2")[0]]
    hiders = [players(hider="evade:1")[1], players(hider="evade:2")[1]]
    found = play_matchups(setup, seekers, hiders, progress=lambda *row: reported.append(row))
    assert [(b.player.name, b.opponent.name) for b in found] == [
        ("chase:1", "evade:1"), ("chase:1", "evade:2"), ("wander:2", "evade:1"), ("wander:2", "evade:2"),
    ]  # fmt: skip
    assert reported[1] == ("seeker chase:1 against evade:2, native", 1, 4) and [t[1] for t in reported] == [
        0,
        1,
        2,
        3,
    ]


def test_transfer_is_the_difference_between_two_engines_on_the_same_seeds(monkeypatch):
    here_setup, reported = EvalSetup(BRIEF, range(4)), []
    here = replace(play_matchup(here_setup, *players()), tally=Tally(3, 0, 4), mean_seconds=2.0)
    there = replace(
        here, tally=Tally(1, 0, 4), mean_seconds=0.5, terms={k: v - 1.0 for k, v in here.terms.items()}
    )

    def elsewhere(setup, player, opponent):
        assert (setup.engine, setup.seeds, player, opponent) == (
            "godot",
            range(4),
            here.player,
            here.opponent,
        )
        return there

    monkeypatch.setattr(module, "play_matchup", elsewhere)
    (row,) = transfer(here_setup, [here], "godot", progress=lambda *row: reported.append(row))
    assert (row["gap_points"], row["seconds_gap"]) == (50.0, 1.5)
    assert row["terms_gap"] == pytest.approx(dict.fromkeys(here.terms, 1.0))
    assert (row["here"]["engine"], row["there"]["engine"]) == ("native", "godot")
    assert (row["here"]["score"], row["there"]["score"]) == (0.75, 0.25)
    assert reported == [("seeker chase:1 against evade:3, godot", 0, 1)]


def test_a_stage_plays_scripts_natively_and_says_where_it_plays():
    setup = EvalSetup(BRIEF, range(3), threads=2, engine="godot")
    assert setup.natively() == EvalSetup(BRIEF, range(3), threads=2, engine="native")
    assert EvalSetup(BRIEF, range(3)).engine == "native" and EvalSetup(BRIEF, range(3)).threads == 1


def test_a_role_meets_every_scripted_player_of_the_other_role():
    assert (other_role(BRIEF, "seeker"), other_role(BRIEF, "hider")) == ("hider", "seeker")
    found = opponents_of(BRIEF, "hider")
    assert {p.name for p in found} == {f"{b}:{n}" for b in ("chase", "wander", "ambush") for n in (1, 2, 3)}
    assert {p.role for p in found} == {"seeker"}


def test_a_rating_rests_on_matches_with_scripted_opponents_only():
    seeker, hider = players()
    trained = Player("run@3", "hider", None, scripted=False)
    matchups = [Matchup(seeker, hider, Tally(3, 2, 8), 1.0), Matchup(seeker, trained, Tally(8, 0, 8), 1.0)]
    config = BRIEF.settings
    results = [Result("player", "hider evade:3", 4.0, 8)]
    wanted = estimate(results, anchor_ratings("tag", config), anchor_samples("tag", config))["player"]
    assert rating_of(BRIEF, matchups) == wanted


def test_a_report_begins_with_rules_seeds_and_weights():
    origin = {"run_id": "r", "window_id": 3}
    head = report_header(EvalSetup(BRIEF, range(5)), [Checkpoint("r@3", {}, origin)])
    assert head == {
        "game": "tag", "address": "tag", "profile": BRIEF.profile, "config": BRIEF.config, "spec": BRIEF.hash,
        "engine": "native", "episodes": 5, "checkpoints": [origin],
    }  # fmt: skip
