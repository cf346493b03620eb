"""What a run has written, as columns: every number where its episode or window lies."""

import csv
import json

import numpy as np
import pytest

from sandlot.errors import Damaged
from sandlot.media import history
from sandlot.media.history import EvaluationFollower, History, Table, csv_history, moving_average, run_history
from sandlot.runs import WindowRow
from sandlot.train.config import Stage

from .making import STEPS, make_tag_run, tag_metrics, window_row


def test_a_table_has_numbers_words_and_gaps():
    table = Table([{"a": 1, "w": "x"}, {"a": "2.5"}, {"a": "no", "b": None}, {"b": 4, "w": ""}])
    assert np.array_equal(table.column("a"), [1, 2.5, np.nan, np.nan], equal_nan=True)
    assert table.strings("w").tolist() == ["x", "", "", ""]
    assert table.has("a") and table.has("a", "b") and not table.has("a", "w") and not table.has("none")
    assert table.names() == ["a", "w", "b"] and len(table) == 4
    assert not Table([]).has() and not Table([]).has("a")


def windows_of(*stages):
    rows = [{"stage": stage, "window_id": i} for i, stage in enumerate(stages)]
    return History("run", "tag", Table(rows), Table([]), Table([]), np.zeros(0))


@pytest.mark.parametrize(
    ("stages", "kept"),
    [
        ((0, 0, 0), [1, 2]),
        ((0, 0, 1, 1, 1), [1, 3, 4]),
        ((None, None), [1]),
        ((0,), [0]),
        ((0, 1, 2), [0, 1, 2]),
        ((), []),
    ],
)
def test_the_first_window_of_each_stage_is_left_out_where_there_are_others(stages, kept):
    assert windows_of(*stages).settled_windows().column("window_id").tolist() == kept


def test_roles_are_those_that_won_or_have_a_win_rate():
    def roles(windows=(), episodes=()):
        made = History("r", "tag", Table(windows), Table([]), Table(episodes), np.zeros(0))
        return made.roles, made.match_roles

    both = ("seeker", "hider")
    assert roles() == ((), ())
    assert roles([{"seeker_win_rate": 0.0}]) == (("seeker",), both)
    assert roles(episodes=[{"winner": "hider"}, {"winner": "nobody"}]) == (("hider",), both)
    assert roles([{"hider_win_rate": 1}], [{"winner": "seeker"}]) == (both, both)
    assert roles([{"survival_rate": 1}], [{"winner": "pilot"}]) == ((), ())


def test_an_episode_is_a_learners_own_where_the_file_names_its_opponent():
    rows = [{"seeker_opponent": "current"}, {"seeker_opponent": ""}]
    made = History("r", "tag", Table([]), Table([]), Table(rows), np.zeros(2))
    assert made.learner_episodes("seeker").tolist() == [True, False] and made.learner_episodes(
        "hider"
    ).tolist() == [True, True]


def test_a_run_is_empty_until_it_has_a_window_or_an_episode(tmp_path):
    assert run_history(make_tag_run(tmp_path, windows=0)).is_empty()
    assert not run_history(make_tag_run(tmp_path, windows=1)).is_empty()
    nothing = Table([])
    assert not History("r", "", nothing, nothing, Table([{"steps": 1}]), np.zeros(1)).is_empty()
    assert not History("r", "", Table([{"a": 1}]), nothing, nothing, np.zeros(0)).is_empty()


def test_episodes_are_spread_evenly_over_the_window_that_holds_their_end(tmp_path):
    run = make_tag_run(tmp_path, windows=2)
    result = run_history(run)
    wanted = np.concatenate([w * STEPS + (np.arange(5) + 0.5) / 5 * STEPS for w in range(2)])
    assert result.episode_steps == pytest.approx(wanted)
    assert (result.name, result.game, len(result.evaluations)) == (run.run_id, "tag", 2)


def test_episodes_are_mixed_within_their_window_and_the_same_way_each_time(tmp_path):
    run = make_tag_run(tmp_path, windows=3)
    first, second = run_history(run).episodes, run_history(run).episodes
    order = first.column("episode")
    assert order.tolist() == second.column("episode").tolist() != sorted(order.tolist())
    assert first.column("window_id").tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert sorted(order.tolist()) == list(range(15))


def test_a_table_of_episodes_alone_counts_their_steps(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("episode,steps,winner\n1,10,seeker\n2,,hider\n3,5,seeker\n")
    result = csv_history(path)
    assert result.episode_steps.tolist() == [10, 11, 16] and (result.name, result.game) == ("metrics", "")
    assert len(result.windows) == len(result.evaluations) == 0 and result.stage_changes == ()


def test_a_table_that_cannot_be_read_is_refused(tmp_path):
    for content in (b"\xff\xfe\0", b"a\n" + b"x" * (csv.field_size_limit() + 1) + b"\n"):
        (tmp_path / "metrics.csv").write_bytes(content)
        with pytest.raises(Damaged, match="Give a CSV file with a header"):
            csv_history(tmp_path / "metrics.csv")
    with pytest.raises(Damaged, match="cannot be read"):
        csv_history(tmp_path)


# ---------------------------------------------------------------- stage_changes


def stage_changes(stages, config):
    rows = [window_row("r", w, **tag_metrics(w) | {"stage": stage}) for w, stage in enumerate(stages)]
    assert all(isinstance(row, WindowRow) for row in rows)
    return history._stage_changes(rows, config)


def stage(name, settings):
    """As a run's config.json has it."""
    return Stage(name=name, settings=settings).model_dump()


CURRICULUM = [
    stage("small", {"arena_half": 10.0, "obstacles": 2}),
    stage("large", {"arena_half": 14.0, "obstacles": 2}),
    stage("all", {"arena_half": 14.5, "obstacles": 4, "time_limit": 20}),
]


def test_a_stage_begins_where_the_stage_changes_and_says_what_changed():
    assert stage_changes((0, 0, 1, 1, 2), {"curriculum": CURRICULUM}) == (
        ("2: large (arena_half 10 to 14)", 2.0 * STEPS),
        ("3: all (arena_half 14 to 14.5, obstacles 2 to 4, …)", 4.0 * STEPS),
    )


def test_a_stage_without_its_setting_has_the_runs_or_the_default():
    stages = [stage("a", {"obstacles": 1}), {"name": "b"}]
    assert stage_changes((0, 1), {"curriculum": stages, "settings": {"obstacles": 8}}) == (
        ("2: b (obstacles 1 to 8)", 1000.0),
    )
    assert stage_changes((0, 1), {"curriculum": stages}) == (("2: b (obstacles 1 to default)", 1000.0),)
    assert stage_changes((0, 1), {"curriculum": [{}, {}]}) == (("2: ", 1000.0),)
    alike = [stage("a", {"recall": True}), stage("b", {"recall": True})]
    assert stage_changes((0, 1), {"curriculum": alike}) == (("2: b", 1000.0),)


def test_stages_that_the_configuration_does_not_know_are_not_marked():
    assert stage_changes((0, 3), {"curriculum": CURRICULUM}) == ()
    assert stage_changes((0, 1), {}) == ()
    assert stage_changes((None, 1), {"curriculum": CURRICULUM}) == ()
    assert stage_changes((0, None), {"curriculum": CURRICULUM}) == ()


# ---------------------------------------------------------------- averages, followers


def test_a_moving_average_is_the_mean_of_the_last_few():
    values = np.array([1.0, 2.0, 6.0, np.nan, 4.0, 0.0])
    for width in (1, 2, 3, 10):
        for i, found in enumerate(moving_average(values, width)):
            part = values[max(0, i - width + 1) : i + 1]
            part = part[np.isfinite(part)]
            assert found == pytest.approx(part.mean()) if len(part) else np.isnan(found)
    assert moving_average(np.array([]), 3).tolist() == []


def test_a_follower_knows_what_was_reported_before_and_sees_a_window_judged_again(tmp_path):
    path = tmp_path / "evaluations.jsonl"
    old = [{"window_id": 0, "checkpoint_sha256": "a"}, {"window_id": 1}]
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    follower = EvaluationFollower(path, old)
    assert follower.new() == []
    with path.open("a") as file:
        file.write(json.dumps({"window_id": 0, "checkpoint_sha256": "b"}) + "\n")
    assert follower.new() == [{"window_id": 0, "checkpoint_sha256": "b"}]
    assert follower.new() == []


def test_a_follower_reads_the_file_only_when_it_has_grown(tmp_path, monkeypatch):
    path = tmp_path / "evaluations.jsonl"
    reads = []
    real = history.read_evaluations
    monkeypatch.setattr(history, "read_evaluations", lambda path: reads.append(path) or real(path))
    follower = EvaluationFollower(path)
    follower.new()
    follower.new()
    path.write_text('{"window_id": 0}\n')
    assert len(follower.new()) == 1 and follower.new() == []
    assert len(reads) == 2
