"""Each core against its twin, bit for bit, in a few seconds; `sandlot parity GAME` compares far more.

`scripts/mutants.py` tries every fault of the engine on this file first, then on the golden bots and traces.
"""

from __future__ import annotations

import pytest

import sandlot
from sandlot.evaluate.parity_matrix import MatrixPlan, run
from sandlot.games.reference import parity_setup
from sandlot.games.reference.interface import Tolerances

EXACT = Tolerances(absolute=0.0, relative=0.0, metric=0.0)

# Suites that reach most rules in few decisions, and the length of their episodes.
PLANS = {
    "prospector": {
        "suites": ("scenarios", "novelty", "endings", "adversarial"),
        "budgets": (300,),
        "steps": 250,
    },
    "tag": {
        "suites": ("random", "climbing", "hunting", "crowding", "stacking"),
        "budgets": (3,),
        "steps": 40,
    },
}
CASES = [
    (game, variant) for game in sandlot.games() for variant in parity_setup(game).variants or ("default",)
]


@pytest.mark.parametrize("game, variant", CASES)
def test_core_and_twin_agree_to_the_bit(game, variant, tmp_path):
    """Observations, masks, rewards, endings, info and the sums of an episode, after every decision."""
    settings = PLANS.get(game, {"steps": 100})
    plan = MatrixPlan(game, (variant,), seeds=1, tolerances=EXACT, bundles=tmp_path, **settings)
    report = run(plan)
    assert [f"{r.case.title()}: {r.mismatch.sentence()}" for r in report.mismatches() if r.mismatch] == []
    assert all(result.decisions == plan.steps for result in report.cases)
