import pytest
from making import make_run, window_rows

from sandlot.errors import Damaged, NewerSchema
from sandlot.runs import Frame, RunRecord
from sandlot.runs.records import WindowRow, parse

FRAME = {
    "schema_version": 1, "frame_index": 0, "t": 3, "dt": 3, "action": 6, "reward": -0.5, "terminated": False,
    "truncated": False, "render_state": {"credits": 1.0}, "events": [],
}  # fmt: skip


def test_a_record_of_an_earlier_schema_is_refused_in_a_sentence(tmp_path):
    result = make_run(tmp_path).record.to_json() | {"schema_version": 1}
    with pytest.raises(Damaged, match=r"run\.json has schema version 1, this version reads 3\. Open it with"):
        parse(RunRecord, result, "run.json")


def test_a_record_of_a_later_schema_is_refused_in_a_sentence(tmp_path):
    result = make_run(tmp_path).record.to_json() | {"schema_version": 4}
    with pytest.raises(
        NewerSchema, match=r"run\.json has schema version 4; this Sandlot reads up to 3. Upgrade"
    ):
        parse(RunRecord, result, "run.json")


@pytest.mark.parametrize("version", [None, "1", 0, True])
def test_a_record_without_a_good_schema_version_is_refused(version):
    with pytest.raises(Damaged, match="schema version"):
        parse(Frame, FRAME | {"schema_version": version} if version is not True else {}, "frame")


def test_what_is_wrong_with_a_record_is_named(tmp_path):
    result = make_run(tmp_path).record.to_json() | {"status": "sleeping"}
    with pytest.raises(Damaged, match="not valid at status"):
        parse(RunRecord, result, "run.json")
    with pytest.raises(Damaged, match="holds list"):
        parse(RunRecord, [], "run.json")


def test_a_note_added_to_run_json_by_hand_survives(tmp_path):
    result = make_run(tmp_path).record.to_json() | {"note": "the good one"}
    assert parse(RunRecord, result, "run.json").to_json()["note"] == "the good one"


def test_a_seed_travels_as_text_because_browsers_lose_its_digits(tmp_path):
    record = make_run(tmp_path, seed=2**64 - 1).record
    assert record.seed == 2**64 - 1 and record.to_json()["seed"] == str(2**64 - 1)


def test_a_trainer_adds_its_own_metrics_to_a_row():
    row = window_rows(1)[0].with_metrics(policy_loss=0.25)
    assert row.metrics == {"policy_loss": 0.25}
    assert parse(WindowRow, row.to_json(), "row") == row


def test_a_good_frame_passes_and_comes_out_as_it_went_in():
    assert parse(Frame, FRAME, "frame").to_json() == FRAME


BAD = [
    *({k: v for k, v in FRAME.items() if k != missing} for missing in FRAME),
    FRAME | {"schema_version": 2},
    FRAME | {"frame_index": -1},
    FRAME | {"dt": 0},
    FRAME | {"render_state": []},
    FRAME | {"events": {}},
    FRAME | {"reward": float("nan")},
    FRAME | {"surprise": 1},
    [],
    None,
]


@pytest.mark.parametrize("frame", BAD)
def test_a_frame_that_breaks_the_schema_is_refused(frame):
    with pytest.raises((Damaged, NewerSchema)):
        parse(Frame, frame, "frame")
