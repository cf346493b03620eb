import pytest

from sandlot.errors import ConfigError
from sandlot.evaluate.tags import TagRules, tags_for
from sandlot.worlds import load_spec

RULES = TagRules()


EPISODE = load_spec("prospector").episode


def tags(rules=RULES, window_id=3, episode=0, return_total=0.0, best_before=100.0, **sums):
    return tags_for(rules, window_id, episode, return_total, best_before, EPISODE, sums)


def test_the_first_episode_of_a_window_is_the_canonical_one_whatever_its_return():
    assert tags(return_total=-5.0) == ["every_window"]
    assert tags(episode=1, return_total=-5.0) == []


def test_thinned_windows_are_tagged_every_n():
    rules = TagRules(every=5)
    assert tags(rules, window_id=11) == ["every_n"], "whichever windows have checkpoints"
    assert tags(rules, episode=1) == []


@pytest.mark.parametrize(
    ("best_before", "return_total", "is_best"),
    [
        (200.0, 204.0, False),  # by 2 % or less: within the margin
        (200.0, 204.1, True),
        (-50.0, -49.0, False),  # below zero too
        (-50.0, -48.9, True),
        (0.0, 0.001, True),
        (200.0, 199.0, False),
    ],
)
def test_the_best_so_far_beats_every_earlier_return_by_a_share_of_it(best_before, return_total, is_best):
    rules = TagRules(margin=0.02, returns=())
    assert ("best_so_far" in tags(rules, best_before=best_before, return_total=return_total)) is is_best


def test_the_first_replay_of_a_run_is_better_than_nothing_and_not_the_best_so_far():
    assert tags(best_before=None, return_total=9.0) == ["every_window"]


def test_the_first_window_is_no_best_and_no_milestone_as_it_has_hardly_learned():
    assert tags(window_id=0, best_before=None, return_total=99.0, net_profit=1e6, survival=1.0) == [
        "every_window"
    ]


def test_milestones_are_reached_at_their_threshold_and_keep_their_order():
    assert tags(episode=1, return_total=25.0, net_profit=500.0, survival=1.0) == [
        "milestone:profit:100",
        "milestone:profit:500",
        "milestone:return:10",
        "milestone:return:25",
        "milestone:survival:1",
    ]


def test_a_game_that_declares_no_milestone_has_only_those_of_the_return():
    field = load_spec("tag").episode
    assert tags_for(RULES, 3, 1, 11.0, 100.0, field, {"duration_s": 9.0}) == ["milestone:return:10"]
    assert tags(episode=1, net_profit=None) == [], "an episode that stopped before its end has no sums"


@pytest.mark.parametrize(
    ("threshold", "text"),
    [(1.0, "1"), (0.5, "0.5"), (1000, "1000"), (0.10, "0.1"), (0, "0"), (1e6, "1000000")],
)
def test_thresholds_print_without_trailing_zeros(threshold, text):
    assert f"milestone:return:{text}" in tags(TagRules(returns=(threshold,)), return_total=1e9)


def test_rules_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError):
        TagRules(every=0)
    with pytest.raises(ConfigError):
        TagRules(margin=-1)
