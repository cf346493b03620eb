"""`sandlot plot` as a user calls it."""

import json
from pathlib import Path

import pytest
from media.making import make_pilot_run, make_tag_run

from .documented import assert_documented


def test_plot_without_a_closed_window_exits_with_1(sandlot, tmp_path):
    run = make_tag_run(tmp_path, windows=0)
    done = sandlot("plot", run.run_id, "--runs", str(tmp_path))
    assert done.code == 1 and "nothing to plot" in done.err


def test_plot_of_an_empty_folder_of_runs_exits_with_1(sandlot, tmp_path):
    assert sandlot("plot", "--all-runs", "--runs", str(tmp_path / "none")).code == 1


def test_plot_refuses_a_run_that_is_not_there(sandlot, tmp_path):
    done = sandlot("plot", "nosuch", "--runs", str(tmp_path))
    assert done.code == 2 and "nosuch" in done.err


def test_plot_without_a_name_draws_the_newest_run_that_has_something(sandlot, tmp_path, few):
    older, run = make_tag_run(tmp_path / "runs"), make_tag_run(tmp_path / "runs")
    empty = make_tag_run(tmp_path / "runs", windows=0)
    done = sandlot("plot", "--no-anchors", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["charts"] == [str(Path("runs") / run.run_id / "charts" / "win_rates.png")]
    assert not list(older.paths.charts.glob("*.png")) and not list(empty.paths.charts.glob("*.png"))


def test_plot_without_a_name_or_a_run_draws_the_metrics_of_the_sessions(sandlot, tmp_path, few):
    run = make_tag_run(tmp_path / "elsewhere")
    (tmp_path / "trainer/logs").mkdir(parents=True)
    (tmp_path / "trainer/logs/metrics.csv").write_bytes(run.paths.episodes.read_bytes())
    done = sandlot("plot")
    assert done.code == 0 and (tmp_path / "charts" / "win_rates.png").exists(), done.err


def test_plot_without_a_name_and_nothing_to_draw_exits_with_1_and_writes_nothing(sandlot, tmp_path):
    done = sandlot("plot")
    assert done.code == 1 and "nothing to plot" in done.err
    assert list(tmp_path.iterdir()) == []


def test_plot_leaves_the_metrics_alone_and_lists_what_it_drew(sandlot, tmp_path, few):
    run = make_tag_run(tmp_path)
    before = {path: path.read_bytes() for path in run.paths.metrics.iterdir()}
    done = sandlot("plot", str(run.paths.folder), "--no-anchors", "--json")
    files = [Path(name) for name in json.loads(done.out)["charts"]]
    assert files == [run.paths.charts / "win_rates.png"] and files[0].exists()
    assert {path: path.read_bytes() for path in run.paths.metrics.iterdir()} == before


def test_plot_of_a_csv_needs_no_run(sandlot, tmp_path, few):
    run = make_tag_run(tmp_path)
    done = sandlot("plot", "--csv", str(run.paths.episodes), "--output-dir", str(tmp_path / "out"))
    assert done.code == 0 and (tmp_path / "out" / "win_rates.png").exists()


def test_plot_of_a_file_that_is_no_table_says_so(sandlot, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    done = sandlot("plot", "--csv", "x.csv")
    assert done.code == 2 and "x.csv" in done.err


def test_plot_of_all_runs_writes_an_overview(sandlot, tmp_path, few):
    runs = [make_tag_run(tmp_path / "runs"), make_pilot_run(tmp_path / "runs")]
    done = sandlot("plot", "--all-runs", "--no-anchors", "--runs", "runs", "--output-dir", "out")
    assert done.code == 0, done.err
    text = (tmp_path / "out" / "run_overview.csv").read_text()
    assert all(run.run_id in text for run in runs)


@pytest.fixture
def few(monkeypatch):
    """One chart stands for all: each costs a fifth of a second."""
    from sandlot.media import charts

    monkeypatch.setattr(charts, "CHARTS", [chart for chart in charts.CHARTS if chart.file == "win_rates"])


def test_plot_draws_the_paths_of_a_real_match_and_does_without_a_damaged_one(sandlot, tmp_path, few):
    import sandlot as package
    from sandlot.evaluate.replay_recorder import Origin, record

    run = make_tag_run(tmp_path / "runs")
    players = {"seeker": package.bot("tag", "chase"), "hider": package.bot("tag", "evade")}
    entry = run.add_replay(record("tag", players, seed=3, origin=Origin(run.run_id, 0)))
    words = ("plot", run.run_id, "--no-anchors", "--json")
    assert json.loads(sandlot(*words).out)["charts"][-1].endswith("paths.png")
    run.replay_path(entry).write_bytes(b"no replay")
    done = sandlot(*words)
    assert done.code == 0 and "No path map" in done.err and "paths.png" not in done.out


def test_anchors_are_rated_only_where_wanted_and_there_is_a_rating_to_draw(
    sandlot, tmp_path, few, monkeypatch
):
    """Rating them plays hundreds of matches; a game of one role has no ratings."""
    from sandlot.cli import plot

    asked = []
    monkeypatch.setattr(plot, "anchor_ratings", lambda game, settings: asked.append(game) or {})
    tag, pilot = make_tag_run(tmp_path / "runs"), make_pilot_run(tmp_path / "runs")
    assert sandlot("plot", tag.run_id, "--no-anchors").code == 0 and asked == []
    assert sandlot("plot", pilot.run_id).code == 1 and asked == [], "the one chart is of two roles"
    assert sandlot("plot", tag.run_id).code == 0 and asked == ["tag"]


def test_a_picture_folder_has_one_folder_per_run_only_where_runs_are_compared(sandlot, tmp_path, few):
    run, other = make_tag_run(tmp_path / "runs"), make_tag_run(tmp_path / "runs")
    words = ("plot", run.run_id, "--no-anchors", "--output-dir")
    assert sandlot(*words, "one").code == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["win_rates.png"]
    assert sandlot(*words, "two", "--compare", other.run_id, "--compare", run.run_id).code == 0
    folders = [path.name for path in (tmp_path / "two").iterdir() if path.is_dir()]
    assert sorted(folders) == sorted([run.run_id, other.run_id]), "each once"
    assert (tmp_path / "two" / "run_overview.csv").read_text().count(f",{run.run_id},") == 1
    assert not (tmp_path / "one" / "run_overview.csv").exists()


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("plot")
