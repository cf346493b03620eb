"""Trainings as units: exact permutations, looks fixed in advance."""

import numpy as np
import pytest
from gate_reports import report
from scipy import stats

from sandlot.errors import ConfigError, SpecMismatch
from sandlot.gates.settings import Training
from sandlot.gates.training import judge_trainings, permutation_p


def trainings(rates, first=0, **changes):
    """One report per rate of success over the same 200 seeds."""
    made = []
    for i, rate in enumerate(rates):
        episodes = np.arange(200) < round(200 * rate)
        made.append(report(episodes, changes={"model_sha256": f"{first}-{i}", **changes}))
    return made


MARGIN = Training(margins={"success": 0.1})


def test_permutations_agree_with_scipy():
    rng = np.random.default_rng(0)
    for n in (3, 5, 6):
        high, low = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
        wanted = stats.permutation_test(
            (high, low), lambda a, b: a.mean() - b.mean(), alternative="greater", n_resamples=np.inf
        )
        assert permutation_p(high, low) == pytest.approx(wanted.pvalue)


def test_alike_passes_worse_fails_and_a_wide_spread_is_undecided():
    good = [0.81, 0.79, 0.8, 0.82, 0.78]
    verdict = judge_trainings(trainings(good), trainings(good[::-1], 1), MARGIN)
    assert verdict.result == "pass"
    assert judge_trainings(trainings(good), trainings([r - 0.3 for r in good], 1), MARGIN).result == "fail"
    wide = [0.9, 0.3, 0.8, 0.5, 0.7]
    verdict = judge_trainings(trainings(wide), trainings(wide[::-1], 1), MARGIN)
    assert verdict.result == "undecided" and verdict.checks[0].further > 5


def test_too_few_trainings_are_refused_with_how_many_are_needed():
    with pytest.raises(ConfigError, match=r"2 trainings a side cannot show anything .* at least 3"):
        judge_trainings(trainings([0.8, 0.8]), trainings([0.8, 0.8], 1), MARGIN)
    with pytest.raises(ConfigError, match="at least 5"):
        strict = Training(margins={"success": 0.1}, alpha=0.01, beta=0.01)
        judge_trainings(trainings([0.8] * 4), trainings([0.8] * 4, 1), strict)


def test_each_look_has_its_share_of_the_error():
    good = [0.8, 0.81, 0.79, 0.8, 0.82, 0.8, 0.78, 0.8]
    bad = [r - 0.4 for r in good]
    verdict = judge_trainings(trainings(good), trainings(bad, 1), MARGIN, looks=2)
    assert verdict.result == "fail" and verdict.checks[0].samples == 4  # seen at the first look
    assert verdict.checks[0].p_worse == pytest.approx(2 / 70)


def test_looking_twice_keeps_the_false_alarms():
    rng, alarms, runs = np.random.default_rng(1), 0, 300
    for _ in range(runs):
        one, two = rng.normal(0, 1, (2, 6))
        p = min(2 * permutation_p(one[:4], two[:4]), 2 * permutation_p(one, two))
        alarms += p <= 0.05
    assert stats.binom.sf(alarms - 1, runs, 0.05) > 1e-3


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"game": "other"}, "same rules"), ({"rules_hash": "zz"}, "same rules")],
)
def test_other_games_and_rules_are_refused(changes, said):
    with pytest.raises(SpecMismatch, match=said):
        judge_trainings(trainings([0.8] * 4), trainings([0.8] * 4, 1, **changes), MARGIN)


def test_the_same_training_twice_is_refused():
    with pytest.raises(ConfigError, match="occurs twice"):
        judge_trainings(trainings([0.8] * 4), trainings([0.8] * 4), MARGIN)


def test_other_seeds_and_nothing_are_refused():
    with pytest.raises(ConfigError, match="different seeds"):
        judge_trainings(trainings([0.8] * 4), [report(np.ones(200), start=9)] * 4, MARGIN)
    with pytest.raises(ConfigError, match="Both sides need reports"):
        judge_trainings([], trainings([0.8]), MARGIN)
