"""serve/routes/windows.py: an evaluation and the best checkpoint as the API describes them."""

from types import SimpleNamespace

import pytest

from sandlot.errors import Damaged
from sandlot.serve.routes.windows import _best, _evaluation

from ..contract import assert_as_agreed

ROW = {
    "schema_version": 2, "window_id": 3, "env_steps_total": 4000, "checkpoint_sha256": "x",
    "evaluator_pid": 7,
    "value": 0.5, "seeker_rating": 900.0, "hider_rating": None, "seeker_beats_evade_3": 0.25,
    "intervals": {"seeker_rating": (800.0, 950.0), "survival": (0.1, 0.2)},
}  # fmt: skip


def test_the_routes_are_as_agreed():
    assert_as_agreed("windows")


def test_an_evaluation_has_its_ratings_by_role_and_no_bookkeeping():
    found = _evaluation(ROW)
    assert (found.window_id, found.env_steps_total, found.value) == (3, 4000, 0.5)
    assert found.ratings == {"seeker": 900.0} and found.rating_intervals == {"seeker": (800.0, 950.0)}
    assert found.intervals == {"seeker_rating": (800.0, 950.0), "survival": (0.1, 0.2)}
    assert found.metrics == {
        "value": 0.5, "seeker_rating": 900.0, "hider_rating": None, "seeker_beats_evade_3": 0.25,
    }  # fmt: skip


def test_an_evaluation_of_an_older_writer_has_what_it_has():
    found = _evaluation({"window_id": 0})
    assert (found.env_steps_total, found.value, found.ratings, found.intervals) == (None, None, {}, {})


def best(report):
    return SimpleNamespace(report=report, roles={"seeker": SimpleNamespace(window_id=2)})


def test_the_best_checkpoint_is_reported_once_it_was_measured_again():
    assert _best(None) is None and _best(best(None)) is None
    found = _best(
        best({"episodes": 9, "value": 1.5, "value_low": 1.0, "value_high": 2.0, "hider_rating": 5.0})
    )
    assert (found.windows, found.episodes, found.value) == ({"seeker": 2}, 9, 1.5)
    assert found.value_interval == (1.0, 2.0) and found.ratings == {"hider": 5.0}


@pytest.mark.parametrize("half", [{"value_low": 1.0}, {"value_high": 1.0}, {}])
def test_half_an_interval_is_none(half):
    assert _best(best({"value": 1.5} | half)).value_interval is None


@pytest.mark.parametrize("report", [{"episodes": "many"}, {"intervals": 3}])
def test_a_report_that_is_none_is_damage(report):
    with pytest.raises(Damaged, match=r"best\.json"):
        _best(best(report))
