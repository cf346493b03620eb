"""Lines of evaluations.jsonl: the newest of a window counts, and nobody is stopped by a broken one."""

import json

import pytest

from sandlot.runs.evaluations import parse_evaluations, read_evaluations


def written(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "evaluations.jsonl"


def test_rows_come_by_window_and_the_newest_of_a_window_counts(path):
    rows = [{"window_id": 3, "value": 1.0}, {"window_id": 1, "value": 2.0}, {"window_id": 3, "value": 3.0}]
    assert parse_evaluations(written(path, *rows)) == ([rows[1], rows[2]], [])


def test_numbers_and_words_are_kept_and_nothing_nested_but_intervals(path):
    row = {"window_id": 0, "seeker_rating": 900.5, "name": "x", "episodes": 4, "list": [1], "nothing": None}
    row |= {"intervals": {"seeker_rating": [890.0, 910.0]}, "checkpoint_sha256": "ab", "env_steps_total": 7}
    (found,), problems = parse_evaluations(written(path, row))
    assert problems == []
    assert found == {k: v for k, v in row.items() if k not in ("list", "nothing", "intervals")} | {
        "intervals": {"seeker_rating": (890.0, 910.0)}
    }


def test_a_number_that_json_does_not_have_is_left_out(path):
    (found,), problems = parse_evaluations(written(path, '{"window_id": 0, "value": NaN, "x": Infinity}'))
    assert found == {"window_id": 0, "value": None} and problems == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[]", "no object"), ('"text"', "no object"), ("{", "Expecting"), ("{}", "Field required"),
        ('{"window_id": -1}', "greater than or equal"), ('{"window_id": "x"}', "integer"),
        ('{"window_id": 0, "env_steps_total": -5}', "greater than"), ("[" * 100_000, "recursion"),
        ('{"window_id": 0, "value": "high"}', "number"),
    ],
)  # fmt: skip
def test_a_line_that_holds_no_evaluation_is_named_and_the_others_are_read(path, line, why):
    rows, problems = parse_evaluations(written(path, {"window_id": 1}, line, {"window_id": 2}))
    assert [row["window_id"] for row in rows] == [1, 2]
    (problem,) = problems
    assert f"{path}, line 2, is not an evaluation" in problem and why in problem
    assert len(problem) < len(str(path)) + 200, "however long the line is"


def test_a_reader_is_warned_and_goes_on(path, caplog):
    assert [row["window_id"] for row in read_evaluations(written(path, "[]", {"window_id": 2}))] == [2]
    assert "line 1" in caplog.text
    assert read_evaluations(path.with_name("none.jsonl")) == []
