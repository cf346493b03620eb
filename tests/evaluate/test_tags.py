import pytest

from sandlot.errors import ConfigError
from sandlot.evaluate.tags import TagRules, tags_for

RULES = TagRules()


def tags(rules=RULES, window_id=3, episode=0, return_total=0.0, best_before=100.0, **outcome):
    return tags_for(rules, window_id, episode, return_total, best_before, **outcome)


def test_the_first_episode_of_a_window_is_the_canonical_one_whatever_its_return():
    assert tags(return_total=-5.0) == ["every_window"]
    assert tags(episode=1, return_total=-5.0) == []


def test_thinned_windows_are_tagged_every_n():
    rules = TagRules(every=5)
    assert tags(rules, window_id=10) == ["every_n"] and tags(rules, window_id=11) == []


def test_the_first_replay_is_the_best_so_far_and_later_ones_must_beat_it_by_the_margin():
    rules = TagRules(margin=0.5, returns=())
    assert "best_so_far" in tags(rules, best_before=None, return_total=-9.0)
    assert "best_so_far" not in tags(rules, best_before=1.0, return_total=1.5)
    assert "best_so_far" in tags(rules, best_before=1.0, return_total=1.501)


def test_the_first_window_is_no_best_and_no_milestone_as_it_has_hardly_learned():
    assert tags(window_id=0, best_before=None, return_total=99.0, profit=1e6, survival=1.0) == [
        "every_window"
    ]


def test_milestones_are_reached_at_their_threshold_and_keep_their_order():
    assert tags(episode=1, return_total=25.0, profit=500.0, survival=1.0) == [
        "milestone:profit:100",
        "milestone:profit:500",
        "milestone:return:10",
        "milestone:return:25",
        "milestone:survival:1",
    ]


def test_a_game_without_profit_has_no_such_milestone():
    assert tags(episode=1, profit=None, survival=None) == []


@pytest.mark.parametrize(
    ("threshold", "text"),
    [(1.0, "1"), (0.5, "0.5"), (1000, "1000"), (0.10, "0.1"), (0, "0"), (1e6, "1000000")],
)
def test_thresholds_print_without_trailing_zeros(threshold, text):
    assert f"milestone:profit:{text}" in tags(TagRules(profit=(threshold,)), profit=1e9)


def test_rules_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError):
        TagRules(every=0)
    with pytest.raises(ConfigError):
        TagRules(margin=-1)
