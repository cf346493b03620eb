"""A verdict as JUnit, Markdown and HTML: the verdict first, nothing from outside, no text that breaks out."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from gate_reports import report

from sandlot.errors import Damaged, NewerSchema, StoreError
from sandlot.gates import verdict as verdict_file
from sandlot.gates.junit import to_junit
from sandlot.gates.markdown import to_markdown
from sandlot.gates.page import to_html
from sandlot.gates.regression import Question, compare
from sandlot.gates.sides import ReportSide
from sandlot.gates.verdict import Check, Failure, make_verdict, overall, read_verdict

RNG = np.random.default_rng(0)


def verdict(drop=0.3, **names):
    good = RNG.random(300) < 0.9
    sides = [report(good, reward=RNG.normal(5, 1, 300), changes={"model": names.get("model", "policy")}),
             report(good & (RNG.random(300) > drop), reward=RNG.normal(4, 1, 300))]  # fmt: skip
    one, two = (ReportSide(side, "report.json") for side in sides)
    return compare(one, two, Question(command="sandlot gate regression --baseline a --current b"))


def test_the_markdown_begins_with_the_verdict_and_ends_with_the_command():
    lines = to_markdown(verdict()).splitlines()
    assert lines[0] == "# ❌ fail: gate regression" and lines[2] == "Fail: success."
    assert lines[4] == "## What changed" and "success" in lines[6]
    assert "sandlot gate regression --baseline a --current b" in lines[-4:]
    head = next(i for i, line in enumerate(lines) if line.startswith("| verdict |"))
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in lines[head : head + 3]}
    assert len(columns) == 1


def test_a_pass_says_so():
    text = to_markdown(verdict(drop=0.0))
    assert text.startswith("# ✅ pass") and "## What changed" not in text


def test_the_page_needs_no_other_file_and_runs_no_script():
    text = to_html(verdict())
    assert text.startswith("<!doctype html>") and not re.search(r"(src|href)=|<script|@import|url\(", text)
    assert text.count("<svg") >= 1 and "Change in margins" in text


@pytest.mark.parametrize("name", ['<script>alert("1")</script>', "a | b", "x\x00y\ny"])
def test_names_from_outside_stay_names(name):
    found = verdict(model=name)
    assert "<script>" not in to_html(found)
    rows = [line for line in to_markdown(found).splitlines() if line.startswith("| baseline |")]
    assert len(rows) == 1 and rows[0].count("|") == 6
    ElementTree.fromstring(to_junit(found))


def test_junit_counts_what_failed_and_skips_what_is_only_reported():
    found = verdict()
    suite = ElementTree.fromstring(to_junit(found)).find("testsuite")
    failed = [c for c in found.checks if c.result in ("fail", "undecided")]
    assert int(suite.get("tests")) == len(found.checks) and int(suite.get("failures")) == len(failed)
    assert len(suite.findall("testcase/failure")) == len(failed)
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped")) > 0


def checks(*results):
    return [Check(name=f"m{i}", result=result, sentence="it") for i, result in enumerate(results)]


def test_undecided_is_a_failure_of_junit_unless_it_is_accepted_and_no_data_is_an_error():
    found = make_verdict("validate", checks("pass", "undecided", "no_data"))
    strict, mild = (ElementTree.fromstring(to_junit(found, mild)).find("testsuite") for mild in (False, True))
    assert (strict.get("failures"), mild.get("failures")) == ("1", "0")
    assert strict.get("errors") == mild.get("errors") == "1"


@pytest.mark.parametrize(
    ("results", "whole"),
    [
        (("pass", "pass"), "pass"),
        (("pass", "undecided", "no_data", "fail"), "fail"),
        (("pass", "undecided", "no_data"), "no_data"),
        (("pass", "undecided"), "undecided"),
        ((), "no_data"),
    ],
)
def test_the_worst_check_is_the_verdict(results, whole):
    assert overall(checks(*results)) == whole


def test_a_check_that_does_not_gate_cannot_decide():
    bad = Check(name="x", result="fail", gating=False, sentence="it")
    assert overall([bad, *checks("pass")]) == "pass" and overall([bad]) == "no_data"


def test_a_failure_shows_its_actions_and_its_replays():
    failure = Failure(
        seed=7, metric="success", expected_behavior="lands", observed_fault="falls",
        minimal_reproduction="go",
        replays={"shrunk": "replay-1"}, diverges_at_step=4, actions_before=90, actions_after=1,
        rows=[{"step": 3, "action": [0.5, 0]}],
    )  # fmt: skip
    found = verdict().model_copy(update={"failures": [failure]})
    for text in (to_markdown(found), to_html(found)):
        assert "90 -&gt; 1" in text or "90 -> 1" in text
        assert "replay-1" in text and "[0.5, 0]" in text and "from step 4 on" in text


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("", Damaged, "cut off"),
        ("{}", Damaged, "is not a verdict of a gate"),
        ('{"kind": "sandlot-gate-verdict", "schema_version": 9}', NewerSchema, "schema version 9"),
        ('{"kind": "sandlot-gate-verdict", "result": "pass"}', Damaged, "gate: Field required"),
    ],
)
def test_half_a_verdict_is_none(tmp_path, text, kind, said):
    (tmp_path / "v.json").write_text(text)
    with pytest.raises(kind, match=said):
        read_verdict(tmp_path / "v.json")


def test_a_missing_verdict_is_refused(tmp_path):
    with pytest.raises(StoreError, match="There is no verdict of a gate at"):
        read_verdict(tmp_path / "v.json")


def test_a_verdict_that_is_too_large_is_refused_by_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(verdict_file, "MAX_FILE_BYTES", 1)
    (tmp_path / "v.json").write_text("{}")
    with pytest.raises(Damaged, match=r"v\.json is larger than 0 MiB; no verdict of a gate is\.$"):
        read_verdict(tmp_path / "v.json")
