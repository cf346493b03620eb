"""What was played since the episodes under way began, and in which order it is played again."""

import numpy as np

from sandlot.worlds.past import Past


def played_again(past):
    return [
        (worlds.tolist(), None if actions is None else actions.tolist()) for worlds, actions in past.again()
    ]


def made(worlds=3):
    past = Past(worlds, np.zeros(worlds, np.int32))
    past.began(np.arange(worlds), np.arange(worlds, dtype=np.uint64))
    return past


def test_worlds_begin_again_when_as_much_is_left_as_they_have_played():
    past = made()
    for step in range(4):
        past.played(np.full(3, step, np.int32))
        if step == 1:
            past.began(np.array([2]), np.array([0, 0, 77], np.uint64))
    assert played_again(past) == [
        ([0, 1], [0, 0, 0]), ([], [1, 1, 1]), ([2], [2, 2, 2]), ([], [3, 3, 3]), ([], None),
    ]  # fmt: skip
    assert past.seeds.tolist() == [0, 1, 77]


def test_a_world_whose_episode_has_just_begun_begins_at_the_end():
    past = made(2)
    past.played(np.zeros(2, np.int32))
    past.began(np.array([1]), np.array([0, 9], np.uint64))
    assert played_again(past) == [([0], [0, 0]), ([1], None)]


def test_nothing_is_kept_that_no_episode_needs():
    past = made(2)
    for step in range(100):
        past.played(np.full(2, step, np.int32))
        past.began(np.array([step % 2]), np.zeros(2, np.uint64))
    assert [actions for _, actions in played_again(past)] == [[99, 99], None]


def test_actions_are_copied_and_an_episode_longer_than_the_memory_is_not_whole():
    past = Past(1, np.zeros((1, 1 << 26), np.uint8))  # four steps fill the memory
    past.began(np.array([0]), np.zeros(1, np.uint64))
    actions = np.zeros(1, np.int32)
    for step in range(4):
        actions[:] = step
        past.played(actions)
    assert [row for _, row in played_again(past)][:4] == [[0], [1], [2], [3]] and past.is_whole
    past.played(actions)
    assert not past.is_whole
