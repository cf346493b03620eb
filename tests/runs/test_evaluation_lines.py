"""A line of evaluations.jsonl that holds none is named by its number."""

from sandlot.runs.evaluations import parse_evaluations


def test_lines_that_hold_no_evaluation_are_named_by_their_numbers(tmp_path):
    path = tmp_path / "evaluations.jsonl"
    path.write_text("[\n{}\n")
    rows, problems = parse_evaluations(path)
    assert rows == [] and [f"line {n}," in p for n, p in enumerate(problems, 1)] == [True, True]
