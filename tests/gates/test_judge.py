"""Margins, looks, Holm, and what is said of metrics."""

import numpy as np
import pytest
from gate_reports import COMFORT, ERROR, FINISHED, LENGTH, METRICS, REWARD, SUCCESS
from scipy import stats

from sandlot.errors import ConfigError
from sandlot.evaluate.report_file import Summary
from sandlot.gates import judge
from sandlot.gates.settings import Regression, parse_settings


def target(metric=SUCCESS, margin=0.05, gating=True, better=None):
    return judge.Target("", metric, better or metric.better, margin, gating)


def look_at(targets, values, looks=1, settings=None):
    made = judge.Judge(targets, settings or Regression(), looks)
    done = made.look({t.key: values[t.metric.name] for t in targets})
    return done, {check.name: check for check in made.checks()}


def pair(baseline, current):
    return np.asarray(baseline, float), np.asarray(current, float)


# ---------------------------------------------------------------- results


def test_equal_sides_pass_and_a_lost_third_fails():
    ones = np.ones(200)
    done, checks = look_at([target()], {"success": (ones, ones)})
    assert done and checks["success"].result == "pass"
    done, checks = look_at([target()], {"success": (ones, np.arange(200) % 3 > 0)})
    assert done and checks["success"].result == "fail"
    assert checks["success"].difference.value == pytest.approx(-1 / 3, abs=0.01)


def test_a_drop_that_is_shown_but_smaller_than_the_margin_passes():
    rng = np.random.default_rng(0)
    baseline = np.ones(4000)
    current = (rng.random(4000) > 0.02).astype(float)
    done, checks = look_at([target(margin=0.1)], {"success": (baseline, current)})
    assert done and checks["success"].result == "pass"


def test_lower_is_better_where_the_game_says_so():
    rng = np.random.default_rng(1)
    baseline = rng.normal(2, 0.3, 300)
    for change, result in ((0.5, "fail"), (-0.5, "pass"), (0.0, "pass")):
        _, checks = look_at([target(ERROR, 0.2)], {"error": (baseline, baseline + change)})
        assert checks["error"].result == result and checks["error"].difference.value == pytest.approx(change)


def test_signs_of_the_baseline_do_not_matter():
    rng = np.random.default_rng(2)
    for middle in (-50.0, 0.0, 50.0):
        baseline = rng.normal(middle, 3, 400)
        _, worse = look_at([target(REWARD, 1.0)], {"reward": (baseline, baseline - 2)})
        _, better = look_at([target(REWARD, 1.0)], {"reward": (baseline, baseline + 2)})
        assert (worse["reward"].result, better["reward"].result) == ("fail", "pass")


def test_an_undecided_metric_says_how_many_further_pairs_would_decide_and_they_do():
    rng = np.random.default_rng(3)
    pairs = rng.choice([-1.0, 0.0, 1.0], size=60, p=[0.05, 0.9, 0.05])
    baseline = (pairs <= 0).astype(float)
    current = baseline + pairs
    done, checks = look_at([target()], {"success": (baseline, current)})
    found = checks["success"]
    assert not done and found.result == "undecided" and found.further
    times = -(-(60 + found.further) // 60)
    _, again = look_at([target()], {"success": (np.tile(baseline, times), np.tile(current, times))})
    assert again["success"].result != "undecided"
    fewer = max(1, times // 2)
    _, early = look_at([target()], {"success": (np.tile(baseline, fewer), np.tile(current, fewer))})
    assert early["success"].result == "undecided"


def test_reported_metrics_decide_nothing():
    ones = np.ones(200)
    targets = [target(), target(COMFORT, 0.05, gating=False)]
    done, checks = look_at(targets, {"success": (ones, ones), "calm": (ones, 0 * ones)})
    assert done and checks["calm"].result == "reported" and checks["calm"].mark == "worse"


@pytest.mark.parametrize(
    ("metric", "values", "said"),
    [(SUCCESS, [1, 0.7], "0 or 1"), (COMFORT, [0.5, 1.5], "0 to 1"), (COMFORT, [-0.1, 1], "0 to 1")],
)
def test_numbers_outside_what_the_game_declares_are_refused(metric, values, said):
    with pytest.raises(ConfigError, match=said):
        look_at([target(metric)], {metric.name: pair(values, values)})


def test_the_bootstrap_pays_for_its_looks():
    rng = np.random.default_rng(4)
    baseline = rng.normal(0, 1, 60)
    values = {"reward": (baseline, baseline + rng.normal(-0.2, 1, 60))}
    one = look_at([target(REWARD, 1.0)], values, looks=1)[1]["reward"]
    five = look_at([target(REWARD, 1.0)], values, looks=5)[1]["reward"]
    assert five.p_worse == pytest.approx(min(1, 5 * one.p_worse))


# ---------------------------------------------------------------- several metrics


def test_holm_agrees_with_an_independent_one():
    rng = np.random.default_rng(5)
    for _ in range(200):
        p = {("", str(i)): v for i, v in enumerate(rng.beta(0.3, 3, rng.integers(1, 7)))}
        ordered = sorted(p.values())
        cut = next((i for i, v in enumerate(ordered) if v > 0.05 / (len(ordered) - i)), len(ordered))
        assert judge.holm(p, 0.05) == {k for k, v in p.items() if v in ordered[:cut]}


def test_false_alarms_of_a_gate_with_five_metrics_stay_within_one_percent():
    rng, alarms, runs = np.random.default_rng(6), 0, 300
    metrics = [SUCCESS.model_copy(update={"name": f"m{i}"}) for i in range(5)]
    targets = [target(metric) for metric in metrics]
    for _ in range(runs):
        made = judge.Judge(targets, Regression(), 4)
        sides = {t.key: (rng.random((2, 512)) < 0.7).astype(float) for t in targets}
        for n in (64, 128, 256, 512):
            if made.look({key: (pair[0][:n], pair[1][:n]) for key, pair in sides.items()}):
                break
        alarms += any(check.result == "fail" for check in made.checks())
    assert stats.binom.sf(alarms - 1, runs, 0.01) > 1e-3, alarms


# ---------------------------------------------------------------- margins


def targets(toml=None, tolerance=None, baseline=None, summaries=None):
    settings = parse_settings(toml or {}, "gates.toml").regression
    values = {m.name: np.random.default_rng(7).normal(5, 2, 100) for m in METRICS} | (baseline or {})
    return {
        t.metric.name: t for t in judge.targets_of("", METRICS, settings, values, summaries or {}, tolerance)
    }


def test_without_margins_the_headline_endings_and_comfort_gate():
    found = targets()
    assert {name for name, t in found.items() if t.gating} == {"success", "finished", "calm"}
    assert "episode_length" not in found  # longer is neither better nor worse
    assert found["success"].margin == found["finished"].margin == 0.05
    assert found["error"].margin == pytest.approx(0.25 * 2, rel=0.3) and "deviation" in found["error"].note


def test_margins_of_the_file_are_in_the_metrics_own_unit_and_alone_decide():
    found = targets({"regression": {"margins": {"error": 0.3, "done": {"margin": 0.1, "gating": False}}}})
    assert found["error"].gating and found["error"].margin == 0.3
    assert not found["success"].gating and found["success"].margin == 0.1  # by the game's own name
    assert not found["calm"].gating and found["finished"].gating  # that episodes end always counts


def test_a_margin_needs_a_direction():
    with pytest.raises(ConfigError, match=r'better = "lower"'):
        targets({"regression": {"margins": {"episode_length": 10}}})
    longer = {"regression": {"margins": {"episode_length": {"margin": 10, "better": "lower"}}}}
    assert targets(longer)["episode_length"].sign == -1


def test_a_margin_of_an_unknown_metric_is_refused():
    with pytest.raises(ConfigError, match="'sucess', which no episode has"):
        targets({"regression": {"margins": {"sucess": 0.1}}})


@pytest.mark.parametrize(("value", "margin"), [(50.0, 5.0), (-50.0, 5.0), (0.0, 0.2)])
def test_a_tolerance_is_a_share_of_the_size_of_the_baseline_or_of_its_spread(value, margin):
    summary = Summary(value=value, low=value, high=value, std=2.0, episodes=10)
    found, note = judge.tolerance_margin(REWARD, summary, 0.1)
    assert found == pytest.approx(margin) and ("baseline is 0" in note) == (value == 0)


def test_a_tolerance_of_nothing_is_nothing():
    flat = Summary(value=0, low=0, high=0, std=0, episodes=10)
    assert judge.tolerance_margin(REWARD, flat, 0.1) is None
    assert judge.tolerance_margin(REWARD, None, 0.1) is None
    assert judge.tolerance_margin(COMFORT, flat, 0.1)[0] == pytest.approx(0.1)  # of its range


@pytest.mark.parametrize(
    "given",
    [
        {"regresion": {}},
        {"regression": {"alpha": 0.7}},
        {"regression": {"margins": {"success": -1}}},
        {"regression": {"margins": {"success": 0}}},
        {"regression": {"margins": {"success": {"margin": 0.1, "gate": True}}}},
        {"schema_version": 2},
    ],
)
def test_a_wrong_file_is_refused_with_its_place(given):
    with pytest.raises(ConfigError, match=r"here: .+docs/gates.md"):
        parse_settings(given, "here")


# ---------------------------------------------------------------- how many pairs


def test_ten_pairs_cannot_exclude_five_points_and_the_sentence_says_how_many_can():
    (sentence,) = judge.check_resolvable([target()], Regression(), 10)
    least = judge.fewest_pairs(target(), 0.01)
    assert f"takes {least:,}" in sentence and "usually about" in sentence
    zeros = {"success": (np.ones(least), np.ones(least))}
    assert look_at([target()], zeros)[1]["success"].result == "pass"
    fewer = {"success": (np.ones(least - 1), np.ones(least - 1))}
    assert look_at([target()], fewer)[1]["success"].result == "undecided"
    assert judge.check_resolvable([target()], Regression(), least) == []


@pytest.mark.parametrize(
    ("margin", "discordant", "pairs"), [(0.1, 0.2, 310), (0.05, 0.15, 940), (0.03, 0.1, 1750)]
)
def test_usual_numbers_of_pairs_are_those_of_the_textbook(margin, discordant, pairs):
    assert judge.usual_pairs(target(margin=margin), Regression(alpha=0.01), discordant) == pytest.approx(
        pairs, rel=0.03
    )


def test_looks_grow_and_end_with_all_pairs():
    assert judge.looks_of(Regression(), 2000) == [64, 128, 256, 512, 1024, 2000]
    assert judge.looks_of(Regression(), 30) == [30]
    assert judge.looks_of(Regression(), 64) == [64]


def test_unused_metrics_have_no_direction():
    assert not judge.gates_by_default(LENGTH) and judge.gates_by_default(FINISHED)
