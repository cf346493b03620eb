"""Tag's core against its twin: the reduced matrix. The full one is `sandlot parity tag`."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import numpy as np
import pytest

import sandlot
from sandlot.evaluate.parity import Report
from sandlot.evaluate.parity_matrix import MatrixPlan, run
from sandlot.games.reference.interface import Tolerances
from sandlot.games.reference.tag import TagTwin, move
from sandlot.games.reference.tag.parity_setup import PARITY_SETUP, VARIANTS
from sandlot.games.reference.tag.suites import SUITES

pytestmark = pytest.mark.parity

EXACT = Tolerances(absolute=0.0, relative=0.0, metric=0.0)


def play(tmp_path, **changes) -> Report:
    plan = {"game": "tag", "seeds": 1, "steps": 70, "budgets": (3,), "bundles": tmp_path, "tolerances": EXACT}
    return run(MatrixPlan(**{**plan, **changes}))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Every suite under every variant, one short match or more of each."""
    return play(tmp_path_factory.mktemp("bundles"), jobs=min(4, os.cpu_count() or 1))


def test_core_and_twin_agree_to_the_bit(whole):
    assert [f"{r.case.title()}: {r.mismatch.sentence()}" for r in whole.mismatches() if r.mismatch] == []


def test_every_goal_is_met_under_some_variant(whole):
    """The full matrix asks for each goal under each variant; a short one shows each at least once."""
    met = sum((result.goals_met for result in whole.cases), Counter())
    wanted = {goal for settings in VARIANTS.values() for goal in PARITY_SETUP.goals(TagTwin(settings))}
    assert wanted - set(met) == set()


def test_a_wrong_rule_is_found(tmp_path, monkeypatch):
    """The harness must not be blind: a twin whose eyes turn the wrong way differs at once."""
    rotate = move.rotate
    monkeypatch.setattr(move, "rotate", lambda me, c, s: rotate(me, c, -s))
    report = play(tmp_path, profiles=("default",), suites=("turns",))
    assert not report.good()
    assert report.cases[0].decisions <= 10


EVENTS_OF_NOTES = {
    "jump": ("jumped", "jumped in coyote time"),
    "land": ("landed on the floor", "landed on a box", "landed on a body"),
    "tag": ("a tag",),
    "pass": ("a pass",),
    "timeout": ("ended by timeout in timed", "ended by timeout in switch"),
}


@pytest.mark.parametrize("variant", ["default", "switch", "trio"])
@pytest.mark.parametrize("suite", ["climbing", "hunting", "crowding"])
def test_the_core_tells_the_events_that_the_twin_saw(variant, suite):
    config = {**VARIANTS[variant], "time_limit": 4.0}
    twin, core = TagTwin(config), sandlot.make("tag", config=config, autoreset=False)
    twin.reset(2)
    core.reset(seeds=[2])
    script = next(s.script for s in SUITES if s.name == suite)
    over = False
    actions = script(twin, Random(2))
    while not over:
        action = next(actions)
        _, _, terminated, truncated, _ = twin.step(action)
        core.step(np.asarray(action))
        over = terminated or truncated
        reported = Counter(event["name"] for event in core.events(0))
        for event, notes in EVENTS_OF_NOTES.items():
            assert reported[event] == sum(twin.world.notes[note] for note in notes)
