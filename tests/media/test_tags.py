"""A window's metrics by the names that TensorBoard groups them under."""

import pytest

from sandlot.media.tags import evaluation_tags, window_tags

from .making import tag_figures, window_row


@pytest.fixture
def row():
    return window_row("run", 2, **tag_figures(2) | {"seconds": 4.0, "note": "no number", "kept": None})


def test_every_number_of_a_window_has_one_tag_in_its_group(row):
    tags, told = window_tags(row), row.to_json()
    assert tags["seeker/policy_loss"] == told["seeker_policy_loss"]
    assert tags["hider/entropy"] == told["hider_entropy"]
    assert tags["window/seeker_win_rate"] == told["seeker_win_rate"], "an outcome is not the learner's own"
    assert tags["window/episodes_completed"] == told["episodes_completed"]
    assert tags["time/fps"] == told["env_steps_total"] / 4.0
    assert tags["episode/reward_sum"] == tags["rollout/ep_rew_mean"] == told["return_mean"]


def test_counters_and_words_are_no_curves(row):
    names = {tag.split("/")[1] for tag in window_tags(row) if tag.startswith("window/")}
    assert names.isdisjoint({"schema_version", "window_id", "window_complete", "env_steps_total"})
    assert names.isdisjoint({"env_steps_start", "env_steps_end", "note", "kept", "run_id"})


def test_a_window_that_took_no_time_has_no_speed(row):
    assert "time/fps" not in window_tags(row.with_figures(seconds=0.0))


def test_a_judgement_is_tagged_without_its_counters():
    told = {"window_id": 3, "schema_version": 1, "env_steps_total": 9, "seeker_rating": 1010.5, "name": "x"}
    assert evaluation_tags(told) == {"evaluation/seeker_rating": 1010.5}
