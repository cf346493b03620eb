"""Charts are drawn where there is something to draw, and say what they show."""

import csv
import itertools
import json

import numpy as np
import pytest

from sandlot.media import charts, compare, derived, history, plotting
from sandlot.media.charts import CHARTS, ChartData, draw_all
from sandlot.media.role_styles import role_colours
from sandlot.runs.evaluations import read_evaluations
from sandlot.worlds import load_spec

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
    list(draw_all(tmp_path, ChartData(history.run_history(make_tag_run(tmp_path)))))
    assert set(drawn) >= WANTED_OF_TAG


def test_a_run_of_prospector_gets_its_own_charts_and_none_of_tags(tmp_path, drawn):
    list(draw_all(tmp_path, ChartData(history.run_history(make_pilot_run(tmp_path)))))
    assert set(drawn) >= WANTED_OF_PROSPECTOR
    assert not set(drawn) & {"role_rewards", "win_rates", "ratings", "average_distance"}


def test_a_run_without_a_window_gets_no_chart(tmp_path, drawn):
    result = history.run_history(make_tag_run(tmp_path, windows=0))
    assert result.is_empty() and list(draw_all(tmp_path, ChartData(result))) == []


def test_every_axis_says_what_it_counts(tmp_path, drawn):
    for make in (make_tag_run, make_pilot_run):
        list(draw_all(tmp_path, ChartData(history.run_history(make(tmp_path / make.__name__)))))
    assert all(panel.unit for _, _, panels in drawn.values() for panel in panels)


def test_win_rates_are_reported_per_window_and_opponent_without_the_first_window_of_a_stage(tmp_path, drawn):
    run = make_tag_run(tmp_path, windows=4)
    rows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
    for row, stage, wins in zip(rows, (0, 0, 1, 1), (1.0, 0.5, 0.9, 0.6), strict=True):
        row |= {"stage": stage, "seeker_win_rate": wins}
    run.paths.windows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    list(draw_all(tmp_path, ChartData(history.run_history(run))))
    everybody, seeker = drawn["win_rates"][2]
    assert {line.name: line.y.tolist() for line in everybody.lines} == {
        "seeker": [0.5, 0.6],
        "hider": [0.6] * 2,
    }
    assert [line.name for line in seeker.lines] == ["scripted"] and seeker.title == "Seeker against …"


def test_a_later_stage_is_marked_on_every_chart_with_what_it_changed(tmp_path, drawn):
    run = make_tag_run(tmp_path, windows=3)
    stages = [{"name": "small", "settings": {"arena_half": 10.0}}, {"name": "the arena", "settings": {}}]
    run.paths.config.write_text(json.dumps({"settings": {"arena_half": 14.0}, "curriculum": stages}))
    rows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
    rows[2]["stage"] = 1
    run.paths.windows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    list(draw_all(tmp_path, ChartData(history.run_history(run))))
    marks = {tuple(panel.marks) for _, _, panels in drawn.values() for panel in panels}
    assert marks == {(("2: the arena (arena_half 10 to 14)", 2000.0),)}


def test_rewards_of_two_roles_are_drawn_by_role_and_only_where_the_learner_played(tmp_path, drawn):
    rows = ["1,0.5,-0.5,current,current", "2,9.0,-9.0,,scripted"]
    header = "episode,seeker_reward_sum,hider_reward_sum,seeker_opponent,hider_opponent,winner"
    (tmp_path / "metrics.csv").write_text("\n".join([header, *(f"{row},seeker" for row in rows)]) + "\n")
    list(draw_all(tmp_path, ChartData(history.csv_history(tmp_path / "metrics.csv"))))
    (panel,) = drawn["reward_sum"][2]
    dots = {line.name: line.dots[np.isfinite(line.dots)].tolist() for line in panel.lines}
    assert dots == {"seeker": [0.5], "hider": [-0.5, -9.0]}


def test_a_role_that_never_won_is_drawn_too(tmp_path, drawn):
    (tmp_path / "metrics.csv").write_text(
        "episode,winner,seeker_reward_sum,hider_reward_sum\n" + "1,seeker,1,0\n" * 3
    )
    list(draw_all(tmp_path, ChartData(history.csv_history(tmp_path / "metrics.csv"))))
    (panel,) = drawn["win_rates"][2]
    assert [(line.name, line.y[-1]) for line in panel.lines] == [("seeker", 1.0), ("hider", 0.0)]


def test_the_evaluation_curve_has_its_interval(tmp_path, drawn):
    list(draw_all(tmp_path, ChartData(history.run_history(make_pilot_run(tmp_path)))))
    line = drawn["evaluation"][2][0].lines[0]
    assert (line.low < line.y).all() and (line.y < line.high).all()


def test_ratings_are_compared_with_scripted_players_at_full_strength(tmp_path, drawn):
    anchors = {"seeker chase:1": 800.0, "seeker chase:3": 1200.0, "hider evade:3": 1100.0}
    list(draw_all(tmp_path, ChartData(history.run_history(make_tag_run(tmp_path)), anchors=anchors)))
    seeker, hider = drawn["ratings"][2]
    assert list(seeker.levels) == [("chase:3", 1200.0)] and list(hider.levels) == [("evade:3", 1100.0)]


def test_file_names_are_reported_apart():
    assert len({chart.file for chart in CHARTS}) == len(CHARTS)


def test_a_picture_is_written_whole(tmp_path):
    line = plotting.Line("a", np.arange(5.0), np.array([1, np.nan, 3, 4, 5.0]), "#000000")
    other = plotting.Line("b", np.arange(5.0), np.arange(5.0), "#111111", low=np.zeros(5), high=np.ones(5))
    panels = [
        plotting.Panel("one", "metres", [line, other]),
        plotting.Panel("two", "share", [other], percent=True),
    ]
    path = plotting.draw(tmp_path / "new" / "x.png", "Title", "note", panels)
    assert path.read_bytes().startswith(PNG) and [p.name for p in path.parent.iterdir()] == ["x.png"]


def test_names_at_line_ends_stay_apart_and_inside():
    places = plotting.spread_labels([0.5, 0.5, 0.51, 1.0, 1.0], 0.1)
    assert all(b - a >= 0.1 - 1e-9 for a, b in itertools.pairwise(places)) and places[-1] <= 1.0


# ---------------------------------------------------------------- numbers behind the charts


def test_a_moving_average_counts_only_numbers_and_only_the_last_few():
    values = np.array([np.nan, 1.0, 3.0, np.nan, 8.0])
    assert np.array_equal(history.moving_average(values, 2), [np.nan, 1.0, 2.0, 3.0, 8.0], equal_nan=True)


def test_many_episodes_become_few_dots_with_the_same_mean(tmp_path):
    values = np.arange(10_000.0)
    result = ChartData(history.History("run", "tag", *(history.Table([]),) * 3, episode_steps=values))
    line = charts.episode_line(result, "x", values, "#000000")
    assert len(line.dots) <= charts.MAX_DOTS and abs(np.mean(line.dots) - values.mean()) < 10


def test_episodes_lie_within_their_window(tmp_path):
    result = history.run_history(make_tag_run(tmp_path))
    windows = result.episodes.column("window_id")
    assert ((result.episode_steps > windows * 1000) & (result.episode_steps < (windows + 1) * 1000)).all()


def test_episodes_of_the_window_in_progress_wait_for_its_end(tmp_path):
    run = make_tag_run(tmp_path, windows=3)
    lines = run.paths.windows.read_text().splitlines(keepends=True)
    run.paths.windows.write_text("".join(lines[:2]))
    assert set(history.run_history(run).episodes.column("window_id")) == {0, 1}


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
    follower = history.EvaluationFollower(path)
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
    values = derived.with_derived(load_spec("prospector"), history.Table(rows)).column("credits_per_scan")
    assert np.array_equal(values, [np.nan, 2.5], equal_nan=True)


# ---------------------------------------------------------------- several runs


def test_runs_are_compared_within_their_game_only(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        compare, "draw", lambda path, title, note, panels: seen.append((path.stem, panels[0].lines))
    )
    runs = [make_tag_run(tmp_path), make_tag_run(tmp_path), make_pilot_run(tmp_path)]
    list(compare.draw_comparison(tmp_path, [history.run_history(run) for run in runs], smooth=3))
    assert {"tag_reward_mean", "tag_win_rate"} <= {name for name, _ in seen}
    assert all(name.startswith("tag_") and len(lines) == 2 for name, lines in seen)


def test_the_overview_has_a_row_a_run(tmp_path):
    runs = [make_tag_run(tmp_path), make_pilot_run(tmp_path)]
    path = compare.write_overview(tmp_path / "run_overview.csv", [history.run_history(run) for run in runs])
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
    list(draw_all(tmp_path, ChartData(history.run_history(run), smooth=50)))
    seeker = drawn["win_outcomes"][2][0].lines[0].y[50:]
    assert np.abs(seeker - 0.5).max() < 0.25


# ---------------------------------------------------------------- every line of every chart


def lines_of(drawn, chart):
    """Points by panel title and line name."""
    return {
        (panel.title, line.name): (line.x.tolist(), line.y.tolist())
        for panel in drawn[chart][2]
        for line in panel.lines
    }


ENDS = [1000.0, 2000.0, 3000.0]


def test_every_panel_of_a_pilots_windows_draws_its_own_column(tmp_path, drawn):
    run = make_pilot_run(tmp_path)
    result = history.run_history(run)
    list(draw_all(tmp_path, ChartData(result)))
    table = derived.with_derived(load_spec("prospector"), result.windows)
    wanted = {
        "risk": {
            "Pirates met": "pirate_encounters_mean", "Lost to pirates": "value_lost_to_pirates_mean",
            "Hull damage": "hull_damage_per_1000_ticks", "Loss per pirate": "loss_per_encounter",
            "Profit, adjusted for risk": "risk_adjusted_profit",
        },
        "efficiency": {
            "Profit per unit of fuel": "profit_per_fuel", "Ore per mining tick": "ore_value_per_mining_tick",
            "Profit per scan": "credits_per_scan", "Hold on arrival": "arrival_load_mean",
        },
        "activity": {
            "Mining": "mining_ticks_mean", "Scans": "scan_count_mean", "Fuel": "fuel_used_mean",
        },
    }  # fmt: skip
    for chart, columns in wanted.items():
        found = lines_of(drawn, chart)
        assert found == {(t, t): (ENDS, table.column(c).tolist()) for t, c in columns.items()}, chart
    percent = {p.title for _, _, panels in drawn.values() for p in panels if p.percent}
    assert percent == {"Hold on arrival", "Survival", "Shares"}


def test_mean_and_median_are_two_lines_the_median_dashed(tmp_path, drawn):
    list(draw_all(tmp_path, ChartData(history.run_history(make_pilot_run(tmp_path)))))
    assert lines_of(drawn, "profit") == {
        ("Profit", "mean"): (ENDS, [0.0, 10.0, 20.0]),
        ("Profit", "median"): (ENDS, [0.0, 8.0, 16.0]),
    }
    assert lines_of(drawn, "return") == {
        ("Return", "mean"): (ENDS, [0.5] * 3),
        ("Return", "median"): (ENDS, [0.4] * 3),
    }
    dashed = {line.name: line.dashed for line in drawn["profit"][2][0].lines}
    assert dashed == {"mean": False, "median": True}


def test_a_return_summed_over_opponents_is_not_drawn(tmp_path, drawn):
    list(draw_all(tmp_path, ChartData(history.run_history(make_tag_run(tmp_path)))))
    assert "return" not in drawn and "survival" not in drawn and "evaluation" not in drawn


def test_how_episodes_end_is_drawn_by_its_shares(tmp_path, drawn):
    rows = [
        {"env_steps_total": x, "survival_rate": 0.5, "stranded_rate": 0.3, "destroyed_rate": 0.2}
        for x in ENDS
    ]
    draw_windows(tmp_path, rows, game="prospector")
    assert lines_of(drawn, "survival") == {
        ("Survival", "survived"): (ENDS, [0.5] * 3),
        ("Survival", "stranded"): (ENDS, [0.3] * 3),
        ("Survival", "destroyed"): (ENDS, [0.2] * 3),
    }
    assert drawn["survival"][2][0].percent


def draw_windows(folder, rows, evaluations=(), game=""):
    nothing = history.Table([])
    result = history.History(
        "run", game, history.Table(rows), history.Table(evaluations), nothing, np.zeros(0)
    )
    return list(draw_all(folder, ChartData(result)))


LEARNER = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance")


def test_what_the_learner_sees_has_a_panel_per_metric_and_a_line_per_role(tmp_path, drawn):
    metrics = {
        f"{role}_{name}": i + 10 * j
        for i, name in enumerate(LEARNER)
        for j, role in enumerate(("seeker", "hider", "pilot"))
    }
    rows = [{"env_steps_total": x, **metrics} for x in ENDS]
    draw_windows(tmp_path, rows, game="tag")
    panels = drawn["learning"][2]
    assert [panel.title for panel in panels] == [
        "Policy loss", "Value loss", "Entropy", "Change of policy", "Clipped", "Explained by the critic",
    ]  # fmt: skip
    colours = [*role_colours("tag").values(), plotting.COLOURS[2]]
    for i, panel in enumerate(panels):
        assert {line.name: line.y[0] for line in panel.lines} == {
            "seeker": i,
            "hider": i + 10,
            "pilot": i + 20,
        }
        assert [line.colour for line in panel.lines] == colours
        assert panel.percent == (panel.title == "Clipped")


def test_ratings_and_wins_are_drawn_at_the_env_steps_of_their_checkpoints(tmp_path, drawn):
    list(draw_all(tmp_path, ChartData(history.run_history(make_tag_run(tmp_path)))))
    assert lines_of(drawn, "ratings") == {
        ("Seeker", "seeker"): (ENDS, [900.0, 901.0, 902.0]),
        ("Hider", "hider"): (ENDS, [1000.0] * 3),
    }
    assert lines_of(drawn, "against_bots") == {("Seeker against …", "evade:3"): (ENDS, [0.2] * 3)}
    assert all(panel.percent for panel in drawn["against_bots"][2])
    assert not any(panel.percent or panel.levels for panel in drawn["ratings"][2])


def test_wins_are_drawn_against_each_bot_at_its_strongest_only(tmp_path, drawn):
    judged = [
        {"env_steps_total": x, "seeker_rating": 1.0, "seeker_beats_evade_1": 0.1, "seeker_beats_evade_2": 0.2,
         "seeker_beats_wander_far_3": 0.3, "hider_beats_chase_2": 0.4}
        for x in ENDS
    ]  # fmt: skip
    draw_windows(tmp_path, [{"env_steps_total": 1.0, "seeker_win_rate": 0.5, "hider_win_rate": 0.5}], judged)
    assert {key: y[0] for key, (_, y) in lines_of(drawn, "against_bots").items()} == {
        ("Seeker against …", "evade:2"): 0.2,
        ("Seeker against …", "wander_far:3"): 0.3,
        ("Hider against …", "chase:2"): 0.4,
    }
    colours = [line.colour for line in drawn["against_bots"][2][0].lines]
    assert colours == list(plotting.COLOURS[:2])


def test_win_rates_against_each_kind_of_opponent_have_their_own_line(tmp_path, drawn):
    rates = {"seeker_win_rate": 0.5, "seeker_win_rate_vs_current": 0.4, "seeker_win_rate_vs_past": 0.6}
    draw_windows(tmp_path, [{"env_steps_total": x, **rates} for x in ENDS])
    later = ENDS[1:]
    assert lines_of(drawn, "win_rates") == {
        ("Against all opponents", "seeker"): (later, [0.5] * 2),
        ("Seeker against …", "newest self"): (later, [0.4] * 2),
        ("Seeker against …", "past selves"): (later, [0.6] * 2),
    }
    assert all(panel.percent for panel in drawn["win_rates"][2])


@pytest.mark.parametrize(
    ("game", "title", "unit", "percent"),
    [
        ("prospector", "Net profit", "credits per episode", False),
        ("landing", "Success", "share of episodes", True),
        ("another", "Return", "reward per episode", False),
    ],
)
def test_an_evaluation_is_drawn_with_its_interval_under_its_own_name(
    tmp_path, drawn, game, title, unit, percent
):
    rows = [{"env_steps_total": x, "value": 5.0, "value_low": 4.0, "value_high": 7.0} for x in ENDS]
    draw_windows(tmp_path, [], rows, game)
    (panel,) = drawn["evaluation"][2]
    (line,) = panel.lines
    assert (panel.title, panel.unit, panel.percent) == (title, unit, percent)
    assert (line.x.tolist(), line.low.tolist(), line.y.tolist(), line.high.tolist()) == (
        ENDS, [4.0] * 3, [5.0] * 3, [7.0] * 3,
    )  # fmt: skip


def test_the_flags_of_a_game_are_drawn_beside_its_headline(tmp_path, drawn):
    row = {"value": 5.0, "value_low": 4.0, "value_high": 7.0, "survival_rate": 0.5, "stranded_rate": 0.25}
    draw_windows(tmp_path, [], [{"env_steps_total": x, **row} for x in ENDS], "prospector")
    _, shares = drawn["evaluation"][2]
    assert {line.name: line.y.tolist() for line in shares.lines} == {
        "survival": [0.5] * 3,
        "stranded": [0.25] * 3,
    }


def test_an_evaluation_without_an_interval_is_not_drawn(tmp_path, drawn):
    draw_windows(tmp_path, [], [{"env_steps_total": 1.0, "value": 5.0, "value_low": 4.0}])
    assert "evaluation" not in drawn


def episodes(folder, columns, rows):
    path = folder / "metrics.csv"
    path.write_text("\n".join([columns, *rows]) + "\n")
    return history.csv_history(path)


def test_a_column_of_episodes_is_dots_and_their_moving_average(tmp_path, drawn):
    result = episodes(tmp_path, "episode,steps,reward_sum", [f"{i},10,{i * i}" for i in range(12)])
    list(draw_all(tmp_path, ChartData(result, smooth=4)))
    (line,) = drawn["reward_sum"][2][0].lines
    values = np.arange(12.0) ** 2
    assert line.dots.tolist() == values.tolist() and line.x.tolist() == [10.0 * (i + 1) for i in range(12)]
    assert line.y == pytest.approx(history.moving_average(values, 4))
    assert drawn["reward_sum"][1] == "metrics  ·  one dot per episode, the line a moving average of 4 dots"


def test_many_episodes_share_dots_and_the_note_says_how_many(tmp_path, drawn):
    result = episodes(tmp_path, "episode,steps,reward_sum", [f"{i},1,{i}" for i in range(1201)])
    list(draw_all(tmp_path, ChartData(result)))
    (line,) = drawn["reward_sum"][2][0].lines
    assert len(line.dots) == 401 and line.dots[:2].tolist() == [1.0, 4.0] and line.dots[-1] == 1200.0
    assert "each dot the mean of 3 episodes, the line a moving average of 10 dots" in drawn["reward_sum"][1]


def test_a_dot_is_the_mean_of_its_numbers_and_missing_where_there_are_none():
    values = np.array([1.0, np.nan, np.nan, np.nan, 3.0])
    assert np.array_equal(charts._binned(values, 2), [1.0, np.nan, 3.0], equal_nan=True)
    assert [charts._bin_size(n) for n in (0, 1, 600, 601, 1200, 1201)] == [1, 1, 1, 2, 2, 3]


def test_the_x_axis_says_what_it_counts(tmp_path, monkeypatch):
    units = []
    monkeypatch.setattr(charts, "draw", lambda path, title, note, panels, x_unit: units.append(x_unit))
    list(draw_all(tmp_path, ChartData(episodes(tmp_path, "episode,reward_sum", ["1,2", "2,3"]))))
    assert set(units) == {"episodes"}
    units.clear()
    list(draw_all(tmp_path, ChartData(episodes(tmp_path, "episode,steps,reward_sum", ["1,5,2", "2,5,3"]))))
    assert set(units) == {"env steps, summed over worlds"}
    units.clear()
    draw_windows(tmp_path, [{"env_steps_total": 1.0, "return_mean": 0.5}])
    assert set(units) == {"env steps, summed over worlds"}


def test_both_distances_are_drawn_the_second_dashed_as_they_may_coincide(tmp_path, drawn):
    list(draw_all(tmp_path, ChartData(history.run_history(make_tag_run(tmp_path)))))
    styles = {line.name: (line.dashed, line.colour) for line in drawn["average_distance"][2][0].lines}
    assert styles == {"seeker": (False, "#d1495b"), "hider": (True, "#2b6cb0")}
    assert not any(line.dashed for line in drawn["role_rewards"][2][0].lines)


def test_the_first_of_equal_bots_gives_way_to_its_stronger_level():
    anchors = {"seeker chase:2": 1.0, "seeker chase:1": 2.0, "seeker chase:3": 3.0, "hider chase:9": 4.0}
    assert charts._best_of_each(anchors, "seeker") == [("chase:3", 3.0)]
    assert charts._best_of_each({"seeker tour": 5.0}, "seeker") == [("tour", 5.0)]
