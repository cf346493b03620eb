"""Analytics: the page draws what a run's files say, compares runs, follows one, and says what is missing."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sandlot.media.derived import with_derived
from sandlot.media.history import Table
from sandlot.runs import Run
from sandlot.worlds import load_spec

from .conftest import PHONE
from .rich import TWIN, run_of


def open_analytics(page, server, game: str = "prospector", **asked: str) -> Run:
    run = run_of(server.runs, game)
    words = "&".join(f"{name}={value}" for name, value in ({"run": run.run_id} | asked).items())
    page.goto(f"{server.url}/analytics?{words}")
    page.get_by_role("heading", name="Analytics").wait_for()
    return run


def chart(page, title: str):
    return page.locator("figure.chart").filter(
        has=page.locator("figcaption", has_text=re.compile(f"^{title}$"))
    )


def value_of(text: str) -> float:
    """4.31k → 4310, 13 % → 0.13."""
    number, unit = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)\s*([kMG%]?)", text.strip()).groups()
    return float(number) * {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "%": 0.01}[unit]


def legend(page, title: str) -> list[str]:
    """The values that a chart tells, one a line, without the x."""
    figure = chart(page, title)
    figure.locator(".chart-legend .numbers").first.wait_for()
    return [each.inner_text() for each in figure.locator(".chart-legend li:not(.faint) .numbers").all()]


def drawn_share(page, title: str) -> float:
    """The share of a chart's pixels that are not the background: lines, grid and letters."""
    count = """canvas => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let drawn = 0;
        for (let i = 3; i < data.length; i += 4) drawn += data[i] > 0;
        return drawn / (data.length / 4);
    }"""
    return chart(page, title).locator("canvas").evaluate(count)


# ---------------------------------------------------------------- what is drawn is what was written


def test_the_newest_run_is_charted_by_default(page, server):
    page.goto(f"{server.url}/analytics")
    assert value_of(legend(page, "How long a match lasts")[0]) == pytest.approx(
        run_of(server.runs, "tag").windows()[-1].metrics["duration_s_mean"], rel=0.01
    )


@pytest.mark.parametrize(
    ("title", "column"),
    [
        ("Return", "return_mean"),
        ("Profit", "profit_mean"),
        ("Survival", "survival_rate"),
        ("Reward", "reward_mean"),
        ("Overheated", "overheat_ticks_mean"),
        ("Pirates met", "pirate_encounters_mean"),
        ("Lost to pirates", "value_lost_to_pirates_mean"),
        ("Mining", "mining_ticks_mean"),
        ("Scans", "scan_count_mean"),
        ("Profit a tick", "profit_per_tick_mean"),
        ("Fuel used", "fuel_used_mean"),
        ("Tool wear", "tool_wear_mean"),
        ("Invalid actions", "invalid_action_rate"),
        ("How episodes end badly", "stranded_rate"),
    ],
)
def test_every_chart_of_the_brief_tells_the_newest_window(page, server, title, column):
    run = open_analytics(page, server)
    expected = run.windows()[-1].to_json()[column]
    assert value_of(legend(page, title)[0]) == pytest.approx(expected, rel=0.01, abs=0.006)
    assert drawn_share(page, title) > 0.005


def test_derived_metrics_are_those_of_sandlot_plot(page, server):
    run = open_analytics(page, server)
    titles = {
        "hull_damage_per_1000_ticks": "Hull damage",
        "loss_per_encounter": "Loss a pirate",
        "pirates_per_1000_ticks": "Pirates in a while",
        "risk_adjusted_profit": "Profit, adjusted for risk",
        "profit_per_fuel": "Profit a unit of fuel",
        "ore_value_per_mining_tick": "Ore a mining tick",
        "credits_per_scan": "Earned a scan",
        "invalid_per_decision": "Invalid decisions",
    }
    spec = load_spec("prospector")
    assert set(titles) == {each.name for each in spec.document.derived}
    table = with_derived(spec, Table([row.to_json() for row in run.windows()]))
    for column, title in titles.items():
        last = table.rows[-1].get(column)
        if any(column in row for row in table.rows):
            shown = legend(page, title)[0]
            assert (
                shown == "missing"
                if last is None
                else value_of(shown) == pytest.approx(last, rel=0.01, abs=0.006)
            )


def test_every_number_of_the_windows_has_a_chart_or_is_bookkeeping(page, server):
    run = open_analytics(page, server)
    chart(page, "Return").wait_for()
    folded = page.locator("details.chart-group:not([open]) > summary")
    while folded.count():
        folded.first.click()
    words = " ".join(page.locator("figure.chart figcaption").all_inner_texts()).lower()
    for name in run.record.info_metric_keys:
        assert name.replace("_", " ") in words or name in KNOWN_BY_ANOTHER_NAME, name


KNOWN_BY_ANOTHER_NAME = {
    "destroyed",  # both among how episodes end badly
    "stranded",
    "profit_per_tick",
    "overheat_ticks",
    "pirate_encounters",
    "value_lost_to_pirates",
    "fuel_used",
    "tool_wear",
    "scan_count",
    "mining_ticks",
    "cargo_utilization_avg",
    "arrival_load",
    "slippage",
}


def test_tag_has_win_rates_in_the_colours_of_the_roles(page, server):
    run = open_analytics(page, server, "tag")
    row = run.windows()[-1].metrics
    seeker, hider = (value_of(each) for each in legend(page, "Who wins"))
    assert (seeker, hider) == pytest.approx((row["seeker_win_rate"], row["hider_win_rate"]), abs=0.006)
    colours = (
        chart(page, "Who wins")
        .locator(".chart-legend i")
        .evaluate_all("all => all.map(i => i.style.background)")
    )
    assert colours == ["var(--seeker)", "var(--hider)"]
    assert len(legend(page, "Entropy")) == 2


def test_tag_has_no_words_of_the_pilot_and_no_share_above_100_percent(page, server):
    run = run_of(server.runs, "tag")
    page.goto(f"{server.url}/analytics?run={run.run_id}")
    chart(page, "Who wins").locator("canvas").wait_for()
    text = page.locator("main").inner_text()
    assert "pilot" not in text and "fuel" not in text and "Invalid actions" not in text


def test_the_value_under_the_pointer_is_reported_with_its_place(page, server):
    run = open_analytics(page, server)
    first = run.windows()[0]
    plot = chart(page, "Profit").locator(".u-over")
    plot.scroll_into_view_if_needed()
    plot.hover(position={"x": 2, "y": 40})
    at = chart(page, "Profit").locator(".chart-legend .faint")
    at.get_by_text(f"{first.env_steps_total / 1000:.0f}k").wait_for()
    assert value_of(legend(page, "Profit")[0]) == pytest.approx(first.metrics["profit_mean"], rel=0.01)


def test_axes_have_names_and_units(page, server):
    open_analytics(page, server)
    labels = chart(page, "Profit").evaluate("figure => figure.textContent")
    assert "env steps" in labels
    # uPlot writes labels into the canvas; the picture's name tells the figure to those who cannot see it.
    assert (
        chart(page, "Profit")
        .get_by_role("img")
        .get_attribute("aria-label")
        .startswith("Profit: mean ends at")
    )


# ---------------------------------------------------------------- several runs


def test_two_runs_are_drawn_in_the_same_axes(page, rich_server):
    open_analytics(page, rich_server)
    chart(page, "Profit").wait_for()
    page.get_by_label("Compare with").select_option(TWIN)
    chart(page, "Profit").get_by_text("01-01 00:00:00").wait_for()
    own, twin = legend(page, "Profit")
    last = run_of(rich_server.runs, "prospector").windows()[-1].metrics["profit_mean"]
    assert value_of(own) == pytest.approx(last, rel=0.01)
    assert value_of(twin) == pytest.approx(2 * abs(last), rel=0.01)
    assert f"with={TWIN}" in page.url


def test_a_comparison_is_in_the_address_and_can_be_ended(page, rich_server):
    open_analytics(page, rich_server, **{"with": TWIN})
    assert len(legend(page, "Survival")) == 2
    page.get_by_role("button", name="prospector 01-01 00:00:00").click()
    chart(page, "Return").get_by_text("median").wait_for()
    assert len(legend(page, "Survival")) == 1 and "with=" not in page.url


def test_a_window_without_the_number_is_said_to_be_missing(page, rich_server):
    page.goto(f"{rich_server.url}/analytics?run={TWIN}")
    plot = chart(page, "Profit").locator(".u-over")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    plot.hover(position={"x": box["width"] / 2, "y": 40})
    chart(page, "Profit").get_by_text("missing").first.wait_for()


def test_runs_of_different_games_share_what_they_have_in_common(page, rich_server):
    tag = run_of(rich_server.runs, "tag").run_id
    open_analytics(page, rich_server, **{"with": tag})
    chart(page, "Who wins").wait_for()
    chart(page, "Profit").wait_for()


# ---------------------------------------------------------------- while a run trains


def append_window(run: Run, profit: float) -> int:
    """What a trainer does when a window closes."""
    row = run.windows()[-1].to_json()
    row["window_id"] += 1
    row["env_steps_total"] += run.record.window_env_steps
    row["profit_mean"] = profit
    with run.paths.windows.open("a") as file:
        file.write(json.dumps(row) + "\n")
    return row["window_id"]


def test_a_new_window_appears_without_losing_the_zoom(start_server, page, own_runs):
    server = start_server(own_runs)
    run = open_analytics(page, server)
    plot = chart(page, "Profit").locator(".u-over")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 60, steps=5)
    page.mouse.up()
    see_all = chart(page, "Profit").get_by_role("button", name="See all")
    see_all.wait_for()
    page.mouse.move(5, 5)
    window = append_window(run, profit=777.0)
    page.get_by_role("list", name=f"Window {window}").wait_for()
    assert value_of(legend(page, "Profit")[0]) == pytest.approx(777)
    assert see_all.is_visible()
    see_all.click()
    see_all.wait_for(state="detached")


@pytest.fixture
def training(tmp_path) -> Iterator[Path]:
    """A folder in which a trainer is at work, until the test ends."""
    words = ["train", "prospector", "--runs", str(tmp_path / "runs"), "--no-tensorboard", "--windows", "400"]
    words += [
        "--set",
        "run.window_env_steps=65536",
        "--set",
        "evaluation.episodes=2",
        "--set",
        "run.threads=1",
        "--set",
        "ppo.rollouts_per_iteration=1",  # a window every moment
    ]
    trainer = subprocess.Popen(
        [sys.executable, "-m", "sandlot", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    late = time.monotonic() + 60
    while not list(tmp_path.glob("runs/*/metrics/windows.jsonl")):
        assert trainer.poll() is None and time.monotonic() < late, "the trainer closed no window"
        time.sleep(0.2)
    yield tmp_path / "runs"
    trainer.send_signal(signal.SIGINT)
    try:
        trainer.wait(30)
    except subprocess.TimeoutExpired:
        trainer.kill()


def test_a_run_is_followed_while_a_real_trainer_writes_it(start_server, page, training):
    server = start_server(training)
    page.goto(f"{server.url}/analytics")
    page.get_by_text("training: updates by itself").wait_for()
    chart(page, "Profit").wait_for()

    def window() -> int:
        return int(page.locator(".headlines strong").first.inner_text())

    first, late = window(), time.monotonic() + 40
    while window() < first + 2 and time.monotonic() < late:
        page.wait_for_timeout(500)
    assert window() >= first + 2
    assert drawn_share(page, "Profit") > 0.005


def test_a_run_that_is_deleted_while_watched_is_reported(start_server, page, own_runs, complaints):
    complaints.allow("404")
    server = start_server(own_runs)
    run = open_analytics(page, server)
    chart(page, "Profit").wait_for()
    shutil.rmtree(run.paths.folder)
    page.get_by_role("alert").get_by_text("There is no run").first.wait_for()
    chart(page, "Profit").wait_for()  # what was known stays


def test_a_server_that_went_away_is_reported(start_server, page, own_runs, complaints):
    complaints.allow("Failed to load resource|ERR_CONNECTION")
    server = start_server(own_runs)
    open_analytics(page, server)
    chart(page, "Profit").wait_for()
    server.stop()
    page.get_by_role("alert").get_by_text("The server does not answer").first.wait_for()


def test_an_empty_folder_of_runs_says_what_to_do(start_server, page, tmp_path):
    server = start_server(tmp_path)
    for path in ("/analytics", "/runs"):
        page.goto(f"{server.url}{path}")
        page.get_by_text("sandlot train tag").wait_for()


def test_a_run_that_is_not_there_can_be_left(page, server):
    page.goto(f"{server.url}/analytics?run=20200101T000000Z-00000000")
    page.get_by_text("That run is not here").wait_for()
    page.get_by_label("Run", exact=True).select_option(run_of(server.runs, "tag").run_id)
    chart(page, "Who wins").wait_for()


# ---------------------------------------------------------------- the other tabs


def test_ratings_are_drawn_over_time(page, server):
    run = open_analytics(page, server, "tag", tab="evaluations")
    judged = [json.loads(line) for line in run.paths.evaluations.read_text().splitlines()]
    shown = [value_of(each) for each in legend(page, "Rating")]
    assert shown == pytest.approx([judged[-1]["seeker_rating"], judged[-1]["hider_rating"]], rel=0.01)
    assert value_of(legend(page, "Seeker against evade")[0]) == pytest.approx(
        judged[-1]["seeker_beats_evade_1"], abs=0.006
    )


def test_a_pilot_is_judged_by_profit_with_its_interval(page, server):
    run = open_analytics(page, server, tab="evaluations")
    judged = json.loads(run.paths.evaluations.read_text().splitlines()[-1])
    shown = [value_of(each) for each in legend(page, "Profit")]
    assert shown == pytest.approx([judged["value"], judged["value_low"], judged["value_high"]], rel=0.01)


def test_a_replay_of_the_timeline_opens_in_watch(page, server):
    run = open_analytics(page, server, "tag", tab="replays")
    newest = run.index.find(limit=1)[0]
    page.locator(".strip-replay").first.wait_for()
    assert page.locator(".strip-replay").count() == run.index.count()
    page.get_by_role("link", name=newest.replay_id, exact=True).click()
    page.wait_for_url(re.compile(rf"/\?run={run.run_id}&replay={newest.replay_id}"))


def test_the_timeline_tells_checkpoints_and_filters_by_tag(page, server):
    run = open_analytics(page, server, "tag", tab="replays")
    for window in run.checkpoints():
        page.get_by_role("link", name=f"ckpt_{window:06d}.pt").wait_for()
    page.get_by_label("Tag").select_option("milestone:survival:10")
    page.get_by_role("link", name="ckpt_000000.pt").wait_for(state="detached")
    assert page.locator(".strip-replay").count() == len(run.index.find(tag="milestone:survival:10"))


def test_the_league_is_a_heat_map_with_its_numbers(page, rich_server):
    open_analytics(page, rich_server, "tag", tab="league")
    report = json.loads(next(rich_server.runs.glob("league/*/league.json")).read_text())
    matrix = report["matrix"]
    cells = page.locator("table.heat td")
    cells.first.wait_for()
    assert cells.count() == len(matrix["rows"]) * len(matrix["columns"])
    shown = sorted(int(text) for text in cells.all_inner_texts())
    assert shown == sorted(int(100 * share + 0.5) for row in matrix["row_wins"] for share in row)
    assert page.locator("table.heat tbody th").count() == len(matrix["rows"])


def test_a_game_without_a_league_says_how_to_play_one(page, server):
    open_analytics(page, server, tab="league")
    page.get_by_text("sandlot league prospector").wait_for()


def test_the_latest_and_recent_windows_are_reported(page, server):
    run = open_analytics(page, server, tab="windows")
    rows = page.get_by_role("region", name="Recent windows, newest first").locator("tbody tr")
    rows.first.wait_for()
    assert rows.count() == run.window_count()
    page.get_by_role("heading", name=f"Latest window: {run.windows()[-1].window_id}").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("link", name="all rows as JSON lines").click()
    assert Path(saved.value.path()).read_bytes() == run.paths.windows.read_bytes()


def test_coverage_and_lineage_are_reported_row_by_row(page, server):
    run = open_analytics(page, server, tab="sources")
    table = page.get_by_role("region", name="Which sources of this run are there")
    table.locator("tbody tr").first.wait_for()
    assert table.locator("tbody tr").count() == 5
    assert (
        table.get_by_role("row", name=re.compile("W&B summary"))
        .get_by_text("missing", exact=True)
        .first.is_visible()
    )
    for words in (run.record.trainer_backend, run.record.spec_hash, "metrics/windows.jsonl"):
        page.locator(".facts").get_by_text(words).first.wait_for()


# ---------------------------------------------------------------- Weights & Biases


def test_weights_and_biases_that_is_not_connected_is_said_so(page, server):
    open_analytics(page, server, tab="wandb")
    page.get_by_text("Weights & Biases is not connected").wait_for()
    page.get_by_text("SANDLOT_WANDB_API_KEY").wait_for()


class Upstream(BaseHTTPRequestHandler):
    """As much of W&B's GraphQL as a page asks for: ten runs, each with the same history."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["query"]
        rows = [{"_step": 100 * i, "env_steps_total": 100 * i, "return_mean": float(i)} for i in range(1, 6)]
        node = {
            "name": "one", "displayName": "one", "state": "finished", "createdAt": "2026-01-01T00:00:00",
            "heartbeatAt": "2026-01-01T01:00:00", "group": None, "jobType": None, "tags": [], "config": "{}",
            "summaryMetrics": json.dumps(rows[-1]), "historyLineCount": 5, "user": {"username": "me"},
        }  # fmt: skip
        edges = [{"node": node | {"name": f"run-{i}", "displayName": f"run-{i}"}} for i in range(10)]
        run = node | {"history": [json.dumps(row) for row in rows], "sampledHistory": [rows]}
        project = {"runs": {"edges": edges}} if "Latest" in asked else {"run": run}
        answer = json.dumps({"data": {"project": project}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def test_the_last_ten_runs_of_weights_and_biases_are_listed_and_one_is_charted(
    start_server, page, runs, upstream, monkeypatch
):
    for name, value in {"API_KEY": "secret-key-of-a-test", "ENTITY": "me", "BASE_URL": upstream}.items():
        monkeypatch.setenv(f"SANDLOT_WANDB_{name}", value)
    open_analytics(page, start_server(runs), tab="wandb")
    page.get_by_text("The last 10 runs of me/asteroid-prospector").wait_for()
    page.get_by_role("button", name="run-3").click()
    assert value_of(legend(page, "Return mean")[0]) == 5
    assert "secret-key" not in page.content()


# ---------------------------------------------------------------- for everybody


TABS = ("curves", "evaluations", "replays", "league", "windows", "sources", "wandb")


def visited_tabs(page, server):
    """Opens one tab after the other, and names it."""
    for tab in TABS:
        open_analytics(page, server, "tag", tab=tab)
        page.get_by_role("tabpanel").locator("h2, .state-title, table").first.wait_for()
        yield tab


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_tab_can_be_used_by_everybody(open_page, rich_server, axe, theme):
    page = open_page(theme=theme)
    assert {tab: axe(page) for tab in visited_tabs(page, rich_server)} == {tab: [] for tab in TABS}


def test_every_tab_fits_a_phone(open_page, rich_server, fits):
    page = open_page(size=PHONE)
    assert {tab: fits(page) for tab in visited_tabs(page, rich_server)} == dict.fromkeys(TABS, True)


def test_tabs_are_walked_by_keyboard_alone(page, server):
    run = open_analytics(page, server, "tag")
    chart(page, "Who wins").wait_for()
    page.get_by_role("tab", name="Curves").focus()
    page.keyboard.press("ArrowRight")
    chart(page, "Rating").wait_for()
    page.keyboard.press("ArrowRight")
    newest = run.index.find(limit=1)[0].replay_id
    link = page.get_by_role("link", name=newest, exact=True)
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"replay={newest}"))
