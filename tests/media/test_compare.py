"""Several runs on one chart and in one table, their numbers recomputed."""

import csv

import numpy as np
import pytest

from sandlot.media import compare
from sandlot.media.compare import OVERVIEW, draw_comparison, overview, write_overview
from sandlot.media.history import History, Table, moving_average
from sandlot.media.plotting import COLOURS


def run(name, game="tag", windows=(), evaluations=(), episodes=()):
    return History(name, game, Table(windows), Table(evaluations), Table(episodes), np.zeros(len(episodes)))


def rewards(*values):
    return [{"env_steps_total": 1000 * (i + 1), "reward_mean": value} for i, value in enumerate(values)]


@pytest.fixture
def drawn(monkeypatch):
    """Panels by file instead of pictures."""
    seen = {}

    def keep(path, title, note, panels):
        (panel,) = panels
        seen[path.name] = (title, note, panel)
        return path

    monkeypatch.setattr(compare, "draw", keep)
    return seen


def test_every_run_is_a_line_of_its_own_colour_with_its_windows_as_dots(tmp_path, drawn):
    values = np.arange(40.0) % 7
    runs = [run("a", windows=rewards(*values)), run("b", windows=rewards(1.0, 2.0))]
    paths = list(draw_comparison(tmp_path, runs, smooth=3))
    assert paths == [tmp_path / "tag_reward_mean.png"]
    title, note, panel = drawn["tag_reward_mean.png"]
    first, second = panel.lines
    assert title == panel.title == "Reward per env step" and note.startswith("tag  ·  2 runs")
    assert (first.name, second.name) == ("a", "b") and (first.colour, second.colour) == COLOURS[:2]
    assert first.x.tolist() == [1000.0 * (i + 1) for i in range(40)]
    assert first.dots.tolist() == values.tolist()
    assert first.y == pytest.approx(moving_average(values, 3))
    assert second.y.tolist() == [1.0, 2.0], "two windows are not smoothed"


def test_a_curve_is_smoothed_over_an_eighth_of_its_length_at_most(tmp_path, drawn):
    values = np.arange(16.0)
    list(draw_comparison(tmp_path, [run(n, windows=rewards(*values)) for n in "ab"], smooth=10))
    (line, _) = drawn["tag_reward_mean.png"][2].lines
    assert line.y == pytest.approx(moving_average(values, 2))


def test_a_chart_has_the_runs_of_one_game_that_know_its_metric(tmp_path, drawn):
    evaluations_of_run = [{"env_steps_total": 1000, "seeker_rating": 900.0}]
    runs = [
        run("a", windows=rewards(1.0), evaluations=evaluations_of_run),
        run("b", windows=rewards(2.0)),
        run("c", game="prospector", windows=rewards(3.0)),
    ]
    list(draw_comparison(tmp_path, runs, smooth=3))
    assert set(drawn) == {"tag_reward_mean.png", "tag_seeker_rating.png"}
    (line,) = drawn["tag_seeker_rating.png"][2].lines
    assert line.y.tolist() == [900.0] and "1 runs" in drawn["tag_seeker_rating.png"][1]


def test_shares_are_drawn_as_shares_and_nothing_else_is(tmp_path, drawn):
    columns = {metric.column: 0.5 for metric in compare.compared_metrics("tag")}
    rows = [{"env_steps_total": 1000, **columns}]
    list(draw_comparison(tmp_path, [run(n, windows=rows, evaluations=rows) for n in "ab"], smooth=3))
    shares = {name for name, (_, _, panel) in drawn.items() if panel.percent}
    assert shares == {"tag_win_rate.png"} and len(drawn) == len(columns) == 4
    only_evaluated = run("a", evaluations=rows), run("b", evaluations=rows)
    drawn.clear()
    list(draw_comparison(tmp_path, only_evaluated, smooth=3))
    assert set(drawn) == {"tag_seeker_rating.png", "tag_hider_rating.png"}


def test_a_game_of_one_role_is_compared_in_its_headline_and_in_flags_that_are_good():
    found = {m.file: (m.title, m.unit, m.column) for m in compare.compared_metrics("prospector")}
    assert found == {
        "reward_mean": ("Reward per env step", "mean reward", "reward_mean"),
        "profit": ("Profit", "credits per episode", "profit_mean"),
        "evaluation": ("Profit on held-out seeds", "credits per episode", "net_profit_mean"),
        "survival": ("Survival", "share of episodes", "survival_rate"),
    }
    assert [m.file for m in compare.compared_metrics("gym:Nobody-v0")] == ["reward_mean"]


def test_colours_begin_anew_after_the_last(tmp_path, drawn):
    runs = [run(str(i), windows=rewards(1.0)) for i in range(len(COLOURS) + 1)]
    list(draw_comparison(tmp_path, runs, smooth=3))
    assert drawn["tag_reward_mean.png"][2].lines[-1].colour == COLOURS[0]


EPISODES = [
    {"terminal_reason": "tag", "winner": "seeker", "duration_sec": "2"},
    {"terminal_reason": "tag", "winner": "seeker", "duration_sec": "4"},
    {"terminal_reason": "timeout", "winner": "hider", "duration_sec": ""},
    {"terminal_reason": "", "winner": "nobody", "duration_sec": "9"},
]


def test_a_row_of_the_overview_says_how_a_run_ended_up():
    windows = [
        {"reward_mean": 0.5, "seeker_win_rate": 0.1, "hider_win_rate": 0.9},
        {"reward_mean": 2.12345678, "seeker_win_rate": 0.2, "hider_win_rate": 0.8},
        {"reward_mean": 1.0, "seeker_win_rate": 0.3, "hider_win_rate": 0.7},
        {"seeker_win_rate": 0.4, "hider_win_rate": 0.6},
    ]
    evaluations_of_run = [{"value": 900.0}, {"value": 1100.0}, {"value": 1000.0}]
    assert overview([run("r", windows=windows, evaluations=evaluations_of_run, episodes=EPISODES)]) == [
        {
            "approach": "tag", "run_id": "r", "episodes": 4, "final_reward_mean": 1.0,
            "best_reward_mean": 2.12346, "final_seeker_win_rate": 0.4, "final_hider_win_rate": 0.6,
            "tags": 2, "timeouts": 1, "unknown_finishes": 1, "average_duration_s": 5.0,
            "best_evaluation": 1100.0,
        }
    ]  # fmt: skip


def test_a_row_of_a_game_of_one_role_has_what_its_play_is_shown_by():
    windows = [{"profit_mean": 5.0, "survival_rate": 0.25}, {"profit_mean": 7.0, "survival_rate": 0.5}]
    (row,) = overview([run("r", game="prospector", windows=windows)])
    assert (row["final_profit_mean"], row["final_survival_rate"]) == (7.0, 0.5) and "tags" not in row


def test_a_run_with_nothing_in_it_has_an_empty_row():
    (row,) = overview([run("r", game="prospector")])
    assert row == {"approach": "prospector", "run_id": "r", "episodes": 0} | dict.fromkeys([*row][3:])
    (row,) = overview([run("r")])
    assert (row["episodes"], row["tags"], row["timeouts"], row["unknown_finishes"]) == (0, 0, 0, 0)
    assert sum(value is None for value in row.values()) == 6


def test_episodes_of_a_game_without_winners_have_no_unknown_finish():
    (row,) = overview([run("r", episodes=[{"duration_sec": "2"}, {}])])
    assert row["unknown_finishes"] == 0 and row["average_duration_s"] == 2.0


def test_the_overview_is_written_with_empty_cells_for_what_is_unknown(tmp_path):
    path = write_overview(tmp_path / "deep" / OVERVIEW, [run("a", windows=rewards(1.5)), run("b")])
    first, second = csv.DictReader(path.open())
    assert (first["run_id"], first["final_reward_mean"]) == ("a", "1.5")
    assert (second["run_id"], second["final_reward_mean"]) == ("b", "")
    assert path.read_bytes().count(b"\n") == 3 and b"\r" not in path.read_bytes()
