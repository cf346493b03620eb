"""A window's metrics by the names that TensorBoard groups them under."""

import pytest

from sandlot.media.tags import evaluation_tags, window_tags

from .making import tag_metrics, window_row


@pytest.fixture
def row():
    return window_row("run", 2, **tag_metrics(2) | {"seconds": 4.0, "note": "no number", "kept": None})


def test_every_number_of_a_window_has_one_tag_in_its_group(row):
    tags, result = window_tags(row), row.to_json()
    assert tags["seeker/policy_loss"] == result["seeker_policy_loss"]
    assert tags["hider/entropy"] == result["hider_entropy"]
    assert tags["window/seeker_win_rate"] == result["seeker_win_rate"], "an outcome is not the learner's own"
    assert tags["window/episodes_completed"] == result["episodes_completed"]
    assert tags["time/fps"] == result["env_steps_total"] / 4.0
    assert tags["episode/reward_sum"] == tags["rollout/ep_rew_mean"] == result["return_mean"]


def test_counters_and_words_are_no_curves(row):
    names = {tag.split("/")[1] for tag in window_tags(row) if tag.startswith("window/")}
    assert names.isdisjoint({"schema_version", "window_id", "window_complete", "env_steps_total"})
    assert names.isdisjoint({"env_steps_start", "env_steps_end", "note", "kept", "run_id"})


def test_a_window_that_took_no_time_has_no_speed(row):
    assert "time/fps" not in window_tags(row.with_metrics(seconds=0.0))


def test_a_judgement_is_tagged_without_its_counters():
    result = {"window_id": 3, "schema_version": 1, "env_steps_total": 9, "seeker_rating": 1010.5, "name": "x"}
    assert evaluation_tags(result) == {"evaluation/seeker_rating": 1010.5}


def test_episodes_have_their_tags_under_the_first_name_that_is_known(row):
    plain = window_row("run", 0, decisions_mean=7.0, seeker_reward_mean=2.0)
    tags = window_tags(plain)
    assert tags["episode/steps"] == tags["rollout/ep_len_mean"] == 7.0
    assert tags["episode/seeker_reward_sum"] == 2.0 and "episode/hider_reward_sum" not in tags
    assert window_tags(row)["episode/steps"] == 60.0
    assert window_tags(row)["episode/seeker_reward_sum"] == 0.3, "the return, where there is one"
    assert tags["time/total_timesteps"] == plain.env_steps_total
    assert tags["episode/reward_mean"] == plain.reward_mean


def test_outcomes_of_a_role_are_the_windows_and_the_rest_its_learners(row):
    more = {"seeker_distance_mean": 1.0, "seeker_return_median": 2.0, "seeker_win_rate_vs_past": 3.0}
    tags = window_tags(row.with_metrics(**more, seeker_grad=4.0, pilot_grad=5.0))
    outcomes = (
        "return_mean",
        "reward_mean",
        "win_rate",
        "distance_mean",
        "return_median",
        "win_rate_vs_past",
    )
    for name in outcomes:
        assert f"window/seeker_{name}" in tags and f"seeker/{name}" not in tags
    assert tags["seeker/grad"] == 4.0 and "window/seeker_grad" not in tags
    assert tags["window/pilot_grad"] == 5.0, "without a policy's loss nobody learns it"
