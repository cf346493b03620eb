"""Two sides on the same seeds: what is compared, what is refused, when it stops."""

import json

import numpy as np
import pytest
from gate_reports import FINISHED, METRICS, REWARD, SUCCESS, report, rows

from sandlot.errors import ConfigError, GameFailed, SpecMismatch
from sandlot.gates.regression import Question, compare
from sandlot.gates.settings import parse_settings
from sandlot.gates.sides import BuildCrashed, PlayedSide, ReportSide
from sandlot.gates.verdict import read_verdict
from sandlot.gates.worker import Request

RNG = np.random.default_rng(0)
GOOD = (RNG.random(400) < 0.8).astype(float)
WORSE = GOOD * (RNG.random(400) < 0.8)


def side(given):
    return ReportSide(given, "report.json")


def gate(one, two, **question):
    return compare(side(one), side(two), Question(**question))


def settings(**regression):
    return parse_settings({"regression": regression}, "gates.toml").regression


# ---------------------------------------------------------------- verdicts


def test_the_same_report_passes_and_a_worse_one_fails():
    assert gate(report(GOOD), report(GOOD)).result == "pass"
    verdict = gate(report(GOOD), report(WORSE))
    assert (verdict.result, verdict.exit_code()) == ("fail", 1)
    assert verdict.sentence == "Fail: success." and verdict.worst[0].current < verdict.worst[0].baseline


def test_the_other_direction_is_no_regression():
    assert gate(report(WORSE), report(GOOD)).result == "pass"


def test_longer_episodes_are_neither_better_nor_worse():
    verdict = gate(report(GOOD), report(GOOD, episode_length=500.0))
    assert verdict.result == "pass" and "episode_length" not in {c.name for c in verdict.checks}


def test_rows_in_another_order_are_the_same_pairs():
    mixed = rows(WORSE)
    np.random.default_rng(1).shuffle(mixed)
    one, two = gate(report(GOOD), report(WORSE)), gate(report(GOOD), report(rows_given=mixed))
    assert one.checks == two.checks


def test_episodes_that_no_longer_end_fail_although_all_that_ended_succeed():
    stuck = rows(np.ones(400))
    for row in stuck[::5]:
        row.update(finished=0.0, success=0.0, reward=None, error=None, calm=None, episode_length=None)
    verdict = gate(report(np.ones(400)), report(rows_given=stuck))
    failed = {check.name for check in verdict.checks if check.result == "fail"}
    assert verdict.result == "fail" and {"finished", "success"} <= failed


def test_an_undecided_gate_fails_unless_asked_to_pass():
    verdict = gate(report(GOOD[:60]), report(np.roll(GOOD[:60], 1)), accept_undecided=True)
    assert verdict.result == "undecided"
    assert (verdict.exit_code(), verdict.exit_code("pass")) == (1, 0)
    assert "further pairs would decide" in verdict.sentence


def test_what_ten_episodes_cannot_decide_is_said_and_is_not_red_where_that_is_accepted():
    verdict = gate(report(GOOD[:10]), report(GOOD[:10]), accept_undecided=True)
    assert verdict.exit_code("pass") == 0 and "10 pairs cannot exclude a drop of 0.05" in verdict.notes[0]
    broken = gate(report(np.ones(12)), report(np.zeros(12)), accept_undecided=True)
    assert broken.result == "fail" and broken.exit_code("pass") == 1


# ---------------------------------------------------------------- tolerance


@pytest.mark.parametrize("middle", [-40.0, 40.0])
def test_a_tolerance_is_translated_and_said_whatever_the_sign(middle):
    metrics = (REWARD.model_copy(update={"headline": True}), FINISHED)
    noise = np.random.default_rng(2).normal(0, 1, 200)

    def made(change):
        return report(np.ones(200), metrics=metrics, reward=middle + noise + change)

    assert gate(made(0), made(-2), tolerance=0.1).result == "pass"  # 5 %
    verdict = gate(made(0), made(-6), tolerance=0.1)
    assert verdict.result == "fail" and "--tolerance 0.1 is taken as a margin" in verdict.notes[0]
    assert gate(made(0), made(6), tolerance=0.1).result == "pass"


def without_rows(given):
    data = json.loads(given.model_dump_json())
    for group in data["groups"]:
        group["rows"] = []
    return type(given).model_validate(data)


def test_reports_without_episodes_are_compared_by_their_means_and_told_so():
    one, two = (without_rows(report(values)) for values in (GOOD, WORSE))
    with pytest.raises(ConfigError, match="no row per episode"):
        gate(one, two)
    verdict = gate(one, two, tolerance=0.1)
    assert verdict.result == "fail" and "paired gate" in verdict.notes[-1]
    assert gate(one, one, tolerance=0.1).result == "pass" and gate(two, one, tolerance=0.1).result == "pass"


# ---------------------------------------------------------------- refusals: never a false pass


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"game": "other"}, "plays maze, the current side other"),
        ({"interface_hash": "zz"}, "different observations, actions or roles"),
        ({"rules_hash": "zz"}, "other rules or settings"),
    ],
)
def test_reports_of_other_games_and_rules_are_refused(changes, said):
    with pytest.raises(SpecMismatch, match=said):
        gate(report(GOOD), report(GOOD, changes=changes))


def test_other_rules_are_compared_where_that_is_asked_for():
    verdict = gate(report(GOOD), report(GOOD, changes={"rules_hash": "zz"}), across_rules=True)
    assert verdict.result == "pass" and "other rules" in verdict.notes[0]


def test_other_seeds_and_unequal_counts_are_refused():
    for other in (report(GOOD, start=200), report(GOOD[:300]), report(GOOD, start=5000)):
        with pytest.raises(ConfigError, match="pairs need the same seeds"):
            gate(report(GOOD), other)


def test_a_margin_that_the_count_cannot_resolve_is_refused_with_the_count_that_can():
    with pytest.raises(ConfigError, match=r"10 pairs cannot exclude a drop of 0.05 .* that takes 104"):
        gate(report(GOOD[:10]), report(GOOD[:10]))


def test_a_baseline_without_a_gating_metric_is_refused():
    bare = [row | {"success": None} for row in rows(GOOD)]
    with pytest.raises(ConfigError, match="baseline has no value of success"):
        gate(report(rows_given=bare), report(GOOD))


def test_without_any_gating_metric_there_is_no_pass():
    with pytest.raises(ConfigError, match="No metric gates"):
        gate(report(GOOD, metrics=(REWARD,)), report(GOOD, metrics=(REWARD,)))


def test_a_current_side_without_the_metric_is_no_pass():
    only = settings(margins={"success": 0.05})
    with pytest.raises(ConfigError, match="'success', which no episode has"):
        gate(report(GOOD), report(GOOD, metrics=(REWARD, FINISHED)), settings=only)


# ---------------------------------------------------------------- sides that play


class Coin:
    """A side that succeeds with a chance, drawn from its seeds; counts what it played."""

    seeds = None
    groups = (("agent", None),)
    metrics = (SUCCESS, FINISHED)

    def __init__(self, chance, salt=0, crash_at=None):
        self.chance, self.salt, self.played, self.crash_at = chance, salt, [], crash_at
        self.identity = side(report([1.0])).identity

    def rows(self, key, seeds):
        self.played += seeds
        if self.crash_at is not None and len(self.played) > self.crash_at:
            raise BuildCrashed("The process was killed by signal 11 (SIGSEGV).")
        draws = [np.random.default_rng([seed % 2**32, self.salt]).random() < self.chance for seed in seeds]
        return [{"seed": s, "success": float(d), "finished": 1.0} for s, d in zip(seeds, draws, strict=True)]

    def close(self):
        pass


def test_a_clear_case_stops_early_and_both_sides_play_the_same_seeds():
    one, two = Coin(0.9), Coin(0.3)
    verdict = compare(one, two, Question())
    assert verdict.result == "fail" and verdict.pairs == 64 and verdict.looks == 1
    assert one.played == two.played and len(set(one.played)) == 64


def test_a_close_case_plays_on_and_no_further_than_asked():
    one, two = Coin(0.7, salt=1), Coin(0.7, salt=2)
    verdict = compare(one, two, Question(settings(pairs=300)))
    assert verdict.pairs == 300 and verdict.result == "undecided" and verdict.looks == 4


def test_another_key_plays_other_seeds():
    one, two = Coin(0.9), Coin(0.9)
    compare(one, one, Question())
    compare(two, two, Question(seed_key=1))
    assert not set(one.played) & set(two.played)


def test_time_that_is_up_leaves_a_verdict_on_what_was_played():
    verdict = compare(Coin(0.7, 1), Coin(0.7, 2), Question(minutes=1e-9))
    assert verdict.pairs == 64 and verdict.result == "undecided" and "Stopped after" in verdict.notes[-1]


def test_a_current_build_that_crashes_fails_and_a_baseline_that_crashes_could_not_run():
    verdict = compare(Coin(0.7, 1), Coin(0.7, 2, crash_at=100), Question())
    assert verdict.result == "fail" and "SIGSEGV" in verdict.sentence and verdict.checks[0].name == "no crash"
    with pytest.raises(GameFailed, match="baseline cannot be played"):
        compare(Coin(0.7, 1, crash_at=10), Coin(0.7, 2), Question())


def test_a_report_meets_a_policy_on_the_seeds_of_the_report():
    seeds = [row["seed"] for row in rows(GOOD[:200], start=7)]
    coin = Coin(1.0)
    two = report(np.ones(200), metrics=(SUCCESS, FINISHED), start=7)
    verdict = compare(side(two), coin, Question())
    assert verdict.result == "pass" and coin.played == seeds[: verdict.pairs]


def test_native_bots_of_different_levels_are_told_apart_and_the_verdict_is_read_again(tmp_path):
    with (
        PlayedSide(Request(game="landing", policy="bot:autopilot:3")) as best,
        PlayedSide(Request(game="landing", policy="bot:autopilot:1")) as worst,
    ):
        same, fewer = compare(best, best), compare(best, worst)
    assert (same.result, fewer.result) == ("pass", "fail")
    fewer.write(tmp_path / "verdict.json")
    assert read_verdict(tmp_path / "verdict.json") == fewer


def test_two_roles_are_judged_apart():
    with PlayedSide(Request(game="tag")) as bots:
        verdict = compare(bots, bots)
    groups = {check.group for check in verdict.checks}
    assert verdict.result == "pass" and groups == {"seeker against evade:3", "hider against chase:3"}


def test_metrics_of_reports_and_of_played_sides_are_the_same():
    assert [m.name for m in METRICS][:3] == ["success", "finished", "reward"]
    with PlayedSide(Request(game="landing")) as bot:
        assert [m.name for m in bot.metrics][:3] == ["success", "finished", "reward"]
