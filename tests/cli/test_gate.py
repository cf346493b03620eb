"""sandlot gate, baseline, report and eval --output as a user types them: files, exit codes, sentences."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "gates"))
from gate_reports import report

RNG = np.random.default_rng(0)
GOOD = RNG.random(300) < 0.9


@pytest.fixture
def sides(tmp_path):
    """good.json, bad.json and few.json in the folder that commands run in."""
    report(GOOD).write(tmp_path / "good.json")
    report(GOOD & (RNG.random(300) < 0.7)).write(tmp_path / "bad.json")
    report(GOOD[:10]).write(tmp_path / "few.json")
    return tmp_path


def regression(sandlot, one, two, *more):
    return sandlot("gate", "regression", "--baseline", one, "--current", two, *more)


def test_exit_codes_are_0_1_and_2(sandlot, sides):
    assert regression(sandlot, "good.json", "good.json").code == 0
    failed = regression(sandlot, "good.json", "bad.json")
    assert failed.code == 1 and "Fail: success." in failed.out
    missing = regression(sandlot, "good.json", "none.json")
    assert (
        missing.code == 2
        and "There is no report" in missing.err
        and "none.json" in missing.err
        and not missing.out
    )


def test_ten_episodes_could_not_run_unless_undecided_is_accepted(sandlot, sides):
    done = regression(sandlot, "few.json", "few.json")
    assert done.code == 2 and "10 pairs cannot exclude" in done.err
    done = regression(sandlot, "few.json", "few.json", "--undecided", "pass")
    assert done.code == 0 and "Undecided: success" in done.out and "10 pairs cannot exclude" in done.out


def test_every_file_is_written_and_says_the_same(sandlot, sides):
    words = (
        "--output",
        "out/v.json",
        "--junit",
        "out/v.xml",
        "--markdown",
        "out/v.md",
        "--html",
        "out/v.html",
    )
    done = regression(sandlot, "good.json", "bad.json", "--json", *words)
    verdict = json.loads(done.out)
    assert done.code == 1 and json.loads((sides / "out/v.json").read_text()) == verdict
    suite = ElementTree.parse(sides / "out/v.xml").getroot().find("testsuite")
    assert int(suite.get("failures")) > 0
    assert (sides / "out/v.md").read_text().startswith("# ❌ fail")
    assert "gate regression --baseline good.json" in (sides / "out/v.html").read_text()


def test_the_summary_of_a_github_step_is_appended_to(sandlot, sides, monkeypatch):
    (sides / "summary.md").write_text("# before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(sides / "summary.md"))
    regression(sandlot, "good.json", "good.json", "--markdown", "summary.md")
    text = (sides / "summary.md").read_text()
    assert text.startswith("# before\n") and "✅ pass" in text


def test_a_gate_that_could_not_run_leaves_no_verdict(sandlot, sides):
    assert regression(sandlot, "good.json", "few.json", "--output", "v.json", "--junit", "v.xml").code == 2
    assert not (sides / "v.json").exists() and not (sides / "v.xml").exists()


def test_a_killed_gate_leaves_no_half_verdict(sandlot, sides, monkeypatch):
    from sandlot.gates import regression as module

    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(module._Comparison, "_judged", killed)
    assert regression(sandlot, "good.json", "bad.json", "--output", "v.json").code == 130
    assert {path.name for path in sides.iterdir()} == {"good.json", "bad.json", "few.json"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[regression]\nmargin = 1", "regression.margin: Extra inputs"),
        ("[regression.margins]\nsucess = 0.1", "'sucess', which no episode has"),
        ("[regression\n", "is no TOML file"),
    ],
)
def test_a_wrong_gates_toml_could_not_run(sandlot, sides, text, said):
    (sides / "gates.toml").write_text(text)
    done = regression(sandlot, "good.json", "good.json")
    assert done.code == 2 and said in done.err


def test_margins_of_gates_toml_decide(sandlot, sides):
    (sides / "gates.toml").write_text("[regression.margins]\nsuccess = 0.9\n")
    assert regression(sandlot, "good.json", "bad.json").code == 0


def test_a_tolerance_is_explained(sandlot, sides):
    done = regression(sandlot, "good.json", "bad.json", "--tolerance", "0.1")
    assert done.code == 1 and "--tolerance 0.1 is taken as a margin in each metric's own unit" in done.out


def test_limits_of_validate(sandlot, sides):
    assert sandlot("gate", "validate", "good.json", "--min", "success=0.8").code == 0
    assert sandlot("gate", "validate", "bad.json", "--min", "success_rate=0.8").code == 1
    assert sandlot("gate", "validate", "good.json", "--min", "success").code == 2
    assert sandlot("gate", "validate", "good.json", "--min", "sucess=1").code in (1, 2)


def test_budget_wants_one_kind_of_input(sandlot, sides):
    assert "Give --report" in sandlot("gate", "budget").err
    both = sandlot("gate", "budget", "--report", "good.json", "--baseline", "good.json")
    assert both.code == 2 and "Give one of them" in both.err
    done = sandlot("gate", "budget", "--report", "good.json", "--p95", "episode_length=120")
    assert done.code == 0, done.err
    assert sandlot("gate", "budget", "--report", "good.json", "--p95", "episode_length=90").code == 1


def test_a_baseline_from_saving_to_promotion(sandlot, sides):
    assert sandlot("baseline", "save", "main", "good.json").code == 0
    assert "main" in sandlot("baseline", "list").out and "success" in sandlot("baseline", "show", "main").out
    assert sandlot("baseline", "save", "main", "bad.json").code == 2
    assert sandlot("baseline", "save", "new", "good.json").code == 0
    assert regression(sandlot, "main", "good.json", "--output", "v.json").code == 0
    assert sandlot("baseline", "promote", "new", "main").code == 2
    assert sandlot("baseline", "promote", "new", "main", "--verdict", "v.json").code == 0
    assert [row["name"] for row in json.loads(sandlot("baseline", "list", "--json").out)] == ["main"]
    assert regression(sandlot, "mian", "good.json").code == 2


def test_a_report_is_made_of_a_verdict(sandlot, sides):
    regression(sandlot, "good.json", "bad.json", "--output", "v.json")
    assert sandlot("report", "v.json").out.startswith("# ❌ fail")
    assert sandlot("report", "v.json", "--output", "a.html", "--output", "b.md").code == 0
    assert (sides / "a.html").read_text().startswith("<!doctype html>")
    assert sandlot("report", "v.json", "--output", "a.pdf").code == 2
    assert "# Evaluation: policy" in sandlot("report", "good.json").out
    assert sandlot("report", "good.json", "--output", "a.html").code == 2


def test_bots_of_a_native_game_are_compared_without_any_training(sandlot, tmp_path):
    words = ("--baseline", "bot:autopilot:3", "--current", "bot:autopilot:1", "--game", "landing")
    done = sandlot("gate", "regression", *words, "--replays", "0", "--json")
    assert done.code == 1 and json.loads(done.out)["current"]["name"] == "autopilot:1"
    assert "--game NAME" in sandlot("gate", "regression", *words[:4]).err


def test_an_evaluation_writes_a_report_that_gates_read(sandlot, tmp_path):
    from sandlot.policies import Policy
    from sandlot.worlds import load_spec

    (tmp_path / "p.pt").write_bytes(Policy(load_spec("landing"), "pilot").to_bytes())
    assert sandlot("eval", "p.pt", "--episodes", "110", "--output", "r.json").code == 0
    given = json.loads((tmp_path / "r.json").read_text())
    assert given["results"] and len(given["groups"][0]["rows"]) == 110 and given["model_sha256"]
    assert regression(sandlot, "r.json", "r.json").code == 0
    assert regression(sandlot, "r.json", "p.pt", "--replays", "0").code in (0, 1)


def test_a_soak_finds_nothing_in_what_stays_as_it_is(sandlot, tmp_path):
    command = f"{sys.executable} -c 'import time; time.sleep(60)'"
    done = sandlot("gate", "soak", "--command", command, "--minutes", "0.15", "--output", "soak.json")
    assert done.code == 0 and json.loads((tmp_path / "soak.json").read_text())["result"] == "pass"
    assert "Name a game" in sandlot("gate", "soak").err
