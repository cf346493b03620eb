"""Transitions add up to matches, whoever sends the pieces in whatever order."""

import numpy as np
import pytest

from sandlot.bridge import matches as module
from sandlot.bridge.matches import MatchTracker, Transition


def transition(agent, reward=1.0, terminated=False, truncated=False, game=1, **info):
    seen = np.zeros(3, np.float32)
    return Transition((game, agent), seen, seen, reward, None, terminated, truncated, None, None, info)


def test_a_match_is_over_when_everybody_in_it_is_and_adds_up_by_role():
    kept = MatchTracker()
    kept.add(
        [transition("A", 1.0, role="seeker", distance_to_other=4.0), transition("B", -1.0, role="hider")]
    )
    kept.add([transition("A", 2.0, True, distance_to_other=2.0)])
    assert kept.finished() == [] and kept.total == 0
    end = {"time_elapsed": 3.5, "winner": "seeker", "terminal_reason": "tag"}
    kept.add([transition("B", -2.5, True, **end)])
    (match,) = kept.finished()
    assert (match.steps, match.duration_s, match.winner, match.reason) == (2, 3.5, "seeker", "tag")
    assert match.rewards == {"seeker": 3.0, "hider": -3.5} and not match.truncated
    assert match.distances == {"seeker": 3.0, "hider": 0.0}, "the mean of those that were reported"
    assert kept.finished() == [] and kept.total == 1


def test_a_role_keeps_counting_after_it_was_said_once_and_a_new_match_begins_at_nothing():
    kept = MatchTracker()
    for _ in range(2):
        kept.add([transition("A", 1.0, role="hider"), transition("A", 1.0, truncated=True)])
    first, second = kept.finished()
    assert first == second and first.rewards == {"hider": 2.0} and first.truncated and first.steps == 2
    assert (first.duration_s, first.winner, first.reason) == (0.0, "", "")


def test_games_are_kept_apart_and_one_that_left_is_dropped():
    kept = MatchTracker()
    kept.add([transition("A", game=1, role="seeker"), transition("A", game=2, role="seeker")])
    kept.drop(1)
    kept.drop(99)
    kept.add([transition("A", 5.0, True, game=1, role="seeker"), transition("A", 5.0, True, game=2)])
    assert [match.rewards["seeker"] for match in kept.finished()] == [5.0, 6.0]


def test_matches_that_nobody_fetches_are_bounded(monkeypatch):
    assert module.MOST_WAITING == 10_000
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    kept = MatchTracker()
    for i in range(5):
        kept.add([transition("A", float(i), True, role="seeker")])
    assert [match.rewards["seeker"] for match in kept.finished()] == [2.0, 3.0, 4.0] and kept.total == 5


@pytest.mark.parametrize(("terminated", "truncated", "over"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)])
def test_a_step_ends_by_the_game_or_by_who_stopped_watching(terminated, truncated, over):
    assert bool(transition("A", 0.0, bool(terminated), bool(truncated)).ended) == bool(over)
