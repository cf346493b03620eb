"""Runs: the catalogue sorts and filters; a run shows and gives away its settings, files and charts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .conftest import PHONE, until
from .rich import TWIN, run_of


def open_runs(page, server):
    page.goto(f"{server.url}/runs")
    rows = page.locator("table tbody tr")
    rows.first.wait_for()
    return rows


def open_run(page, server, run_id: str, tab: str):
    page.goto(f"{server.url}/runs/{run_id}?tab={tab}")
    page.get_by_role("heading", name=run_id).wait_for()


def ids(rows) -> list[str]:
    return [row.locator("a").first.inner_text() for row in rows.all()]


def test_a_run_names_its_experiment_trackers(page, own_runs, start_server):
    run = run_of(own_runs, "tag")
    (run.paths.folder / "wandb/offline-run-20260101_000000-x").mkdir(parents=True)
    run.paths.tensorboard.mkdir(exist_ok=True)
    (run.paths.tensorboard / "events.out.tfevents.1.host").touch()
    server = start_server(own_runs)
    open_run(page, server, run.run_id, "lineage")
    shown = page.locator('[data-part="trackers"]').inner_text()
    assert f"wandb sync runs/{run.run_id}/wandb/offline-run-20260101_000000-x" in shown
    assert f"tensorboard --logdir runs/{run.run_id}/tensorboard" in shown


def test_a_run_with_a_dot_in_its_name_has_a_page(page, own_runs, start_server):
    run = run_of(own_runs, "tag")
    record = json.loads(run.paths.record.read_text()) | {"run_id": "exp.v2"}
    run.paths.record.write_text(json.dumps(record))
    run.paths.folder.rename(own_runs / "exp.v2")
    page.goto(f"{start_server(own_runs).url}/runs/exp.v2")
    page.get_by_role("heading", name="exp.v2").wait_for()


# ---------------------------------------------------------------- the catalogue


def test_all_runs_are_listed_newest_first(page, rich_server):
    rows = open_runs(page, rich_server)
    assert ids(rows)[0] == run_of(rich_server.runs, "tag").run_id
    assert len(ids(rows)) == 3


def test_runs_are_sorted_by_a_click_and_turned_by_another(page, rich_server):
    rows = open_runs(page, rich_server)
    page.get_by_role("button", name="Env steps").click()
    steps = {
        run["run_id"]: run["env_steps_total"]
        for run in page.request.get(f"{rich_server.url}/api/runs").json()["runs"]
    }
    down = [steps[run] for run in ids(rows)]
    assert down == sorted(down, reverse=True)
    assert (
        page.get_by_role("columnheader", name=re.compile("Env steps")).get_attribute("aria-sort")
        == "descending"
    )
    page.get_by_role("button", name="Env steps").click()
    assert [steps[run] for run in ids(rows)] == sorted(down)


def test_runs_are_filtered_by_game_status_and_words(page, rich_server):
    rows = open_runs(page, rich_server)
    page.get_by_label("Game").select_option("prospector")
    assert len(ids(rows)) == 2
    page.get_by_label("Status").select_option("failed")
    assert ids(rows) == [TWIN]
    page.get_by_label("Search").fill("seed:1")
    page.get_by_text("No run fits").wait_for()


def test_a_run_leads_to_its_pages(page, rich_server):
    open_runs(page, rich_server)
    page.get_by_role("link", name=f"Analytics of {TWIN}").click()
    page.wait_for_url(re.compile(f"/analytics\\?run={TWIN}"))
    page.go_back()
    page.get_by_role("link", name=TWIN, exact=True).click()
    page.get_by_role("heading", name=TWIN).wait_for()
    page.get_by_text("The twin was switched off.").wait_for()


# ---------------------------------------------------------------- one run


def test_lineage_tells_seed_versions_revision_and_resumes(page, rich_server):
    open_run(page, rich_server, TWIN, "lineage")
    facts = page.locator(".facts").inner_text()
    record = json.loads((rich_server.runs / TWIN / "run.json").read_text())
    assert "after window 1 at 2026-01-01 00:10:00 UTC" in facts
    for words in ("99", "0badcafe", record["versions"]["torch"], record["spec_hash"], "checkpoints"):
        assert words in facts


def test_settings_are_searched(page, rich_server):
    open_run(page, rich_server, TWIN, "config")
    page.get_by_label("Search the settings").fill("learning rate")
    config = json.loads((rich_server.runs / TWIN / "config.json").read_text())
    values = page.locator(".metrics dd").all_inner_texts()
    rates = [
        value
        for part in config.values()
        if isinstance(part, dict)
        for name, value in part.items()
        if "learning_rate" in name
    ]
    assert len(rates) > 1 and sorted(values) == sorted(map(str, rates))
    page.get_by_label("Search the settings").fill("no such thing")
    page.get_by_text("No setting holds those words").wait_for()


def test_two_runs_are_compared_setting_by_setting(page, rich_server):
    open_run(page, rich_server, TWIN, "config")
    page.get_by_label("Other run", exact=True).select_option(run_of(rich_server.runs, "prospector").run_id)
    rows = page.get_by_role("region", name="1 setting differs").locator("tbody tr")
    rows.first.wait_for()
    path, own, other = rows.first.locator("td").all_inner_texts()
    assert path == "ppo.learning_rate" and float(own) == 2 * float(other)


@pytest.mark.parametrize(
    "path", ["metrics/windows.jsonl", "metrics/episodes.csv", "config.json", "checkpoints/policy_seeker.pt"]
)
def test_a_download_is_the_file_of_the_run(page, rich_server, path):
    run = run_of(rich_server.runs, "tag")
    open_run(page, rich_server, run.run_id, "downloads")
    with page.expect_download() as saved:
        page.get_by_role("link", name=path, exact=True).click()
    assert Path(saved.value.path()).read_bytes() == (run.paths.folder / path).read_bytes()


def test_a_policy_is_downloaded_as_onnx(page, rich_server):
    import onnx

    run = run_of(rich_server.runs, "tag")
    open_run(page, rich_server, run.run_id, "downloads")
    with page.expect_download() as saved:
        page.get_by_role("link", name=re.compile(r"^seeker_\d+\.onnx$")).first.click()
    onnx.checker.check_model(onnx.load(saved.value.path()))


def test_charts_are_shown_and_enlarged(page, rich_server):
    run = run_of(rich_server.runs, "tag")
    open_run(page, rich_server, run.run_id, "charts")
    pictures = page.locator(".gallery img")
    pictures.first.wait_for()
    assert pictures.count() == len(list(run.paths.charts.glob("*.png")))
    until(page, "document.querySelector('.gallery img').naturalWidth > 100")
    page.locator(".gallery button").first.click()
    page.get_by_role("dialog").get_by_role("img").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")


def test_a_run_without_charts_says_how_to_draw_them(page, rich_server):
    open_run(page, rich_server, TWIN, "charts")
    page.get_by_text(f"sandlot plot {TWIN}").wait_for()


def test_a_run_that_is_not_there_is_reported(page, server, complaints):
    complaints.allow("404")
    page.goto(f"{server.url}/runs/20200101T000000Z-00000000")
    page.get_by_role("alert").get_by_text("There is no run").wait_for()


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_page_of_runs_can_be_used_by_everybody_and_on_a_phone(open_page, rich_server, axe, fits, theme):
    page = open_page(size=PHONE, theme=theme)
    run = run_of(rich_server.runs, "tag")
    for tab in ("", "lineage", "config", "downloads", "charts"):
        page.goto(f"{rich_server.url}/runs" + (f"/{run.run_id}?tab={tab}" if tab else ""))
        page.locator("table tbody tr, .facts, .metrics, .gallery img").first.wait_for()
        assert axe(page) == [], tab
        assert fits(page), tab
