"""Landing's core against its twin: the reduced matrix. The full one is `sandlot parity landing`."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from sandlot.evaluate.parity import Report
from sandlot.evaluate.parity_matrix import MatrixPlan, run
from sandlot.games.reference.interface import Tolerances
from sandlot.games.reference.landing import LandingTwin, fly
from sandlot.games.reference.landing.parity_setup import PARITY_SETUP, VARIANTS

pytestmark = pytest.mark.parity

EXACT = Tolerances(absolute=0.0, relative=0.0, metric=0.0)


def play(tmp_path, **changes) -> Report:
    plan = {"game": "landing", "seeds": 1, "steps": 260, "bundles": tmp_path, "tolerances": EXACT}
    return run(MatrixPlan(**{**plan, **changes}))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Every suite under every variant, a landing or more of each."""
    return play(tmp_path_factory.mktemp("bundles"), budgets=(25,), jobs=min(4, os.cpu_count() or 1))


def test_core_and_twin_agree_to_the_bit(whole):
    assert [f"{r.case.title()}: {r.mismatch.sentence()}" for r in whole.mismatches() if r.mismatch] == []


def test_every_goal_is_met_under_some_variant(whole):
    """The full matrix asks for each goal under each variant; a short one shows each at least once."""
    met = sum((result.goals_met for result in whole.cases), Counter())
    wanted = {goal for settings in VARIANTS.values() for goal in PARITY_SETUP.goals(LandingTwin(settings))}
    assert wanted - set(met) == set()


def test_a_wrong_rule_is_found(tmp_path, monkeypatch):
    """The harness must not be blind: a twin whose craft leans the wrong way differs at once."""
    axes = fly.axes_of
    monkeypatch.setattr(fly, "axes_of", lambda pitch, roll: axes(pitch, -roll))
    report = play(tmp_path, profiles=("disturbed",), suites=("held",))
    assert not report.good()
    assert report.cases[0].decisions <= 10
