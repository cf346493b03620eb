"""Budgets: medians and tails of episodes, and steps of two sides in turns."""

import numpy as np
import pytest
from gate_reports import FINISHED, SUCCESS, report

from sandlot.errors import ConfigError, UnknownName
from sandlot.evaluate.report_file import Metric
from sandlot.gates.budget import judge_report, judge_steps
from sandlot.gates.settings import Budget
from sandlot.gates.sides import PlayedSide
from sandlot.gates.worker import Request

FRAME = Metric(name="frame_ms", unit="ms", better="lower", group="performance")


def measured(values):
    metrics = (SUCCESS, FINISHED, FRAME)
    return report(np.ones(len(values)), metrics=metrics, frame_ms=values)


def result(values, p50=None, p95=None):
    limits = Budget(p50={"frame_ms": p50} if p50 else {}, p95={"frame_ms": p95} if p95 else {})
    return judge_report(measured(values), limits).result


def test_the_tail_is_judged_and_not_only_the_middle():
    rng = np.random.default_rng(0)
    calm, spiky = rng.normal(8, 0.3, 400), rng.normal(8, 0.3, 400)
    spiky[::10] = 30.0
    assert (result(calm, p95=11.11), result(spiky, p95=11.11)) == ("pass", "fail")
    assert result(spiky, p50=9.0) == "pass"


def test_a_few_measurements_say_nothing_of_a_tail():
    assert result(np.full(20, 8.0), p95=11.11) == "undecided"
    assert result(np.full(60, 8.0), p95=11.11) == "pass"


def test_a_budget_that_the_interval_holds_is_undecided():
    assert result(np.random.default_rng(1).normal(10, 2, 100), p50=10.0) == "undecided"


def test_unknown_names_and_no_limits_are_refused():
    with pytest.raises(UnknownName, match="frame_ms"):
        judge_report(measured(np.ones(60)), Budget(p95={"fame_ms": 1}))
    with pytest.raises(ConfigError, match="No budget"):
        judge_report(measured(np.ones(60)), Budget())


class Timed:
    """A side whose steps take what is said, on a machine that slows down."""

    calls = 0

    def __init__(self, microseconds):
        self.microseconds = microseconds
        self.rng = np.random.default_rng(int(microseconds))
        with PlayedSide(Request(game="landing")) as side:
            self.identity = side.identity

    def time_steps(self, worlds, steps):
        Timed.calls += 1
        return self.rng.normal(self.microseconds, 0.2, steps) * (1 + 0.01 * Timed.calls)


def test_turns_cancel_the_drift_of_a_machine_and_a_slower_build_is_found():
    assert judge_steps(Timed(10), Timed(10), Budget()).result == "pass"
    verdict = judge_steps(Timed(10), Timed(12), Budget())
    assert {check.result for check in verdict.checks} == {"fail"}
    assert judge_steps(Timed(10), Timed(10.4), Budget()).result == "pass"  # 4 % slower is allowed
    assert judge_steps(Timed(10), Timed(8), Budget()).result == "pass"


def test_a_limit_of_its_own_is_judged_beside_the_comparison():
    found = judge_steps(Timed(10), Timed(10), Budget(p50={"step_us": 5.0}))
    assert found.result == "fail" and found.checks[-1].limit == 5.0


def test_steps_of_a_native_game_are_really_timed():
    with PlayedSide(Request(game="landing")) as side:
        times = side.time_steps(16, 30)
        assert len(times) == 30 and (times > 0).all()
        assert judge_steps(side, side, Budget(slower=5.0), rounds=4, worlds=16).result == "pass"
