"""Charts are drawn where there is something to draw, and say what they show."""

import csv
import itertools
import json

import numpy as np
import pytest

from sandlot.media import charts, compare, derived, history, paper
from sandlot.media.charts import CHARTS, Told, draw_all
from sandlot.runs.evaluations import read_evaluations

from .making import make_pilot_run, make_tag_run

PNG = b"\x89PNG\r\n\x1a\n"
WANTED_OF_TAG = {
    "reward_mean",
    "reward_sum",
    "steps",
    "updates",
    "advantage_mean",
    "policy_loss",
    "role_rewards",
    "win_rates",
    "win_outcomes",
    "average_distance",
    "episode_duration",
    "ratings",
    "against_bots",
    "learning",
}
WANTED_OF_PROSPECTOR = {
    "return",
    "profit",
    "survival",
    "risk",
    "efficiency",
    "activity",
    "evaluation",
    "learning",
}


@pytest.fixture
def drawn(monkeypatch):
    """Panels by chart instead of pictures: drawing is slow, and one picture is enough to test it."""
    seen = {}

    def keep(path, title, note, panels, x_unit):
        seen[path.stem] = (title, note, panels)
        return path

    monkeypatch.setattr(charts, "draw", keep)
    return seen


def test_a_run_of_tag_gets_every_chart_of_the_brief(tmp_path, drawn):
    list(draw_all(tmp_path, Told(history.of_run(make_tag_run(tmp_path)))))
    assert set(drawn) >= WANTED_OF_TAG


def test_a_run_of_prospector_gets_its_own_charts_and_none_of_tags(tmp_path, drawn):
    list(draw_all(tmp_path, Told(history.of_run(make_pilot_run(tmp_path)))))
    assert set(drawn) >= WANTED_OF_PROSPECTOR
    assert not set(drawn) & {"role_rewards", "win_rates", "ratings", "average_distance"}


def test_a_run_without_a_window_gets_no_chart(tmp_path, drawn):
    told = history.of_run(make_tag_run(tmp_path, windows=0))
    assert told.is_empty() and list(draw_all(tmp_path, Told(told))) == []


def test_every_axis_says_what_it_counts(tmp_path, drawn):
    for make in (make_tag_run, make_pilot_run):
        list(draw_all(tmp_path, Told(history.of_run(make(tmp_path / make.__name__)))))
    assert all(panel.unit for _, _, panels in drawn.values() for panel in panels)


def test_win_rates_are_told_per_window_and_opponent_without_the_first_window_of_a_lesson(tmp_path, drawn):
    run = make_tag_run(tmp_path, windows=4)
    rows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
    for row, stage, wins in zip(rows, (0, 0, 1, 1), (1.0, 0.5, 0.9, 0.6), strict=True):
        row |= {"stage": stage, "seeker_win_rate": wins}
    run.paths.windows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    list(draw_all(tmp_path, Told(history.of_run(run))))
    everybody, seeker = drawn["win_rates"][2]
    assert {line.name: line.y.tolist() for line in everybody.lines} == {
        "seeker": [0.5, 0.6],
        "hider": [0.6] * 2,
    }
    assert [line.name for line in seeker.lines] == ["scripted"] and seeker.title == "Seeker against …"


def test_a_later_lesson_is_marked_on_every_chart_with_what_it_changed(tmp_path, drawn):
    run = make_tag_run(tmp_path, windows=3)
    lessons = [{"name": "small", "game": {"arena_half": 10.0}}, {"name": "the arena", "game": {}}]
    run.paths.config.write_text(json.dumps({"settings": {"arena_half": 14.0}, "curriculum": lessons}))
    rows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
    rows[2]["stage"] = 1
    run.paths.windows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    list(draw_all(tmp_path, Told(history.of_run(run))))
    marks = {tuple(panel.marks) for _, _, panels in drawn.values() for panel in panels}
    assert marks == {(("2: the arena (arena_half 10 to 14)", 2000.0),)}


def test_rewards_of_two_roles_are_drawn_by_role_and_only_where_the_learner_played(tmp_path, drawn):
    rows = ["1,0.5,-0.5,current,current", "2,9.0,-9.0,,scripted"]
    header = "episode,seeker_reward_sum,hider_reward_sum,seeker_opponent,hider_opponent,winner"
    (tmp_path / "metrics.csv").write_text("\n".join([header, *(f"{row},seeker" for row in rows)]) + "\n")
    list(draw_all(tmp_path, Told(history.of_csv(tmp_path / "metrics.csv"))))
    (panel,) = drawn["reward_sum"][2]
    dots = {line.name: line.dots[np.isfinite(line.dots)].tolist() for line in panel.lines}
    assert dots == {"seeker": [0.5], "hider": [-0.5, -9.0]}


def test_a_role_that_never_won_is_drawn_too(tmp_path, drawn):
    (tmp_path / "metrics.csv").write_text("episode,winner\n" + "1,seeker\n" * 3)
    list(draw_all(tmp_path, Told(history.of_csv(tmp_path / "metrics.csv"))))
    (panel,) = drawn["win_rates"][2]
    assert [(line.name, line.y[-1]) for line in panel.lines] == [("seeker", 1.0), ("hider", 0.0)]


def test_the_evaluation_curve_has_its_interval(tmp_path, drawn):
    list(draw_all(tmp_path, Told(history.of_run(make_pilot_run(tmp_path)))))
    line = drawn["evaluation"][2][0].lines[0]
    assert (line.low < line.y).all() and (line.y < line.high).all()


def test_ratings_are_compared_with_scripted_players_at_full_strength(tmp_path, drawn):
    anchors = {"seeker chase:1": 800.0, "seeker chase:3": 1200.0, "hider evade:3": 1100.0}
    list(draw_all(tmp_path, Told(history.of_run(make_tag_run(tmp_path)), anchors=anchors)))
    seeker, hider = drawn["ratings"][2]
    assert list(seeker.levels) == [("chase:3", 1200.0)] and list(hider.levels) == [("evade:3", 1100.0)]


def test_file_names_are_told_apart():
    assert len({chart.file for chart in CHARTS}) == len(CHARTS)


def test_a_picture_is_written_whole(tmp_path):
    line = paper.Line("a", np.arange(5.0), np.array([1, np.nan, 3, 4, 5.0]), "#000000")
    other = paper.Line("b", np.arange(5.0), np.arange(5.0), "#111111", low=np.zeros(5), high=np.ones(5))
    panels = [paper.Panel("one", "metres", [line, other]), paper.Panel("two", "share", [other], percent=True)]
    path = paper.draw(tmp_path / "new" / "x.png", "Title", "note", panels)
    assert path.read_bytes().startswith(PNG) and [p.name for p in path.parent.iterdir()] == ["x.png"]


def test_names_at_line_ends_stay_apart_and_inside():
    places = paper.apart([0.5, 0.5, 0.51, 1.0, 1.0], 0.1)
    assert all(b - a >= 0.1 - 1e-9 for a, b in itertools.pairwise(places)) and places[-1] <= 1.0


# ---------------------------------------------------------------- numbers behind the charts


def test_a_moving_average_counts_only_numbers_and_only_the_last_few():
    values = np.array([np.nan, 1.0, 3.0, np.nan, 8.0])
    assert np.array_equal(history.moving_average(values, 2), [np.nan, 1.0, 2.0, 3.0, 8.0], equal_nan=True)


def test_many_episodes_become_few_dots_with_the_same_mean(tmp_path):
    values = np.arange(10_000.0)
    told = Told(history.History("run", "tag", *(history.Table([]),) * 3, episode_steps=values))
    (line,) = charts.episode_line(told, "x", values, "#000000")
    assert len(line.dots) <= charts.MOST_DOTS and abs(np.mean(line.dots) - values.mean()) < 10


def test_episodes_lie_within_their_window(tmp_path):
    told = history.of_run(make_tag_run(tmp_path))
    windows = told.episodes.column("window_id")
    assert ((told.episode_steps > windows * 1000) & (told.episode_steps < (windows + 1) * 1000)).all()


def test_episodes_of_the_window_in_progress_wait_for_its_end(tmp_path):
    run = make_tag_run(tmp_path, windows=3)
    lines = run.paths.windows.read_text().splitlines(keepends=True)
    run.paths.windows.write_text("".join(lines[:2]))
    assert set(history.of_run(run).episodes.column("window_id")) == {0, 1}


def test_a_judgement_made_twice_counts_as_made_last(tmp_path):
    path = tmp_path / "evaluations.jsonl"
    path.write_text(
        '{"window_id": 1, "value": 1}\n{"window_id": 0, "value": 5}\n{"window_id": 1, "value": 2}\n'
    )
    assert [row["value"] for row in read_evaluations(path)] == [5, 2]


def test_a_judgement_that_cannot_be_read_is_left_out(tmp_path, caplog):
    path = tmp_path / "evaluations.jsonl"
    path.write_text('{"window_id": 1}\n{"wind\n[]\n{"window_id": 2}\n')
    assert [row["window_id"] for row in read_evaluations(path)] == [1, 2]
    assert "line 2" in caplog.text and "line 3" in caplog.text


def test_a_follower_tells_each_judgement_once(tmp_path):
    path = tmp_path / "evaluations.jsonl"
    follower = history.Follower(path)
    assert follower.new() == []
    path.write_text('{"window_id": 0}\n')
    assert [row["window_id"] for row in follower.new()] == [0]
    path.write_text('{"window_id": 0}\n{"window_id": 1}\n')
    assert [row["window_id"] for row in follower.new()] == [1] and follower.new() == []


def test_a_figure_a_scan_is_missing_where_nobody_scans():
    rows = [
        {"net_profit_mean": 10.0, "scan_count_mean": 0.0},
        {"net_profit_mean": 10.0, "scan_count_mean": 4.0},
    ]
    values = derived.with_derived(history.Table(rows)).column("credits_per_scan")
    assert np.array_equal(values, [np.nan, 2.5], equal_nan=True)


# ---------------------------------------------------------------- several runs


def test_runs_are_compared_within_their_game_only(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        compare, "draw", lambda path, title, note, panels: seen.append((path.stem, panels[0].lines))
    )
    runs = [make_tag_run(tmp_path), make_tag_run(tmp_path), make_pilot_run(tmp_path)]
    list(compare.draw_comparison(tmp_path, [history.of_run(run) for run in runs], smooth=3))
    assert {"tag_reward_mean", "tag_win_rate"} <= {name for name, _ in seen}
    assert all(name.startswith("tag_") and len(lines) == 2 for name, lines in seen)


def test_the_overview_has_a_row_a_run(tmp_path):
    runs = [make_tag_run(tmp_path), make_pilot_run(tmp_path)]
    path = compare.write_overview(tmp_path / "run_overview.csv", [history.of_run(run) for run in runs])
    tag, pilot = csv.DictReader(path.open())
    assert tag["run_id"] == runs[0].run_id and tag["tags"] == "8" and tag["timeouts"] == "7"
    assert float(tag["final_seeker_win_rate"]) == 0.4 and pilot["final_seeker_win_rate"] == ""


def test_a_wave_of_short_episodes_does_not_swing_the_curve(tmp_path, drawn):
    """Worlds that began together end together: all wins first, then all losses, window after window."""
    run = make_tag_run(tmp_path)
    header, *rows = run.paths.episodes.read_text().splitlines()
    place = header.split(",").index("winner")
    made = []
    for window in range(3):
        for i in range(200):
            cells = rows[0].split(",")
            cells[place] = "seeker" if i < 100 else "hider"
            cells[header.split(",").index("window_id")] = str(window)
            made.append(",".join(cells))
    run.paths.episodes.write_text("\n".join([header, *made]) + "\n")
    list(draw_all(tmp_path, Told(history.of_run(run), smooth=50)))
    seeker = drawn["win_outcomes"][2][0].lines[0].y[50:]
    assert np.abs(seeker - 0.5).max() < 0.25
