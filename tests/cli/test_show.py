"""cli/show.py: tables for people, JSON for machines, problems on standard error."""

import io
import json

import pytest

from sandlot.cli import show


def test_json_is_indented_ends_with_a_line_and_holds_no_nan(capsys):
    show.as_json({"a": [1, None]})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": [1, None]} and text == '{\n  "a": [\n    1,\n    null\n  ]\n}\n'
    with pytest.raises(ValueError, match="Out of range float"):
        show.as_json({"a": float("nan")})


def test_a_table_aligns_numbers_right_and_shows_brackets_as_they_are(monkeypatch):
    console = show.Terminal(file=io.StringIO(), width=60)
    monkeypatch.setattr(show, "out", console)
    show.table("[b] :car:", ("name", "count>"), [("sandlot[gym]", 7), ("[bold]", 1234)])
    lines = console.file.getvalue().splitlines()
    assert lines[0].strip() == "[b] :car:"
    assert "│ sandlot[gym] │     7 │" in lines and "│ [bold]       │  1234 │" in lines
    assert any(line.startswith("┃ name") and line.endswith("count ┃") for line in lines)


def test_a_problem_goes_to_standard_error_with_the_program_s_name(capsys):
    show.problem("[red] is no markup, gym:car:Race-v0 no emoji.")
    output = capsys.readouterr()
    assert output.err == "sandlot: [red] is no markup, gym:car:Race-v0 no emoji.\n" and output.out == ""


def test_a_pipe_has_wide_lines():
    assert show.PIPE_WIDTH == 200


def test_a_closed_pipe_is_left_to_the_program():
    with pytest.raises(BrokenPipeError):
        show.Terminal(file=io.StringIO()).on_broken_pipe()
