"""Refused messages: all are counted, the first are written down, a full disk ends nothing."""

import json

import pytest

from sandlot.bridge import limits, quarantine
from sandlot.bridge.quarantine import Quarantine


def rows(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_refusal_is_kept_with_its_connection_its_code_and_its_beginning(tmp_path):
    kept = Quarantine(tmp_path / "refused.jsonl")
    kept.add(4, "bad_json", "w" * 600, "s" * 600)
    (row,) = rows(kept.file)
    assert (row["connection"], row["code"]) == (4, "bad_json") and row["time"] > 1e9
    assert (row["reason"], len(row["reason"])) == ("w" * limits.EXCERPT, 500)
    assert row["message"] == "s" * 500


def test_only_the_first_are_written_and_all_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "QUARANTINED", 3)
    kept = Quarantine(tmp_path / "refused.jsonl")
    for number in range(5):
        kept.add(number, "a" if number % 2 else "b", "reason", "text")
    assert [row["connection"] for row in rows(kept.file)] == [0, 1, 2]
    assert kept.total == 5 and kept.counts == {"a": 2, "b": 3}
    assert kept.summary() == f"5 refused (3 b, 2 a); the first 3 are in {kept.file}"


def test_the_file_has_a_limit_in_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(quarantine.time, "time", lambda: 1234.56789)
    kept = Quarantine(tmp_path / "refused.jsonl")
    kept.add(1, "a", "why", "text")
    length = kept.file.stat().st_size
    monkeypatch.setattr(limits, "QUARANTINE_BYTES", 2 * length)
    for _ in range(3):
        kept.add(1, "a", "why", "text")
    assert len(rows(kept.file)) == 2 and kept.total == 4
    assert rows(kept.file)[0]["time"] == 1234.568, "seconds, to the millisecond"


def test_without_a_file_refusals_are_only_counted():
    kept = Quarantine()
    assert (kept.summary(), kept.total) == ("", 0)
    kept.add(1, "a", "why", "text")
    assert kept.summary() == "1 refused (1 a)" and kept.total == 1


def test_the_summary_names_the_five_most_frequent_codes():
    kept = Quarantine()
    for count, code in enumerate("abcdef", 1):
        for _ in range(count):
            kept.add(1, code, "reason", "text")
    assert kept.summary() == "21 refused (6 f, 5 e, 4 d, 3 c, 2 b)"


@pytest.mark.parametrize("place", ["missing/refused.jsonl", "."])
def test_a_file_that_cannot_be_written_ends_nothing(tmp_path, place):
    kept = Quarantine(tmp_path / place)
    kept.add(1, "a", "why", "text")
    assert kept.total == 1
