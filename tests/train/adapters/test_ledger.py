"""Decisions are counted world by world, also where a library's step was none for some of them."""

import numpy as np

from sandlot.games import Episodes
from sandlot.games.vector import HEAD
from sandlot.train.adapters.ledger import Ledger, side_by_side

NONE = Episodes((), np.zeros(0, HEAD), np.zeros((0, 0), np.float32))


def ended(*worlds):
    heads = np.zeros(len(worlds), HEAD)
    heads["world"] = worlds
    return Episodes((), heads, np.zeros((len(worlds), 0), np.float32))


def test_a_page_holds_every_step_in_order():
    ledger = Ledger(2)
    for t in range(3):
        ledger.add(np.array([t, 10 + t])[:, None], np.array([1, 2]))
    page = ledger.take(NONE)
    assert (
        page.rewards[..., 0].tolist() == [[0, 10], [1, 11], [2, 12]] and page.ticks.tolist() == [[1, 2]] * 3
    )
    assert ledger.ready == 0 and len(ledger.take(NONE).ticks) == 0


def test_a_void_step_is_left_out_and_the_others_wait():
    ledger = Ledger(2)
    for t, counts in enumerate([(True, True), (False, True), (True, True)]):
        ledger.add(np.array([t, 10 + t])[:, None], np.array([1, 1]), np.array(counts))
    assert ledger.take(NONE).rewards[..., 0].tolist() == [[0, 10], [2, 11]]
    ledger.add(np.array([3, 13])[:, None], np.array([1, 1]))
    assert ledger.take(NONE).rewards[..., 0].tolist() == [[3, 12]]


def test_an_episode_keeps_the_decision_it_ended_with():
    ledger = Ledger(2)
    ledger.add(np.zeros((2, 1)), np.ones(2))
    ledger.end(ended(0))
    ledger.add(np.zeros((2, 1)), np.ones(2), np.array([False, True]))
    ledger.end(ended(1))
    first, later = ledger.take(NONE), None
    assert first.episodes.heads[["world", "step"]].tolist() == [(0, 1)]
    ledger.add(np.zeros((2, 1)), np.ones(2))
    later = ledger.take(NONE)
    assert later.episodes.heads[["world", "step"]].tolist() == [(1, 1)]


def test_pages_of_two_processes_become_one_with_worlds_numbered_on():
    pages = []
    for reward in (1.0, 2.0):
        ledger = Ledger(2)
        ledger.add(np.full((2, 1), reward), np.ones(2))
        ledger.end(ended(1))
        pages.append(ledger.take(NONE))
    page = side_by_side(pages)
    assert page.rewards[..., 0].tolist() == [[1, 1, 2, 2]]
    assert page.episodes.heads["world"].tolist() == [1, 3]
