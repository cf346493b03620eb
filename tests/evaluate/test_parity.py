"""The parity harness itself: it must find what differs, and say what was never reached."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from sandlot.evaluate.parity import Case, ParityRun, Report, StepResult, TwinSide, compare, write_bundle
from sandlot.games.reference.interface import ParitySetup, Suite, Tolerances


class CountingTwin:
    """A toy game: it counts to `length` and ends. `slip` makes it wrong from that step on."""

    def __init__(self, length: int = 5, slip: int | None = None, reward: float = 1.0) -> None:
        self.length, self.slip, self.reward = length, slip, reward
        self.total_steps = 0

    @property
    def ticks(self) -> int:
        return self.count

    def reset(self, seed: int):
        self.seed, self.count = seed, 0
        return np.array([0.0, seed], np.float32), {"dt": 0, "score": 0.0}

    def step(self, action: int):
        self.count += 1
        self.total_steps += 1
        wrong = self.slip is not None and self.total_steps > self.slip
        seen = np.array([self.count + 0.5 * wrong, self.seed], np.float32)
        return seen, self.reward, self.count == self.length, False, {"dt": 1, "score": 10.0 * self.count}

    def mask(self) -> np.ndarray:
        return np.ones(2, np.uint8)


def ones(twin, rng):
    return itertools.repeat(1)


PARITY_SETUP = ParitySetup(
    make=lambda config: CountingTwin(),
    suites=(Suite("ones", ones),),
    budget_knob="length",
    budgets=(5,),
    exact=("dt",),
    metrics=("score",),
    goals_met=lambda twin, action, info: [f"action {action}"],
    goals=lambda twin: ("action 0", "action 1"),
)


def match_of(twin: CountingTwin, engine: CountingTwin, steps: int = 12) -> ParityRun:
    case = Case("counting", "plain", "ones", seed=7, budget=5, steps=steps)
    setup = PARITY_SETUP
    return ParityRun(case, setup, setup.suites[0], TwinSide(twin), TwinSide(engine), setup.tolerances)


def moment(**changes) -> StepResult:
    plain = {
        "observation": np.array([[0.5, 0.25]]),
        "reward": np.array([1.0]),
        "terminated": np.array([False]),
        "truncated": np.array([False]),
        "mask": np.array([1, 0]),
        "info": {"dt": 1, "score": 100.0},
    }
    return StepResult(**{**plain, **changes})


def difference(**changes):
    return compare(PARITY_SETUP, Tolerances(), 3, moment(), moment(**changes))


def test_equal_moments_agree():
    assert difference() is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"terminated": np.array([True])}, "terminated"),
        ({"truncated": np.array([True])}, "truncated"),
        ({"info": {"dt": 2, "score": 100.0}}, "dt"),
        ({"reward": np.array([1.0 + 2e-5])}, "reward"),
        ({"observation": np.array([[0.5, 0.2501]])}, "observation"),
        ({"observation": np.array([[0.5, math.nan]])}, "observation"),
        ({"observation": np.array([[0.5]])}, "observation.size"),
        ({"mask": np.array([1, 1])}, "mask"),
        ({"mask": None}, "mask.size"),
        ({"info": {"dt": 1, "score": 100.02}}, "score"),
    ],
)
def test_every_part_of_a_moment_is_compared(changes, field):
    found = difference(**changes)
    assert found
    assert (found.field, found.step) == (field, 3)


def test_numbers_within_their_room_agree():
    assert difference(reward=np.array([1.0 + 9e-6]), info={"dt": 1, "score": 100.009}) is None


def test_a_difference_names_its_place():
    found = difference(observation=np.array([[0.5, 0.5]]))
    assert (found.index, found.twin, found.engine, found.difference) == (1, 0.25, 0.5, 0.25)
    assert "observation[1] is 0.25 in the twin and 0.5 in the engine" in found.sentence()


def test_both_sides_go_on_with_the_next_seed_after_an_ending():
    match = match_of(CountingTwin(), CountingTwin())
    result = match.play()
    assert (result.mismatch, result.decisions, result.episodes) == (None, 12, 3)
    assert match.trace.seeds == [(0, 7), (5, 8), (10, 9)]


def test_a_case_ends_at_its_first_difference():
    result = match_of(CountingTwin(), CountingTwin(slip=6)).play()
    assert result.mismatch
    assert (result.mismatch.step, result.mismatch.field, result.mismatch.index) == (6, "observation", 0)
    assert result.decisions == 7


def test_a_script_that_stops_early_is_an_error_of_the_suite():
    match = match_of(CountingTwin(), CountingTwin())
    match.suite = Suite("short", lambda twin, rng: iter([1]))
    with pytest.raises(RuntimeError, match="ran out of actions"):
        match.play()


def test_a_bundle_holds_actions_traces_and_the_first_difference(tmp_path):
    match = match_of(CountingTwin(), CountingTwin(slip=6))
    result = match.play()
    folder = write_bundle(tmp_path, result, match.trace)
    reported = json.loads((folder / "mismatch.json").read_text())
    actions = json.loads((folder / "actions.json").read_text())
    twin, engine = (np.load(folder / f"{side}.npz") for side in ("twin", "engine"))
    assert {"suite": "ones", "seed": 7, "budget": 5}.items() <= reported.items()
    assert reported["first_mismatch"]["field"] == "observation"
    assert actions == {"resets": [[0, 7], [5, 8]], "actions": [1] * 7}
    assert len(twin["observation"]) == len(engine["observation"]) == 9  # seven decisions, two resets
    assert (twin["observation"] != engine["observation"]).any(axis=(1, 2)).tolist() == [False] * 8 + [True]


def report_of(twin: CountingTwin, engine: CountingTwin, judged: bool = True) -> Report:
    goals = {"plain": PARITY_SETUP.goals(twin)}
    return Report("counting", [match_of(twin, engine).play()], goals, coverage_required=judged)


def test_a_goal_never_reached_is_no_pass():
    report = report_of(CountingTwin(), CountingTwin())
    assert report.missing() == {"plain": ["action 0"]}
    assert not report.good()


def test_coverage_of_a_part_of_the_matrix_is_reported_and_not_judged():
    report = report_of(CountingTwin(), CountingTwin(), judged=False)
    assert report.good()
    assert report.as_json()["missing"] == {"plain": ["action 0"]}


def test_a_difference_is_no_pass_whatever_was_covered():
    report = report_of(CountingTwin(), CountingTwin(reward=2.0), judged=False)
    assert not report.good()
    assert report.as_json()["mismatches"][0]["first_mismatch"]["field"] == "reward"
