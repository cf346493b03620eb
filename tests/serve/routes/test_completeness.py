"""serve/routes/completeness.py: how old is stale, what is lacking, what is said about it."""

from datetime import UTC, datetime, timedelta

import pytest

from sandlot.serve.errors import ApiError
from sandlot.serve.routes import completeness as module
from sandlot.serve.routes.completeness import RunContext, _Check, _notes

from ..contract import assert_as_agreed

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DESCRIPTION = RunContext(**dict.fromkeys(RunContext.model_fields) | {"run_id": "r"})


class Paths:
    def without_paths(self, text):
        return text.replace("/home/me", "")


@pytest.fixture
def look(monkeypatch):
    monkeypatch.setattr(module, "now", lambda: NOW)
    return _Check(Paths(), None, DESCRIPTION, None, 60, 10)


def row(look, found):
    def source():
        if isinstance(found, Exception):
            raise found
        return found

    return look._row("key", "Label", ("a", "b"), "store", "path", source)


def test_the_routes_are_as_agreed():
    assert_as_agreed("analytics")


@pytest.mark.parametrize(
    ("moment", "old"),
    [
        ("2026-03-01T11:59:00Z", False),  # exactly as old as it may be
        ("2026-03-01T11:58:59Z", True),
        ("2026-03-01T11:58:59", True),  # without a zone it is UTC
        ("2026-03-01T11:59:30", False),
        ("2026-03-01T13:59:30+02:00", False),
        ("2026-03-01T11:59:30+02:00", True),  # two hours ago, though it looks like half a minute
        (None, False),
        ("yesterday", False),
    ],
)
def test_a_source_is_old_after_so_many_seconds_wherever_its_clock_is(look, moment, old):
    assert look._is_old(moment) is old


@pytest.mark.parametrize(
    ("found", "status", "count", "lacking"),
    [
        (([{"a": 1, "b": 2}], None), "ok", 1, []),
        (([{}, {"a": 1, "b": 2}], None), "ok", 2, []),  # the newest row counts
        (([{"a": 1, "b": 2}, {"b": 2}], None), "missing", 2, ["a"]),
        (([], None), "missing", 0, ["a", "b"]),
        (([{"a": 1, "b": 2}], "2020-01-01T00:00:00Z"), "stale", 1, []),
        (([{"a": 1}], "2020-01-01T00:00:00Z"), "missing", 1, ["b"]),
        (ApiError(400, "x", "which project?"), "missing", 0, ["a", "b"]),
        (ApiError(404, "x", "no run"), "missing", 0, ["a", "b"]),
        (ApiError(503, "x", "no key"), "missing", 0, ["a", "b"]),
        (ApiError(502, "x", "upstream"), "error", 0, ["a", "b"]),
        (ApiError(422, "x", "damaged"), "error", 0, ["a", "b"]),
    ],
)
def test_a_source_is_ok_stale_missing_or_an_error(look, found, status, count, lacking):
    made = row(look, found)
    assert (made.status, made.observed_count, made.missing_fields) == (status, count, lacking)
    assert made.required_fields == ["a", "b"]


def test_a_failing_source_says_why_without_places_of_this_machine(look):
    assert row(look, ApiError(422, "damaged", "/home/me/runs is damaged")).notes == ["/runs is damaged"]


@pytest.mark.parametrize(
    ("rows", "lacking", "status", "ended", "notes"),
    [
        ([], ["a"], "missing", None, ["No data yet."]),
        ([{}], ["a", "b"], "missing", None, ["The newest row lacks a, b."]),
        ([{"a": 1}], [], "stale", None, ["No new data for a while."]),
        ([{"a": 1}], [], "stale", "noon", ["The run ended at noon; no new data is expected."]),
        ([{"a": 1}], [], "ok", "noon", []),
    ],
)
def test_a_row_of_the_table_has_one_note_at_most(rows, lacking, status, ended, notes):
    assert _notes(rows, lacking, status, DESCRIPTION.model_copy(update={"finished_at": ended})) == notes


def test_the_clock_of_the_check_is_now(look):
    assert look._is_old((NOW - timedelta(seconds=61)).isoformat())
