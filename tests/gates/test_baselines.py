"""Baselines are folders: saved whole, replaced only by what passed."""

import json

import numpy as np
import pytest
from gate_reports import report

from sandlot.errors import ConfigError, Damaged, UnknownName, UnsafePath
from sandlot.gates.baselines import Baselines, policy_of
from sandlot.gates.regression import Question, compare
from sandlot.gates.sides import ReportSide, open_side
from sandlot.gates.worker import Request

GOOD = report(np.ones(200), changes={"model_sha256": "11"})
NEW = report(np.ones(200), changes={"model_sha256": "22"})
BAD = report(np.zeros(200), changes={"model_sha256": "33"})


@pytest.fixture
def known(tmp_path):
    return Baselines(tmp_path / "baselines")


def verdict_on(current, baseline=GOOD):
    return compare(ReportSide(baseline, "a"), ReportSide(current, "b"), Question())


def test_what_is_saved_is_what_is_read(known, tmp_path):
    policy = tmp_path / "best.pt"
    policy.write_bytes(b"weights")
    place = known.save("main", GOOD, policy, "latest")
    assert known.names() == ["main"] and known.report("main") == GOOD
    assert policy_of(place).read_bytes() == b"weights" and known.note("main")["source"] == "latest"


def test_a_name_is_not_overwritten_and_leads_nowhere_else(known):
    known.save("main", GOOD)
    with pytest.raises(ConfigError, match="already"):
        known.save("main", NEW)
    assert known.report("main") == GOOD
    with pytest.raises(UnsafePath):
        known.save("../main", GOOD)


def test_an_unfinished_save_is_no_baseline(known):
    place = known.save("main", GOOD)
    (place / "baseline.json").unlink()
    assert known.names() == []
    with pytest.raises(UnknownName, match="main"):
        known.report("main")


def test_a_better_one_takes_the_place_with_the_verdict_that_judged_it(known):
    known.save("main", GOOD)
    known.save("new", NEW)
    known.promote("new", "main", verdict_on(NEW))
    assert known.names() == ["main"] and known.report("main") == NEW
    assert known.note("main")["verdict"].startswith("Pass")


@pytest.mark.parametrize(
    ("candidate", "verdict", "said"),
    [
        (NEW, None, "give its verdict"),
        (BAD, verdict_on(BAD), "is fail, not pass"),
        (NEW, verdict_on(GOOD), "judged policy, not what is in new"),
    ],
)
def test_without_a_passing_verdict_on_it_nothing_is_replaced(known, candidate, verdict, said):
    known.save("main", GOOD)
    known.save("new", candidate)
    with pytest.raises(ConfigError, match=said):
        known.promote("new", "main", verdict)
    assert known.names() == ["main", "new"] and known.report("main") == GOOD
    known.promote("new", "main", verdict, force=True)
    assert known.report("main") == candidate


def test_a_damaged_baseline_is_refused(known):
    place = known.save("main", GOOD)
    data = json.loads((place / "report.json").read_text())
    data["groups"][0]["rows"][0]["success"] = "yes"
    (place / "report.json").write_text(json.dumps(data))
    with pytest.raises(Damaged):
        open_side("main", Request(), known.paths())


def test_a_baseline_without_a_policy_is_its_report(known):
    known.save("main", GOOD)
    side = open_side("main", Request(), known.paths(), playable=True)
    assert isinstance(side, ReportSide) and side.identity.sha256 == "11"
