"""REWARD_NOTES.md tells what the library does today."""

import importlib.util
import re
from pathlib import Path

import sandlot

FILE = Path(__file__).parent.parent / "scripts" / "reward_notes.py"
spec = importlib.util.spec_from_file_location("reward_notes", FILE)
reward_notes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reward_notes)


def test_the_committed_page_is_up_to_date():
    assert reward_notes.PAGE.read_text(encoding="utf-8") == reward_notes.page(), (
        "run `python scripts/reward_notes.py` and commit the page"
    )


def test_a_stale_page_is_noticed_and_written_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reward_notes, "PAGE", tmp_path / "REWARD_NOTES.md")
    assert reward_notes.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().err
    assert reward_notes.main([]) == 0
    assert reward_notes.main(["--check"]) == 0


def test_every_term_is_in_the_table_with_its_knob_and_value():
    page = reward_notes.page()
    spec = sandlot.load_spec("tag")
    for term in spec.reward_terms:
        rows = [line for line in page.splitlines() if line.startswith(f"| `{term['name']}` |")]
        assert rows, term["name"]
        assert f"`{term['knob']}`" in rows[0]
        assert f"{spec.config[term['knob']]:g}" in rows[0]
        assert term["pitfall"] in page


def test_the_variables_of_the_original_project_are_named():
    page = reward_notes.page()
    for name in ("DISTANCE_REWARD_SCALE", "SEEKER_TIME_PENALTY", "WIN_BONUS"):
        assert f"AI_{name}" in page
    assert "AI_TIMEOUT_HIDER_BONUS" in page and "AI_TIMEOUT_SEEKER_PENALTY" in page


def test_only_knobs_that_exist_have_a_variable():
    knobs = {knob.name for knob in sandlot.load_spec("tag").knobs}
    assert set(reward_notes.VARIABLES) <= knobs


def test_the_change_log_is_dated_newest_first():
    log = reward_notes.page().split("## Change log")[1]
    dates = re.findall(r"^- (\d{4}-\d{2}-\d{2}) ", log, flags=re.M)
    assert dates and dates == sorted(dates, reverse=True)
