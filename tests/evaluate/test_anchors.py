"""The fixed scale of ratings: its key is the game with all settings, and no reader changes it."""

import pytest

from sandlot import rating
from sandlot.evaluate import anchors
from sandlot.evaluate.anchors import anchor_ratings, anchor_samples
from sandlot.evaluate.bots import cross_play
from sandlot.rating import Result, fit

EPISODES = anchors.EPISODES  # before the tests make it less
BRIEF = {"time_limit": 1.0, "obstacles": 0}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Few matches, and nothing remembered from or for other tests."""
    caches = (anchors._results, anchors._rated, anchors._sampled)
    for cache in caches:
        cache.cache_clear()
    monkeypatch.setattr(anchors, "EPISODES", 2)
    monkeypatch.setattr(rating, "RESAMPLINGS", 3)
    yield
    for cache in caches:
        cache.cache_clear()


def test_the_scale_is_fitted_to_the_matches_of_all_scripted_players():
    wanted = fit(
        Result(f"seeker {m.names[0]}", f"hider {m.names[1]}", m.tally.points, m.tally.matches)
        for m in cross_play("tag", 2, BRIEF)
    )
    assert anchor_ratings("tag", BRIEF) == wanted
    assert {"seeker chase:3", "hider evade:1", "seeker wander:2", "hider wander:2"} <= wanted.keys()


@pytest.mark.parametrize("change", [{"time_limit": 3.0}, {"mode": "switch"}, {"seeker_speed": 0.25}])
def test_every_setting_is_part_of_the_key(change):
    plain, changed = anchor_ratings("tag", BRIEF), anchor_ratings("tag", BRIEF | change)
    assert plain.keys() == changed.keys() and plain != changed
    assert anchor_samples("tag", BRIEF)[0] != anchor_samples("tag", BRIEF | change)[0]


def test_the_order_of_the_settings_is_not():
    anchor_ratings("tag", {"time_limit": 1.0, "obstacles": 0})
    anchor_ratings("tag", {"obstacles": 0, "time_limit": 1.0})
    assert anchors._results.cache_info().misses == 1


def test_who_changes_the_ratings_changes_them_for_nobody_else():
    anchor_ratings("tag", BRIEF)["seeker chase:3"] = -1.0
    assert anchor_ratings("tag", BRIEF)["seeker chase:3"] > 0


def test_samples_spread_around_the_ratings():
    ratings, drawn = anchor_ratings("tag", BRIEF), anchor_samples("tag", BRIEF)
    assert all(one.keys() == ratings.keys() for one in drawn)
    assert len({one["seeker chase:3"] for one in drawn}) > 1


def test_the_table_rests_on_sixty_matches_per_pair():
    assert EPISODES == 60
