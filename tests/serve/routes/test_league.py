"""serve/routes/league.py: which reports are read."""

import json

from sandlot.serve.routes.league import _reports

from ..contract import assert_as_agreed

MOST = 16 * 1024 * 1024
TAG = '{"game": "tag"}'


def written(folder, name, text):
    (folder / name).mkdir(parents=True)
    (folder / name / "league.json").write_text(text)


def test_the_routes_are_as_agreed():
    assert_as_agreed("league")


def test_reports_come_newest_first_by_the_time_in_their_name(tmp_path):
    for name in ("tag-20260102T000000Z", "a-20260103T000000Z", "z-20260101T000000Z"):
        written(tmp_path, name, json.dumps({"game": "tag", "name": name}))
    names = [report.model_extra["name"] for _, report in _reports(tmp_path)]
    assert names == ["a-20260103T000000Z", "tag-20260102T000000Z", "z-20260101T000000Z"]


def test_a_report_of_the_largest_size_is_read_and_one_byte_more_is_not(tmp_path):
    written(tmp_path, "a-20260101T000000Z", TAG + " " * (MOST - len(TAG)))
    assert [report.game for _, report in _reports(tmp_path)] == ["tag"]
    written(tmp_path, "b-20260102T000000Z", TAG + " " * (MOST - len(TAG) + 1))
    assert len(_reports(tmp_path)) == 1


def test_what_is_no_report_is_left_out(tmp_path):
    written(tmp_path, "a-20260101T000000Z", "[]")
    written(tmp_path, "b-20260101T000000Z", "{")
    written(tmp_path, "d-20260101T000000Z", '{"game": "tag", "standings": [{"name": "x"}]}')
    outside = tmp_path.parent / "elsewhere.json"
    outside.write_text(TAG)
    (tmp_path / "c-20260101T000000Z").mkdir()
    (tmp_path / "c-20260101T000000Z" / "league.json").symlink_to(outside)
    assert _reports(tmp_path) == [] and _reports(tmp_path / "none") == []
