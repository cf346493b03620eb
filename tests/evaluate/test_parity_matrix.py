"""Which cases a matrix has, what it reports, and that each plays the engine's world as it was told."""

import json
import os
from collections import Counter
from multiprocessing import resource_tracker

import numpy as np
import pytest
from leaks import nothing_left_open

from sandlot.errors import UnknownName
from sandlot.evaluate import parity_matrix
from sandlot.evaluate.parity import (
    Case,
    CaseResult,
    EngineSide,
    Mismatch,
    ParityRun,
    StepResult,
    Trace,
    columns,
    write_bundle,
)
from sandlot.evaluate.parity_matrix import MatrixPlan, chosen_suites, matrix, play, run
from sandlot.games.reference import parity_setup
from sandlot.games.reference.interface import Suite, Tolerances
from sandlot.worlds import NativeWorld

SETUP = parity_setup("prospector")
PROFILES = tuple(SETUP.variants or ("default",))


def plan(**changes):
    return MatrixPlan("prospector", **{"suites": (SETUP.suites[0].name,), "seeds": 1, "steps": 5} | changes)


def test_a_plan_is_ten_seeds_of_everything_in_one_process():
    usual = MatrixPlan("tag")
    assert (usual.seeds, usual.first_seed, usual.steps, usual.jobs) == (10, 0, None, 1)
    assert not usual.stop_on_first
    assert (usual.profiles, usual.suites, usual.budgets, usual.tolerances) == (None, None, None, None)


def test_a_matrix_is_every_profile_suite_budget_and_seed():
    names = tuple(suite.name for suite in SETUP.suites[:2])
    cases = matrix(plan(suites=names, budgets=(100, 200), seeds=3, first_seed=7), SETUP, ("a", "b"))
    assert len(cases) == 2 * 2 * 2 * 3 and len(set(cases)) == 24
    assert {case.seed for case in cases} == {7, 8, 9} and {case.budget for case in cases} == {100, 200}
    assert {case.profile for case in cases} == {"a", "b"} and {case.suite for case in cases} == set(names)
    assert {case.steps for case in cases} == {5}
    full = matrix(MatrixPlan("prospector"), SETUP, PROFILES)
    assert {case.steps for case in full} == {SETUP.steps}
    assert {case.suite for case in full} == {suite.name for suite in SETUP.suites}
    assert {case.budget for case in full} == set(SETUP.budgets)
    assert cases[0].title() == f"a {names[0]} seed 7 budget 100"


def test_unknown_names_are_refused_before_anything_is_played():
    with pytest.raises(UnknownName, match="suite"):
        chosen_suites(SETUP, ("none",))
    with pytest.raises(UnknownName, match="profile of prospector"):
        run(plan(profiles=("none",)))


def test_a_report_counts_what_was_played_and_progress_names_it():
    reported = []
    report = run(plan(seeds=2, profiles=PROFILES[:1], budgets=(100,)), tell=lambda *row: reported.append(row))
    assert len(report.cases) == 2 and [row[1:] for row in reported] == [(1, 2), (2, 2)]
    assert reported[0][0] == report.cases[0].case.title()
    assert [result.decisions for result in report.cases] == [5, 5]
    summary = report.as_json()
    assert (summary["cases"], summary["decisions"], summary["mismatches"]) == (2, 10, [])
    assert summary["episodes"] == sum(result.episodes for result in report.cases) >= 2
    assert summary["good"] and not summary["coverage_required"], "a part of the suites cannot reach all goals"


def test_coverage_is_judged_only_of_a_whole_matrix(monkeypatch):
    monkeypatch.setattr(parity_matrix, "results", lambda plan, cases: (_ for _ in ()))
    assert run(MatrixPlan("prospector")).coverage_required
    assert not run(MatrixPlan("prospector", stop_on_first=True)).coverage_required
    assert not run(plan()).coverage_required


def wrong(case, bundle=None):
    return CaseResult(case, 1, 1, Counter(), Mismatch(0, "reward", None, 1.0, 2.0, 1.0), bundle)


@pytest.mark.parametrize(("stop", "count"), [(True, 1), (False, 3)])
def test_the_first_difference_ends_a_matrix_only_when_asked(monkeypatch, stop, count):
    monkeypatch.setattr(parity_matrix, "play", lambda plan, case: wrong(case))
    report = run(plan(seeds=3, profiles=PROFILES[:1], budgets=(100,), stop_on_first=stop))
    assert len(report.cases) == len(report.mismatches()) == count and not report.good()


def test_a_difference_leaves_a_bundle_and_agreement_none(tmp_path, monkeypatch):
    case = Case("prospector", PROFILES[0], SETUP.suites[0].name, 0, 100, 5)
    good = play(plan(bundles=tmp_path / "good"), case)
    assert good.mismatch is None and good.bundle is None and not (tmp_path / "good").exists()
    real = EngineSide.step

    def paid_more(engine, action):
        moment = real(engine, action)
        moment.reward = moment.reward + 0.5
        return moment

    monkeypatch.setattr(EngineSide, "step", paid_more)
    assert play(plan(tolerances=Tolerances(absolute=1.0)), case).mismatch is None
    bad = play(plan(bundles=tmp_path / "bad"), case)
    assert (bad.mismatch.field, bad.mismatch.difference) == ("reward", pytest.approx(0.5))
    (folder,) = (tmp_path / "bad").iterdir()
    assert bad.bundle == str(folder)
    output = json.loads((folder / "mismatch.json").read_text())
    assert output["seed"] == 0 and output["first_mismatch"]["field"] == bad.mismatch.field
    assert output["bundle"] == str(folder)


def test_a_bundle_has_a_row_for_every_moment_of_both_sides(tmp_path):
    def moment(value, mask=None):
        row = np.array([value])
        return StepResult(row[None], row, row > 9, row > 8, mask, {"dt": value})

    trace = Trace([3, 1], [(0, 7)], [moment(0.0), moment(1.0)], [moment(0.0), moment(2.0)])
    result = wrong(Case("g", "plain", "ones", 7, 5, 12))
    folder = write_bundle(tmp_path, result, trace)
    assert folder.name.endswith("Z-plain-ones-seed7-budget5")
    assert json.loads((folder / "actions.json").read_text()) == {"resets": [[0, 7]], "actions": [3, 1]}
    with np.load(folder / "twin.npz") as twin, np.load(folder / "engine.npz") as engine:
        assert twin["reward"].tolist() == [[0.0], [1.0]] and engine["info_dt"].tolist() == [0.0, 2.0]
        assert twin["observation"].shape == (2, 1, 1) and "mask" not in twin
    masked = columns([moment(0.0, np.array([1, 0])), moment(1.0, np.array([0, 1]))])
    assert masked["mask"].tolist() == [[1, 0], [0, 1]]
    assert {*masked} == {"observation", "reward", "terminated", "truncated", "mask", "info_dt"}


def test_the_engines_side_says_nothing_at_a_reset_and_keeps_its_ending(tmp_path):
    with NativeWorld("prospector", config={"time_max": 5}, autoreset=False) as world:
        engine = EngineSide(world)
        first = engine.reset(3)
        assert not first.over and first.reward.tolist() == [0.0] and first.episode is None
        moments = []
        while not (moments and moments[-1].over):
            moments.append(engine.step(6))
        last = moments[-1]
        assert last.episode is not None and last.episode["seed"] == 3
        assert all(moment.episode is None for moment in moments[:-1])
        again = engine.reset(3)
        assert not again.over and np.array_equal(again.observation, first.observation)
        assert again.reward.tolist() == [0.0] and not again.terminated.any() and not again.truncated.any()
        assert first.mask is not None and first.observation is not engine.world.observations
    with NativeWorld("tag", autoreset=False) as world:
        engine = EngineSide(world)
        assert engine.reset(1).mask is None


def test_several_processes_play_the_same_and_end_with_the_matrix():
    one = plan(seeds=2, profiles=PROFILES[:1], budgets=(100,))
    alone = run(one)
    resource_tracker.ensure_running()  # Python's own helper, once for all pools
    with nothing_left_open():
        shared = run(MatrixPlan(**{**vars(one), "jobs": 2}))
    assert [(r.case, r.decisions, r.goals_met) for r in shared.cases] == [
        (r.case, r.decisions, r.goals_met) for r in alone.cases
    ]


def test_a_worker_uses_the_engine_of_its_parent_and_leaves_with_it(monkeypatch):
    used, signals, threads, ended = [], [], [], []

    class Thread:
        def __init__(self, target, daemon):
            self.how = (target, daemon)

        def start(self):
            threads.append(self.how)

    monkeypatch.setattr(parity_matrix.library, "use", used.append)
    monkeypatch.setattr(parity_matrix.signal, "signal", lambda *how: signals.append(how))
    monkeypatch.setattr(parity_matrix.threading, "Thread", Thread)
    parity_matrix.begin_worker("engine.so")
    assert used == ["engine.so"] and threads == [(parity_matrix.leave_with_parent, True)]
    assert signals == [(parity_matrix.signal.SIGINT, parity_matrix.signal.SIG_IGN)]
    monkeypatch.setattr(os, "_exit", ended.append)
    parity_matrix.leave_with_parent()
    assert ended == [], "here there is no parent to wait for"


def test_numbers_of_numpy_are_written_as_numbers(tmp_path):
    case = Case("g", "plain", "ones", 7, 5, 12)
    moment = StepResult(np.zeros((1, 1)), np.zeros(1), np.zeros(1, bool), np.zeros(1, bool), None, {})
    trace = Trace([np.int64(3), np.array([0.5, 1.0])], [(0, 7)], [moment], [moment])
    folder = write_bundle(tmp_path, wrong(case), trace)
    assert json.loads((folder / "actions.json").read_text())["actions"] == [3, [0.5, 1.0]]


@pytest.mark.parametrize("agents", [1, 2])
def test_a_bots_actions_are_one_per_agent_and_a_single_one_alone(agents):
    class Bot:
        def act(self, observations, masks, state):
            seen.append((observations.shape, None if masks is None else masks.shape, state))
            return np.arange(agents) + 5, "state"

    seen = []
    observed = StepResult(np.zeros((agents, 4)), None, None, None, np.ones(3 * agents), {})
    run = object.__new__(ParityRun)
    run.suite, run.bot, run.trace = Suite("bot", bot="tour"), Bot(), Trace(twin=[observed])
    actions = run.actions()
    first = next(actions)
    next(actions)
    assert first == 5 if agents == 1 else first.tolist() == [5, 6]
    assert seen == [((agents, 4), (agents, 3), None), ((agents, 4), (agents, 3), "state")]
